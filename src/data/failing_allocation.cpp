#include "kleene/data/detail/failing_allocation.hpp"

#include <algorithm>
#include <atomic>

namespace kleene::detail {

namespace {
std::atomic<index_t> until_failure{0};
}

index_t fail_device_allocation(index_t n) { return std::max<index_t>(until_failure.exchange(n), 0); }

bool may_allocate() { return until_failure.load(std::memory_order_relaxed) == 0 || until_failure.fetch_sub(1) != 1; }

}  // namespace kleene::detail
