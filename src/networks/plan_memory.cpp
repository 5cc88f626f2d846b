#include "plan_memory.hpp"

#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include <algorithm>
#include <bit>

namespace kleene::detail {

namespace {
constexpr std::size_t line = 64, largest_small = 4096;
}

memory_block memory_planner::allocate(double bytes) {
  if (bytes > most_counted) throw error(fault_code::memory, "a contraction: a tensor would take " + bytes_text(bytes));
  const std::size_t wanted = std::max((static_cast<std::size_t>(bytes) + line - 1) / line * line, line);
  if (wanted <= largest_small) {
    const std::size_t size = std::bit_ceil(wanted);
    std::vector<std::size_t>& unused = free_small_[static_cast<std::size_t>(std::countr_zero(size))];
    if (unused.empty()) {
      unused.push_back(small_end_);
      small_end_ += size;
    }
    const std::size_t at = unused.back();
    unused.pop_back();
    return {at, size, true};
  }
  for (auto g = gaps_.begin(); g != gaps_.end(); ++g) {
    if (g->bytes < wanted) continue;
    const std::size_t at = g->at;
    g->at += wanted, g->bytes -= wanted;
    if (g->bytes == 0) gaps_.erase(g);
    return {at, wanted, false};
  }
  const std::size_t at = large_end_;
  large_end_ += wanted;
  large_peak_ = std::max(large_peak_, large_end_);
  return {at, wanted, false};
}

void memory_planner::free(const memory_block& block) {
  if (block.is_small) {
    free_small_[static_cast<std::size_t>(std::countr_zero(block.bytes))].push_back(block.at);
    return;
  }
  auto next = std::find_if(gaps_.begin(), gaps_.end(), [&](const gap& g) { return g.at > block.at; });
  next = gaps_.insert(next, {block.at, block.bytes});
  if (const auto after = next + 1; after != gaps_.end() && next->at + next->bytes == after->at) {
    next->bytes += after->bytes;
    next = gaps_.erase(after) - 1;
  }
  if (next != gaps_.begin() && (next - 1)->at + (next - 1)->bytes == next->at) {
    (next - 1)->bytes += next->bytes;
    next = gaps_.erase(next) - 1;
  }
  if (next->at + next->bytes == large_end_) large_end_ = next->at, gaps_.erase(next);
}

}  // namespace kleene::detail
