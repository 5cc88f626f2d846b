// How much of a matrix in a file is in memory at once.
#include "data/counted.hpp"
#include "kleene/data/error.hpp"
#include "kleene/grid/file_closure.hpp"

#include <algorithm>
#include <string>

namespace kleene::detail {

namespace {

constexpr index_t most_columns = 2048;  // of one product: more would take memory for B's panels, and no less time
// Each strip packs the block's rows anew: short ones take a block's place only where there is none to be had.
constexpr index_t least_strip = 16, good_strip = 256, most_strip = 512;

double bytes_of(index_t n, double element, double accumulator, index_t block, index_t strip, index_t columns) {
  const double k = double(block), h = double(strip), c = double(columns);
  const double matrices = element * (k * double(n) + k * c + h * k + 3 * h * double(n) + 2 * 64 * k);
  const double panels = accumulator * (std::max(h, k) + c + 128) * k;  // of gemm, rounded up to whole tiles
  return matrices + panels;
}

}  // namespace

file_closure_plan plan_file_closure(index_t n, std::size_t element, std::size_t accumulator, index_t block,
                                    double most) {
  const auto bytes = [&](index_t k, index_t h) {
    return bytes_of(n, double(element), double(accumulator), k, h, std::min(n, most_columns));
  };
  const index_t rows = std::max<index_t>(n, 1);
  file_closure_plan plan{.block = std::min(block, rows), .columns = std::max<index_t>(1, std::min(n, most_columns))};
  for (const index_t k : {2048, 1536, 1024, 768, 512, 384, 256, 128, 64}) {
    if (block > 0) break;
    plan.block = std::min<index_t>(k, rows);
    if (bytes(plan.block, std::min(good_strip, rows)) <= most) break;
  }
  if (const double least = bytes(plan.block, std::min(least_strip, rows)); least > most)
    throw error(fault_code::memory, "a closure of " + detail::counted(n, "vertex", "vertices") + " in blocks of " +
                                        std::to_string(plan.block) + " takes at least " + bytes_text(least) +
                                        " of memory, and the limit is " + bytes_text(most));
  plan.strip = std::min(least_strip, rows);
  while (plan.strip < std::min(most_strip, rows) && bytes(plan.block, std::min(2 * plan.strip, rows)) <= most)
    plan.strip = std::min(2 * plan.strip, rows);
  plan.bytes = bytes(plan.block, plan.strip);
  return plan;
}

}  // namespace kleene::detail
