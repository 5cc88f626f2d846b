// Many problems that have nothing to do with each other, spread over all workers of a grid by one call.
//
//   const grid g = grid::cuda({0, 1, 2, 3});                       // or of threads, or of MPI's ranks
//   closure_batch_info all = closure(g, min_plus<float>{}, graphs, predecessors);   // of rank 3, in place
//   gemm(g, min_plus<float>{}, a, b, c);                           // products of rank 3
//   auto paths = shortest_paths(g, min_plus<double>{}, list);      // a std::vector of csr, a result for each
//   closure(w, ...), gemm(w, ...), shortest_paths(w, ...)          // the same within a program of the workers'
//
// Contract, beside those of operations/closure.hpp, gemm.hpp and shortest_paths.hpp
//   shares       Each worker has problems that follow each other, in the order of the ranks: of a batch as many as the
//                others; of a list of graphs about as much work, n^3 each.
//   where        in host memory, worker 0's: what the others give is not looked at. Where workers are in one process,
//                they work in place; else problems go to them and results come back (MPI), and worker 0 has room for
//                one more share.
//   devices      Parts of a share go to the worker's device and come back on several streams, through pinned memory
//                unless the caller's is pinned: some 8 MB at a time, so that batches may be larger than devices. That
//                memory, for four parts a device, is kept for the next call.
//   closures     diverging has the vertex of each matrix, as closure of a batch reports them on one context, and is the
//                same for all workers. Sizes are looked at where worker 0 is, as is everything in options.
//   equality     the bits that one worker's context gives
//   errors       All workers throw them, with the problem's number in the whole batch. Other problems may have been
//                solved by then.
//   results      of shortest_paths are worker 0's; the others get an empty list. In a process without worker 0, a call
//                on a grid returns what its workers got.
//   algebras     the catalog's
#pragma once

#include "kleene/grid/detail/host/batch_closures.hpp"
#include "kleene/grid/detail/host/batch_paths.hpp"
#include "kleene/grid/detail/host/batch_products.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace kleene {

namespace detail {

// What worker 0's program returned, or in a process without it another worker's.
template <class Program>
auto result_on(const grid& g, const Program& program) {
  std::optional<decltype(program(std::declval<worker&>()))> result;
  g.run([&](worker& w) {
    auto mine = program(w);
    if (w.rank() == 0 || !is_one_process(w)) result = std::move(mine);
  });
  return std::move(*result);
}

}  // namespace detail

template <closed_semiring S, detail::viewable A>
requires(detail::rank_of<A> == 3)
closure_batch_info closure(worker& w, S, A&& a, closure_batch_options options = {}) {
  return detail::batch_closure<S>(w, detail::as_batch<value_of<S>>(a), {}, options).run();
}
template <closed_semiring S, detail::viewable A, detail::viewable_as<std::int32_t> P>
requires(detail::rank_of<A> == 3)
closure_batch_info closure(worker& w, S, A&& a, P&& predecessors, closure_batch_options options = {}) {
  detail::require_paths<S>();
  return detail::batch_closure<S>(w, detail::as_batch<value_of<S>>(a), detail::as_batch<std::int32_t>(predecessors),
                                  options)
      .run();
}
template <closed_semiring S, detail::viewable A>
requires(detail::rank_of<A> == 3)
closure_batch_info closure(const grid& g, S s, A&& a, closure_batch_options options = {}) {
  return detail::result_on(g, [&](worker& w) { return closure(w, s, a, options); });
}
template <closed_semiring S, detail::viewable A, detail::viewable_as<std::int32_t> P>
requires(detail::rank_of<A> == 3)
closure_batch_info closure(const grid& g, S s, A&& a, P&& predecessors, closure_batch_options options = {}) {
  return detail::result_on(g, [&](worker& w) { return closure(w, s, a, predecessors, options); });
}

struct gemm_batch_options {
  bool accumulate = false, check_domain = true;
};

template <product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C>
requires(detail::rank_of<C> == 3)
void gemm(worker& w, S, A&& a, B&& b, C&& c, gemm_batch_options options = {}) {
  using T = value_of<S>;
  detail::multiply_batch<S>(w, detail::as_batch<const T>(a), detail::as_batch<const T>(b), detail::as_batch<T>(c),
                            options.accumulate, options.check_domain);
}
template <product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C>
requires(detail::rank_of<C> == 3)
void gemm(const grid& g, S s, A&& a, B&& b, C&& c, gemm_batch_options options = {}) {
  g.run([&](worker& w) { gemm(w, s, a, b, c, options); });
}

template <closed_semiring S>
requires is_selective<S>
std::vector<apsp_result<S>> shortest_paths(worker& w, S, const std::vector<csr<value_of<S>>>& graphs,
                                           const apsp_options& options = {}) {
  return detail::batch_paths<S>(w, graphs, options).run();
}
template <closed_semiring S>
requires is_selective<S>
std::vector<apsp_result<S>> shortest_paths(const grid& g, S s, const std::vector<csr<value_of<S>>>& graphs,
                                           const apsp_options& options = {}) {
  return detail::result_on(g, [&](worker& w) { return shortest_paths(w, s, graphs, options); });
}

}  // namespace kleene
