#include "kleene/streaming/cuda/join.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

// Rows that are not ordered behind the one before, or join items that differ.
__global__ void count_wrong_rows(const int* a, const int* b, const int* left, const int* right, index_t rows,
                                 unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows;
       i += index_t{gridDim.x} * blockDim.x) {
    const int l = left[i], r = right[i];
    if (l >= 0 && r >= 0 && a[l] != b[r]) ++mine;
    if (i > 0 && l >= 0 && (left[i - 1] > l || (left[i - 1] == l && right[i - 1] >= r))) ++mine;
    if (i > 0 && l < 0 && left[i - 1] < 0 && right[i - 1] >= r) ++mine;
  }
  if (mine) atomicAdd(wrong, mine);
}

// Rows by a binary search for each item: matches of a, items of a without one, items of b without one.
__global__ void count_rows(const int* a, index_t a_count, const int* b, index_t b_count, unsigned long long* counts) {
  const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < a_count) {
    const index_t first = lower_position(b, 0, b_count, a[i], ops::less{});
    const index_t matches = upper_position(b, 0, b_count, a[i], ops::less{}) - first;
    atomicAdd(&counts[matches > 0 ? 0 : 1], matches > 0 ? matches : 1);
  }
  if (i < b_count) {
    const index_t place = lower_position(a, 0, a_count, b[i], ops::less{});
    if (place == a_count || a[place] != b[i]) atomicAdd(&counts[2], 1);
  }
}

void bench_joins_of(streaming_runs& runs, index_t n) {
  const context& ctx = runs.ctx;
  const index_t half = n / 2, room = n + n / 2;
  device_buffer<int> keys(n), left(room), right(room);
  device_buffer<unsigned long long> counts(4);
  int *const a = keys, *const b = a + half;
  fill(a, n, random_below<int>{9, static_cast<std::uint64_t>(half)});
  peers::sort_now(a, half);
  peers::sort_now(b, n - half);
  require_cuda(cudaMemset(counts, 0, 32), "counting rows");
  count_rows<<<static_cast<unsigned>(n / 256 + 1), 256>>>(a, half, b, n - half, counts);
  unsigned long long expected[4];
  require_cuda(cudaMemcpy(expected, counts, 24, cudaMemcpyDeviceToHost), "counting rows");
  const auto [both, a_alone, b_alone, unused] = expected;
  index_t rows = 0;
  const std::string size = n == index_t{1} << 20 ? ", 1 Mi" : "";
  const auto row = [&](const char* name, join_kind kind, unsigned long long count, double at_least) {
    runs.add(
        {name + size,
         n,
         1.0 * n,
         "G items/s",
         [&, kind] { rows = join(ctx, kind, a, b, b, a + n, static_cast<int*>(left), static_cast<int*>(right), room); },
         [&, count] {
           require_cuda(cudaMemset(counts, 0, 32), "checking rows");
           count_wrong_rows<<<2048, 256>>>(a, b, left, right, rows, counts);
           unsigned long long wrong = 1;
           require_cuda(cudaMemcpy(&wrong, counts, 8, cudaMemcpyDeviceToHost), "checking rows");
           return wrong == 0 && rows == static_cast<index_t>(count);
         },
         {},
         size.empty() ? at_least : 0});
  };
  row("inner join", join_kind::inner, both, 150);
  row("left join", join_kind::left, both + a_alone, 140);
  row("right join", join_kind::right, both + b_alone, 140);
  row("full join", join_kind::full, both + a_alone + b_alone, 130);
}

}  // namespace

void bench_join(streaming_runs& runs) {
  if (!runs.wants_some("join")) return;
  for (const index_t n : {runs.options.items, index_t{1} << 20}) bench_joins_of(runs, n);
}

}  // namespace kleene::bench
