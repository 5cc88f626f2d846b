// Predecessors of all pairs, from the closure and the arcs it came from.
//
// An arc of a best path is itself a best path, so only arcs whose weight equals their closure matter: the best arcs.
// For random weights there are about n ln n of them, in sparse graphs at most all. Where i -> j is a best arc, P(i, j)
// is i. Else it is the tail u of the best arc u -> j for which A(i, u) (x) w(u, j) is best: O(n) work for each best
// arc, where carrying predecessors through the elimination would cost a good part of O(n^3).
//
// Of equally good tails the one closest to i is taken, then the smallest. Where every tail is closer to i than its
// head, the chain of predecessors ends at i. Where a tail is not closer (ties: zero-weight arcs, widest paths, sums
// that round; negative arcs) the chain is followed, and if it has a cycle the row is searched again (Bellman, Ford,
// Moore). That search changes a predecessor only on strict improvement, so the predecessors of a row form a tree.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/kernels/cuda/closure/prepare.cuh"

namespace kleene::kernels::cuda {

// Whether x is strictly better than y.
template <class S>
__device__ bool is_better(const value_of<S>& x, const value_of<S>& y) {
  return !(x == y) && normalise<S>(S::add(widen<S>(y), widen<S>(x))) == x;
}
template <class S>
__device__ bool is_best_arc(const value_of<S>& arc, const value_of<S>& closed, index_t u, index_t v) {
  return u != v && !(arc == S::zero()) && arc == closed;
}

// The choice among the best arcs into one vertex.
template <class S>
struct best_tail {
  using T = value_of<S>;
  std::int32_t tail = -1;
  T path{}, near{};

  // Considers the arc from u of that weight; `closed` is the distance of u from the root.
  __device__ void offer(std::int32_t u, const T& closed, const T& weight) {
    const T length = normalise<S>(S::mul(widen<S>(closed), widen<S>(weight)));
    if (length == S::zero()) return;
    const bool wins = tail < 0 || is_better<S>(length, path) ||
                      (length == path && (is_better<S>(closed, near) || (closed == near && u < tail)));
    if (wins) tail = u, path = length, near = closed;
  }
  // Whether the chain through this tail may have a cycle: it is no closer to the root than its head, at `here`.
  __device__ bool ties(const T& here) const { return tail < 0 || !is_better<S>(near, here); }
};

// Best arcs into the heads first .. first + size - 1, by head: those into first + h from offsets[h] to offsets[h + 1].
template <class T>
struct best_arc_list {
  unsigned* offsets;  // size + 1
  unsigned* cursor;   // size
  std::int32_t* tails;
  T* weights;
  index_t first = 0, size = 0;
};

// The closed matrix and P, as the kernels below read and repair them.
template <class T>
struct closed_matrix {
  T* a;
  index_t n, row_stride, col_stride;
  std::int32_t* p;
  index_t p_row_stride, p_col_stride;
  __device__ T& value(index_t i, index_t j) const { return a[i * row_stride + j * col_stride]; }
  __device__ std::int32_t& before(index_t i, index_t j) const { return p[i * p_row_stride + j * p_col_stride]; }
};

// Counts the best arcs into each of the list's heads, or with Fill writes them into the list. A block reads `depth`
// rows of `row_threads` columns.
template <class S, bool Fill>
__global__ void __launch_bounds__(row_threads) list_best_arcs(const __grid_constant__ closed_matrix<value_of<S>> x,
                                                              const __grid_constant__ matrix_rows<value_of<S>> arcs,
                                                              index_t depth, const best_arc_list<value_of<S>> list) {
  const index_t head = blockIdx.x * index_t(row_threads) + threadIdx.x, v = list.first + head;
  const index_t first = blockIdx.y * depth, last = first + depth < x.n ? first + depth : x.n;
  if (head >= list.size) return;
  unsigned count = 0;
#pragma unroll 4
  for (index_t u = first; u < last; ++u) {
    const value_of<S> arc = *arcs.at(0, u, v);
    if (!is_best_arc<S>(arc, x.value(u, v), u, v)) continue;
    if constexpr (Fill) {
      const unsigned at = list.offsets[head] + atomicAdd(list.cursor + head, 1u);
      list.tails[at] = static_cast<std::int32_t>(u);
      list.weights[at] = arc;
    }
    ++count;
  }
  if (!Fill && count > 0) atomicAdd(list.offsets + head, count);
}

// Turns counts into offsets, in place; one block of 1024 threads. The total may exceed what offsets can hold: the
// caller looks.
static __global__ void __launch_bounds__(1024) scan_offsets(unsigned* offsets, index_t n, unsigned long long* total) {
  using scan = gpu::block_scan<unsigned long long, 1024>;
  __shared__ scan::storage shared;
  const index_t each = ceil_div(n, 1024), first = threadIdx.x * each, last = first + each < n ? first + each : n;
  unsigned long long sum = 0;
  for (index_t i = first; i < last; ++i) sum += offsets[i];
  const unsigned long long before = scan::exclusive(shared, sum, ops::plus{}), all = scan::total(shared, ops::plus{});
  unsigned long long at = threadIdx.x == 0 ? 0 : before;
  for (index_t i = first; i < last; ++i) {
    const unsigned count = offsets[i];
    offsets[i] = static_cast<unsigned>(at);
    at += count;
  }
  if (threadIdx.x == 0) offsets[n] = static_cast<unsigned>(all), *total = all;
}

// P of the list's heads, row by row: a block takes a row, with the row of A in shared memory where it fits (`cached`).
// P may share its storage with the arcs: each element is read, then written, by the same thread. Up to few_ties ties of
// a row are followed here; rows with more of them, or with chains longer than short_chain, are noted in `ties`. `ties`
// is null where other heads are still to come, as chains lead through those.
inline constexpr int few_ties = 128, short_chain = 256;
template <class S>
__global__ void __launch_bounds__(1024) recover_predecessors(const __grid_constant__ closed_matrix<value_of<S>> x,
                                                             const __grid_constant__ matrix_rows<value_of<S>> arcs,
                                                             const __grid_constant__ best_arc_list<value_of<S>> list,
                                                             bool cached, std::int32_t* ties, unsigned* tie_count) {
  using T = value_of<S>;
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ std::int32_t heads[few_ties];
  __shared__ int found;
  T* const row = reinterpret_cast<T*>(memory);
  for (index_t i = blockIdx.x; i < x.n; i += gridDim.x) {
    __syncthreads();
    if (threadIdx.x == 0) found = 0;
    if (cached)
      for (index_t j = threadIdx.x; j < x.n; j += blockDim.x) row[j] = x.value(i, j);
    __syncthreads();
    const auto closed = [&](index_t j) { return cached ? row[j] : x.value(i, j); };
    for (index_t h = threadIdx.x; h < list.size; h += blockDim.x) {
      const index_t j = list.first + h;
      const T here = closed(j);
      std::int32_t chosen = -1;
      if (is_best_arc<S>(*arcs.at(0, i, j), here, i, j)) {
        chosen = static_cast<std::int32_t>(i);
      } else if (j != i && !(here == S::zero())) {
        best_tail<S> best;
        const unsigned last = list.offsets[h + 1];
        for (unsigned e = list.offsets[h]; e < last; ++e)
          best.offer(list.tails[e], closed(list.tails[e]), list.weights[e]);
        chosen = best.tail;
        if (ties && best.ties(here))
          if (const int at = atomicAdd(&found, 1); at < few_ties) heads[at] = static_cast<std::int32_t>(j);
      }
      x.before(i, j) = chosen;
    }
    __syncthreads();
    if (found == 0) continue;
    bool lost = found > few_ties;
    for (int t = threadIdx.x; !lost && t < found; t += blockDim.x) {
      std::int32_t v = heads[t];
      for (int step = 0; step < short_chain && v >= 0 && v != i; ++step) v = load_fresh(&x.before(i, v));
      lost |= v != i;
    }
    if (__syncthreads_or(lost) && threadIdx.x == 0) ties[atomicAdd(tie_count, 1u)] = static_cast<std::int32_t>(i);
  }
}

// Follows the predecessors of the rows noted in `ties` (null: of all rows) by pointer doubling: 2, 4, 8, ... steps at
// once. `next` has n elements for each block. Rows in which a chain does not reach the root are noted in `broken`.
template <class T>
__global__ void __launch_bounds__(1024)
    follow_predecessors(const __grid_constant__ closed_matrix<T> x, const std::int32_t* ties, const unsigned* tie_count,
                        std::int32_t* next, std::int32_t* broken, unsigned* broken_count) {
  volatile std::int32_t* const from = next + blockIdx.x * x.n;
  const index_t rows = ties ? *tie_count : x.n;
  for (index_t t = blockIdx.x; t < rows; t += gridDim.x) {
    const std::int32_t root = ties ? ties[t] : static_cast<std::int32_t>(t);
    __syncthreads();
    for (index_t j = threadIdx.x; j < x.n; j += blockDim.x) from[j] = j == root ? root : x.before(root, j);
    __syncthreads();
    for (index_t reach = 1; reach < x.n; reach *= 2) {
      for (index_t j = threadIdx.x; j < x.n; j += blockDim.x)
        if (const std::int32_t u = from[j]; u >= 0)
          if (const std::int32_t further = from[u]; further >= 0) from[j] = further;
      __syncthreads();
    }
    bool bad = false;
    for (index_t j = threadIdx.x; j < x.n; j += blockDim.x) bad |= from[j] >= 0 && from[j] != root;
    if (__syncthreads_or(bad) && threadIdx.x == 0) broken[atomicAdd(broken_count, 1u)] = root;
  }
}

// Searches the rows noted in `broken` again, a block a row: distances are summed anew along best arcs. Those are in the
// list or, where it has no room for all of them, in P: u -> v is one if P(u, v) == u, and its weight is A(u, v). That
// stays true while rows are rewritten, because the best arcs out of a root are left alone: they are the first steps of
// its paths, and only the rest of its row is searched.
template <class S, bool Listed>
__global__ void __launch_bounds__(1024) search_rows(const __grid_constant__ closed_matrix<value_of<S>> x,
                                                    const __grid_constant__ best_arc_list<value_of<S>> list,
                                                    const std::int32_t* broken, const unsigned* broken_count) {
  using T = value_of<S>;
  for (unsigned t = blockIdx.x; t < *broken_count; t += gridDim.x) {
    const std::int32_t root = broken[t];
    const auto is_arc = [&](index_t u, index_t v) { return load_fresh(&x.before(u, v)) == u; };
    for (index_t j = threadIdx.x; j < x.n; j += blockDim.x)
      if (j == root || !is_arc(root, j)) x.value(root, j) = j == root ? S::one() : S::zero(), x.before(root, j) = -1;
    bool changed = true;
    for (index_t round = 0; round < x.n && changed; ++round) {
      __syncthreads();
      bool mine = false;
      for (index_t j = threadIdx.x; j < x.n; j += blockDim.x) {
        if (j == root || is_arc(root, j)) continue;
        T best = load_fresh(&x.value(root, j));
        std::int32_t tail = -1;
        const auto offer = [&](std::int32_t u, const T& weight) {
          const T length = load_fresh(&x.value(root, u));
          const T path = normalise<S>(S::add(widen<S>(best), S::mul(widen<S>(length), widen<S>(weight))));
          if (!(path == best)) best = path, tail = u;
        };
        if constexpr (Listed) {
          for (unsigned e = list.offsets[j]; e < list.offsets[j + 1]; ++e) offer(list.tails[e], list.weights[e]);
        } else {
          for (index_t u = 0; u < x.n; ++u)
            if (is_arc(u, j)) offer(static_cast<std::int32_t>(u), load_fresh(&x.value(u, j)));
        }
        if (tail < 0) continue;
        x.before(root, j) = tail;
        x.value(root, j) = best;
        mine = true;
      }
      changed = __syncthreads_or(mine);
    }
  }
}

}  // namespace kleene::kernels::cuda
