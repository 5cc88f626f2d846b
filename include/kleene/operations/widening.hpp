// widening: closures and shortest paths over integers that go on by themselves in the next wider type where a length
// does not fit, and say so.
//
//   auto closed = closure(ctx, widening<min_plus<u8>>{}, std::move(a));              // a: matrix<u8>, 127: no arc
//   closed.type()                          // "u8", or "u16": the type that holds the lengths
//   closed.reason                          // why not u8; empty where it is
//   closed(i, j)                           // std::int64_t; infinity() where there is no path
//   closed.visit([](auto s, const auto& lengths) { ... });                           // matrix<u8>, matrix<u16>, ...
//
//   auto paths = shortest_paths(ctx, widening<min_plus<i8>>{}, graph, {.predecessors = true});
//   paths.visit([&](const auto& r) { ... r.path(s, t).cost, r.negative_cycle ... }); // apsp_result<min_plus<i8>>, ...
//
// The closure of closure.hpp works in place and shortest_paths.hpp returns lengths in the type of the weights: neither
// can hold lengths that are wider. Here the operand is the callee's and the type of the result is found.
//
// Contract
//   types        u8, u16, i32, i64 or i8, i16, i32, i64, from the operand's on, as far as the catalog goes (i32 for
//                max_times, min_times and plus_times). Types that the library is not compiled with, those of 8 and 16
//                bits, need own/closure.inl.hpp (own/shortest_paths.inl.hpp), and on devices enable_cuda_closure<S>()
//                for each of them.
//   weights      zero() means "no arc", every other number is a weight, also one that the algebra's domain on its type
//                excludes (64 in u8, whose lengths go up to 63): then the type is left before anything runs.
//   result       in the first type that does not refuse: see "overflow" in closure.hpp. So of weights of one sign, on
//                the CPU, it is the narrowest of the types that holds all lengths; of others, and on a device, a wider
//                one may be taken. Lengths, predecessors and cycles are the same in all of them.
//   existence    as in closure.hpp. What a device says of an improving cycle in a type that lengths may have left is
//                asked again in the next.
//   where        operand and result in host memory. With a CUDA context the work is done on the device.
//   errors       those of closure and shortest_paths; overflow_error where the last type is too narrow, too.
//   memory       the operand in two types at a time; without predecessors' targets or batches.
//   explain      KLEENE_EXPLAIN=1 prints the reason.
#pragma once

#include "kleene/data/device_matrix.hpp"
#include "kleene/operations/detail/narrow/widths.hpp"

#include <concepts>
#include <string>
#include <utility>

namespace kleene {

// An algebra over integers, and those over the wider ones.
template <closed_semiring S>
struct widening {
  static_assert(std::integral<value_of<S>>, "floats hold lengths of any size: only integers are widened");
  using accumulator = accumulator_of<S>;  // so that concepts ask no further what algebra this is: it is none
};

namespace detail {

// Adds why S is left to the reason of a result.
template <class S>
void leave_type(std::string& reason, const std::string& why) {
  const std::string line = range_words<S>() + ", " + why + ": " + type_name<value_of<wider<S>>> + " instead";
  if (explain_enabled()) explain("widening " + name_of<S>() + ": " + line);
  reason += (reason.empty() ? "" : "; ") + line;
}
template <class S>
std::string excluded_words(const value_of<S>& weight) {
  return "and a weight is " + to_text(weight);
}

// Of an algebra that adds lengths, or another.
template <class S>
inline constexpr const char* too_large = adds_integers<S> ? "and a path is longer" : "and a result is larger";

// closure over S in place, wherever the context works.
template <class S, class... P>
closure_info close_in_host_memory(const context& ctx, matrix<value_of<S>>& a, const closure_options& options,
                                  P&... predecessors) {
  if (ctx.kind() != device_kind::cuda) return closure(ctx, S{}, a, predecessors..., options);
  auto there = to_device(ctx, a);
  const auto run = [&](auto&... found) {
    const closure_info info = closure(ctx, S{}, there, found..., options);
    if (!info.exists) return info;
    copy(ctx, there, a);
    (copy(ctx, found, predecessors), ...);
    ctx.synchronise();
    return info;
  };
  if constexpr (sizeof...(P) == 0) return run();
  else {
    device_matrix<std::int32_t> from(ctx, a.rows(), a.cols());
    return run(from);
  }
}

}  // namespace detail

template <class S>
struct [[nodiscard]] widened_closure {
  using widest = typename detail::widest_of<S>::type;

  closure_info info{};
  std::string reason{};  // of each type that was left, what it holds and what did not fit; empty: of none
  typename detail::one_of_widths<detail::closed_matrix, S>::type held{};

  // Calls visit(algebra, matrix): the algebra over the type that holds the lengths, and these.
  template <class Visit>
  decltype(auto) visit(Visit&& visit) const {
    return std::visit(
        [&](const auto& closed) -> decltype(auto) {
          return visit(typename std::remove_cvref_t<decltype(closed)>::algebra{}, closed.values);
        },
        held);
  }
  const char* type() const {
    return visit([](auto s, const auto&) { return type_name<value_of<decltype(s)>>; });
  }
  // An element in the widest type, whose zero() is infinity().
  value_of<widest> operator()(index_t i, index_t j) const {
    return visit([&](auto s, const auto& m) { return detail::widen_weight<widest, decltype(s)>(m(i, j)); });
  }
  static constexpr value_of<widest> infinity() { return widest::zero(); }
};

template <class S>
struct [[nodiscard]] widened_paths {
  std::string reason{};  // as of widened_closure
  typename detail::one_of_widths<detail::paths_of_width, S>::type held{};

  // Calls visit(result): an apsp_result over the type that holds the lengths. Its graph is the caller's, which must
  // outlive it, or lies here.
  template <class Visit>
  decltype(auto) visit(Visit&& visit) const {
    return std::visit([&](const auto& paths) -> decltype(auto) { return visit(paths.result); }, held);
  }
  const char* type() const {
    return visit([]<class R>(const R&) { return type_name<value_of<typename R::algebra>>; });
  }
};

namespace detail {

// Closes `a` in S, else in a wider type; `found` is filled in.
template <class S, class First, class... P>
void widen_closure(const context& ctx, matrix<value_of<S>> a, const closure_options& options,
                   widened_closure<First>& found, P&... predecessors) {
  if constexpr (is_widest<S>) {
    found.info = close_in_host_memory<S>(ctx, a, options, predecessors...);
    found.held = closed_matrix<S>{std::move(a)};
  } else {
    const auto go_on = [&](const std::string& why) {
      leave_type<S>(found.reason, why);
      matrix<value_of<wider<S>>> next(a.rows(), a.cols(), uninitialised{});
      widen_weights<wider<S>, S>(a.data(), a.size(), next.data());
      a = {};
      widen_closure<wider<S>>(ctx, std::move(next), options, found, predecessors...);
    };
    if (const auto* weight = first_outside<S>(as_view(std::as_const(a)))) return go_on(excluded_words<S>(*weight));
    // A device does not say whether a cycle that improves was met after an overflow.
    const bool on_device = ctx.kind() == device_kind::cuda, believed = !on_device || always_fits<S>(a);
    matrix<value_of<S>> kept;
    if (!is_narrow<S> && !on_device) kept = a;  // of the narrow ones closure itself keeps a copy
    try {
      found.info = close_in_host_memory<S>(ctx, a, options, predecessors...);
    } catch (const overflow_error&) {
      if (kept.size() > 0) a = std::move(kept);
      return go_on(too_large<S>);
    }
    if (!found.info.exists && !believed) return go_on("which a cycle that seems to improve may not fit");
    found.held = closed_matrix<S>{std::move(a)};
  }
}

// The paths of a graph in S, else in a wider type. `own` holds the graph, unless that is the caller's.
template <class S, class First, class Graph>
void widen_paths(const context& ctx, paths_of_width<S> own, const Graph& graph, const apsp_options& options,
                 widened_paths<First>& found) {
  if constexpr (is_widest<S>) {
    (void)(own.result = shortest_paths(ctx, S{}, graph, options));  // void: nvcc takes = for a discarded result
    found.held = std::move(own);
  } else {
    const auto go_on = [&](const std::string& why) {
      using W = wider<S>;
      constexpr bool is_sparse = std::is_same_v<Graph, csr_view<value_of<S>>>;
      leave_type<S>(found.reason, why);
      paths_of_width<W> next;
      if constexpr (is_sparse) widen_graph<W, S>(graph, next.sparse);
      else widen_graph<W, S>(graph, next.dense);
      own = {};
      using next_graph = std::conditional_t<is_sparse, csr_view<value_of<W>>, matrix_view<const value_of<W>>>;
      const auto view_of = [&] {
        if constexpr (is_sparse) return next_graph(next.sparse.view());
        else return next_graph(next.dense.view());
      };
      const next_graph wide = view_of();
      widen_paths<W>(ctx, std::move(next), wide, options, found);
    };
    if (const auto* weight = first_outside<S>(graph)) return go_on(excluded_words<S>(*weight));
    try {
      (void)(own.result = shortest_paths(ctx, S{}, graph, options));  // void: nvcc takes = for a discarded result
    } catch (const overflow_error&) {
      return go_on(too_large<S>);
    }
    found.held = std::move(own);
  }
}

template <class S, class Graph>
widened_paths<S> widened_paths_of(const context& ctx, const Graph& graph, const apsp_options& options) {
  widened_paths<S> found;
  widen_paths<S>(ctx, {}, graph, options, found);
  return found;
}

}  // namespace detail

// A is a square matrix in host memory. It is taken: move it in, or a copy is made.
template <class S>
widened_closure<S> closure(const context& ctx, widening<S>, matrix<value_of<S>> a, closure_options options = {}) {
  widened_closure<S> found;
  detail::widen_closure<S>(ctx, std::move(a), options, found);
  return found;
}
template <class S, detail::viewable_as<std::int32_t> P>
widened_closure<S> closure(const context& ctx, widening<S>, matrix<value_of<S>> a, P&& predecessors,
                           closure_options options = {}) {
  widened_closure<S> found;
  detail::widen_closure<S>(ctx, std::move(a), options, found, predecessors);
  return found;
}

template <class S>
widened_paths<S> shortest_paths(const context& ctx, widening<S>, const csr_view<value_of<S>>& graph,
                                const apsp_options& options = {}) {
  return detail::widened_paths_of<S>(ctx, graph, options);
}
template <class S>
widened_paths<S> shortest_paths(const context& ctx, widening<S>, const matrix_view<const value_of<S>>& graph,
                                const apsp_options& options = {}) {
  return detail::widened_paths_of<S>(ctx, graph, options);
}
template <class S>
widened_paths<S> shortest_paths(const context& ctx, widening<S> s, const csr<value_of<S>>& graph,
                                const apsp_options& options = {}) {
  return shortest_paths(ctx, s, graph.view(), options);
}
template <class S>
widened_paths<S> shortest_paths(const context& ctx, widening<S> s, const matrix<value_of<S>>& graph,
                                const apsp_options& options = {}) {
  return shortest_paths(ctx, s, matrix_view<const value_of<S>>(graph.view()), options);
}

}  // namespace kleene
