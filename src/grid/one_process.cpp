#include "kleene/grid/detail/host/one_process.hpp"

#include "grid/hub.hpp"

namespace kleene::detail {

bool is_one_process(const worker& w) {
  return w.size() == 1 || dynamic_cast<const thread_communicator*>(&w.comm()) != nullptr;
}

}  // namespace kleene::detail
