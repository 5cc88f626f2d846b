// Counts of common bits: every pair of a row of A and a row of B's transpose, four by four, words along k.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/launch.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <bit>

namespace kleene::kernels::cpu {

struct bit_counts_worker {
  const bit_view<const bit>&a, &bt;
  const matrix_view<std::int32_t>& c;
  task_queue& tasks;
  static constexpr index_t tile = 4;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    const index_t down = ceil_div(c.rows(), tile);
    for (index_t t; (t = tasks.next()) < down;)
      for (index_t j = 0; j < c.cols(); j += tile) count(t * tile, j);
  }

 private:
  [[gnu::always_inline]] void count(index_t i0, index_t j0) {
    const index_t rows = std::min(tile, c.rows() - i0), cols = std::min(tile, c.cols() - j0), words = a.words();
    const bit_word *x[tile], *y[tile];  // rows beyond the edge repeat the last one
    for (index_t r = 0; r < tile; ++r)
      x[r] = a.row(i0 + std::min(r, rows - 1)), y[r] = bt.row(j0 + std::min(r, cols - 1));
    index_t sum[tile][tile] = {};
    const auto add = [&](index_t w, bit_word mask) {
      for (index_t r = 0; r < tile; ++r)
        for (index_t s = 0; s < tile; ++s) sum[r][s] += std::popcount(x[r][w] & y[s][w] & mask);
    };
    for (index_t w = 0; w + 1 < words; ++w) add(w, ~bit_word{0});
    if (words > 0) add(words - 1, last_word_mask(a.cols()));
    for (index_t r = 0; r < rows; ++r)
      for (index_t s = 0; s < cols; ++s) c(i0 + r, j0 + s) = static_cast<std::int32_t>(sum[r][s]);
  }
};

inline void launch_bit_counts(const bit_view<const bit>& a, const bit_view<const bit>& bt,
                              const matrix_view<std::int32_t>& c, int threads, instruction_set isa) noexcept {
  task_queue tasks;
  run_tasks(threads, [&](const team_member&) {
    bit_counts_worker worker{a, bt, c, tasks};
    run_on(isa, worker);
  });
}

}  // namespace kleene::kernels::cpu
