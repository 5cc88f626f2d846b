#include "kleene/streaming/cuda/sets.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

void bench_sets(streaming_runs& runs) {
  if (!runs.wants_some("intersection") && !runs.wants_some("union") && !runs.wants_some("symmetric difference") &&
      !runs.wants_some("difference"))
    return;
  const context& ctx = runs.ctx;
  for (const index_t n : {runs.options.items, index_t{1} << 20}) {
    const bool large = n != index_t{1} << 20;
    const std::string size = large ? "" : ", 1 Mi";
    const index_t half = n / 2;
    device_buffer<int> keys(n), out(n), expected(n);
    int *const a = keys, *const b = a + half, *const to = out;
    fill(a, n, random_below<int>{9, static_cast<std::uint64_t>(half)});
    peers::sort_now(a, half);
    peers::sort_now(b, n - half);
    int* end = to;
    const auto row = [&](int kind, const char* name, double at_least, auto call) {
      runs.add({name + size,
                n,
                1.0 * n,
                "G items/s",
                [&] { end = call(); },
                [&] { return end > to && (!runs.options.peers || same<int, int>(out, expected, end - to)); },
                {peers::set_operation(ctx, kind, a, half, b, n - half, expected)},
                large ? at_least : 0});
    };
    row(0, "intersection", 340, [&] { return set_intersection(ctx, a, b, b, a + n, to); });
    row(1, "union", 310, [&] { return set_union(ctx, a, b, b, a + n, to); });
    row(2, "difference", 330, [&] { return set_difference(ctx, a, b, b, a + n, to); });
    row(3, "symmetric difference", 290, [&] { return set_symmetric_difference(ctx, a, b, b, a + n, to); });
  }
}

}  // namespace kleene::bench
