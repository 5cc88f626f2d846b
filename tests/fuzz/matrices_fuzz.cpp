// gemm, closure and shortest_paths on a problem drawn from the input, against the references.
#include "kleene/kernels/reference/closure.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/gemm.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include "fuzz/draws.hpp"
#include "fuzz/finding.hpp"
#include "support/closable.hpp"
#include "support/product.hpp"

#include <sstream>

namespace kleene::fuzz {
namespace {

using problems::distribution;
using test::layout;

context draw_context(draws& d) {
  const auto isas = test::instruction_sets();
  return context::cpu(
      {.threads = 1 + static_cast<int>(d.below(3)), .isa = isas[d.below(static_cast<index_t>(isas.size()))]});
}

template <class S>
test::product_case<S> draw_product(draws& d) {
  constexpr index_t most = 200, work = index_t{1} << 19;
  test::product_case<S> p;
  p.m = d.size(most), p.n = d.size(most), p.k = d.size(most), p.batch = d.below(4);
  p.k = std::min(p.k, work / std::max<index_t>(1, p.m * p.n * p.batch));
  p.a = static_cast<layout>(d.below(6)), p.b = static_cast<layout>(d.below(6));
  p.c = d.one_of(test::output_layouts);
  p.values = d.one_of(problems::all_distributions);
  // Sums that round depend on their order: where they do, values are drawn whose sums are exact.
  if (p.values == distribution::uniform && !is_selective<S>) p.values = distribution::small_integers;
  const unsigned flags = d.byte();
  p.accumulate = flags & 1, p.source = !p.accumulate && flags & 2;
  p.mask = flags & 4, p.complement = p.mask && flags & 8, p.replace = p.mask && flags & 16;
  p.witness = is_selective<S> && flags & 32;
  p.seed = d.seed();
  problems::generator g(p.seed ^ 0xfac705);
  if (flags & 64) p.alpha = problems::draw<S>(distribution::small_integers, g);
  if (flags & 128 && (p.accumulate || p.source)) p.beta = problems::draw<S>(distribution::small_integers, g);
  return p;
}

template <class S>
void compare_product(draws& d) {
  const context ctx = draw_context(d);
  const test::product_case<S> p = draw_product<S>(d);
  test::product_operands<S> got(p), want(p);
  std::ostringstream what;
  what << p << " on " << ctx.describe();
  const bool overflows = want.run_reference() == status::overflow;
  try {
    got.run(ctx);
  } catch (const value_error&) {
    return require(overflows, "a product that fits is refused: " + what.str());
  }
  require(!overflows, "an overflow is not noticed: " + what.str());
  require(bool(test::equal(got.c.buffer, want.c.buffer)), "C differs: " + what.str());
  require(bool(test::equal(got.witness.buffer, want.witness.buffer)), "the witness differs: " + what.str());
}

// The reference's closure in place: whether it exists.
template <class S>
bool close_by_reference(matrix<value_of<S>>& a) {
  for (index_t i = 0; i < a.rows(); ++i) a(i, i) = normalise<S>(S::add(widen<S>(S::one()), widen<S>(a(i, i))));
  return kernels::reference::closure<S>(a.view()).state == status::ok;
}

template <class S>
void compare_closure(draws& d) {
  const context ctx = draw_context(d);
  const index_t n = d.size(150);
  const double density = (1 + double(d.below(100))) / 100;
  const matrix<value_of<S>> graph = test::closable<S>(n, density, d.seed());
  const closure_options options{.block = d.below(n + 20)};
  const std::string what = name_of<S>() + " " + type_name<value_of<S>> + " closure of " + std::to_string(n) +
                           " vertices by blocks of " + std::to_string(options.block) + " on " + ctx.describe();
  matrix<value_of<S>> got = graph, want = graph;
  require(close_by_reference<S>(want), "the reference does not close: " + what);
  if (d.flag()) {
    require(closure(ctx, S{}, got, options).exists, "does not exist: " + what);
  } else {
    matrix<std::int32_t> p(n, n, -5);
    require(closure(ctx, S{}, got, p, options).exists, "does not exist: " + what);
    require(bool(test::reaches_source<S>(graph.view(), got.view(), p.view())), "predecessors lead elsewhere: " + what);
  }
  require(bool(test::equal(got, want)), "differs: " + what);
}

// Weights that may make a cycle improve, few enough that nothing overflows.
template <class S>
void compare_existence(draws& d) {
  const context ctx = draw_context(d);
  const index_t n = 1 + d.below(12), arcs = d.below(40);
  matrix<value_of<S>> graph(n, n, S::zero());
  for (index_t e = 0; e < arcs; ++e) {
    const index_t i = d.below(n), j = d.below(n);  // one after the other, whatever the compiler evaluates first
    graph(i, j) = static_cast<value_of<S>>(d.below(21) - 4);
  }
  matrix<value_of<S>> got = graph, want = graph;
  const bool exists = close_by_reference<S>(want);
  require(closure(ctx, S{}, got, {.block = d.below(n + 2)}).exists == exists, "a cycle is seen by one of two");
  if (exists) require(bool(test::equal(got, want)), "a closure of signed weights differs");
  const auto r = shortest_paths(ctx, S{}, graph, {.predecessors = true});
  require(r.negative_cycle.empty() == exists, "shortest_paths finds another cycle than the closure");
  if (exists) require(bool(test::equal(r.distances, want)), "distances of signed weights differ");
}

template <class S>
void compare_paths(draws& d) {
  using T = value_of<S>;
  const context ctx = draw_context(d);
  const index_t n = 1 + d.size(120), arcs = d.size(600);
  const bool real = std::is_floating_point_v<T>;
  const auto g = problems::random_graph<S>(n, arcs, d.seed(), [&](problems::generator& r, index_t, index_t) {
    if (std::string_view(S::name) == "max_times") return real ? std::exp2(-double(r.below(8))) : 1.0;
    return double(r.below(50));
  });
  matrix<T> want = problems::dense_of<S>(g);
  require(close_by_reference<S>(want), "the reference does not close a graph");
  apsp_options options{.method = static_cast<apsp_method>(d.below(4)), .predecessors = d.flag()};
  if (options.method == apsp_method::hierarchy) {
    options.predecessors = false;  // some weights are 0
    if (!std::is_same_v<S, min_plus<T>> || real) options.method = apsp_method::automatic;
  }
  std::vector<std::int32_t> sources;
  for (index_t count = d.below(5); count > 0; --count) sources.push_back(static_cast<std::int32_t>(d.below(n)));
  options.sources = sources;
  const bool dense = d.flag();
  const matrix<T> as_matrix = dense ? problems::dense_of<S>(g) : matrix<T>();
  const auto r = dense ? shortest_paths(ctx, S{}, as_matrix, options) : shortest_paths(ctx, S{}, g, options);
  const std::string what = name_of<S>() + " paths of " + std::to_string(n) + " vertices by " + to_string(r.method);
  require(r.negative_cycle.empty(), "a cycle that is none: " + what);
  for (index_t i = 0; i < r.distances.rows(); ++i)
    for (index_t j = 0; j < n; ++j) {
      require(r.distances(i, j) == want(r.sources[i], j), "a distance differs: " + what);
      if (options.predecessors)
        require(r.path(r.sources[i], static_cast<std::int32_t>(j)).cost == want(r.sources[i], j),
                "a path does not sum up: " + what);
    }
}

template <class S>
void compare(draws& d) {
  if constexpr (is_selective<S>) {
    const index_t what = d.below(4);
    if (what == 1) return compare_closure<S>(d);
    if (what == 2) return compare_paths<S>(d);
    if constexpr (std::is_same_v<S, min_plus<value_of<S>>>)  // the others know no negative weights
      if (what == 3) return compare_existence<S>(d);
  }
  compare_product<S>(d);
}

}  // namespace
}  // namespace kleene::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace kleene;
  fuzz::draws d(data, size);
  switch (d.below(4)) {
    case 0:
      fuzz::compare<min_plus<float>>(d);
      break;
    case 1:
      fuzz::compare<min_plus<std::int32_t>>(d);
      break;
    case 2:
      fuzz::compare<max_times<double>>(d);
      break;
    default:
      fuzz::compare<plus_times<std::int32_t>>(d);
  }
  return 0;
}
