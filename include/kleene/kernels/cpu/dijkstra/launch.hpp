// Best paths from many sources over a sparse graph: one search per source, sources in parallel.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/sparse.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace kleene::kernels::cpu {

// Bytes of workspace that launch_dijkstra needs: a heap for each thread, of two entries a vertex or one an arc.
template <class S>
std::size_t dijkstra_workspace(const csr_view<value_of<S>>& graph, index_t sources, int threads);

// Rows of `distances` (and of `predecessors` unless null) are the sources. No arc may improve a path (non-negative
// weights for min_plus): then each vertex is final when it leaves the heap. `report`, where given, is called from the
// calling thread with the number of sources done; returning false stops the search early and makes the result false. It
// must not throw. overflow is set if a finite distance does not fit the element type.
template <class S>
bool launch_dijkstra(const csr_view<value_of<S>>& graph, std::span<const std::int32_t> sources,
                     const matrix_view<value_of<S>>& distances, const matrix_view<std::int32_t>& predecessors,
                     int threads, const std::function<bool(index_t)>& report, void* workspace, bool& overflow) noexcept;

}  // namespace kleene::kernels::cpu
