// paths on the CPU, and what both sides check.
#include "operations/paths_on_cuda.hpp"

#include "data/counted.hpp"
#include "kleene/data/parallel.hpp"

namespace kleene::detail {

namespace {

// Vertices of the path, 0 where there is none, -1 where P does not lead back to s.
index_t measure_path(const matrix_view<const std::int32_t>& p, vertex_pair ends) {
  const auto [s, t] = ends;
  index_t length = 1;
  for (std::int32_t v = t; v != s; ++length) {
    v = p(s, v);
    if (v == -1 && length == 1) return 0;
    if (v < 0 || v >= p.rows() || length >= p.rows()) return -1;
  }
  return length;
}

}  // namespace

void lay_out_paths(path_list& list, std::span<const vertex_pair> pairs, std::span<const index_t> lengths) {
  list.offsets.assign(pairs.size() + 1, 0);
  for (std::size_t q = 0; q < pairs.size(); ++q) {
    if (lengths[q] < 0)
      throw value_error("predecessors of " + std::to_string(pairs[q].second) + " do not lead back to " +
                        std::to_string(pairs[q].first));
    list.offsets[q + 1] = list.offsets[q] + lengths[q];
  }
  list.vertices.resize(list.offsets.back());
}

namespace {

// A thread a path: all are measured, given memory, and filled in.
path_list trace_on_cpu(const context& ctx, const matrix_view<const std::int32_t>& p,
                       std::span<const vertex_pair> pairs) {
  const index_t count = static_cast<index_t>(pairs.size());
  path_list list;
  std::vector<index_t> lengths(count);
  const int threads = threads_for(static_cast<double>(count), paths_per_thread, ctx.threads());
  task_queue queue;
  run_tasks(threads, [&](const team_member&) {
    for (index_t q; (q = queue.next()) < count;) lengths[q] = measure_path(p, pairs[q]);
  });
  lay_out_paths(list, pairs, lengths);
  queue.reset();
  run_tasks(threads, [&](const team_member&) {
    for (index_t q; (q = queue.next()) < count;) {
      std::int32_t v = pairs[q].second;
      for (index_t at = list.offsets[q + 1]; at > list.offsets[q]; v = p(pairs[q].first, v)) list.vertices[--at] = v;
    }
  });
  return list;
}

}  // namespace

path_list trace_paths(const context& ctx, const matrix_view<const std::int32_t>& p,
                      std::span<const vertex_pair> pairs) {
  const index_t n = p.rows(), count = static_cast<index_t>(pairs.size());
  for (const auto& [s, t] : pairs)
    if (s < 0 || s >= n || t < 0 || t >= n)
      throw value_error("a path from " + std::to_string(s) + " to " + std::to_string(t) + " in a graph of " +
                        detail::counted(n, "vertex", "vertices") + " (0-based)");
  require_data("the predecessor matrix", p);
  if (ctx.kind() == device_kind::cuda)
    return run_as_call(ctx, {"paths", "", "", {count, -1, -1}}, [&] { return trace_paths_on_cuda(ctx, p, pairs); });
  const double bytes = static_cast<double>(count) * (2 * sizeof(index_t) + 32 * sizeof(std::int32_t));
  return with_memory("paths", bytes, [&] { return trace_on_cpu(ctx, p, pairs); });
}

}  // namespace kleene::detail
