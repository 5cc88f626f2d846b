// A product whose arguments are views: checked, put into words for the kernels, and handed to those of the context.
// The contract is in gemm.hpp.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/contract/row_results.hpp"
#include "kleene/kernels/cpu/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/operations/detail/checks.hpp"
#include "kleene/operations/gemm_options.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>

namespace kleene::detail {

// The options of a product over S.
template <class S, class E = none, class Out = value_of<S>, class G = kernels::gemm_arguments<S, E, Out>>
using options_for = gemm_options<typename G::source, E, typename G::scalar>;

// The factor by which alpha or beta can enlarge a bound of magnitudes; never below 1.
template <class T>
double scale_of(const std::optional<T>& factor) {
  return factor ? std::max(1.0, std::abs(static_cast<double>(*factor))) : 1.0;
}

// Integer sums of products never wrap: refuses operands that could. If the largest values of the types fit, no element
// is read.
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
      refuse_wrapping_sums(name_of<S>(), {double(a.cols()), u, v, 8 * sizeof(A), scales && options.alpha, adds});
  }
}

// The memory of an epilogue's row results may not overlap anything else.
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

// One product. On a CUDA context `launch` runs it (null: there are no kernels), else `on_cpu`.
template <class S, class E, class Out>
struct checked_gemm {
  using T = value_of<S>;
  using G = kernels::gemm_arguments<S, E, Out>;
  using options = options_for<S, E, Out>;
  using launcher = kernels::cuda::gemm_launcher<S, E, Out>;

  static void run(const context&, const batch_view<const T>& a, const batch_view<const T>& b, const batch_view<Out>& c,
                  const batch_view<std::int32_t>& witness, const options&, launcher launch, launcher on_cpu,
                  const product_call& call = {});

 private:
  // A product's arguments as they are read; what was not given is null.
  struct arguments {
    batch_view<const T> a, b;
    batch_view<Out> c;
    batch_view<std::int32_t> witness;
    batch_view<const typename G::source> d;  // the source, or C where it is accumulated into
    batch_view<const bool> mask;
    product_call call;

    index_t batch() const { return c.extent(0); }
    index_t m() const { return a.rows(); }
    index_t n() const { return b.cols(); }
    index_t k() const { return a.cols(); }
    bool is_empty() const { return batch() == 0 || m() == 0 || (n() == 0 && !kernels::gives_rows<E>); }
  };

  static bool has_source(const options& o) { return o.accumulate || o.source; }
  static batch_view<const typename G::source> source(const batch_view<Out>& c, const options&);

  static bool beta_annihilates(const options&);

  static void require_shapes(const arguments&);
  static void require_options(const arguments&, const options&);
  static void require_witness(const arguments&);
  static void require_memory(const arguments&, const options&);
  static void require_domains(const context&, const arguments&, const options&);
  static G problem(const context&, const arguments&, const options&);
};

template <class S, class E, class Out>
void checked_gemm<S, E, Out>::run(const context& ctx, const batch_view<const T>& a, const batch_view<const T>& b,
                                  const batch_view<Out>& c, const batch_view<std::int32_t>& witness, const options& o,
                                  launcher launch, launcher on_cpu, const product_call& call) {
  arguments x{a, b, c, witness, {}, o.mask.view(), call};
  require_shapes(x);
  x.d = source(c, o);
  require_options(x, o);
  require_witness(x);
  require_memory(x, o);
  if (x.is_empty()) return;
  if (beta_annihilates(o)) x.d = {};  // zero() (x) D is zero() whatever D holds: it is not read
  require_domains(ctx, x, o);

  const G g = problem(ctx, x, o);
  if (ctx.kind() != device_kind::cuda) return on_cpu(ctx, g);
  if (!launch)
    throw error(fault_code::device, "there are no CUDA kernels for this product over " + name_of<S>() +
                                        ": compile it with nvcc, " + call.for_cuda);
  run_as_call(ctx, call_over<S>(call.operation, {g.m, g.n, g.k}, g.batch), [&] { launch(ctx, g); });
}

template <class S, class E, class Out>
void checked_gemm<S, E, Out>::require_shapes(const arguments& x) {
  const auto& [a, b, c, witness, d, mask, call] = x;
  require_product_shapes(call, a.extents(), b.extents(), c.extents());
  require_shape(call.a, a, x.batch(), x.m(), x.k());
  require_shape(call.b, b, x.batch(), x.k(), x.n());
}

template <class S, class E, class Out>
batch_view<const typename checked_gemm<S, E, Out>::G::source> checked_gemm<S, E, Out>::source(const batch_view<Out>& c,
                                                                                              const options& o) {
  if (!o.accumulate) return o.source.view();
  if (o.source) throw argument_error("accumulate and source are two words for D: give one");
  if constexpr (std::is_same_v<Out, typename G::source>) return c;
  else throw argument_error("accumulate needs C to have the algebra's element type");
}

template <class S, class E, class Out>
bool checked_gemm<S, E, Out>::beta_annihilates(const options& o) {
  using writer = kernels::gemm_writer<G>;
  using X = typename G::combined;
  if constexpr (requires(X x) { x == x; }) return o.beta && writer::factor(*o.beta) == writer::zero();
  else return false;
}

template <class S, class E, class Out>
void checked_gemm<S, E, Out>::require_options(const arguments& x, const options& o) {
  if (has_source(o)) require_shape("the source", x.d, x.batch(), x.m(), x.n());
  if (o.mask) require_shape("the mask", x.mask, x.batch(), x.m(), x.n());
  if (o.beta && !has_source(o)) throw argument_error("beta without a source: nothing to scale");
  if (o.replace && !o.mask) throw argument_error("replace without a mask: nothing to replace");
  if (o.mask_complement && !o.mask) throw argument_error("mask_complement without a mask: nothing to complement");
  if (o.replace && !kernels::replaceable<G>)
    throw argument_error("replace needs a C that can hold the algebra's zero()");
}

template <class S, class E, class Out>
void checked_gemm<S, E, Out>::require_witness(const arguments& x) {
  const auto& [a, b, c, witness, d, mask, call] = x;
  if (witness.is_null()) return;
  require_witness_shape(call, witness.extents(), c.extents(), x.k());
  require_shape("the witness", witness, x.batch(), x.m(), x.n());
  require_distinct_elements("the witness", witness);
  require_disjoint(call.a, a, "the witness", witness);
  require_disjoint(call.b, b, "the witness", witness);
  require_disjoint(call.c, c, "the witness", witness);
}

// What is written lies apart from all else; a source may be C itself.
template <class S, class E, class Out>
void checked_gemm<S, E, Out>::require_memory(const arguments& x, const options& o) {
  const auto& [a, b, c, witness, d, mask, call] = x;
  require_distinct_elements(call.c, c);
  require_disjoint(call.a, a, call.c, c);
  require_disjoint(call.b, b, call.c, c);
  if (o.mask) require_disjoint("the mask", mask, call.c, c);
  if (o.source && !is_same_view(d, c)) require_disjoint("the source", d, call.c, c);
  if constexpr (kernels::gives_rows<E>) {
    if (o.mask) throw argument_error("an epilogue that gives results of rows folds them whole: it takes no mask");
    require_results_apart(o.epilogue, a, b, c, d);
  }
}

// On a CUDA device the kernels look at the elements.
template <class S, class E, class Out>
void checked_gemm<S, E, Out>::require_domains(const context& ctx, const arguments& x, const options& o) {
  if (!o.check_domain) return;
  if constexpr (std::is_same_v<typename G::scalar, T>) {
    if (o.alpha) require_domain<S>("alpha", batch_view<const T>(&*o.alpha, {1, 1, 1}));
    if (o.beta) require_domain<S>("beta", batch_view<const T>(&*o.beta, {1, 1, 1}));
  }
  if (ctx.kind() == device_kind::cuda || x.call.kernels_check) return;
  require_domain<S>("A", x.a);
  require_domain<S>("B", x.b);
  if constexpr (!G::c_holds_sums) require_domain<S>("the source", x.d);
  require_sums_fit<G>(x.a, x.b, x.d, o);
}

// The product in the kernels' words: pointers and strides. A batch of one has no stride between matrices.
template <class S, class E, class Out>
typename checked_gemm<S, E, Out>::G checked_gemm<S, E, Out>::problem(const context& ctx, const arguments& x,
                                                                     const options& o) {
  const auto strides = [](const auto& v) {
    std::array<index_t, 3> s = v.strides();
    if (v.extent(0) == 1) s[0] = 0;
    return s;
  };
  G g;
  g.batch = x.batch(), g.m = x.m(), g.n = x.n(), g.k = x.k();
  g.a = x.a.data(), g.sa = strides(x.a);
  g.b = x.b.data(), g.sb = strides(x.b);
  g.c = x.c.data(), g.sc = strides(x.c);
  if (!x.d.is_null()) g.d = x.d.data(), g.sd = strides(x.d);
  if (o.mask) g.mask = x.mask.data(), g.smask = strides(x.mask);
  if (!x.witness.is_null()) g.witness = x.witness.data(), g.switness = strides(x.witness);
  g.alpha = o.alpha ? &*o.alpha : nullptr;
  g.beta = o.beta && g.d ? &*o.beta : nullptr;
  g.mask_complement = o.mask_complement;
  g.replace = o.replace;
  g.epilogue = o.epilogue;
  g.check_domain = o.check_domain;
  g.signs = o.signs;
  g.precision = o.precision;
  g.threads = ctx.threads();
  g.isa = ctx.isa();
  return g;
}

// The catalog's and the mixed ones are in the library.
template <class S, class E, class Out>
inline constexpr bool product_is_compiled =
    std::is_same_v<E, none> && std::is_same_v<Out, value_of<S>> && is_in_catalog<S>;
#define KLEENE_MIXED(algebra, type, out) \
  template <>                            \
  inline constexpr bool product_is_compiled<algebra<type>, none, out> = true;
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED

#define KLEENE_ROW(algebra, type) extern template struct checked_gemm<algebra<type>, none, type>;
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out) extern template struct checked_gemm<algebra<type>, none, out>;
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED

}  // namespace kleene::detail
