// Kernels of your own from the pieces that Kleene's are made of. Block r unites row r of a with row r of b, sorted
// sets of numbers: both come to shared memory in bulk, each thread finds its share of their merge (merge_path) and
// walks over it (serial_merge), and block_scan says where the items belong that are not there already. The second one
// spells out run lengths, by load balancing (count_starts): threads share the items evenly, however long the runs are.
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/streaming/cuda/load_balance.cuh"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace kleene;
using namespace kleene::streaming;
constexpr int threads = 128, share = 7, rows = 100, row = 431, runs = 60;  // 7 is odd: threads do not meet in a bank
static_assert(2 * row <= threads * share, "a block takes a whole row");

__global__ void __launch_bounds__(threads) unite(const int* a, const int* b, int* out, int* counts) {
  using scan = gpu::block_scan<int, threads>;
  __shared__ two_tile_buffer<int, threads * share> buffer;
  __shared__ scan::storage sums;
  __shared__ gpu::mbarrier arrived;
  set_up(&arrived, 2);
  a += blockIdx.x * row, b += blockIdx.x * row, out += blockIdx.x * 2 * row;
  int *const x = buffer.first(a), *const y = buffer.second(x, row, b);  // rows of 431 ints: any alignment will do
  start_load_tile<threads>(x, a, row, &arrived);
  start_load_tile<threads>(y, b, row, &arrived);
  finish_load_tile(&arrived);

  const int thread = static_cast<int>(threadIdx.x), first = min(thread * share, 2 * row);
  const int at = merge_path(x, row, y, row, first, ops::less{}), b_at = first - at;
  const int before = max(at > 0 ? x[at - 1] : -1, b_at > 0 ? y[b_at - 1] : -1);  // the item to the left of it
  int item[share], where[share], fresh = 0;
  serial_merge(x, row, y, row, at, b_at, item, where, ops::less{});
  const auto is_new = [&](int i) { return first + i < 2 * row && item[i] != (i > 0 ? item[i - 1] : before); };
  for (int i = 0; i < share; ++i) fresh += is_new(i);
  int place = scan::exclusive(sums, fresh, ops::plus{});  // all have read x and y when it returns
  if (thread == 0) place = 0;
  const int total = scan::total(sums, ops::plus{});
  int* const united = buffer.first(out);  // in the same buffer, as far from a 16-byte boundary as out is
  for (int i = 0; i < share; ++i)
    if (is_new(i)) united[place++] = item[i];
  store_tile<threads>(out, united, total);
  if (thread == 0) counts[blockIdx.x] = total;
}

// Block r: the items from starts[s] up to the next start, of 2 * row, are values[s], with the r-th `runs` of both.
__global__ void __launch_bounds__(threads) spell_out(const int* starts, const int* values, int* out) {
  __shared__ int segment[2 * row];
  starts += blockIdx.x * runs, values += blockIdx.x * runs, out += blockIdx.x * 2 * row;
  clear_counts<threads>(segment, 2 * row);
  __syncthreads();
  count_starts<threads, share>(segment, 2 * row, starts, runs, 0, -1);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 2 * row; i += threads) out[i] = values[segment[i]];
}

int main() {
  int devices = 0, *a, *b, *out, *counts, wrong = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::puts("no CUDA device here"), 0;
  for (int** p : {&a, &b, &out, &counts}) cudaMallocManaged(p, 2 * rows * row * sizeof(int));
  for (int i = 0; i < rows * row; ++i) a[i] = i % row * 3 / 2, b[i] = i % row * 2 + i / row;  // each row ascends
  unite<<<rows, threads>>>(a, b, out, counts);
  if (cudaDeviceSynchronize() != cudaSuccess) return std::puts("the kernel failed"), 1;
  std::vector<int> expected(2 * row);
  for (int r = 0; r < rows; ++r) {
    const int *x = a + r * row, *y = b + r * row, *united = out + 2 * r * row;
    const auto end = std::set_union(x, x + row, y, y + row, expected.begin());
    wrong += !std::equal(expected.begin(), end, united, united + counts[r]);
  }
  std::printf("%d unions, %d of them wrong; the first has %d items of %d\n", rows, wrong, counts[0], 2 * row);

  int wrong_items = 0;  // runs of 0, 1, ... 6 items, and a long one at the end
  for (int i = 0; i < rows * runs; ++i) a[i] = i % runs == 0 ? 0 : a[i - 1] + i % 7, b[i] = i * 5;
  spell_out<<<rows, threads>>>(a, b, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return std::puts("the kernel failed"), 1;
  for (int r = 0; r < rows; ++r)
    for (int i = 0, s = r * runs; i < 2 * row; ++i) {
      while (s + 1 < (r + 1) * runs && a[s + 1] <= i) ++s;
      wrong_items += out[2 * r * row + i] != b[s];
    }
  std::printf("%d runs, %d of their items wrong\n", rows * runs, wrong_items);
  return wrong + wrong_items > 0;
}
