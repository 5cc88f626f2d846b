// scan_products: all products of a sequence's beginnings, of matrices whose size is known at run time.
//
//   scan_products(ctx, S{}, a, out)      out[i] = a[0] a[1] ... a[i]
//
// Contract
//   shapes     a and out are batches of as many square matrices of one size. shape_error.
//   memory     where the context can reach, as for gemm; scratch for half the batch, error(memory).
//   aliasing   out may be a (the same view); otherwise they do not overlap, and elements of out have addresses of their
//              own: refused (argument_error), by address range.
//   empty      no matrices, or matrices of 0 rows: nothing happens.
//   results    each is a product in the order given; which neighbours are multiplied first depends on the number of
//              matrices alone. Over selective algebras and integers the result is that of going from left to right;
//              other floats may differ from that in the last bits.
//   domain     on a CPU all of a is looked at before anything is written: value_error, a[2](0, 1) is the first that is
//              outside. On CUDA by the products.
//   NaN        out[0] is a[0] as it is; the products are gemm's.
//   overflow   value_error; out, and so a where they are the same, is then not to be used.
//   the rest   infinities and what CUDA contexts defer: as gemm has them.
//
// 2 count products of n x n in about 2 log2(count) calls of gemm, each a batch. A vector that goes through the sequence
// step by step takes n times less work: this is for who needs the products, or has processors that one step cannot
// fill. Matrices of a few rows are better values of a scan (algebra/small_matrix.hpp): one pass over memory.
//
// Method: up and down a binary tree, as Blelloch, "Prefix sums and their applications" (1990).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/operations/detail/checks.hpp"
#include "kleene/operations/gemm.hpp"

#include <string>

namespace kleene {

namespace detail {

// Matrices first, first + step, ... of a batch, as long as there are some.
template <class T, memory Space>
view<T, 3, Space> every(const view<T, 3, Space>& all, index_t first, index_t step) {
  const index_t left = all.extent(0) - first;
  return {all.data() + first * all.stride(0),
          {left > 0 ? ceil_div(left, step) : 0, all.rows(), all.cols()},
          {step * all.stride(0), all.stride(1), all.stride(2)}};
}

// The first `count` matrices.
template <class T, memory Space>
view<T, 3, Space> first_of(const view<T, 3, Space>& all, index_t count) {
  return {all.data(), {count, all.rows(), all.cols()}, all.strides()};
}

template <class T, class U>
void require_sequences_apart(const batch_view<T>& a, const batch_view<U>& out) {
  require_data("a", a);
  require_distinct_elements("out", out);
  bool same = static_cast<const void*>(a.data()) == out.data();
  for (int r = 0; r < 3; ++r) same &= a.extent(r) <= 1 || a.stride(r) == out.stride(r);
  if (!same) require_disjoint("a", a, "out", out);
}

template <class S, class T>
void require_domains_of_sequence(const batch_view<T>& a) {
  if constexpr (has_domain<S>)
    for (index_t i = 0; i < a.extent(0); ++i) {
      bool inside = true;
      for (index_t r = 0; r < a.rows(); ++r)
        for (index_t c = 0; c < a.cols(); ++c) inside &= S::in_domain(a(i, r, c));
      if (!inside)
        require_domain<S>(("a[" + std::to_string(i) + "]").c_str(),
                          batch_view<T>(a.data() + i * a.stride(0), {1, a.rows(), a.cols()}, a.strides()));
    }
}

}  // namespace detail

template <product_algebra S, detail::viewable A, detail::viewable Out>
void scan_products(const context& ctx, S s, const A& a, Out&& out) {
  const auto from = as_view(a);
  const auto all = as_view(out);
  using View = std::remove_cvref_t<decltype(all)>;
  static_assert(View::rank == 3 && std::remove_cvref_t<decltype(from)>::rank == 3, "a sequence of matrices is a batch");
  if (from.extents() != all.extents() || all.rows() != all.cols())
    throw shape_error("scan_products: " + detail::extents_text(from.extents()) + " to " +
                      detail::extents_text(all.extents()) + "; both are as many square matrices of one size");
  if (all.empty()) return;
  detail::require_reach(ctx, "a", a);
  detail::require_reach(ctx, "out", out);
  detail::require_sequences_apart(detail::as_batch<value_of<S>>(a), detail::as_batch<value_of<S>>(out));
  if (ctx.kind() != device_kind::cuda) detail::require_domains_of_sequence<S>(detail::as_batch<value_of<S>>(a));
  if (static_cast<const void*>(from.data()) != all.data()) copy(ctx, from, all);

  const index_t count = all.extent(0), n = all.rows();
  if (count < 2) return;
  local_batch<value_of<S>> products(ctx, count / 2, n, n);
  // out[i] = out[i - distance] out[i] for i = first, first + step, ...
  const auto multiply_by_left = [&](index_t first, index_t step, index_t distance) {
    const auto right = detail::every(all, first, step);
    if (right.empty()) return;
    const auto left = detail::first_of(detail::every(all, first - distance, step), right.extent(0));
    const auto result = detail::first_of(as_view(products), right.extent(0));
    gemm(ctx, s, left, right, result);
    copy(ctx, result, right);
  };
  index_t distance = 1;
  for (; 2 * distance <= count; distance *= 2) multiply_by_left(2 * distance - 1, 2 * distance, distance);
  for (distance /= 2; distance > 0; distance /= 2) multiply_by_left(3 * distance - 1, 2 * distance, distance);
}

}  // namespace kleene
