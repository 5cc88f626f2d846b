// shortest_paths on a device, as the host sees it: plain C++.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/cuda/closure/predecessors/best_arc_room.hpp"
#include "kleene/operations/detail/shortest_paths_problem.inl.hpp"

#include <chrono>
#include <future>

namespace kleene::detail {

// The matrix of a graph on a device: padded by vertices without arcs, so that its rows are whole runs of 16 bytes.
template <class T>
index_t device_width(index_t n) {
  const index_t run = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
  return round_up(n, run);
}

// What a run takes from the device's memory: the matrices (with predecessors a second one where elements have 8 bytes,
// and lists of arcs) and panels of a few blocks. And from the host's: the rows that come back.
template <class S>
void require_device(const context& ctx, const apsp_result<S>& r, const apsp_options& options,
                    const apsp_targets<value_of<S>>& targets) {
  const double rows = static_cast<double>(r.sources.size()), n = static_cast<double>(r.vertices);
  const double predecessor = options.predecessors ? sizeof(std::int32_t) : 0, each = sizeof(value_of<S>);
  require_memory(
      rows * n * ((targets.distances.is_null() ? each : 0) + (targets.predecessors.is_null() ? predecessor : 0)),
      "all-pairs shortest paths");
  const double width = static_cast<double>(device_width<value_of<S>>(r.vertices));
  const double block = static_cast<double>(options.closure.block > 0 ? options.closure.block : closure_block);
  const double kept = options.predecessors && each != sizeof(std::int32_t) ? each : 0;
  const double listed =
      options.predecessors ? double(kernels::cuda::best_arc_room(device_width<value_of<S>>(r.vertices))) : 0;
  const double bytes = width * width * (each + predecessor + kept) + 6 * width * std::min(block, width) * each +
                       listed * (each + predecessor);
  if (const double free = static_cast<double>(ctx.available()); bytes > free)
    throw error(fault_code::memory, "all-pairs shortest paths of " + std::to_string(r.vertices) + " vertices need " +
                                        std::to_string(static_cast<std::uint64_t>(bytes)) + " bytes on the device; " +
                                        std::to_string(static_cast<std::uint64_t>(free)) +
                                        " are available: use the CPU or a "
                                        "narrower type");
}

// Touches every page, so that filling the matrix afterwards causes no page faults. (Of a mapped file they take
// longer than the copy itself.)
template <class T>
void touch(const matrix_view<T>& m, int threads) {
  constexpr index_t page = sizeof(T) < 4096 ? 4096 / sizeof(T) : 1;
  const bool by_row = m.stride(1) == 1;
  const index_t outer = by_row ? m.rows() : m.cols(), inner = by_row ? m.cols() : m.rows();
  for_each_row(outer, m.size(), threads, [&](index_t i) {
    const auto write = [&](index_t j) { *reinterpret_cast<volatile char*>(by_row ? &m(i, j) : &m(j, i)) = 0; };
    for (index_t j = 0; j < inner; j += page) write(j);
    write(inner - 1);
  });
}

// The elimination on a device: the graph is copied there, the rows that were asked for are copied back, into pages that
// are touched meanwhile.
template <class S>
void run_on_device(const context& ctx, apsp_problem<S>& problem, apsp_result<S>& r, const apsp_options& options,
                   const apsp_targets<value_of<S>>& targets) {
  using T = value_of<S>;
  const auto spread_graph = closures_on_cuda<S>().spread_graph;
  if (!spread_graph) refuse_cuda<S>();
  const index_t n = r.vertices, rows = static_cast<index_t>(r.sources.size()), width = device_width<T>(n);
  if (n == 0) return;
  const auto start = std::chrono::steady_clock::now();
  r.distances = place(targets.distances, r.own_distances, rows, n);
  if (options.predecessors) r.predecessors = place(targets.predecessors, r.own_predecessors, rows, n);
  std::future<void> touched = std::async(std::launch::async, [d = r.distances, p = r.predecessors] {
    const int threads = context::cpu().threads();
    if (!d.empty()) touch(d, threads);
    if (!p.empty()) touch(p, threads);
  });
  device_matrix<T> a(ctx, width, width);
  device_matrix<std::int32_t> p;
  if (options.predecessors) p = device_matrix<std::int32_t>(ctx, width, width);
  if (problem.is_dense()) {
    spread_graph(ctx, csr_view<T>{}, a.data(), width);
    copy(ctx, problem.dense, a.view().block(0, 0, n, n));
  } else {
    spread_graph(ctx, problem.sparse, a.data(), width);
  }
  closure_options how = options.closure;
  how.check_domain = false;  // inspect_arcs has seen every weight
  const closure_info info = options.predecessors ? closure(ctx, S{}, a, p, how) : closure(ctx, S{}, a, how);
  r.operations = info.exists ? 2.0 * double(n) * double(n) * double(n) : info.operations;
  touched.get();
  if (!info.exists) return find_cycle(problem, r, info.diverging, 1);
  const auto fetch = [&](const auto& from, const auto& to) {
    if (options.sources.empty()) return copy(ctx, from.view().block(0, 0, n, n), to);
    for (index_t i = 0; i < rows; ++i) copy(ctx, from.view().block(r.sources[i], 0, 1, n), to.block(i, 0, 1, n));
  };
  fetch(a, r.distances);
  if (options.predecessors) fetch(p, r.predecessors);
  ctx.synchronise();
  if (explain_enabled()) {
    char text[96];
    const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::snprintf(text, sizeof text, "%.3f s on the device, %.3f s to get there and back", info.seconds,
                  all - info.seconds);
    explain(text);
  }
}

}  // namespace kleene::detail
