#include "kleene/grid/detail/host/one_process.hpp"

namespace kleene::detail {

bool is_one_process(const worker& w) { return w.size() == 1 || w.comm().is_one_process(); }

}  // namespace kleene::detail
