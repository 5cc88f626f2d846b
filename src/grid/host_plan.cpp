// How much of a matrix in host memory a device has at a time.
#include "data/counted.hpp"
#include "kleene/grid/detail/host_elimination.inl.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kleene::detail {

namespace {

constexpr index_t smallest = 64, largest = 4096;

// Rows of two blocks, of one packed for products too, three strips, and what is block x block.
double bytes_of(double n, double block, double strip, double element) {
  return (3 * n * (block + strip) + 2 * block * block) * element;
}

}  // namespace

void require_host_closure(const context& ctx, const std::array<index_t, 2>& extents,
                          const std::array<index_t, 2>& strides) {
  if (ctx.kind() != device_kind::cuda)
    throw error(fault_code::device, "closure_from_host is for CUDA devices; this context is " + ctx.describe());
  if (extents[0] != extents[1]) throw shape_error("a closure needs a square matrix; A is " + extents_text(extents));
  if (extents[1] > 1 && strides[1] != 1)
    throw argument_error("neighbours in a row of A lie " + std::to_string(strides[1]) +
                         " elements apart; one is needed");
}

host_closure_plan plan_host_closure(const context& ctx, index_t n, std::size_t element, std::size_t memory,
                                    index_t asked) {
  const std::size_t free = ctx.available();
  const double limit = memory > 0 ? static_cast<double>(memory) : 0.9 * static_cast<double>(free);
  const auto needs = [&](index_t block, index_t divisor) {
    const double rows = double(std::min(block, n));
    return bytes_of(double(n), rows, rows / double(divisor), static_cast<double>(element));
  };
  index_t block = asked > 0 ? asked : largest;
  while (asked <= 0 && block > smallest && needs(block, 4) > limit) block -= smallest;
  if (needs(block, 4) > limit)
    throw error(fault_code::memory, "a closure of " + detail::counted(n, "vertex", "vertices") + " in blocks of " +
                                        std::to_string(block) + " needs " +
                                        std::to_string(std::llround(needs(block, 4))) + " bytes on the device; " +
                                        std::to_string(std::llround(limit)) + " are allowed or available");
  index_t divisor = 4;
  while (divisor > 1 && needs(block, divisor / 2) <= limit) divisor /= 2;
  return {block, std::clamp<index_t>(block / divisor, 1, std::max<index_t>(n, 1))};
}

}  // namespace kleene::detail
