// Closures, paths and products on several CUDA devices, of what is in host memory. Defined in grid_work.cpp, for the
// algebras of the catalog.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <cstdint>
#include <vector>

namespace kleene::cli {

// Closes `a`, and leaves predecessors in `p` where it has elements. The progress callback is ctx's, here and below.
template <class S>
closure_info close_on_grid(const context& ctx, const std::vector<int>& devices, matrix<value_of<S>>& a,
                           matrix<std::int32_t>& p);

// shortest_paths of a graph, which outlives the result.
template <class S>
apsp_result<S> paths_on_grid(const context& ctx, const std::vector<int>& devices, const csr<value_of<S>>& graph,
                             const apsp_options& options, const apsp_targets<value_of<S>>& targets);

// C = A B. Returns the seconds of the product alone.
template <class S>
double multiply_on_grid(const std::vector<int>& devices, const matrix<value_of<S>>& a, const matrix<value_of<S>>& b,
                        matrix<value_of<S>>& c);

}  // namespace kleene::cli
