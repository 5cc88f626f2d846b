// gemm: the product of matrices over a semiring.
//
//   gemm(ctx, S{}, A, B, C)                         C = A B
//   gemm(ctx, S{}, A, B, C, {.accumulate = true})   C = A B (+) C
//   gemm(ctx, S{}, A, B, C, witness)                also the smallest k that gave each element
//   gemm(context::cuda(), S{}, dA, dB, dC)          the same on device memory, asynchronously
//   matrix<float> c = multiply(S{}, a, b);          the easy one
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
//   source     without D and accumulate C is written, never read: it may be uninitialised.
//   mask       bool, m x n. Where it is false (true with mask_complement), C keeps what it held, or becomes zero() with
//              replace; the epilogue and the witness skip such elements (the witness becomes -1 with replace).
//   witness    int32; the smallest k with A_ik (x) B_kj equal to the element, -1 where no product improves on what was
//              there (zero(), or beta (x) D). Selective algebras only, k < 2^31.
//   infinity   floats: the IEEE infinities. Integers: the algebra's zero(), see algebra/semirings.hpp.
//   NaN, -0    in selective algebras a NaN is no candidate and no result is NaN; -0 equals +0 and either may be stored.
//   domain     where the algebra states one, A, B, D, alpha and beta are checked in one pass and the first offending
//              value is refused (value_error), before C is touched; check_domain = false takes the caller's word.
//   overflow   a finite integer result that the type cannot hold throws value_error; C is then not to be used. Operands
//              whose sums of products could leave the (integer) accumulator are refused before C is touched.
//   equality   over selective algebras, and over integers, every machine, tile and thread count gives equal results.
//              Other float results differ from exact arithmetic by at most (k + 2) eps sum_k |A_ik B_kj| (plus_times;
//              eps is the accumulator's, and the rounding to a narrower C comes on top; precision may add to it, see
//              there).
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
// own, floats of 8 bits, or another type of C, include kleene/operations/gemm.inl.hpp.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/contract/row_results.hpp"
#include "kleene/kernels/cpu/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/operations/checks.hpp"
#include "kleene/operations/gemm_options.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>

namespace kleene {

namespace detail {

// The options of a product over S, and the element type of the C that a call gives.
template <class S, class E = none, class Out = value_of<S>, class G = kernels::gemm_arguments<S, E, Out>>
using options_for = gemm_options<typename G::source, E, typename G::scalar>;
template <class C>
using element_of =
    typename element_of_number<typename std::remove_cvref_t<decltype(as_view(std::declval<C&>()))>::value_type>::type;

// The magnitude that a factor lends to what it scales; it never makes a bound smaller.
template <class T>
double scale_of(const std::optional<T>& factor) {
  return factor ? std::max(1.0, std::abs(static_cast<double>(*factor))) : 1.0;
}

template <class T>
inline constexpr double type_magnitude =
    std::max(-double(std::numeric_limits<T>::lowest()), double(std::numeric_limits<T>::max()));

// Integer sums of products never wrap. What the types allow is asked first: where that fits, no element is looked at.
template <class G, class T, class D, class Options>
void require_sums_fit(const batch_view<const T>& a, const batch_view<const T>& b, const batch_view<const D>& d,
                      const Options& options) {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  if constexpr (can_wrap<S> && std::is_integral_v<T>) {
    constexpr bool scales = std::is_same_v<A, typename G::combined>;  // else alpha, beta and D come in floats
    const auto fit = [&](double u, double v, double w) {
      const double sums = double(a.cols()) * u * v;
      return S::sums_fit(1, scales ? sums * scale_of(options.alpha) + w * scale_of(options.beta) : sums, 1);
    };
    const bool adds = scales && !d.is_null();
    if (fit(type_magnitude<T>, type_magnitude<T>, adds ? type_magnitude<D> : 0)) return;
    const double u = largest_magnitude(a), v = largest_magnitude(b);
    if (!fit(u, v, adds ? largest_magnitude(d) : 0))
      throw value_error(name_of<S>() + ": " + std::to_string(a.cols()) + " products of magnitudes up to " +
                        std::to_string(index(u)) + " and " + std::to_string(index(v)) + " can leave " +
                        std::to_string(8 * sizeof(A)) + " bits");
  }
}

// What an epilogue gives for rows lies apart from all else.
template <class Epilogue, class T, class C, class D>
void require_results_apart(const Epilogue& epilogue, const batch_view<const T>& a, const batch_view<const T>& b,
                           const batch_view<C>& c, const batch_view<const D>& d) {
  const auto view_of = [&]<class R>(R* p) { return batch_view<R>(p, {c.extent(0), c.rows(), 1}, {c.rows(), 1, 1}); };
  int first = 0;
  epilogue.for_each([&](auto* p) {
    const char* const name = "memory for results of rows";
    const auto results = view_of(p);
    if (!p && c.extent(0) * c.rows() > 0) throw argument_error(std::string("there is no ") + name);
    require_disjoint("A", a, name, results);
    require_disjoint("B", b, name, results);
    require_disjoint("C", c, name, results);
    if (!d.is_null()) require_disjoint("the source", d, name, results);
    int second = 0;
    epilogue.for_each([&](auto* q) {
      if (second++ < first) require_disjoint("other memory for results", view_of(q), name, results);
    });
    ++first;
  });
}

// One checked product on the CPU.
template <class G>
void run_gemm_on_cpu(const context& ctx, const G& g) {
  void* workspace = ctx.workspace(kernels::cpu::gemm_workspace(g));
  if (explain_enabled()) explain(kernels::cpu::describe_gemm(g));
  status done = status::ok;
  if constexpr (kernels::has_epilogue<decltype(G::epilogue)>) {
    std::exception_ptr thrown;
    done = kernels::cpu::launch_gemm(g, workspace, thrown);
    if (thrown) std::rethrow_exception(thrown);
  } else {
    done = kernels::cpu::launch_gemm(g, workspace);
  }
  if (done == status::overflow)
    throw value_error(name_of<typename G::algebra>() +
                      ": a finite result is too large for the element type; use a wider one. C is not to be used");
}

// Checks everything and hands one product to the kernels of the context (`launch` on a CUDA context, else `on_cpu`).
template <class S, class E, class Out>
struct checked_gemm {
  static void run(const context&, const batch_view<const value_of<S>>& a, const batch_view<const value_of<S>>& b,
                  const batch_view<Out>& c, const batch_view<std::int32_t>& witness, const options_for<S, E, Out>&,
                  kernels::cuda::gemm_launcher<S, E, Out> launch, kernels::cuda::gemm_launcher<S, E, Out> on_cpu);
};

template <class S, class E, class Out>
void checked_gemm<S, E, Out>::run(const context& ctx, const batch_view<const value_of<S>>& a,
                                  const batch_view<const value_of<S>>& b, const batch_view<Out>& c,
                                  const batch_view<std::int32_t>& witness, const options_for<S, E, Out>& options,
                                  kernels::cuda::gemm_launcher<S, E, Out> launch,
                                  kernels::cuda::gemm_launcher<S, E, Out> on_cpu) {
  using G = kernels::gemm_arguments<S, E, Out>;
  using T = value_of<S>;
  const index batch = c.extent(0), m = a.rows(), n = b.cols(), k = a.cols();
  if (b.rows() != k)
    throw shape_error("A is " + shape_of(a) + ", B is " + shape_of(b) + ": inner extents " + std::to_string(k) +
                      " and " + std::to_string(b.rows()) + " differ");
  if (c.rows() != m || c.cols() != n)
    throw shape_error("A is " + shape_of(a) + ", B is " + shape_of(b) + ": C is " + shape_of(c) + ", not " +
                      std::to_string(m) + "x" + std::to_string(n));
  require_shape("A", a, batch, m, k);
  require_shape("B", b, batch, k, n);

  batch_view<const typename G::source> d = options.source.view();
  const bool accumulate = options.accumulate;
  if (accumulate) {
    if (options.source) throw argument_error("accumulate and source are two words for D: give one");
    if constexpr (std::is_same_v<Out, typename G::source>) d = c;
    else throw argument_error("accumulate needs C to have the algebra's element type");
  }
  const bool has_source = accumulate || options.source;
  const batch_view<const bool> mask = options.mask.view();
  if (has_source) require_shape("the source", d, batch, m, n);
  if (options.mask) require_shape("the mask", mask, batch, m, n);
  if (options.beta && !has_source) throw argument_error("beta without a source: nothing to scale");
  if (options.replace && !options.mask) throw argument_error("replace without a mask: nothing to replace");
  if (options.replace && !kernels::replaceable<G>)
    throw argument_error("replace needs a C that can hold the algebra's zero()");
  if (!witness.is_null()) {
    if (witness.extent(0) != batch) throw shape_error("the witness is " + shape_of(witness) + ", C is " + shape_of(c));
    require_shape("the witness", witness, batch, m, n);
    if (k > std::numeric_limits<std::int32_t>::max())
      throw shape_error("a witness is int32: k = " + std::to_string(k) + " is too large");
    require_distinct_elements("the witness", witness);
    require_disjoint("A", a, "the witness", witness);
    require_disjoint("B", b, "the witness", witness);
    require_disjoint("C", c, "the witness", witness);
  }
  require_distinct_elements("C", c);
  require_disjoint("A", a, "C", c);
  require_disjoint("B", b, "C", c);
  if (options.mask) require_disjoint("the mask", mask, "C", c);
  if (options.source) {
    const bool same = static_cast<const void*>(d.data()) == static_cast<const void*>(c.data()) &&
                      d.extents() == c.extents() && d.strides() == c.strides();
    if (!same) require_disjoint("the source", d, "C", c);
  }
  if constexpr (kernels::gives_rows<E>) {
    if (options.mask) throw argument_error("an epilogue that gives results of rows folds them whole: it takes no mask");
    require_results_apart(options.epilogue, a, b, c, d);
  }
  if (batch == 0 || m == 0 || (n == 0 && !kernels::gives_rows<E>)) return;

  const bool on_cuda = ctx.kind() == device_kind::cuda;
  if constexpr (std::is_same_v<typename G::scalar, T>)
    if (options.check_domain) {
      if (options.alpha) require_domain<S>("alpha", batch_view<const T>(&*options.alpha, {1, 1, 1}));
      if (options.beta) require_domain<S>("beta", batch_view<const T>(&*options.beta, {1, 1, 1}));
    }
  if (options.check_domain && !on_cuda) {  // CUDA: the kernels look
    require_domain<S>("A", a);
    require_domain<S>("B", b);
    if constexpr (!G::c_holds_sums)
      if (has_source) require_domain<S>("the source", d);
    require_sums_fit<G>(a, b, d, options);
  }

  G g;
  g.batch = batch, g.m = m, g.n = n, g.k = k;
  const auto strides = [](const auto& v) {
    std::array<index, 3> s = v.strides();
    if (v.extent(0) == 1) s[0] = 0;
    return s;
  };
  g.a = a.data(), g.sa = strides(a);
  g.b = b.data(), g.sb = strides(b);
  g.c = c.data(), g.sc = strides(c);
  if (has_source) g.d = d.data(), g.sd = strides(d);
  if (options.mask) g.mask = mask.data(), g.smask = strides(mask);
  if (!witness.is_null()) g.witness = witness.data(), g.switness = strides(witness);
  g.alpha = options.alpha ? &*options.alpha : nullptr;
  g.beta = options.beta ? &*options.beta : nullptr;
  g.mask_complement = options.mask_complement;
  g.replace = options.replace;
  g.epilogue = options.epilogue;
  g.check_domain = options.check_domain;
  g.signs = options.signs;
  g.precision = options.precision;
  g.threads = ctx.threads();
  g.isa = ctx.isa();

  if (on_cuda) {
    if (!launch)
      throw error(fault_code::device,
                  "there are no CUDA kernels for this product over " + name_of<S>() +
                      ": compile it with nvcc, include operations/gemm.inl.cuh and call enable_cuda");
    return launch(ctx, g);
  }
  on_cpu(ctx, g);
}

// The catalog's and the mixed ones are in the library.
#define KLEENE_ROW(algebra, type) extern template struct checked_gemm<algebra<type>, none, type>;
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out) extern template struct checked_gemm<algebra<type>, none, out>;
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED

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

// Checks where the arguments lie, turns them into views, and calls checked_gemm. The CPU cannot reach a C in device
// memory: for an algebra of one's own its kernels are then not even compiled.
template <class S, class E, class Out, class A, class B, class C>
void reach_and_run(const context& ctx, A& a, B& b, C& c, const batch_view<std::int32_t>& witness,
                   const options_for<S, E, Out>& options, kernels::cuda::gemm_launcher<S, E, Out> launch) {
  using T = value_of<S>;
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
  if constexpr (std::remove_cvref_t<decltype(as_view(c))>::space != memory::device)
    on_cpu = &run_gemm_on_cpu<kernels::gemm_arguments<S, E, Out>>;
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
  detail::reach_and_run<S, none, Out>(ctx, a, b, c, {}, options, kernels::cuda::gemm_entry<S, none, Out>);
}

// The same with an epilogue: gemm_options{.epilogue = f} or gemm_options<float, F>{...}. C may have another element
// type. Include kleene/operations/gemm.inl.hpp: the kernels are compiled with the epilogue inside.
template <product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C, class U, class Epilogue,
          class Scalar>
void gemm(const context& ctx, S, A&& a, B&& b, C&& c, const gemm_options<U, Epilogue, Scalar>& options) {
  using Out = detail::element_of<C>;
  const auto launch = kernels::cuda::gemm_entry<S, Epilogue, Out>;
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
                                    kernels::cuda::gemm_entry<S, none, T>);
}

// A B as a new matrix, on all cores.
template <product_algebra S, detail::viewable A, detail::viewable B>
matrix<value_of<S>> multiply(S s, const A& a, const B& b) {
  const auto va = as_view(a);
  const auto vb = as_view(b);
  matrix<value_of<S>> c(va.rows(), vb.cols(), uninitialised{});
  gemm(context::cpu(), s, a, b, c);
  return c;
}

// A B of matrices of numbers: the algebra is in the element type.
template <product_algebra S>
matrix<number<S>> multiply(const matrix<number<S>>& a, const matrix<number<S>>& b) {
  matrix<number<S>> c(a.rows(), b.cols(), uninitialised{});
  gemm(context::cpu(), S{}, a, b, c);
  return c;
}

// A B of matrices in device memory, on their device; waits for the result, and before that for work on the device that
// is still writing A and B.
template <product_algebra S>
device_matrix<value_of<S>> multiply(S s, const device_matrix<value_of<S>>& a, const device_matrix<value_of<S>>& b) {
  const context ctx = context::cuda(a.device());
  detail::cuda_wait(a.device());
  device_matrix<value_of<S>> c(ctx, a.rows(), b.cols());
  gemm(ctx, s, a, b, c);
  ctx.synchronise();
  return c;
}

}  // namespace kleene
