// Shortest paths of a list of graphs by all workers of a grid.
#pragma once

#include "kleene/grid/detail/host/batch_shares.hpp"
#include "kleene/grid/detail/host/device_lanes.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace kleene::detail {

// The first graph of each worker, and one past the last one's: about as much work each.
template <class T>
std::vector<index_t> cut_by_work(const std::vector<csr<T>>& graphs, int workers) {
  std::vector<double> before{0};
  for (const csr<T>& g : graphs) before.push_back(before.back() + 1 + double(g.rows) * double(g.rows) * double(g.rows));
  std::vector<index_t> cuts;
  for (int rank = 0; rank < workers; ++rank)
    cuts.push_back(std::ranges::lower_bound(before, before.back() * rank / workers) - before.begin());
  cuts.push_back(static_cast<index_t>(graphs.size()));
  return cuts;
}

template <class S>
class batch_paths {
 public:
  using T = value_of<S>;
  using results = std::vector<apsp_result<S>>;

  // In one process worker 0's graphs and options; else all workers give the same.
  batch_paths(worker& w, const std::vector<csr<T>>& graphs, const apsp_options& options)
      : worker_(w), graphs_(&graphs), options_(&options) {
    if (!is_one_process(w)) return;
    graphs_ = of_first_worker(w, graphs);
    options_ = of_first_worker(w, options);
  }

  results run() {
    results mine(worker_.rank() == 0 || !is_one_process(worker_) ? graphs_->size() : 0);
    results& all = is_one_process(worker_) ? *of_first_worker(worker_, mine) : mine;
    const std::vector<index_t> cuts = cut_by_work(*graphs_, worker_.size());
    const index_t first = cuts[worker_.rank()], last = cuts[worker_.rank() + 1];
    worker_.together([&] { solve(first, last, all); });
    if (!is_one_process(worker_)) gather_results(cuts, mine);
    if (worker_.rank() != 0) mine.clear();
    return mine;
  }

 private:
  static constexpr index_t small = 4096;  // several matrices of so many vertices fit a device

  void solve(index_t first, index_t last, results& all) const {
    const context& ctx = worker_.context();
    const auto one = [&](const context& on, index_t g) {
      try {
        all[static_cast<std::size_t>(g)] = shortest_paths(on, S{}, (*graphs_)[static_cast<std::size_t>(g)], *options_);
      } catch (const overflow_error& e) {
        throw overflow_error(named(g, e));
      } catch (const value_error& e) {
        throw value_error(named(g, e), e.code());
      } catch (const shape_error& e) {
        throw shape_error(named(g, e));
      }
    };
    const auto is_small = [&](index_t g) { return (*graphs_)[static_cast<std::size_t>(g)].rows <= small; };
    std::vector<index_t> by_lanes;
    for (index_t g = first; g < last; ++g)
      if (ctx.kind() == device_kind::cuda && is_small(g)) by_lanes.push_back(g);
      else one(ctx, g);
    if (by_lanes.empty()) return;
    on_lanes(worker_, static_cast<index_t>(by_lanes.size()),
             [&](const device_lane& lane, index_t at) { one(lane.ctx(), by_lanes[static_cast<std::size_t>(at)]); });
  }
  template <class E>
  static std::string named(index_t g, const E& e) {
    return "graph " + std::to_string(g) + " of the list: " + e.what();
  }

  // A result in flight to worker 0 in another process: this first, then what it counts.
  struct summary {
    index_t sources = 0, cycle = 0, reason = 0, vertices = 0, arcs = 0;
    bool has_distances = false, has_predecessors = false;
    apsp_method method{};
    double seconds = 0, operations = 0;
  };

  void gather_results(const std::vector<index_t>& cuts, results& mine) const {
    for (int rank = 1; rank < worker_.size(); ++rank)
      for (index_t g = cuts[rank]; g < cuts[rank + 1]; ++g) {
        apsp_result<S>& result = mine[static_cast<std::size_t>(g)];
        if (worker_.rank() == rank) send(result);
        else if (worker_.rank() == 0) receive(rank, (*graphs_)[static_cast<std::size_t>(g)].view(), result);
      }
  }
  // visit(data, bytes) for each part of a result that its summary counts.
  template <class Result, class Visit>
  static void for_each_part(Result& r, const Visit& visit) {
    const auto list = [&](auto& items) {
      visit(items.data(), static_cast<std::size_t>(items.size()) * sizeof(*items.data()));
    };
    list(r.sources);
    list(r.negative_cycle);
    list(r.reason);
    list(r.own_distances);
    list(r.own_predecessors);
  }
  void send(const apsp_result<S>& r) const {
    const summary s{.sources = index_t(r.sources.size()),
                    .cycle = index_t(r.negative_cycle.size()),
                    .reason = index_t(r.reason.size()),
                    .vertices = r.vertices,
                    .arcs = r.arcs,
                    .has_distances = !r.distances.is_null(),
                    .has_predecessors = !r.predecessors.is_null(),
                    .method = r.method,
                    .seconds = r.seconds,
                    .operations = r.operations};
    worker_.comm().send(0, &s, sizeof s);
    for_each_part(r, [&](const void* data, std::size_t bytes) { worker_.comm().send(0, data, bytes); });
  }
  void receive(int from, const csr_view<T>& graph, apsp_result<S>& r) const {
    summary s;
    worker_.comm().receive(from, &s, sizeof s);
    r.sparse_graph = graph;
    r.vertices = s.vertices, r.arcs = s.arcs, r.method = s.method;
    r.seconds = s.seconds, r.operations = s.operations;
    r.sources.resize(static_cast<std::size_t>(s.sources));
    r.negative_cycle.resize(static_cast<std::size_t>(s.cycle));
    r.reason.resize(static_cast<std::size_t>(s.reason));
    if (s.has_distances) r.distances = r.own_distances = matrix<T>(s.sources, s.vertices, uninitialised{});
    if (s.has_predecessors)
      r.predecessors = r.own_predecessors = matrix<std::int32_t>(s.sources, s.vertices, uninitialised{});
    for_each_part(r, [&](void* data, std::size_t bytes) { worker_.comm().receive(from, data, bytes); });
  }

  worker& worker_;
  const std::vector<csr<T>>* graphs_;
  const apsp_options* options_;
};

}  // namespace kleene::detail
