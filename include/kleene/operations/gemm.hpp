// gemm: the product of matrices over a semiring.
//
//   gemm(ctx, S{}, A, B, C)                         C = A B
//   gemm(ctx, S{}, A, B, C, {.accumulate = true})   C = A B (+) C
//   gemm(ctx, S{}, A, B, C, witness)                also the smallest k that gave each element
//   gemm(context::cuda(), S{}, dA, dB, dC)          the same on device memory, asynchronously
//   matrix<float> c = multiply(S{}, a, b);          the easy one
//   a * b, multiply(a, b), gemm(ctx, a, b, c)       the algebra unsaid, where the elements are numbers (numbers.hpp)
//
// C = epilogue((alpha (x) A B) (+) (beta (x) D)), where (A B)_ij = (+)_k A_ik (x) B_kj.
//
// Contract
//   shapes     A is m x k, B is k x n, C, D, mask and witness m x n. Rank 3 is a batch: each operand has the same
//              number of matrices, or one that is used for all (C and the witness need their own). shape_error names
//              the extents.
//   ownership  arguments are only read or written during the call; views, owners, mdspan- and Eigen-shaped objects
//              alike.
//   strides    any: transposed, padded, reversed, 0 for broadcast inputs. No copy is asked of the caller.
//   aliasing   D may be C (same pointer and strides). A and B may not overlap C: refused (argument_error), by address
//              range. Elements of C, and of the witness, have addresses of their own, or argument_error (exact for a
//              matrix; in a batch each stride must go past all that the shorter ones reach).
//   empty      m, n or batch of 0: nothing happens (but to results of rows where n is 0). k of 0: A B is all zero().
//   types      A and B have the algebra's element type. So has C, or the accumulator's type, or f32 in place of wider
//              integers; then D, alpha and beta are of C's type too, and all that follows A B happens in it: nothing is
//              narrowed. (Over floats of 8 bits C may be f16 or bf16 as well: so is D then, the rest happens in f32,
//              and is rounded when it is stored.) Otherwise they have the element type, but for plus_times over 8 and
//              16 bits, where alpha and beta are of the accumulator's type. An epilogue gets elements of that type too:
//              over 8 and 16 bits the sum itself (i32, f32), elsewhere the algebra's values. C may be of any type that
//              what it gives converts to.
//   epilogue   a plain value, called as (value, row, column) for elements of C, in any order and perhaps more than once
//              for one: it has no effects. What it points to is where the context can reach. What it throws on the CPU
//              arrives at the caller, as it is (the first of all threads); C is then not to be used.
//              operations/epilogues.hpp has many. The algebra's functions must not throw.
//   source     without D and accumulate C is written, never read: it may be uninitialised. So it is, and so is D, where
//              beta equals zero() (0 over plus_times, as in BLAS): then D may hold anything, NaN included.
//   mask       bool, m x n. Where it is false (true with mask_complement), C keeps what it held, or becomes zero() with
//              replace; the epilogue and the witness skip such elements (the witness becomes -1 with replace), and none
//              of them overflows. replace and mask_complement without a mask, beta without D or accumulate, and D
//              beside accumulate are refused (argument_error).
//   witness    int32; the smallest k with A_ik (x) B_kj equal to (A B)_ij, -1 where no product improves on what was
//              there (zero(), or beta (x) D). Selective algebras only, k < 2^31.
//   infinity   floats: the IEEE infinities. Integers: the algebra's zero(), see algebra/semirings.hpp.
//   NaN, -0    in selective algebras a NaN is no candidate and no result is NaN; -0 equals +0 and either may be stored.
//   domain     where the algebra states one, A, B, D, alpha and beta are checked in one pass and the first offending
//              value is refused (value_error), before C is touched; check_domain = false takes the caller's word.
//   overflow   a finite integer result that the type cannot hold throws value_error; C is then not to be used. Operands
//              whose sums of products could leave the (integer) accumulator are refused before C is touched, whatever
//              alpha and the mask are. This, too, takes a pass over A and B, and check_domain = false the caller's word
//              in its place: sums that leave the accumulator are then wrong, and nothing says so.
//   equality   over selective algebras, and over integers, every machine, tile and thread count gives equal results.
//              Other float results differ from exact arithmetic by at most (k + 2) eps sum_k |A_ik B_kj| (plus_times;
//              eps is the accumulator's, and the rounding to a narrower C comes on top; precision may add to it, see
//              there). log_plus: by at most 1e-5 + 2 ulp of the sum in f32, 1e-12 + 2 ulp in f64, whatever k and the
//              range of the values, on every machine (gemm/log_sums says why); on CUDA each of the k steps rounds where
//              there is an epilogue, and in closures.
//   errors     everything is checked before anything is written. On a CUDA context the call returns before the values
//              are looked at: a value_error is thrown by ctx.synchronise() (or to_host); C is untouched where the
//              domain failed.
//   memory     all arguments are where the context can reach (host memory on the CPU, device or managed memory on
//              CUDA); error(device) names the argument and the context. Workspace that cannot be had is error(memory),
//              with the number of bytes, before C is touched.
//   precision  plus_times over f32 on sm_90: float_precision::tf32 multiplies on the tensor cores with operands cut to
//              11 bits (relative error of a product below 2^-9); split does so with two such parts of each operand, and
//              errs about as much as full. plus_times over f16 there: f16_sums rounds the sum to f16, to nearest, after
//              every 16 products. It errs by up to (k / 16 + 1) 2^-11 sum_k |A_ik B_kj| more (2^-25 each time, where
//              sums are smaller than 2^-14), and a sum that leaves f16 underway is infinite; the partial sums of
//              split-K are added in f32. plus_times over floats of 8 bits there: tensor cores cut each product 13 bits
//              below the leading one of the largest product or of the sum so far. full gives them 128 products at a
//              time, whose sums are added in f32: it errs by up to 1/60 of sum_k |A_ik B_kj|, in fact by 6e-4 of it on
//              numbers from [0, 1) and 5e-6 from [-1, 1). fast_accumulation leaves all of k to the tensor cores: up
//              to k / 7900, and with k = 8192 0.14 and 1.2e-4 on such numbers. Elsewhere each of these means full;
//              those over f32 and f16 do so with an epilogue, too.
//   signs      CUDA, f32: what the caller knows of the products' signs (algebra/signs.hpp) saves a pass over A and B.
//              Unsaid, the device finds out by itself; a wrong promise gives wrong results.
//
// Algebras of the catalog are compiled into the library, and the products of algebra/mixed.def. For an algebra of your
// own, floats of 8 bits, or another type of C, include kleene/operations/own/gemm.inl.hpp.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/kernels/cpu/gemm/tuning.hpp"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/operations/detail/checks.hpp"
#include "kleene/operations/detail/gemm_checked.hpp"
#include "kleene/operations/gemm_options.hpp"

#include <optional>
#include <vector>

namespace kleene {

namespace detail {

// The element type of the C that a call gives.
template <class C>
using element_of = typename element_of_number<element_of_view<C>>::type;

// A matrix or view of Kleene's own whose elements are numbers. (Others that can be viewed may have a * of their own.)
template <class M>
inline constexpr bool is_own_matrix = false;
template <class S>
inline constexpr bool is_own_matrix<matrix<number<S>>> = true;
template <class S>
inline constexpr bool is_own_matrix<matrix_view<number<S>>> = true;
template <class S>
inline constexpr bool is_own_matrix<matrix_view<const number<S>>> = true;
template <class M>
concept number_matrix = is_own_matrix<M>;

// Matrices of numbers in host memory.
template <class M>
concept host_numbers = viewable_numbers<M> && requires(M& m) {
  requires std::remove_cvref_t<decltype(as_view(m))>::rank == 2;
  requires std::remove_cvref_t<decltype(as_view(m))>::space != memory::device;
};

template <class S, class Options>
options_for<S, decltype(Options::epilogue)> with_value_type(const Options& o) {
  return {.accumulate = o.accumulate,
          .mask = o.mask,
          .mask_complement = o.mask_complement,
          .replace = o.replace,
          .check_domain = o.check_domain,
          .signs = o.signs,
          .precision = o.precision,
          .epilogue = o.epilogue};
}

struct gemm_definitions;  // complete in own/gemm.inl.hpp

// Checks where the arguments lie, turns them into views, and calls checked_gemm. The CPU cannot reach a C in device
// memory: for an algebra of one's own its kernels are then not even compiled.
template <class S, class E, class Out, class A, class B, class C>
void reach_and_run(const context& ctx, A& a, B& b, C& c, const batch_view<std::int32_t>& witness,
                   const options_for<S, E, Out>& options, kernels::cuda::gemm_launcher<S, E, Out> launch) {
  using T = value_of<S>;
  static_assert(viewable_over<A, S> && viewable_over<B, S> && viewable_over<C, S>,
                "the elements are numbers of another algebra than the product's");
  require_reach(ctx, "A", a);
  require_reach(ctx, "B", b);
  require_reach(ctx, "C", c);
  const auto require_option = [&](const char* name, const auto& option) {
    if (!option) return;
    require_reach(ctx, name, option.space());
    if (!option.view().empty()) require_address(ctx, name, option.view().data());
  };
  require_option("the source", options.source);
  require_option("the mask", options.mask);
  kernels::cuda::gemm_launcher<S, E, Out> on_cpu = nullptr;
  if constexpr (std::remove_cvref_t<decltype(as_view(c))>::space != memory::device) {
    static_assert(product_is_compiled<S, E, Out> || is_defined<gemm_definitions, S>,
                  "this product (algebra, epilogue, type of C) is not compiled into the library: include "
                  "kleene/operations/own/gemm.inl.hpp, which compiles it here; with nvcc "
                  "kleene/operations/own/gemm.inl.cuh");
    on_cpu = &run_gemm_on_cpu<kernels::gemm_arguments<S, E, Out>>;
  }
  checked_gemm<S, E, Out>::run(ctx, as_batch<const T>(a), as_batch<const T>(b), as_batch<Out>(c), witness, options,
                               launch, on_cpu);
}

}  // namespace detail

// C = A B, with options in braces. See the contract at the top.
template <product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C>
void gemm(const context& ctx, S, A&& a, B&& b, C&& c,
          detail::options_for<S, none, detail::element_of<C>> options = {}) {
  using Out = detail::element_of<C>;
  static_assert(
      kernels::c_may_hold<S, Out>,
      "C has the element type of the algebra, or of its accumulator, or f32 in place of wider integers, or a float "
      "of 16 bits in place of wider sums of those of 8");
  detail::reach_and_run<S, none, Out>(ctx, a, b, c, {}, options, kernels::cuda::find_gemm<S, none, Out>());
}

// The same with an epilogue: gemm_options{.epilogue = f} or gemm_options<float, F>{...}. C may have another element
// type. Include kleene/operations/own/gemm.inl.hpp: the kernels are compiled with the epilogue inside.
template <product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C, class U, class Epilogue,
          class Scalar>
void gemm(const context& ctx, S, A&& a, B&& b, C&& c, const gemm_options<U, Epilogue, Scalar>& options) {
  using Out = detail::element_of<C>;
  const auto launch = kernels::cuda::find_gemm<S, Epilogue, Out>();
  if constexpr (std::is_same_v<U, none>)
    detail::reach_and_run<S, Epilogue, Out>(ctx, a, b, c, {}, detail::with_value_type<S>(options), launch);
  else detail::reach_and_run<S, Epilogue, Out>(ctx, a, b, c, {}, options, launch);
}

// C = A B and, for each element, the smallest k that gave it (int32, -1: none).
template <product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C,
          detail::viewable_as<std::int32_t> W>
void gemm(const context& ctx, S, A&& a, B&& b, C&& c, W&& witness, detail::options_for<S> options = {}) {
  static_assert(is_selective<S>, "a witness needs a selective algebra: one term gives the result");
  using T = value_of<S>;
  detail::require_reach(ctx, "the witness", witness);
  detail::reach_and_run<S, none, T>(ctx, a, b, c, detail::as_batch<std::int32_t>(witness), options,
                                    kernels::cuda::find_gemm<S, none, T>());
}

// The algebra need not be named where A says it: matrices and views of numbers (algebra/numbers.hpp).
template <detail::viewable_numbers A, detail::viewable B, detail::viewable C>
void gemm(const context& ctx, A&& a, B&& b, C&& c,
          detail::options_for<detail::algebra_of<A>, none, detail::element_of<C>> options = {}) {
  gemm(ctx, detail::algebra_of<A>{}, a, b, c, options);
}
template <detail::viewable_numbers A, detail::viewable B, detail::viewable C, detail::viewable_as<std::int32_t> W>
void gemm(const context& ctx, A&& a, B&& b, C&& c, W&& witness,
          detail::options_for<detail::algebra_of<A>> options = {}) {
  gemm(ctx, detail::algebra_of<A>{}, a, b, c, witness, options);
}

namespace detail {
// All cores for an m x n x k product, or the caller's alone: then the system is not asked how many there are.
inline context context_for(index_t m, index_t n, index_t k) {
  const double pairs = double(m) * double(n) * double(k);
  return context::cpu({.threads = pairs < 2 * kernels::cpu::pairs_per_thread ? 1 : 0});
}
}  // namespace detail

// A B as a new matrix, on all cores that it has work for.
template <product_algebra S, detail::viewable A, detail::viewable B>
matrix<value_of<S>> multiply(S s, const A& a, const B& b) {
  const auto va = as_view(a);
  const auto vb = as_view(b);
  matrix<value_of<S>> c(va.rows(), vb.cols(), uninitialised{});
  gemm(detail::context_for(va.rows(), vb.cols(), va.cols()), s, a, b, c);
  return c;
}

// What is no product of two matrices: gemv.hpp has better matches for those with a vector.
template <product_algebra S, detail::has_view A, detail::has_view B>
std::vector<value_of<S>> multiply(S, const A&, const B&) {
  static_assert(detail::viewable<A> && detail::viewable<B>,
                "products of a matrix and a vector are in another header: include kleene/operations/gemv.hpp");
  return {};
}

// A B of matrices or views of numbers: the algebra is in the element type.
template <detail::host_numbers A, detail::host_numbers B, class S = detail::algebra_of<A>>
matrix<number<S>> multiply(const A& a, const B& b) {
  const index_t m = as_view(a).rows(), n = as_view(b).cols(), k = as_view(a).cols();
  matrix<number<S>> c(m, n, uninitialised{});
  gemm(detail::context_for(m, n, k), S{}, a, b, c);
  return c;
}

namespace detail {
// On the device of A; waits for work there that is still writing A and B, and for the result.
template <class S, class T>
device_matrix<T> multiply_on_device(const device_matrix<T>& a, const device_matrix<T>& b) {
  const context ctx = context::cuda(a.device());
  backend.wait(a.device());
  device_matrix<T> c(ctx, a.rows(), b.cols());
  gemm(ctx, S{}, a, b, c);
  ctx.synchronise();
  return c;
}
}  // namespace detail

// A B of matrices in device memory, on their device; waits for the result, and before that for work on the device that
// is still writing A and B.
template <product_algebra S>
device_matrix<value_of<S>> multiply(S, const device_matrix<value_of<S>>& a, const device_matrix<value_of<S>>& b) {
  return detail::multiply_on_device<S>(a, b);
}
template <product_algebra S>
device_matrix<number<S>> multiply(const device_matrix<number<S>>& a, const device_matrix<number<S>>& b) {
  return detail::multiply_on_device<S>(a, b);
}

// The same as an operator, on both machines.
template <detail::number_matrix A, detail::number_matrix B, class S = detail::algebra_of<A>>
matrix<number<S>> operator*(const A& a, const B& b) {
  return multiply(a, b);
}
template <product_algebra S>
device_matrix<number<S>> operator*(const device_matrix<number<S>>& a, const device_matrix<number<S>>& b) {
  return multiply(a, b);
}

}  // namespace kleene
