// paths: the vertices of many best paths at once, from predecessors wherever they lie.
//
//   closure(gpu, min_plus<float>{}, a, p);                       // p: device_matrix<std::int32_t>
//   path_list routes = paths(gpu, p, {{{0, 17}, {3, 99}}});      // routes[0]: 0 ... 17; only the routes are copied
//
// Contract
//   predecessors n x n as closure leaves them: P(s, t) is the last vertex before t on a best path from s, -1 for none.
//                Must lie where the context works (else error(device)).
//   pairs        (s, t), host memory, 0-based; value_error with the pair for a vertex that is not there.
//   result       each path from s to t, both included; {s} for s == t, empty where t cannot be reached.
//   faults       value_error where following P from t does not end at s: P is not a matrix of predecessors.
//   cost         O(vertices of the paths), a thread a path.
#pragma once

#include "kleene/operations/detail/checks.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kleene {

struct path_list {
  std::vector<index_t> offsets{0};  // path q is vertices[offsets[q]] ... vertices[offsets[q + 1] - 1]
  std::vector<std::int32_t> vertices;

  index_t count() const { return static_cast<index_t>(offsets.size()) - 1; }
  std::span<const std::int32_t> operator[](index_t q) const {
    return {vertices.data() + offsets[q], static_cast<std::size_t>(offsets[q + 1] - offsets[q])};
  }
};

using vertex_pair = std::pair<std::int32_t, std::int32_t>;

namespace detail {
// Fewer paths than this are not worth waking a thread for.
inline constexpr double paths_per_thread = 32;

path_list trace_paths(const context& ctx, const matrix_view<const std::int32_t>& predecessors,
                      std::span<const vertex_pair> pairs);
}  // namespace detail

template <detail::viewable_as<std::int32_t> P>
path_list paths(const context& ctx, const P& predecessors, std::span<const vertex_pair> pairs) {
  detail::require_reach(ctx, "the predecessor matrix", predecessors);
  const auto p = detail::as_batch<const std::int32_t>(predecessors);
  if (p.extent(0) != 1 || p.rows() != p.cols())
    throw shape_error("predecessors are a square matrix; these are " + detail::shape_of(p));
  return detail::trace_paths(ctx, {p.data(), {p.rows(), p.cols()}, {p.stride(1), p.stride(2)}}, pairs);
}
template <detail::viewable_as<std::int32_t> P>
path_list paths(const context& ctx, const P& predecessors, std::initializer_list<vertex_pair> pairs) {
  return paths(ctx, predecessors, std::span<const vertex_pair>(pairs.begin(), pairs.size()));
}

}  // namespace kleene
