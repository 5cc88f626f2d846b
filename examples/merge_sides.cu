// A merge-like operation of your own, in one file, for both machines: merge_sides says of each item of a merge which
// side it comes from. Cut the merge into pieces of equal size, then walk over each piece as a sequential merge does:
// docs/streaming.md goes through this file step by step.
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/cuda/merge.cuh"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

namespace own {

using namespace kleene;
using namespace kleene::streaming;
using kleene::index_t;

// The work of a block: `size` items of the merge, of which cuts[t] and cuts[t + 1] tell where they are in a and in b.
template <class Grain, class A, class B, class Out, class Less>
__global__ void __launch_bounds__(Grain::threads)
    side_tiles(two_sequences<A, B> s, const index_t* cuts, Out out, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  using T = std::iter_value_t<A>;
  using Side = std::iter_value_t<Out>;
  __shared__ two_tile_buffer<T, size> buffer;
  __shared__ tile_buffer<Side, size> results;
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(buffer) + sizeof(results)>::fits);
  set_up(&arrived, 2);          // two stretches will come
  gpu::grid_dependency_wait();  // from here on global memory may be read

  const index_t first = static_cast<index_t>(blockIdx.x) * size;
  const tile_of_two tile(s, s.count(), cuts + blockIdx.x, first, size);
  const auto [a, b] = buffer.template start_load<threads>(tile.a, tile.a_count, tile.b, tile.b_count, &arrived);
  finish_load_tile(&arrived);

  const int diagonal = min(static_cast<int>(threadIdx.x) * grain, tile.count());
  const int a_at = merge_path(a, tile.a_count, b, tile.b_count, diagonal, less);
  T key[grain];
  int where[grain];
  serial_merge(a, tile.a_count, b, tile.b_count, a_at, diagonal - a_at, key, where, less);

  Side* const sides = tile_in(results, out + first);
#pragma unroll
  for (int i = 0; i < grain; ++i)
    if (diagonal + i < tile.count()) sides[diagonal + i] = where[i] >= tile.a_count;
  store_tile<threads>(out + first, sides, tile.count());  // has the barrier that it needs
}

// out[i] = 1 if item i of the merge of a and b (a before b among equals) comes from b, 0 if it comes from a. Both are
// sorted by less and live where the context works. Returns out + the number of both. Nothing waits.
template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
Out merge_sides(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  const two_sequences<A, B> s{a, a_last - a, b, b_last - b};
  if (ctx.kind() == device_kind::cpu) {
    const auto walk = [&](path_point from, path_point to) {
      for (index_t i = from.a, j = from.b; i + j < to.a + to.b;) {
        const bool from_b = i == to.a || (j < to.b && less(b[j], a[i]));
        out[i + j] = from_b;
        ++(from_b ? j : i);
      }
    };
    kleene::detail::for_each_path_part(ctx, a, s.a_count, b, s.b_count, s.count(), less, walk);
  } else if (s.count() > 0) {
    using G = chosen_grain<Grain, merge_grain<sizeof(std::iter_value_t<A>)>>;
    constexpr int size = G::threads * G::values;
    const index_t* const cuts = cut_on_cuda(ctx, s, s.count(), size, less);  // in the context's workspace
    launch(ctx, side_tiles<G, A, B, Out, Less>, ceil_div(s.count(), size), G::threads, s, cuts, out, less);
  }
  return out + s.count();
}

// Against std::merge of pairs (item, side), on memory of `buffer`s.
template <class Buffer>
int wrong_on(const context& ctx, Buffer buffer) {
  int wrong = 0;
  const int tile = merge_grain<4>::threads * merge_grain<4>::values;
  for (const auto& [m, n] : {std::pair{0, 0}, {5, 0}, {0, 5}, {tile - 1, 1}, {300, tile}, {100003, 70001}}) {
    int *const a = buffer(m), *const b = buffer(n), *const sides = buffer(m + n);
    std::vector<std::pair<int, int>> x, y, merged;
    for (int i = 0; i < m; ++i) x.emplace_back(a[i] = i / 3, 0);
    for (int i = 0; i < n; ++i) y.emplace_back(b[i] = i / 7 * 2, 1);
    std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(merged),
               [](const auto& p, const auto& q) { return p.first < q.first; });
    int* const end = merge_sides(ctx, a, a + m, b, b + n, sides);
    ctx.synchronise();
    wrong +=
        !std::equal(sides, end, merged.begin(), merged.end(), [](int side, const auto& p) { return side == p.second; });
  }
  return wrong;
}

}  // namespace own

int main() {
  std::vector<std::vector<int>> memory;
  int wrong =
      own::wrong_on(kleene::context::cpu({.threads = 4}), [&](int n) { return memory.emplace_back(n + 1).data(); });
  std::printf("merge_sides on the CPU: %d merges wrong\n", wrong);
  if (kleene::cuda_devices().empty()) return std::puts("no CUDA device here"), wrong > 0;
  const int wrong_there = own::wrong_on(kleene::context::cuda(), [](int n) {
    int* items = nullptr;
    cudaMallocManaged(&items, (n + 1) * sizeof(int));
    return items;
  });
  std::printf("merge_sides on a GPU: %d merges wrong\n", wrong_there);
  return wrong + wrong_there > 0;
}
