// One to all over a contracted graph (Delling, Goldberg, Nowatzyk and Werneck, "PHAST: hardware-accelerated shortest
// path trees", 2011): distances go up from the sources in the order of the ranks, then each vertex relaxes the
// arcs that reach it from above. A lane is a source, so each arc is read once for sixteen of them, without a search.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/sweeps/launch.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <atomic>

namespace kleene::kernels::cpu {

inline constexpr int sweep_lanes = 16;

// The sweeps from up to sixteen sources, into `value` and `last`: sixteen elements for each rank.
template <class S>
struct sweep_worker {
  using T = value_of<S>;
  static_assert(std::is_arithmetic_v<T> && std::is_same_v<T, accumulator_of<S>> && sizeof(T) >= 4);

  const hierarchy<T>& graph;
  T* value;
  std::int32_t* last;
  std::span<const sweep_source> sources{};

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    const index_t n = graph.vertices();
    std::fill_n(value, n * sweep_lanes, S::zero());
    std::fill_n(last, n * sweep_lanes, -1);
    index_t lowest = n;
    for (index_t l = 0; l < static_cast<index_t>(sources.size()); ++l) {
      value[sources[l].rank * sweep_lanes + l] = S::one();
      lowest = std::min<index_t>(lowest, sources[l].rank);
    }
    for (index_t r = lowest; r < n; ++r) {
      if (!is_reached<Bytes>(r)) continue;
      for (index_t e = graph.up_offsets[r]; e < graph.up_offsets[r + 1]; ++e)
        relax<Bytes>(graph.up[e].other, r, graph.up[e]);
    }
    for (index_t r = n; r-- > 0;) descend<Bytes>(r);
  }

 private:
  template <int Bytes>
  using values = vector_of<T, Bytes>;
  template <int Bytes>
  using vertices = vector_of<std::int32_t, Bytes / int{sizeof(T)} * 4>;
  template <int Bytes>
  static constexpr int count = Bytes / int{sizeof(T)};
  static constexpr bool is_least = S::add(T{0}, T{1}) == T{0};

  template <int Bytes>
  [[gnu::always_inline]] bool is_reached(index_t r) const {
    std::uint64_t reached = 0;
#pragma GCC unroll 8
    for (int l = 0; l < sweep_lanes; l += count<Bytes>) {
      values<Bytes> here;
      load(here, value + r * sweep_lanes + l);
      reached |= lane_bits(here != S::zero());
    }
    return reached != 0;
  }

  // Relaxes an arc from rank `from` to rank `to`.
  template <int Bytes>
  [[gnu::always_inline]] void relax(index_t to, index_t from, const hierarchy_arc<T>& arc) {
#pragma GCC unroll 8
    for (int l = 0; l < sweep_lanes; l += count<Bytes>) {
      values<Bytes> best, length;
      vertices<Bytes> before;
      load(best, value + to * sweep_lanes + l);
      load(before, last + to * sweep_lanes + l);
      load(length, value + from * sweep_lanes + l);
      improve<Bytes>(best, before, length, arc);
      store(value + to * sweep_lanes + l, best);
      store(last + to * sweep_lanes + l, before);
    }
  }

  // Relaxes all arcs from above to rank r: the same, kept in registers.
  template <int Bytes>
  [[gnu::always_inline]] void descend(index_t r) {
    constexpr int parts = sweep_lanes / count<Bytes>;
    values<Bytes> best[parts];
    vertices<Bytes> before[parts];
#pragma GCC unroll 8
    for (int p = 0; p < parts; ++p) {
      load(best[p], value + r * sweep_lanes + p * count<Bytes>);
      load(before[p], last + r * sweep_lanes + p * count<Bytes>);
    }
    for (index_t e = graph.down_offsets[r]; e < graph.down_offsets[r + 1]; ++e) {
      const hierarchy_arc<T>& arc = graph.down[e];
#pragma GCC unroll 8
      for (int p = 0; p < parts; ++p) {
        values<Bytes> length;
        load(length, value + arc.other * index_t{sweep_lanes} + p * count<Bytes>);
        improve<Bytes>(best[p], before[p], length, arc);
      }
    }
#pragma GCC unroll 8
    for (int p = 0; p < parts; ++p) {
      store(value + r * sweep_lanes + p * count<Bytes>, best[p]);
      store(last + r * sweep_lanes + p * count<Bytes>, before[p]);
    }
  }

  template <int Bytes>
  [[gnu::always_inline]] static void improve(values<Bytes>& best, vertices<Bytes>& before, const values<Bytes>& length,
                                             const hierarchy_arc<T>& arc) {
    // Not by the algebra's operations: nvcc would compile those for devices, which have no such vectors.
    const values<Bytes> sum = length + (arc.weight - values<Bytes>{});
    const auto better = is_least ? sum < best : sum > best;
    before = __builtin_convertvector(better, vertices<Bytes>) ? arc.last - vertices<Bytes>{} : before;
    best = better ? sum : best;
  }
};

// Seconds of the sweeps from sixteen sources on one core of a current server. Measured: an arc costs 1.0 ns, and a
// vertex of the results 1.2 ns a source (rome99: 32,174 arcs up and down, 31 us for sixteen, and 61 to write them).
inline double sweep_seconds(index_t vertices, index_t arcs) {
  return 1.0e-9 * static_cast<double>(arcs) + 1.2e-9 * sweep_lanes * static_cast<double>(vertices);
}

template <class T>
int sweep_threads(const hierarchy<T>& graph, index_t sources, int threads) {
  const index_t groups = ceil_div(sources, index_t{sweep_lanes});
  const double seconds = static_cast<double>(groups) * sweep_seconds(graph.vertices(), graph.arcs());
  return threads_for(seconds, 1e-3, static_cast<int>(std::min<index_t>(threads, groups)));  // as dijkstra_threads
}

template <class T>
std::size_t sweeps_workspace(const hierarchy<T>& graph, index_t sources, int threads) {
  return static_cast<std::size_t>(sweep_threads(graph, sources, threads)) * (sizeof(T) + sizeof(std::int32_t)) *
         sweep_lanes * round_up(static_cast<std::size_t>(graph.vertices()), std::size_t{16});
}

template <class S>
bool launch_sweeps(const hierarchy<value_of<S>>& graph, std::span<const sweep_source> sources,
                   const matrix_view<value_of<S>>& distances, const matrix_view<std::int32_t>& predecessors,
                   int threads, instruction_set isa, const std::function<bool(index_t)>& report,
                   void* workspace) noexcept {
  using T = value_of<S>;
  const index_t count = static_cast<index_t>(sources.size()), n = graph.vertices();
  std::atomic<bool> stop{false};
  task_queue groups;
  run_tasks(sweep_threads(graph, count, threads), [&](const team_member& member) {
    const index_t elements = round_up(n, index_t{16}) * sweep_lanes;
    char* const own = static_cast<char*>(workspace) + member.thread * elements * index_t{sizeof(T) + 4};
    sweep_worker<S> worker{graph, reinterpret_cast<T*>(own),
                           reinterpret_cast<std::int32_t*>(own + elements * index_t{sizeof(T)})};
    for (index_t group; (group = groups.next() * sweep_lanes) < count && !stop.load(std::memory_order_relaxed);) {
      if (member.thread == 0 && report && !report(group)) stop = true;
      worker.sources = sources.subspan(group, std::min<index_t>(sweep_lanes, count - group));
      run_on(isa, worker);
      for (index_t l = 0; l < static_cast<index_t>(worker.sources.size()); ++l) {
        const index_t row = worker.sources[l].row;
        for (index_t v = 0; v < n; ++v) distances(row, v) = worker.value[graph.rank[v] * index_t{sweep_lanes} + l];
        if (predecessors.is_null()) continue;
        for (index_t v = 0; v < n; ++v) predecessors(row, v) = worker.last[graph.rank[v] * index_t{sweep_lanes} + l];
      }
    }
  });
  return !stop;
}

}  // namespace kleene::kernels::cpu
