// Products of panels as an elimination needs them, by gemm's own kernels: with predecessors, and with integer sums that
// could wrap formed in parts.
#pragma once

#include "kleene/operations/own/gemm.inl.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace kleene::detail {

template <class S>
class panel_products {
 public:
  using T = value_of<S>;
  using values = matrix_view<T>;
  using vertices = matrix_view<std::int32_t>;  // predecessors; null where not wanted

  explicit panel_products(const context& ctx) : ctx_(ctx) {}

  // c = left right (+) c, or c = left right; where p is given, improved elements take lookup(k, j).
  void multiply(const values& left, const values& right, const values& c, bool accumulate, const vertices& p,
                const vertices& lookup) {
    if (c.empty()) return;
    if constexpr (can_wrap<S> && std::is_integral_v<T>)
      if (const index_t k = left.cols(); k > 1 && !S::sums_fit(double(k), largest(left), largest(right))) {
        const index_t half = k / 2;
        const vertices first = p.is_null() ? p : lookup.block(0, 0, half, c.cols());
        const vertices second = p.is_null() ? p : lookup.block(half, 0, k - half, c.cols());
        multiply(left.block(0, 0, c.rows(), half), right.block(0, 0, half, c.cols()), c, accumulate, p, first);
        return multiply(left.block(0, half, c.rows(), k - half), right.block(half, 0, k - half, c.cols()), c, true, p,
                        second);
      }
    const auto g = arguments(left, right, c, accumulate, p, lookup);
    overflow_ |= kernels::cpu::launch_gemm(g, ctx_.workspace(kernels::cpu::gemm_workspace(g))) == status::overflow;
  }

  // Has the workspace of a product of these shapes.
  void reserve(const values& left, const values& right, const values& c, const vertices& p, const vertices& lookup) {
    if (!c.empty()) ctx_.workspace(kernels::cpu::gemm_workspace(arguments(left, right, c, true, p, lookup)));
  }

  // Whether a result did not fit the type.
  bool overflow() const { return overflow_; }

 private:
  static double largest(const values& v) {
    return largest_magnitude(batch_view<const T>(v.data(), {1, v.rows(), v.cols()}, {0, v.stride(0), v.stride(1)}));
  }
  kernels::gemm_arguments<S> arguments(const values& left, const values& right, const values& c, bool accumulate,
                                       const vertices& p, const vertices& lookup) const {
    const auto strides = [](const auto& v) { return std::array<index_t, 3>{0, v.stride(0), v.stride(1)}; };
    kernels::gemm_arguments<S> g;
    g.m = c.rows(), g.n = c.cols(), g.k = left.cols();
    g.a = left.data(), g.sa = strides(left);
    g.b = right.data(), g.sb = strides(right);
    g.c = c.data(), g.sc = strides(c);
    if (accumulate) g.d = c.data(), g.sd = g.sc;
    if (!p.is_null()) {
      g.witness = p.data(), g.switness = strides(p);
      g.lookup = lookup.data(), g.slookup = strides(lookup);
    }
    g.threads = ctx_.threads();
    g.isa = ctx_.isa();
    return g;
  }

  const context& ctx_;
  bool overflow_ = false;
};

}  // namespace kleene::detail
