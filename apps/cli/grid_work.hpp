// Closures and products on several CUDA devices, paths by these or processes, of what is in host memory. Defined
// in grid_work.cpp, for the algebras of the catalog.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/grid/closure.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "worker_times.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace kleene::cli {

// Closes `a`, and leaves predecessors in `p` where it has elements. The progress callback is ctx's, here and below.
template <class S>
closure_info close_on_grid(const context& ctx, const std::vector<int>& devices, matrix<value_of<S>>& a,
                           matrix<std::int32_t>& p);

// How paths are found on a grid, and what is known of it.
struct grid_paths_call {
  const kleene::grid& workers;
  const context& ctx;
  const checkpoint_options& save;
  std::function<void(double)> communicated;  // the share of worker 0's time, before each report
  std::vector<worker_row> rows{};            // of all workers, when it is done
};
// shortest_paths of a graph, which outlives the result: that of worker 0, which in a process without it is empty.
template <class S>
apsp_result<S> paths_on_grid(grid_paths_call& call, const csr<value_of<S>>& graph, const apsp_options& options,
                             const apsp_targets<value_of<S>>& targets);

// C = A B. Returns the seconds of the product alone.
template <class S>
double multiply_on_grid(const std::vector<int>& devices, const matrix<value_of<S>>& a, const matrix<value_of<S>>& b,
                        matrix<value_of<S>>& c);

}  // namespace kleene::cli
