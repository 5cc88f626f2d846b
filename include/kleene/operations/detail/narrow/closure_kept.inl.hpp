// The operand of a closure over integers of 8 and 16 bits, kept for the case that a length does not fit them: then the
// caller's matrix is as it was, and where the lengths that did not fit were detours, the result stands.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/contract/closure_overflow.hpp"
#include "kleene/operations/bits.hpp"

#include <atomic>

namespace kleene::detail {

// Nothing, over other algebras.
template <class S, bool IsNarrow = is_narrow<S>>
class kept_operand {
 public:
  using values = matrix_view<value_of<S>>;
  explicit kept_operand(const values&) {}
  void keep(const context&, const values&) {}
  void give_back(const context&, const values&) {}
  bool all_fit(const context&, const values&) { return false; }

  static double bytes(index_t) { return 0; }
};

template <class S>
class kept_operand<S, true> {
 public:
  using T = value_of<S>;
  using values = matrix_view<T>;

  // Takes all the memory: n^2 elements and, of lengths, 3/8 n^2 bytes.
  explicit kept_operand(const values& a) : values_(a.rows(), a.cols(), uninitialised{}) {
    if (adds_integers<S>) arcs_ = reached_ = beyond_ = bit_matrix(a.rows(), a.cols());
  }
  static double bytes(index_t n) {
    const double vertices = static_cast<double>(n);
    return vertices * vertices * (sizeof(T) + (adds_integers<S> ? 0.375 : 0));
  }

  void keep(const context& ctx, const values& a) { copy(ctx, a, values_.view()); }
  void give_back(const context& ctx, const values& a) { copy(ctx, values_.view(), a); }

  // Whether every length of `closed` fits, although some that were met on the way did not. Where no arc improves a path
  // (weights of one sign), a best path that fits has parts that fit: it is found whatever becomes of the others, which
  // stay outside the range or become infinite. So what is infinite at the end is either unreachable or too far, and
  // one Boolean product tells: no arc leads from what has a length to what has none.
  bool all_fit(const context& ctx, const values& closed) {
    if constexpr (adds_integers<S>) {
      const index_t n = closed.rows();
      std::atomic<bool> fit{true};
      const auto every_row = [&](const auto& holds) {
        task_queue rows;
        run_tasks(threads_for(double(n) * double(n), elements_per_thread, ctx.threads()), [&](const team_member&) {
          for (index_t i; (i = rows.next()) < n;)
            if (!holds(i)) fit = false;
        });
        return fit.load();
      };
      const auto fill = [](const auto& row, const auto& bits, index_t i) {
        for (index_t j = 0; j < row.cols(); ++j) bits.set(i, j, !(row(i, j) == S::zero()));
      };
      const bool one_sign = every_row([&](index_t i) {
        bool holds = true;
        for (index_t j = 0; j < n; ++j)
          holds &= S::add(S::one(), values_(i, j)) == S::one() && S::in_domain(closed(i, j));
        fill(values_.view(), arcs_.view(), i);
        fill(closed, reached_.view(), i);
        return holds;
      });
      if (!one_sign) return false;
      gemm(ctx, or_and<bit>{}, reached_, arcs_, beyond_);
      return every_row([&](index_t i) {
        bit_word lost = 0;
        for (index_t w = 0; w < reached_.view().words(); ++w)
          lost |= beyond_.view().row(i)[w] & ~reached_.view().row(i)[w];
        return lost == 0;
      });
    }
    return false;
  }

 private:
  static void copy(const context& ctx, const matrix_view<const T>& from, const values& to) {
    task_queue rows;
    run_tasks(threads_for(double(from.size()), elements_per_thread, ctx.threads()), [&](const team_member&) {
      for (index_t i; (i = rows.next()) < from.rows();)
        for (index_t j = 0; j < from.cols(); ++j) to(i, j) = from(i, j);
    });
  }

  matrix<T> values_;
  bit_matrix arcs_, reached_, beyond_;
};

}  // namespace kleene::detail
