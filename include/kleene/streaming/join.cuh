// Relational joins on CUDA devices, in two kernels over the same tiles of the merge of both sequences. The first only
// counts: how many rows the items of a tile make, scanned over the tiles on the way. The second has chunks of rows, so
// that a tile whose keys make millions of rows is the work of many blocks; it looks its tile's items up again, which is
// cheaper than to write and read where each item's rows begin.
#pragma once

#include "kleene/streaming/block_scan.cuh"
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/merge_path.cuh"
#include "kleene/streaming/scan.cuh"
#include "kleene/streaming/tuning.hpp"

#include <memory>
#include <optional>

namespace kleene {
namespace streaming {

// What the tiles before a tile make.
struct join_counts {
  index rows;    // that have a left side
  index alone;   // items of b without a match, where these make rows
  index chunks;  // of rows, and one for a tile that has only items of b without a match

  __host__ __device__ index all() const { return rows + alone; }
};
struct add_counts {
  __device__ join_counts operator()(const join_counts& x, const join_counts& y) const {
    return {x.rows + y.rows, x.alone + y.alone, x.chunks + y.chunks};
  }
};

__host__ __device__ constexpr bool keeps_left(join_kind kind) {
  return kind == join_kind::left || kind == join_kind::full;
}
__host__ __device__ constexpr bool keeps_right(join_kind kind) {
  return kind == join_kind::right || kind == join_kind::full;
}

// Rows of an item that has so many matches.
__device__ __forceinline__ index rows_of(join_kind kind, index matches) {
  if (kind == join_kind::semi) return matches > 0;
  if (kind == join_kind::anti) return matches == 0;
  return keeps_left(kind) ? max(matches, index{1}) : matches;
}

// A tile of both sequences in shared memory, and what its items find in the other sequence (in the tile or beyond it).
template <class A, class B, class Less>
struct join_tile {
  using T = std::iter_value_t<A>;
  const two_sequences<A, B>& s;
  tile_of_two<A, B> tile;
  const T *a, *b;
  const Less& less;

  // places[i]: how many b of the tile come before a[i] in the merge; places[a_count + j]: how many a before b[j]. Each
  // thread walks along its share of the merge. (Looking items up one by one took twice the instructions.)
  template <int Values>
  __device__ __forceinline__ void note_places(short* places) const {
    const int diagonal = min(static_cast<int>(threadIdx.x) * Values, tile.count());
    const int steps = min(Values, tile.count() - diagonal);
    int i = merge_path(a, tile.a_count, b, tile.b_count, diagonal, less), j = diagonal - i;
    T x = a[i], y = b[j];
#pragma unroll
    for (int step = 0; step < Values; ++step)
      if (step < steps) {
        if (i >= tile.a_count || (j < tile.b_count && less(y, x))) {
          places[tile.a_count + j] = static_cast<short>(i);
          y = b[++j];
        } else {
          places[i] = static_cast<short>(j);
          x = a[++i];
        }
      }
  }
  // How many items of b equal a[i], the first of them at `place` of the tile. A few are counted without branches.
  __device__ __forceinline__ index matches_of_a(int i, int place) const {
    const T key = a[i];
    if (place + 4 <= tile.b_count) {
      const bool one = !less(key, b[place]), two = one && !less(key, b[place + 1]);
      const bool three = two && !less(key, b[place + 2]), four = three && !less(key, b[place + 3]);
      if (!four) return one + two + three;
    }
    const index first = tile.b_first + place;
    if (first >= s.b_count || less(key, s.b[first])) return 0;
    return run_end(s.b, first, s.b_count, key, less) - first;
  }
  // Whether b[j] has no match; `place`: how many a of the tile come before it.
  __device__ __forceinline__ bool is_alone(int j, int place) const {
    if (place > 0) return less(a[place - 1], b[j]);
    return tile.a_first == 0 || less(s.a[tile.a_first - 1], b[j]);
  }
};

template <class Grain, class A, class B, class Less>
__global__ void __launch_bounds__(Grain::threads)
    count_join_tiles(two_sequences<A, B> s, const index* cuts, join_kind kind, join_counts* counts, int chunk,
                     Less less) {
  constexpr int threads = Grain::threads, size = threads * Grain::values;
  using T = std::iter_value_t<A>;
  __shared__ room_for_two<T, size> room;
  __shared__ short places[size];
  __shared__ typename block_scan<index, threads>::storage shared[2];
  __shared__ barrier arrived;
  set_up(&arrived, 2);
  kernels::cuda::wait_for_predecessors();

  const tile_of_two<A, B> tile(s, s.count(), cuts + blockIdx.x, index{blockIdx.x} * size, size);
  const auto [a, b] = room.template bring<threads>(tile.a, tile.a_count, tile.b, tile.b_count, &arrived);
  finish_bringing(&arrived);

  const join_tile<A, B, Less> here{s, tile, a, b, less};
  const int thread = static_cast<int>(threadIdx.x);
  index rows = 0, alone = 0;
  here.template note_places<Grain::values>(places);
  __syncthreads();
  for (int i = thread; i < tile.a_count; i += threads) rows += rows_of(kind, here.matches_of_a(i, places[i]));
  if (keeps_right(kind))
    for (int j = thread; j < tile.b_count; j += threads) alone += here.is_alone(j, places[tile.a_count + j]);
  rows = block_scan<index, threads>::fold(shared[0], rows, ops::plus{});
  alone = block_scan<index, threads>::fold(shared[1], alone, ops::plus{});
  if (thread == 0) {
    counts[blockIdx.x] = {rows, alone, rows > 0 ? (rows + chunk - 1) / chunk : index{alone > 0}};
    if (blockIdx.x == gridDim.x - 1) counts[gridDim.x] = {0, 0, 0};
  }
  kernels::cuda::dependents_may_start();
}

// An adjacent stretch of x for each thread.
template <int Threads>
struct stretch_of {
  int begin, end;
  __device__ explicit stretch_of(int count) {
    const int share = ((count + Threads - 1) / Threads) | 1;  // odd: threads do not meet in a bank
    begin = min(static_cast<int>(threadIdx.x) * share, count);
    end = min(begin + share, count);
  }
};
// x[i] becomes the largest of x[0 .. i], which are not negative.
template <int Threads>
__device__ __forceinline__ void spread_maxima(short* x, int count, typename block_scan<int, Threads>::storage& shared) {
  const stretch_of<Threads> mine(count);
  int largest = 0;
  for (int i = mine.begin; i < mine.end; ++i) largest = max(largest, static_cast<int>(x[i]));
  int before = block_scan<int, Threads>::exclusive(shared, largest, ops::max{});
  if (threadIdx.x == 0) before = 0;
  for (int i = mine.begin; i < mine.end; ++i) {
    before = max(before, static_cast<int>(x[i]));
    x[i] = static_cast<short>(before);
  }
}

template <class Left, class Right>
struct join_rows {
  Left left;
  Right right;
  index capacity;
  __device__ void put(index row, index l, index r, bool has_right) const {
    if (row >= capacity) return;
    left[row] = static_cast<std::iter_value_t<Left>>(l);
    if (has_right) right[row] = static_cast<std::iter_value_t<Right>>(r);
  }
};

template <class Grain, class A, class B, class Left, class Right, class Less>
__global__ void __launch_bounds__(Grain::threads)
    fill_join_chunks(two_sequences<A, B> s, const index* cuts, join_kind kind, const join_counts* before, index tiles,
                     int chunk, join_rows<Left, Right> out, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  using T = std::iter_value_t<A>;
  using sums = block_scan<index, threads>;
  __shared__ room_for_two<T, size> room;
  __shared__ int starts[size];    // of each item's rows, counted from the chunk's first; first their number
  __shared__ short places[size];  // see note_places; a's item without a match: -1
  __shared__ short owners[size];  // of the chunk's rows
  __shared__ index first_start;   // of the one item whose rows began before the chunk
  __shared__ typename sums::storage shared;
  __shared__ typename block_scan<int, threads>::storage owner_shared;
  __shared__ barrier arrived;
  set_up(&arrived, 2);
  kernels::cuda::wait_for_predecessors();

  const int thread = static_cast<int>(threadIdx.x);
  const index chunks = before[tiles].chunks, rows = before[tiles].rows;
  const index first_chunk = chunks * blockIdx.x / gridDim.x, last_chunk = chunks * (blockIdx.x + 1) / gridDim.x;
  index t = 0;
  int parity = 0;
  for (index c = first_chunk; c < last_chunk; ++c) {
    if (c == first_chunk || (before[t + 1].chunks <= c && before[min(t + 2, tiles)].chunks <= c)) {
      for (index end = tiles; end - t > 1;) {  // the last tile with before[t].chunks <= c
        const index middle = t + (end - t) / 2;
        (before[middle].chunks <= c ? t : end) = middle;
      }
    } else {
      t += before[t + 1].chunks <= c;
    }
    const tile_of_two<A, B> tile(s, s.count(), cuts + t, t * size, size);
    const index base = (c - before[t].chunks) * chunk;  // of the tile's rows
    __syncthreads();
    kernels::cuda::copy_fence();
    const auto [a, b] = room.template bring<threads>(tile.a, tile.a_count, tile.b, tile.b_count, &arrived);
    finish_bringing(&arrived, parity);
    parity ^= 1;

    const join_tile<A, B, Less> here{s, tile, a, b, less};
    here.template note_places<grain>(places);
    __syncthreads();
    for (int i = thread; i < tile.a_count; i += threads) {
      const index matches = here.matches_of_a(i, places[i]);
      starts[i] = static_cast<int>(rows_of(kind, matches));
      if (matches == 0) places[i] = -1;
    }
    for (int r = thread; r < chunk; r += threads) owners[r] = 0;
    if (thread == 0) first_start = 0;
    __syncthreads();

    // Each item marks its first row in the chunk, and the marks spread to the right.
    const stretch_of<threads> mine(tile.a_count);
    index sum = 0;
    for (int i = mine.begin; i < mine.end; ++i) sum += static_cast<unsigned>(starts[i]);
    index start = sums::exclusive(shared, sum, ops::plus{}) - base;
    if (thread == 0) start = -base;
    const int count = static_cast<int>(min(index{chunk}, sums::total(shared, ops::plus{}) - base));
    for (int i = mine.begin; i < mine.end; ++i) {
      const unsigned own = static_cast<unsigned>(starts[i]);
      if (own > 0 && start < count && start + own > 0) {
        owners[max(start, index{0})] = static_cast<short>(i);
        if (start < 0) first_start = start;
      }
      starts[i] = static_cast<int>(max(start, index{-1}));  // beyond the chunk nobody asks
      start += own;
    }
    __syncthreads();
    spread_maxima<threads>(owners, count, owner_shared);
    __syncthreads();

    const bool has_right = kind != join_kind::semi && kind != join_kind::anti;
    for (int r = thread; r < count; r += threads) {
      const int i = owners[r];
      const index rank = r - (starts[i] >= 0 ? starts[i] : first_start);
      out.put(before[t].rows + base + r, tile.a_first + i, places[i] < 0 ? -1 : tile.b_first + places[i] + rank,
              has_right);
    }
    if (keeps_right(kind) && base == 0) {  // after all rows with a left side
      __syncthreads();
      for (int j = thread; j < tile.b_count; j += threads) starts[j] = here.is_alone(j, places[tile.a_count + j]);
      __syncthreads();
      const stretch_of<threads> own(tile.b_count);
      int alone = 0;
      for (int j = own.begin; j < own.end; ++j) alone += starts[j];
      int place = block_scan<int, threads>::exclusive(owner_shared, alone, ops::plus{});
      if (thread == 0) place = 0;
      for (int j = own.begin; j < own.end; ++j)
        if (starts[j]) out.put(rows + before[t].alone + place++, -1, tile.b_first + j, true);
    }
  }
}

// Both inputs, their cuts and the counts of their tiles.
template <class Grain, class A, class B, class Less>
class join_on_cuda {
  using G = chosen_grain<Grain, join_grain<sizeof(std::iter_value_t<A>)>>;
  static constexpr int size = G::threads * G::values, chunk = size;

 public:
  join_on_cuda(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Less less)
      : ctx_(&ctx), kind_(kind), s_{a, a_last - a, b, b_last - b}, less_(less), tiles_(tiles_of(s_.count(), size)) {
    static_assert(std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>, "both sequences hold the same type");
    if (tiles_ == 0) return;
    scratch plan;
    const auto counts_at = plan.add<join_counts>(tiles_ + 1), cuts_at = plan.add<index>(tiles_ + 1);
    memory_.emplace(ctx.temporary(plan.bytes()));
    before_ = scratch::at<join_counts>(memory_->get(), counts_at);
    cuts_ = scratch::at<index>(memory_->get(), cuts_at);
    cut_on_cuda(ctx, s_, s_.count(), size, cuts_, less);
    launch(ctx, count_join_tiles<G, A, B, Less>, tiles_, G::threads, s_, cuts_, kind, before_, chunk, less);
    scan_on_cuda<tuned, true>(ctx, before_, tiles_ + 1, before_, join_counts{0, 0, 0}, add_counts{});
  }

  index rows() const { return tiles_ == 0 ? 0 : fetch(*ctx_, before_ + tiles_).all(); }
  template <class Count>
  void rows_to(Count count) const;

  template <class Left, class Right>
  void fill(Left left, Right right, index capacity) const {
    if (tiles_ == 0) return;
    constexpr index blocks_each = 8;
    const index blocks = ctx_->device()->multiprocessors * blocks_each;
    launch(*ctx_, fill_join_chunks<G, A, B, Left, Right, Less>, blocks, G::threads, s_, cuts_, kind_, before_, tiles_,
           chunk, join_rows<Left, Right>{left, right, capacity}, less_);
  }

 private:
  const context* ctx_;
  join_kind kind_;
  two_sequences<A, B> s_;
  Less less_;
  index tiles_;
  std::optional<decltype(std::declval<const context&>().temporary(0))> memory_;
  join_counts* before_ = nullptr;
  index* cuts_ = nullptr;
};

template <class Count>
__global__ void write_rows(const join_counts* total, Count count) {
  kernels::cuda::wait_for_predecessors();
  *count = total->all();
}

template <class Grain, class A, class B, class Less>
template <class Count>
void join_on_cuda<Grain, A, B, Less>::rows_to(Count count) const {
  if (tiles_ == 0)
    launch(*ctx_, write_zero<Count>, 1, 1, count);
  else
    launch(*ctx_, write_rows<Count>, 1, 1, before_ + tiles_, count);
}

// plan_join's result on either machine.
template <class Cpu, class Cuda>
class either_join_plan {
 public:
  explicit either_join_plan(Cpu plan) : cpu_(std::move(plan)) {}
  explicit either_join_plan(Cuda plan) : cuda_(std::move(plan)) {}

  index rows() const { return cpu_ ? cpu_->rows() : cuda_->rows(); }
  template <class Left, class Right>
  void fill(Left left, Right right) {
    if (cpu_)
      cpu_->fill(left, right);
    else
      cuda_->fill(left, right, std::numeric_limits<index>::max());
  }

 private:
  std::optional<Cpu> cpu_;
  std::optional<Cuda> cuda_;
};

}  // namespace streaming

inline namespace cuda {

template <class Grain = tuned, class A, class B, class Left, class Right, class Less = ops::less>
requires any_machine<A> index join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left,
                                   Right right, index capacity, Less less = {}) {
  if (ctx.kind() == device_kind::cpu) return cpu::join(ctx, kind, a, a_last, b, b_last, left, right, capacity, less);
  const streaming::join_on_cuda<Grain, A, B, Less> work(ctx, kind, a, a_last, b, b_last, less);
  if (capacity > 0) work.fill(left, right, capacity);
  return work.rows();
}

template <class Grain = tuned, class A, class B, class Left, class Right, class Count, class Less = ops::less>
requires any_machine<A>
void join_to(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left, Right right, index capacity,
             Count count, Less less = {}) {
  if (ctx.kind() == device_kind::cpu) {
    *count = cpu::join(ctx, kind, a, a_last, b, b_last, left, right, capacity, less);
    return;
  }
  const streaming::join_on_cuda<Grain, A, B, Less> work(ctx, kind, a, a_last, b, b_last, less);
  if (capacity > 0) work.fill(left, right, capacity);
  work.rows_to(count);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A>
auto plan_join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Less less = {}) {
  using on_cpu = decltype(cpu::plan_join(ctx, kind, a, a_last, b, b_last, less));
  using on_cuda = streaming::join_on_cuda<Grain, A, B, Less>;
  using plan = streaming::either_join_plan<on_cpu, on_cuda>;
  if (ctx.kind() == device_kind::cpu) return plan(cpu::plan_join(ctx, kind, a, a_last, b, b_last, less));
  return plan(on_cuda(ctx, kind, a, a_last, b, b_last, less));
}

}  // namespace cuda
}  // namespace kleene
