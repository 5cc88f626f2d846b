#include "kleene/streaming/cuda/search.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

template <class T>
void search_rows(streaming_runs& runs, const std::string& name, index_t n, double at_least) {
  const context& ctx = runs.ctx;
  const index_t needles = n / 4, hay = n - needles;
  device_buffer<T> a(needles), b(hay);
  device_buffer<int> out(needles), expected(needles);
  fill(static_cast<T*>(a), needles, random_below<T>{7, 1ull << 31});
  fill(static_cast<T*>(b), hay, random_below<T>{8, 1ull << 31});
  peers::sort_now(static_cast<T*>(a), needles);
  peers::sort_now(static_cast<T*>(b), hay);
  const T *const x = a, *const y = b;
  runs.add({name,
            n,
            static_cast<double>(sizeof(T)) * n + 4.0 * needles,
            "GB/s",
            [&] { lower_bound(ctx, x, x + needles, y, y + hay, static_cast<int*>(out)); },
            [&] { return !runs.options.peers || same<int, int>(out, expected, needles); },
            {peers::lower_bound(ctx, x, needles, y, hay, expected)},
            at_least});
}

}  // namespace

void bench_search(streaming_runs& runs) {
  if (!runs.wants_some("sorted search")) return;
  search_rows<int>(runs, "sorted search", runs.options.items, 2900);
  search_rows<long long>(runs, "sorted search i64", runs.options.items, 3200);
  search_rows<int>(runs, "sorted search, 1 Mi", 1 << 20, 0);
  search_rows<long long>(runs, "sorted search i64, 1 Mi", 1 << 20, 0);
}

}  // namespace kleene::bench
