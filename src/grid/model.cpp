#include "kleene/grid/model.hpp"

#include "kleene/data/error.hpp"
#include "kleene/data/integers.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

namespace kleene {

namespace {

// The block is closed at about a quarter of the rate of products.
constexpr double diagonal_pairs = 4;

closure_model in_blocks(const gpu_cluster& machine, int rows, int cols, index_t n, double element, index_t block) {
  closure_model m;
  m.rows = rows, m.cols = cols, m.block = block;
  const double b = double(block), high = double(n) / rows, wide = double(n) / cols, sides = high + wide;
  m.bulk = high * wide * (b / machine.pairs + 2 * element / machine.bandwidth);
  // The rows and columns of the next block, by this one; then D R, and the panels' own products.
  m.ahead = 2 * sides * b * b / machine.pairs;
  m.diagonal = diagonal_pairs * b * b * b / machine.pairs;
  if (rows * cols > 1) m.panels = sides * b * element / (machine.nodes > 1 ? machine.network : machine.link);
  const double chain = m.ahead + m.diagonal + m.panels;
  m.seconds = double(ceil_div(n, block)) * (std::max(m.bulk, chain) + machine.step) + chain;
  const double all = double(n) * double(n) * double(n);
  m.efficiency = all / (machine.pairs * rows * cols) / m.seconds;
  m.bytes = element * (high * wide + 4 * b * sides);
  return m;
}

void require_positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw argument_error(std::string("model_closure: ") + name + " is " + std::to_string(value) +
                         "; a positive number is needed");
}

}  // namespace

closure_model model_closure(const gpu_cluster& machine, index_t n, std::size_t element, index_t block) {
  require_positive("nodes", machine.nodes), require_positive("gpus", machine.gpus);
  require_positive("pairs", machine.pairs), require_positive("bandwidth", machine.bandwidth);
  require_positive("link", machine.link);
  require_positive("network", machine.network), require_positive("memory", machine.memory);
  require_positive("n", double(n)), require_positive("element", double(element));
  if (machine.step < 0) require_positive("step", machine.step);
  if (block < 0) require_positive("block", double(block));
  const index_t devices = index_t{machine.nodes} * machine.gpus;
  int rows = 1;
  for (int r = 1; index_t{r} * r <= devices; ++r)
    if (devices % r == 0) rows = r;
  const int cols = static_cast<int>(devices / rows);

  std::optional<closure_model> best, least;
  const auto consider = [&](index_t size) {
    const closure_model m = in_blocks(machine, rows, cols, n, double(element), std::min(size, n));
    if (!least || m.bytes < least->bytes) least = m;
    if (m.bytes <= machine.memory && (!best || m.seconds < best->seconds)) best = m;
  };
  if (block > 0) consider(block);
  else
    for (const index_t size : {256, 512, 1024, 2048, 4096}) consider(size);
  if (!best)
    throw error(fault_code::memory, std::to_string(n) + " vertices on a grid of " + std::to_string(rows) + " x " +
                                        std::to_string(cols) + " GPUs in blocks of " + std::to_string(least->block) +
                                        " need " + std::to_string(std::llround(least->bytes)) +
                                        " bytes on each; there are " + std::to_string(std::llround(machine.memory)));
  return *best;
}

}  // namespace kleene
