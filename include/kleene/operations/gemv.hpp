// gemv: the product of a matrix and a vector over a semiring.
//
//   gemv(ctx, S{}, A, x, y)                         y = A x
//   gemv(ctx, S{}, x, A, y)                         y = x A
//   gemv(ctx, S{}, A, x, y, {.accumulate = true})   y = A x (+) y
//   gemv(ctx, S{}, A, x, y, witness)                also the smallest k that gave each element
//   gemv(context::cuda(), S{}, dA, dx, dy)          the same on device memory, asynchronously
//   std::vector<float> y = multiply(S{}, A, x);     the easy one, and multiply(S{}, x, A)
//
// y = (alpha (x) A x) (+) (beta (x) d), where (A x)_i = (+)_k A_ik (x) x_k, and (x A)_j = (+)_k x_k (x) A_kj.
//
// It is gemm (gemm.hpp) whose B is a column or whose A is a row, and its contract is gemm's word for word: aliasing,
// empty extents, types, source, mask, witness, infinity, NaN and -0, domain, overflow, errors, memory; precision and
// signs have no effect. What is different:
//
//   shapes     A is m x k; for A x the vector x has k elements, y, d, mask and witness m; for x A x has m, the others
//              k. Messages call a vector k x 1 (or 1 x k) like the matrix that it is.
//   vectors    views of rank 1 (vector_view, a row or a column of a matrix view: any stride), spans, std::vector,
//              std::array, mdspans of rank 1, device_vector.
//   speed      what it costs to read A once, whatever its layout: rows or columns that are contiguous (leading
//              dimensions of any size) are read as they lie. On the CPU the values of A are checked in that same pass.
//   order      (+) is taken to be associative and commutative. Sums of floats are formed in an order that depends on
//              the shape, the layout and the processor (its instruction set; a device's number of multiprocessors), not
//              on the number of threads: they repeat to the last bit. Over log_plus on the CPU each 256 of k may add a
//              rounding to gemm's bound.
//
// Algebras of the catalog are compiled into the library, and the products of algebra/mixed.def. For an algebra of your
// own include kleene/operations/own/gemv.inl.hpp, and for CUDA gemv.inl.cuh.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/kernels/cuda/gemv/launch.hpp"
#include "kleene/operations/detail/gemv_on_cpu.hpp"
#include "kleene/operations/gemm.hpp"

#include <vector>

namespace kleene {

namespace detail {

template <class V>
concept vector_viewable = has_view<V> && rank_of_view<V> == 1;
template <class M>
concept matrix_viewable = has_view<M> && rank_of_view<M> == 2;

// What the library holds, and whether the definitions are here (asked where a product over S is instantiated).
template <class S, class Out>
inline constexpr bool gemv_is_compiled = false;
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  inline constexpr bool gemv_is_compiled<algebra<type>, type> = true;
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out) \
  template <>                            \
  inline constexpr bool gemv_is_compiled<algebra<type>, out> = true;
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED
struct gemv_definitions;  // complete in own/gemv.inl.hpp

// The result of an easy product.
template <class T>
std::vector<T> new_vector(index_t size) {
  static_assert(!std::is_same_v<T, bool>, "elements of a std::vector<bool> have no addresses: use gemv, or numbers");
  return std::vector<T>(static_cast<std::size_t>(size));
}

// A vector as the only row of a matrix.
template <class T>
batch_view<T> as_row(const batch_view<T>& column) {
  return column.transposed();
}

// Checks where the arguments lie, turns them into a product with one row or one column, and calls checked_gemm. `Row`:
// x A, where a is the vector and b the matrix.
template <bool Row, class S, class Out, class A, class B, class Y>
void reach_and_run_vector(const context& ctx, A& a, B& b, Y& y, const batch_view<std::int32_t>& witness,
                          options_for<S, none, Out> options) {
  using T = value_of<S>;
  constexpr product_call call{
      Row ? "x" : "A", Row ? "A" : "x", "y", "include operations/own/gemv.inl.cuh and call enable_cuda_gemv", true,
      "gemv"};
  require_reach(ctx, call.a, a);
  require_reach(ctx, call.b, b);
  require_reach(ctx, call.c, y);
  const auto require_option = [&](const char* name, auto& option) {
    if (!option) return;
    require_reach(ctx, name, option.space());
    if (!option.view().empty()) require_address(ctx, name, option.view().data());
    if constexpr (Row) option = std::remove_cvref_t<decltype(option)>(as_row(option.view()));
  };
  require_option("the source", options.source);
  require_option("the mask", options.mask);
  const auto launch = kernels::cuda::find_gemv<S, Out>();
  kernels::cuda::gemv_launcher<S, Out> on_cpu = nullptr;
  if constexpr (std::remove_cvref_t<decltype(as_view(y))>::space != memory::device) {
    static_assert(gemv_is_compiled<S, Out> || is_defined<gemv_definitions, S>,
                  "gemv over this algebra, into this type, is not compiled into the library: include "
                  "kleene/operations/own/gemv.inl.hpp, which compiles it here; with nvcc "
                  "kleene/operations/own/gemv.inl.cuh");
    on_cpu = &run_gemv_on_cpu<kernels::gemm_arguments<S, none, Out>>;
  }
  using checked = checked_gemm<S, none, Out>;
  if constexpr (Row)
    checked::run(ctx, as_row(as_batch<const T>(a)), as_batch<const T>(b), as_row(as_batch<Out>(y)),
                 witness.is_null() ? witness : as_row(witness), options, launch, on_cpu, call);
  else
    checked::run(ctx, as_batch<const T>(a), as_batch<const T>(b), as_batch<Out>(y), witness, options, launch, on_cpu,
                 call);
}

}  // namespace detail

// y = A x, with options in braces. See the contract at the top.
template <product_algebra S, detail::matrix_viewable A, detail::vector_viewable X, detail::vector_viewable Y>
void gemv(const context& ctx, S, A&& a, X&& x, Y&& y,
          detail::options_for<S, none, detail::element_of<Y>> options = {}) {
  detail::reach_and_run_vector<false, S, detail::element_of<Y>>(ctx, a, x, y, {}, options);
}

// y = x A.
template <product_algebra S, detail::vector_viewable X, detail::matrix_viewable A, detail::vector_viewable Y>
void gemv(const context& ctx, S, X&& x, A&& a, Y&& y,
          detail::options_for<S, none, detail::element_of<Y>> options = {}) {
  detail::reach_and_run_vector<true, S, detail::element_of<Y>>(ctx, x, a, y, {}, options);
}

// y = A x and, for each element, the smallest k that gave it (int32, -1: none).
template <product_algebra S, detail::matrix_viewable A, detail::vector_viewable X, detail::vector_viewable Y,
          detail::vector_viewable W>
requires detail::has_view_of<W, std::int32_t>
void gemv(const context& ctx, S, A&& a, X&& x, Y&& y, W&& witness, detail::options_for<S> options = {}) {
  static_assert(is_selective<S>, "a witness needs a selective algebra: one term gives the result");
  detail::require_reach(ctx, "the witness", witness);
  detail::reach_and_run_vector<false, S, value_of<S>>(ctx, a, x, y, detail::as_batch<std::int32_t>(witness), options);
}

// y = x A and, for each element, the smallest k that gave it.
template <product_algebra S, detail::vector_viewable X, detail::matrix_viewable A, detail::vector_viewable Y,
          detail::vector_viewable W>
requires detail::has_view_of<W, std::int32_t>
void gemv(const context& ctx, S, X&& x, A&& a, Y&& y, W&& witness, detail::options_for<S> options = {}) {
  static_assert(is_selective<S>, "a witness needs a selective algebra: one term gives the result");
  detail::require_reach(ctx, "the witness", witness);
  detail::reach_and_run_vector<true, S, value_of<S>>(ctx, x, a, y, detail::as_batch<std::int32_t>(witness), options);
}

// A x as a new vector, on all cores.
template <product_algebra S, detail::matrix_viewable A, detail::vector_viewable X>
std::vector<value_of<S>> multiply(S s, const A& a, const X& x) {
  auto y = detail::new_vector<value_of<S>>(as_view(a).rows());
  gemv(context::cpu(), s, a, x, y);
  return y;
}

// x A as a new vector, on all cores.
template <product_algebra S, detail::vector_viewable X, detail::matrix_viewable A>
std::vector<value_of<S>> multiply(S s, const X& x, const A& a) {
  auto y = detail::new_vector<value_of<S>>(as_view(a).cols());
  gemv(context::cpu(), s, x, a, y);
  return y;
}

// A x and x A of numbers: the algebra is in the element type.
template <product_algebra S>
std::vector<number<S>> multiply(const matrix<number<S>>& a, const std::vector<number<S>>& x) {
  auto y = detail::new_vector<number<S>>(a.rows());
  gemv(context::cpu(), S{}, a, x, y);
  return y;
}
template <product_algebra S>
std::vector<number<S>> multiply(const std::vector<number<S>>& x, const matrix<number<S>>& a) {
  auto y = detail::new_vector<number<S>>(a.cols());
  gemv(context::cpu(), S{}, x, a, y);
  return y;
}

// A x and x A in device memory, on their device; wait for the result, and before that for work on the device that is
// still writing A and x.
template <product_algebra S>
device_vector<value_of<S>> multiply(S s, const device_matrix<value_of<S>>& a, const device_vector<value_of<S>>& x) {
  const context ctx = context::cuda(a.device());
  detail::backend.wait(a.device());
  device_vector<value_of<S>> y(ctx, a.rows());
  gemv(ctx, s, a, x, y);
  ctx.synchronise();
  return y;
}
template <product_algebra S>
device_vector<value_of<S>> multiply(S s, const device_vector<value_of<S>>& x, const device_matrix<value_of<S>>& a) {
  const context ctx = context::cuda(a.device());
  detail::backend.wait(a.device());
  device_vector<value_of<S>> y(ctx, a.cols());
  gemv(ctx, s, x, a, y);
  ctx.synchronise();
  return y;
}

}  // namespace kleene
