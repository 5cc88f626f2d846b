// A batch of products whose k is 1, where A has a single row or B a single column: C_bij = A_bi (x) B_bj, element by
// element. For any product_algebra; a template in the caller's program, since its loops are too short to be worth a row
// of the library.
//
// gemm takes 26 ns for each matrix of 1 x 1 x 1, and 14 ns an element where its batch is the index that is contiguous
// (f32, min_plus, one Zen 4 core).
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/contract/gemm_writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace kleene::kernels::cpu {

template <class G>
class pointwise_products {
 public:
  using S = typename G::algebra;
  using A = accumulator_of<S>;

  explicit pointwise_products(const G& problem) : g(problem), writer{problem} {
    const auto is_outside = [&](int x, int y) {  // a single step is no loop
      if (extents[x] == 1 || extents[y] == 1) return extents[x] == 1 && extents[y] > 1;
      return std::abs(g.sc[x]) > std::abs(g.sc[y]);
    };
    std::sort(order.begin(), order.end(), is_outside);
  }

  // Elements [first, last), counted in the order of C's strides.
  void run(index_t first, index_t last) {
    const index_t length = extent(2);
    while (first < last) {
      std::array<index_t, 3> at{};
      at[order[2]] = first % length;
      at[order[1]] = first / length % extent(1);
      at[order[0]] = first / length / extent(1);
      const index_t count = std::min(last - first, length - at[order[2]]);
      run_along(at, count);
      first += count;
    }
  }
  bool overflow() const { return writer.overflow; }

 private:
  index_t extent(int o) const { return extents[order[o]]; }

  // `count` elements along the axis of C's smallest stride.
  void run_along(std::array<index_t, 3> at, index_t count) {
    const int axis = order[2];
    const auto* a = g.a + at[0] * g.sa[0] + at[1] * g.sa[1];
    const auto* b = g.b + at[0] * g.sb[0] + at[2] * g.sb[2];
    const index_t step_a = axis == 2 ? 0 : g.sa[axis], step_b = axis == 1 ? 0 : g.sb[axis];
    for (index_t e = 0; e < count; ++e) {
      const A term = S::mul(widen<S>(a[e * step_a]), widen<S>(b[e * step_b]));
      const A zero = widen<S>(S::zero()), sum = S::add(zero, term);
      writer.batch = at[0];
      const bool improves = writer.store(at[1], at[2], sum);
      if (g.witness) writer.store_witness(at[1], at[2], improves && !(sum == zero), 0);
      ++at[axis];
    }
  }

  const G& g;
  gemm_writer<G> writer;
  std::array<index_t, 3> extents{g.batch, g.m, g.n};
  std::array<int, 3> order{0, 1, 2};  // axes of C: batch, row, column; the smallest stride last
};

// status::overflow: a finite result did not fit.
template <class G>
status launch_pointwise(const G& g) noexcept {
  const index_t count = g.batch * g.m * g.n;
  std::atomic<bool> overflow{false};
  run_team(threads_for(double(count), elements_per_thread, g.threads), [&](const team_member& member) {
    pointwise_products<G> products(g);
    products.run(
        count / member.threads * member.thread + std::min<index_t>(count % member.threads, member.thread),
        count / member.threads * (member.thread + 1) + std::min<index_t>(count % member.threads, member.thread + 1));
    if (products.overflow()) overflow = true;
  });
  return overflow ? status::overflow : status::ok;
}

}  // namespace kleene::kernels::cpu
