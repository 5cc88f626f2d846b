// What happens to the accumulators of a tile of the tensor cores: plain results are stored by TMA, in boxes from
// shared memory, partial sums of split-K go to the workspace, everything else through the writer that all kernels
// share.
#pragma once

#include "kleene/algebra/half.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cuda/gemm/finished.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/arguments.cuh"

#include <type_traits>
#include <utility>

namespace kleene::kernels::cuda {

// Whether finished elements can be stored in boxes: of types of 2 or 4 bytes that TMA knows, made from the
// accumulator by conversion (and an epilogue).
template <class G, class Out = std::remove_pointer_t<decltype(G::c)>>
inline constexpr bool has_boxes = std::is_same_v<Out, bf16> || std::is_same_v<Out, f16> || std::is_same_v<Out, float> ||
                                  std::is_same_v<Out, std::int32_t>;

// Where element e of a thread's accumulators lies in the warpgroup's 64 x N tile.
__device__ __forceinline__ int row_of_element(int e) {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + e / 2 % 2 * 8;
}
__device__ __forceinline__ int col_of_element(int e) { return e / 4 * 8 + threadIdx.x % 4 * 2 + e % 2; }

// Two neighbouring elements of C as they lie in memory: rounded once, to nearest, ties to even.
template <class Out>
__device__ __forceinline__ unsigned two_halves(float low, float high) {
  unsigned both;
  if constexpr (std::is_same_v<Out, bf16>) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
// What they are then.
template <class Out>
struct two_floats {
  float low, high;
  __device__ __forceinline__ explicit two_floats(unsigned both) {
    if constexpr (std::is_same_v<Out, bf16>) {
      low = __uint_as_float(both << 16), high = __uint_as_float(both & 0xffff0000);
    } else {
      asm("{.reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b;}"
          : "=f"(low), "=f"(high)
          : "r"(both));
    }
  }
};
// Four 8 x 8 tiles of two-byte elements; lane l gives the address of row l % 8 of tile l / 8.
__device__ __forceinline__ void store_matrices(std::uint32_t address, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}
__device__ __forceinline__ void store_two(std::uint32_t address, unsigned a, unsigned b) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
}
template <class Out>
__device__ __forceinline__ unsigned word_of(Out value) {
  static_assert(sizeof(Out) == 4);
  return *reinterpret_cast<const unsigned*>(&value);
}

// What of a tile a warpgroup stores, and through which buffers.
struct store_position {
  int batch, row, col;   // of its 64 x N elements
  unsigned char* boxes;  // 1024-byte aligned
  int group;             // number of the warpgroup among the consumers
};

// An epilogue prepared for the pairs of columns that a thread has in a box: `column`, 8 further on, and so on.
template <int Pairs, class Epilogue>
struct prepared_pairs {
  decltype(prepared(std::declval<const Epilogue&>(), index_t{})) of[Pairs];
};
template <class Epilogue, int... Pair>
__device__ __forceinline__ auto prepare_pairs(const Epilogue& epilogue, index_t column,
                                              std::integer_sequence<int, Pair...>) {
  return prepared_pairs<sizeof...(Pair), Epilogue>{{prepared(epilogue, column + 8 * Pair)...}};
}

// Whether a tile can be stored in boxes. With an epilogue a box has columns of C only, or none: what is read for them
// then lies at fixed distances. (A clamped address for each pair: 1,934 instead of 1,704 instructions for bias and
// GELU.)
template <int N, class G>
__device__ __forceinline__ bool is_stored_in_boxes(const wgmma_arguments<G>& p, int col) {
  if constexpr (has_epilogue<decltype(G::epilogue)>) {
    constexpr int cols = 128 / sizeof(*G::c);
    return p.in_boxes && (col + N <= p.g.n || p.g.n % cols == 0);
  }
  return p.in_boxes;
}

// What a thread finds in its two rows of a box; nothing where nothing is given for rows.
template <class G, bool = gives_rows<decltype(G::epilogue)>>
struct row_pair {
  template <class V>
  __device__ __forceinline__ void take(int, const V&, const V&) {}
  template <class V>
  __device__ __forceinline__ void take_rounded(int, const V&, const V&, unsigned) {}
  __device__ __forceinline__ void join(const row_pair&) {}
  template <int N>
  __device__ __forceinline__ void store_totals(const wgmma_arguments<G>&, const store_position&) {}
};
template <class G>
struct row_pair<G, true> {
  using Out = std::remove_pointer_t<decltype(G::c)>;
  using Fold = row_fold_of<G>;
  typename Fold::total of[2] = {Fold::start(), Fold::start()};

  // Element e of the accumulators and the next, which lies beside it.
  template <class V>
  __device__ __forceinline__ void take(int e, const V& first, const V& second) {
    Fold::take(of[e / 2 % 2], static_cast<typename Fold::number>(first));
    Fold::take(of[e / 2 % 2], static_cast<typename Fold::number>(second));
  }
  template <class V>
  __device__ __forceinline__ void take_rounded(int e, const V& first, const V& second, unsigned both) {
    if constexpr (Fold::of_rounded) {
      const two_floats<Out> rounded(both);
      take(e, rounded.low, rounded.high);
    } else {
      take(e, first, second);
    }
  }
  __device__ __forceinline__ void join(const row_pair& other) {
    Fold::join(of[0], other.of[0]);
    Fold::join(of[1], other.of[1]);
  }
  template <int N>
  __device__ __forceinline__ void store_totals(const wgmma_arguments<G>& p, const store_position& at) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      join_lanes<Fold>(of[r], 4);
      const index_t row = at.row + row_of_element(2 * r);
      if (threadIdx.x % 4 == 0 && row < p.g.m) p.totals[(at.batch * p.g.m + row) * p.tiles_n + at.col / N] = of[r];
    }
  }
};

// C = A B, perhaps with an epilogue: 64 x 128 bytes at a time, while the box before is in flight. What the epilogue
// reads for a box is asked for one box ahead (the first before the tile is summed: no faster). Elements outside C are
// made from those at its edge, and not stored.
template <wgmma_policy P, class G, class A>
__device__ void store_boxes(const wgmma_arguments<G>& p, const store_position& at, const A (&sum)[P.bn / 2]) {
  using Out = std::remove_pointer_t<decltype(p.g.c)>;
  constexpr int N = P.bn, cols = 128 / sizeof(Out), elements = cols / 2;  // of a thread in a box
  // A tile begins with the first buffer; where the tile before ended with it too, that box has to be out.
  constexpr int pending = N / cols % P.boxes() == 0 ? P.boxes() - 1 : 0;
  const int thread = threadIdx.x % 128, lane = thread % 32, warp = thread / 32;
  const auto column_of = [&](int box) {  // of a box behind C: of its last box. Known to be even: see `prepared`
    const int column = at.col + box * cols, last = (static_cast<int>(p.g.n) - cols) & ~1;
    return (column < last ? column : last) + lane % 4 * 2;
  };
  const auto prepare = [&](int box) {
    return prepare_pairs(p.g.epilogue, column_of(box), std::make_integer_sequence<int, elements / 4>{});
  };
  const int last_row = static_cast<int>(p.g.m) - 1, row = at.row + row_of_element(0);
  const int rows[2] = {row < last_row ? row : last_row, row + 8 < last_row ? row + 8 : last_row};
  auto ready = prepare(0), next = ready;
  row_pair<G> in_tile;
#pragma unroll
  for (int box = 0; box < N / cols; ++box, ready = next) {
    if (box + 1 < N / cols) next = prepare(box + 1);
    unsigned char* to = at.boxes + box % P.boxes() * P.box_bytes;
    if (thread == 0) gpu::tma_store_wait<pending>();
    gpu::named_barrier_sync(1 + at.group, 128);
    const auto value = [&](int e) {
      const int pair = (e - box * elements) / 4;
      return finished<Out>(ready.of[pair], sum[e], rows[e / 2 % 2], column_of(box) + 8 * pair + e % 2);
    };
    row_pair<G> in_box;
    if constexpr (sizeof(Out) == 2) {
      const int row = warp * 16 + lane % 16;
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        const int e = box * elements + 4 * j;
        const auto pair = [&](int first) {
          const auto low = value(first), high = value(first + 1);
          const unsigned both = two_halves<Out>(low, high);
          in_box.take_rounded(first, low, high, both);
          return both;
        };
        store_matrices(gpu::shared_address(to) + row * 128 + ((j + lane / 16) ^ (row % 8)) * 16, pair(e), pair(e + 2),
                       pair(e + 4), pair(e + 6));
      }
    } else {
#pragma unroll
      for (int e = box * elements; e < (box + 1) * elements; e += 2) {
        const int row = row_of_element(e), col = col_of_element(e) - box * cols;
        const Out first = value(e), second = value(e + 1);
        in_box.take(e, first, second);
        store_two(gpu::shared_address(to) + row * 128 + ((col / 4) ^ (row % 8)) * 16 + col % 4 * 4, word_of<Out>(first),
                  word_of<Out>(second));
      }
    }
    gpu::tma_store_fence();
    gpu::named_barrier_sync(1 + at.group, 128);
    if (thread == 0) gpu::tma_store_box(&p.c, to, at.col + box * cols, at.row, at.batch);
    if (at.col + box * cols < p.g.n) in_tile.join(in_box);  // a box is of columns of C only, or of none
  }
  in_tile.template store_totals<N>(p, at);
}

// Everything else: 64 x 32 accumulators at a time through shared memory, so that the writer's code is there once and
// neighbouring threads store neighbouring elements.
template <int N, class G, class A>
__device__ void store_elements(const wgmma_arguments<G>& p, const store_position& at, const A (&sum)[N / 2]) {
  const int thread = threadIdx.x % 128;
  A* stage = reinterpret_cast<A*>(at.boxes);  // [64][33]
  G g = p.g;
  g.alpha = p.has_alpha ? &p.alpha : nullptr;
  g.beta = p.has_beta ? &p.beta : nullptr;
  gemm_writer<G> writer{g, at.batch};
  const bool by_rows = g.sc[2] == 1 || g.sc[1] != 1;
  if (thread == 0) gpu::tma_store_wait<0>();  // boxes of the tile before may still be read from here
#pragma unroll
  for (int box = 0; box < N / 32; ++box) {
    gpu::named_barrier_sync(1 + at.group, 128);
#pragma unroll
    for (int e = box * 16; e < (box + 1) * 16; ++e)
      stage[row_of_element(e) * 33 + col_of_element(e) - box * 32] = sum[e];
    gpu::named_barrier_sync(1 + at.group, 128);
#pragma unroll 1
    for (int n = thread; n < 64 * 32; n += 128) {
      const int row = by_rows ? n / 32 : n % 64, col = by_rows ? n % 32 : n / 64;
      const index_t i = at.row + row, j = at.col + box * 32 + col;
      if (i < g.m && j < g.n) writer.store(i, j, stage[row * 33 + col]);
    }
  }
  if (writer.overflow) *p.overflow = 1;
}

// The totals of the rows of a tile that was stored by elements, which are read again: a warp a row, eight at a time.
// Every warp takes the same steps, or the compiler no longer keeps the descriptors of the sums in uniform registers.
template <int N, class G>
__device__ void total_rows(const wgmma_arguments<G>& p, const store_position& at) {
  using Fold = row_fold_of<G>;
  constexpr int count = 8;
  const G& g = p.g;
  gpu::named_barrier_sync(1 + at.group, 128);  // all of the tile is written
  const auto* c = g.c + at.batch * g.sc[0];
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int step = 0; step < 16; step += count) {
    const index_t row = at.row + threadIdx.x % 128 / 32 * 16 + step;
    typename Fold::total totals[count];
#pragma unroll
    for (auto& total : totals) total = Fold::start();
#pragma unroll 1
    for (int col = at.col; col < at.col + N && col < g.n; col += 32) {
      const index_t j = col + lane;
      typename Fold::number x[count]{};
#pragma unroll
      for (int r = 0; r < count; ++r)  // not one of C's edge instead: another warpgroup may be writing that
        if (row + r < g.m && j < g.n) x[r] = static_cast<typename Fold::number>(c[(row + r) * g.sc[1] + j * g.sc[2]]);
#pragma unroll
      for (int r = 0; r < count; ++r)
        if (col + lane < g.n) Fold::take(totals[r], x[r]);
    }
#pragma unroll
    for (int r = 0; r < count; ++r) {
      join_lanes<Fold>(totals[r], 32);
      if (lane == 0 && row + r < g.m) p.totals[(at.batch * g.m + row + r) * p.tiles_n + at.col / N] = totals[r];
    }
  }
}

// A partial sum of split-K: to the workspace, neighbours in a warp next to each other; of the tile's columns those that
// C has.
template <int N, class A>
__device__ void store_partial(A* partials, const A (&sum)[N / 2], index_t columns) {
#pragma unroll
  for (int e = 0; e < N / 2; e += 4)
    if (e * 2 < columns)
#pragma unroll
      for (int i = e; i < e + 4; ++i) partials[i * 128 + threadIdx.x % 128] = sum[i];
}

}  // namespace kleene::kernels::cuda
