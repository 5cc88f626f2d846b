// Best paths from many sources over a contracted graph, sixteen of them at a time.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/context.hpp"
#include "kleene/kernels/cpu/sweeps/hierarchy.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace kleene::kernels::cpu {

// A source by its rank, and the row of the results that is its.
struct sweep_source {
  std::int32_t rank;
  index_t row;
};

// Bytes of workspace that launch_sweeps needs: sixteen distances and predecessors a vertex for each thread.
template <class T>
std::size_t sweeps_workspace(const hierarchy<T>& graph, index_t sources, int threads);

// Rows of `distances` (and of `predecessors` unless null) are those that the sources name; they come fastest in the
// order of their ranks. Every arc makes a path worse, or chains of predecessors could have a cycle, and no length of
// twice the vertices' number of arcs leaves the element type. `report` as of launch_dijkstra.
template <class S>
bool launch_sweeps(const hierarchy<value_of<S>>& graph, std::span<const sweep_source> sources,
                   const matrix_view<value_of<S>>& distances, const matrix_view<std::int32_t>& predecessors,
                   int threads, instruction_set isa, const std::function<bool(index_t)>& report,
                   void* workspace) noexcept;

}  // namespace kleene::kernels::cpu
