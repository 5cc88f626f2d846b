#include "cpu_streaming.hpp"

#include "interleave.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/sort.hpp"

#include <cstdint>
#include <cstring>
#include <parallel/algorithm>
#include <string>
#include <vector>

namespace kleene::bench {

namespace {

using items = std::vector<std::int32_t>;

items random_items(index_t n) {
  items x(static_cast<std::size_t>(n));
  splitmix64 random{1};
  for (std::int32_t& item : x) item = static_cast<std::int32_t>(random() >> 32);
  return x;
}

std::string named(const char* what, index_t n, const context& ctx) {
  return std::string(what) + " i32, " + std::to_string(n >> 20) + " Mi items, " + std::to_string(ctx.threads()) +
         (ctx.threads() == 1 ? " thread" : " threads");
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = now();
  work();
  return now() - start;
}

// body(thread, threads) on all of the context's threads.
template <class Body>
void on_all_threads(const context& ctx, const Body& body) {
  run_team(ctx.threads(), [&](const team_member& member) { body(member.thread, member.threads); });
}

// Bytes read a second, beside the bytes that memcpy on all threads reads and writes: an array of the same size.
void reduction(cpu_rows& rows, const context& ctx) {
  constexpr index_t n = index_t{64} << 20;
  const std::string work = named("reduce", n, ctx);
  if (!rows.wants(work)) return;
  items x = random_items(n), copy(x.size());
  for (std::int32_t& item : x) item &= 15;  // the sum is an i32
  constexpr double bytes = double(n) * sizeof(x[0]);
  volatile std::int32_t sum = 0;
  const measurement m = interleave(
      rows.rounds, bytes, [&] { sum = reduce(ctx, x.begin(), x.end(), std::int32_t{0}); },
      [&] {
        return 2 * bytes / seconds_of([&] {
                 on_all_threads(ctx, [&](int thread, int threads) {
                   const index_t begin = detail::part_begin(n, threads, thread);
                   const index_t end = detail::part_begin(n, threads, thread + 1);
                   std::memcpy(copy.data() + begin, x.data() + begin,
                               static_cast<std::size_t>(end - begin) * sizeof(x[0]));
                 });
               });
      });
  rows.add(work, "parallel copy", "bytes", m, 0.70);
}

// Beside std::merge on every thread at once, each of an equal share of the output: both have the machine's memory to
// share, which one thread's time doubled would leave out. Two sorted halves of random items.
void merging(cpu_rows& rows, const context& ctx) {
  constexpr index_t n = index_t{32} << 20, half = n / 2;
  const std::string work = named("merge", n, ctx);
  if (!rows.wants(work)) return;
  items x = random_items(n), merged(x.size());
  const auto a = x.data(), b = a + half;
  merge_sort(ctx, a, b);
  merge_sort(ctx, b, b + half);
  const measurement m = interleave(
      rows.rounds, double(n), [&] { merge(ctx, a, b, b, b + half, merged.data()); },
      [&] {
        return double(n) / seconds_of([&] {
                 on_all_threads(ctx, [&](int thread, int threads) {
                   const index_t begin = detail::part_begin(n, threads, thread);
                   const index_t end = detail::part_begin(n, threads, thread + 1);
                   const index_t from = merge_path(a, half, b, half, begin, ops::less{});
                   const index_t to = merge_path(a, half, b, half, end, ops::less{});
                   std::merge(a + from, a + to, b + (begin - from), b + (end - to), merged.data() + begin);
                 });
               });
      });
  rows.add(work, "std::merge", "items", m, 3);
}

// Beside std::sort of libstdc++'s parallel mode: std::execution::par is serial there unless TBB is linked. That sort is
// not stable; both of ours are.
template <class Sort>
void sorting(cpu_rows& rows, const char* name, const context& ctx, const Sort& sort) {
  constexpr index_t n = index_t{32} << 20;
  const std::string work = named(name, n, ctx);
  if (!rows.wants(work)) return;
  const items x = random_items(n);
  items sorted = x;
  const auto shuffle = [&] { std::copy(x.begin(), x.end(), sorted.begin()); };
  const measurement m = interleave(
      rows.rounds, double(n), [&] { sort(ctx, sorted.begin(), sorted.end()); },
      [&] {
        shuffle();
        return double(n) / seconds_of([&] {
                 __gnu_parallel::sort(sorted.begin(), sorted.end(), __gnu_parallel::parallel_tag(ctx.threads()));
               });
      },
      shuffle);
  rows.add(work, "parallel std::sort", "items", m, 1);
}

}  // namespace

void run_cpu_streaming(cpu_rows& rows, const context& ctx) {
  reduction(rows, ctx);
  merging(rows, ctx);
  sorting(rows, "merge_sort", ctx, [](const auto& c, auto first, auto last) { merge_sort(c, first, last); });
  sorting(rows, "radix_sort", ctx, [](const auto& c, auto first, auto last) { radix_sort(c, first, last); });
}

}  // namespace kleene::bench
