// The loops of one pair of a contraction: C_o = (+)_k A_ok (x) B_ok over tabulated offsets, element by element or a
// vector at a time. For any commutative algebra; the plan is in contract_plan.hpp.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/algebra/semirings.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"
#include "kleene/networks/detail/contract_lanes.hpp"
#include "kleene/networks/detail/contract_plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

namespace kleene::detail {

// Where in three tensors the loops have come to.
class loop_position {
 public:
  // At the item of that number, counted with the last loop fastest.
  loop_position(std::span<const loop_axis> loops, index_t item) : loops_(loops) {
    for (std::size_t r = loops.size(); r-- > 0;) {
      at_[r] = item % loops[r].extent, item /= loops[r].extent;
      a += at_[r] * loops[r].a, b += at_[r] * loops[r].b, c += at_[r] * loops[r].c;
    }
  }
  void next() {
    for (std::size_t r = loops_.size(); r-- > 0;) {
      const loop_axis& x = loops_[r];
      a += x.a, b += x.b, c += x.c;
      if (++at_[r] < x.extent) return;
      a -= x.extent * x.a, b -= x.extent * x.b, c -= x.extent * x.c;
      at_[r] = 0;
    }
  }

  index_t a = 0, b = 0, c = 0;

 private:
  std::span<const loop_axis> loops_;
  std::array<index_t, most_axes> at_;
};

template <product_algebra S>
class pair_kernel {
 public:
  using T = value_of<S>;
  using A = accumulator_of<S>;

  // accumulate: C_o = C_o (+) ...
  pair_kernel(const contraction_plan& plan, const planned_pair& pair, const T* a, const T* b, T* c, bool accumulate)
      : pair_(pair),
        loops_(pair.loops.of(plan.loops)),
        terms_(pair.terms.of(plan.terms)),
        a_(a),
        b_(b),
        c_(c),
        accumulate_(accumulate) {}

  // Whether a finite result did not fit.
  bool run_scalar() const {
    bool overflow = false;
    if (pair_.items == 0) return false;
    loop_position at(loops_, 0);
    for (index_t item = 0; item < pair_.items; ++item, at.next()) {
      A sum = widen<S>(accumulate_ ? c_[at.c] : S::zero());
      for (const term_offset& term : terms_)
        sum = S::add(sum, S::mul(widen<S>(a_[at.a + term.a]), widen<S>(b_[at.b + term.b])));
      store_one(c_ + at.c, sum, overflow);
    }
    return overflow;
  }

  bool run_streamed(const context& ctx) const {
    const index_t chunks = (pair_.run + chunk - 1) / chunk, tasks = pair_.items * chunks;
    const double work = double(pair_.items) * double(pair_.run) * double(1 + terms_.size());
    const int threads = threads_for(work, 2 * elements_per_thread, ctx.threads());
    const index_t parts = threads > 1 ? std::min<index_t>(8 * threads, tasks) : 1;
    std::atomic<bool> overflow{false};
    task_queue queue;
    run_tasks(threads, [&](const team_member&) {
      for (index_t i = queue.next(); i < parts; i = queue.next()) {
        stretch part{*this, tasks / parts * i + std::min(i, tasks % parts),
                     tasks / parts * (i + 1) + std::min(i + 1, tasks % parts), false};
        kernels::cpu::run_on(ctx.isa(), part);
        if (part.overflow) overflow = true;
      }
    });
    return overflow;
  }

 private:
  static constexpr index_t chunk = 2048;  // elements of a run that one task takes

  static void store_one(T* to, const A& sum, bool& overflow) {
    if constexpr (can_overflow<S>) overflow |= S::overflows(sum);
    *to = normalise<S>(sum);
  }

  // Tasks [first, last): chunks of runs, those of one run after the other.
  struct stretch {
    const pair_kernel& kernel;
    index_t first, last;
    bool overflow;

    template <int Bytes>
    void run() {
      if (first >= last) return;
      const index_t run = kernel.pair_.run, chunks = (run + chunk - 1) / chunk;
      loop_position at(kernel.loops_, first / chunks);
      index_t part = first % chunks;
      for (index_t task = first; task < last; ++task) {
        const index_t begin = part * chunk, count = std::min(chunk, run - begin);
        const T* b = kernel.b_ + at.b + (kernel.pair_.b_runs ? begin : 0);
        if (kernel.pair_.b_runs) along<Bytes, true>(kernel.a_ + at.a + begin, b, kernel.c_ + at.c + begin, count);
        else along<Bytes, false>(kernel.a_ + at.a + begin, b, kernel.c_ + at.c + begin, count);
        if (++part == chunks) part = 0, at.next();
      }
    }

    template <int Bytes, bool Runs>
    [[gnu::always_inline]] void along(const T* a, const T* b, T* c, index_t count) {
      constexpr int width = pair_lanes<S, Bytes>::width;
      index_t e = 0;
      for (; e + 4 * width <= count; e += 4 * width) block<Bytes, Runs, 4>(a + e, b + (Runs ? e : 0), c + e);
      for (; e + width <= count; e += width) block<Bytes, Runs, 1>(a + e, b + (Runs ? e : 0), c + e);
      for (; e < count; ++e) {
        A sum = widen<S>(kernel.accumulate_ ? c[e] : S::zero());
        for (const term_offset& term : kernel.terms_)
          sum = S::add(sum, S::mul(widen<S>(a[e + term.a]), widen<S>(b[(Runs ? e : 0) + term.b])));
        store_one(c + e, sum, overflow);
      }
    }

    // Count vectors of C.
    template <int Bytes, bool Runs, int Count>
    [[gnu::always_inline]] void block(const T* a, const T* b, T* c) {
      using L = pair_lanes<S, Bytes>;
      typename L::V sums[Count];
#pragma GCC unroll 4
      for (int n = 0; n < Count; ++n) {
        if (kernel.accumulate_) L::read(sums[n], c + n * L::width);
        else L::repeat(sums[n], widen<S>(S::zero()));
      }
      for (const term_offset& term : kernel.terms_) {
        typename L::V x, y{};
        if constexpr (!Runs) L::repeat(y, widen<S>(b[term.b]));
#pragma GCC unroll 4  // sums stay in registers
        for (int n = 0; n < Count; ++n) {
          L::read(x, a + term.a + n * L::width);
          if constexpr (Runs) L::read(y, b + term.b + n * L::width);
          L::multiply_add(sums[n], x, y);
        }
      }
#pragma GCC unroll 4
      for (int n = 0; n < Count; ++n) L::write(c + n * L::width, sums[n], overflow);
    }
  };

  const planned_pair& pair_;
  std::span<const loop_axis> loops_;
  std::span<const term_offset> terms_;
  const T* a_;
  const T* b_;
  T* c_;
  bool accumulate_;
};

}  // namespace kleene::detail
