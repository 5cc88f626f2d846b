// Copies with another order of axes: a tile is read where it lies, in runs of cache lines, transposed in registers
// on the way into a buffer, and written from there in such runs, past the caches.
//
// More than two thirds of the time of a copy are reading, so tiles follow each other along the source. The reverse
// of 28 axes of f32 on two Zen 5 cores, in a program for it, beside 0.040 s of memcpy: tiles of 512 bytes in and 256
// out take 0.044 s along the source, 0.047 along four axes of each side in turns, 0.080 along the copy; of 256 and
// 256 0.060, 1024 and 256 0.052, 256 and 512 0.078, 512 and 512 0.109. Lost: a second buffer for the tile as it was
// read (0.066), asking for the next tile's lines while this one is transposed (0.051), for rows of the same tile
// (0.062), for nothing (0.083); on Zen 4 transposed vectors written straight to the copy (lines are written in
// parts: 0.55 s where 0.38), a table of places for each element in place of transposed vectors (0.46). Here 0.049 s,
// and 0.044 in huge pages (memcpy 0.041 and 0.038).
#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/permute/launch.hpp"
#include "kleene/kernels/cpu/permute/tuning.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kleene::kernels::cpu {

namespace {

// A vector of 16 bytes, as units of E.
template <class E>
struct unit_vector {
  typedef E type __attribute__((vector_size(16)));
  static constexpr int lanes = 16 / sizeof(E);
};

// Moves multiples of 16 bytes past the caches, where the machine can. Lines of which a loop writes a vector a step are
// written in parts now and then (13 % slower).
void stream(char* to, const void* from, std::size_t bytes) {
#if defined(__x86_64__)
  const auto* in = static_cast<const __m128i*>(from);
  auto* out = reinterpret_cast<__m128i*>(to);
  const auto* const end = in + bytes / 16;
  for (; end - in >= 16; in += 16, out += 16)
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
  for (; in < end; ++in, ++out) _mm_stream_si128(out, _mm_load_si128(in));
#else
  std::memcpy(to, from, bytes);
#endif
}
void end_of_streams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

template <class E, std::size_t... L>
void interleave(const typename unit_vector<E>::type& x, const typename unit_vector<E>::type& y,
                typename unit_vector<E>::type& low, typename unit_vector<E>::type& high, std::index_sequence<L...>) {
  constexpr int n = unit_vector<E>::lanes;
  low = __builtin_shufflevector(x, y, (L / 2 + L % 2 * n)...);
  high = __builtin_shufflevector(x, y, (n / 2 + L / 2 + L % 2 * n)...);
}

// lanes x lanes units: in[i][j] becomes out[j][i]. Interleaving the halves log2(lanes) times transposes.
template <class E>
struct block_transposer {
  using V = typename unit_vector<E>::type;
  static constexpr int n = unit_vector<E>::lanes;
  index_t in[n], out[n];  // where vectors lie

  explicit block_transposer(const permute_tile& tile) {
    std::copy_n(tile.lane_in.begin(), n, in);
    std::copy_n(tile.lane_out.begin(), n, out);
  }
  void operator()(const E* from, E* to) const {
    V v[n], w[n];
    for (int i = 0; i < n; ++i) std::memcpy(&v[i], from + in[i], 16);
#pragma GCC unroll 4
    for (int step = 1; step < n; step *= 2) {
#pragma GCC unroll 8
      for (int i = 0; i < n / 2; ++i)
        interleave<E>(v[i], v[i + n / 2], w[2 * i], w[2 * i + 1], std::make_index_sequence<n>());
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) v[i] = w[i];
    }
    for (int i = 0; i < n; ++i) std::memcpy(to + out[i], &v[i], 16);
  }
};

// One thread's copy of tiles. E is what is moved at once.
template <class E>
struct tile_copier {
  const permute_plan& plan;
  E* turned;  // a tile

  static const E* source(const permute_plan& p) { return reinterpret_cast<const E*>(p.from); }
  static E* target(const permute_plan& p) { return reinterpret_cast<E*>(p.to); }

  void transpose(const permute_tile& tile, const E* from) {
    if constexpr (sizeof(E) < 16)
      if (tile.lanes > 1) {
        for_each_place(tile, from, block_transposer<E>(tile));
        return;
      }
    for_each_place(tile, from, [](const E* in, E* out) { *out = *in; });
  }
  template <class F>
  void for_each_place(const permute_tile& tile, const E* from, const F& copy) {
    for (const auto& far : tile.outer) {
      const E* const in = from + far.in;
      E* const out = turned + far.out;
      for (const auto& near : tile.inner) copy(in + near.in, out + near.out);
    }
  }

  // Writes the tile, and asks for the next one meanwhile, at an even pace.
  void store(const permute_tile& tile, E* to, const E* next) {
    const E* from = turned;
    const std::size_t bytes = static_cast<std::size_t>(tile.run_out) * sizeof(E);
    const bool is_whole = plan.streams && bytes % 16 == 0;
    auto asked = tile.rows_in.begin();
    const index_t rows_in = std::ssize(tile.rows_in), rows_out = std::ssize(tile.rows_out);
    index_t due = 0;
    for (const index_t row : tile.rows_out) {
      if (next)
        for (due += rows_in; due >= rows_out; due -= rows_out) ask_for(next + *asked++, tile.run_in);
      char* run = reinterpret_cast<char*>(to + row);
      if (is_whole && reinterpret_cast<std::uintptr_t>(run) % 16 == 0) stream(run, from, bytes);
      else if (tile.run_out == 1) to[row] = *from;
      else std::memcpy(run, from, bytes);
      from += tile.run_out;
    }
  }
  static void ask_for(const E* run, index_t units) {
    for (index_t at = 0; at < units; at += 64 / index_t{sizeof(E)}) __builtin_prefetch(run + at, 0, 2);
  }

  void copy_tile(const permute_tile& tile, const E* from, E* to, const E* next) {
    if (plan.copies_runs) {
      std::memcpy(to, from, static_cast<std::size_t>(tile.units) * sizeof(E));
      return;
    }
    transpose(tile, from);
    store(tile, to, next);
  }

  // Tiles [first, last).
  void run(index_t first, index_t last) {
    index_t at[2 * most_axes + 2] = {}, from = 0, to = 0, left = first;
    const int loops = static_cast<int>(plan.loops.size());
    for (int a = 0; a < loops; ++a) {
      at[a] = left % plan.loops[a].extent, left /= plan.loops[a].extent;
      from += at[a] * plan.loops[a].from, to += at[a] * plan.loops[a].to;
    }
    for (index_t t = first; t < last; ++t) {
      const auto is_last = [&](int cut) { return cut >= 0 && at[cut] + 1 == plan.loops[cut].extent; };
      const permute_tile& tile = plan.tiles[(is_last(plan.cut_in) ? 1 : 0) + (is_last(plan.cut_out) ? 2 : 0)];
      const index_t from_here = from, to_here = to;
      for (int a = 0; a < loops; ++a) {
        from += plan.loops[a].from, to += plan.loops[a].to;
        if (++at[a] < plan.loops[a].extent) break;
        from -= plan.loops[a].extent * plan.loops[a].from, to -= plan.loops[a].extent * plan.loops[a].to;
        at[a] = 0;
      }
      copy_tile(tile, source(plan) + from_here, target(plan) + to_here,
                t + 1 < last && plan.streams ? source(plan) + from : nullptr);
    }
    if (plan.streams) end_of_streams();
  }
};

// Of one tile, in whole cache lines.
std::size_t tile_bytes(const permute_plan& plan) {
  return plan.copies_runs ? 0 : round_up(static_cast<std::size_t>(plan.tiles[0].units) * std::size_t(plan.unit), 64);
}

template <class E>
void copy_tiles(const permute_plan& plan, char* workspace) {
  const index_t count = plan.count(), each = std::clamp<index_t>(count / (8 * plan.threads), 1, 256);
  const std::size_t bytes = tile_bytes(plan);
  task_queue queue;
  run_tasks(plan.threads, [&](const team_member& member) {
    char* own = workspace + bytes * static_cast<std::size_t>(member.thread);
    tile_copier<E> copier{plan, reinterpret_cast<E*>(own)};
    const index_t tasks = ceil_div(count, each);
    for (index_t task = queue.next(); task < tasks; task = queue.next())
      copier.run(task * each, std::min(count, (task + 1) * each));
  });
}

struct two_words {
  std::uint64_t word[2];
};

}  // namespace

std::size_t permute_workspace(const permute_plan& plan) {
  return tile_bytes(plan) * static_cast<std::size_t>(plan.threads);
}

void launch_permute(const permute_plan& plan, void* workspace) noexcept {
  char* const memory = static_cast<char*>(workspace);
  switch (plan.unit) {
    case 1:
      return copy_tiles<std::uint8_t>(plan, memory);
    case 2:
      return copy_tiles<std::uint16_t>(plan, memory);
    case 4:
      return copy_tiles<std::uint32_t>(plan, memory);
    case 8:
      return copy_tiles<std::uint64_t>(plan, memory);
    default:
      return copy_tiles<two_words>(plan, memory);
  }
}

std::string describe_permute(const permute_plan& plan) {
  std::string extents;
  for (const permute_axis& a : plan.axes) extents += (extents.empty() ? "" : " x ") + std::to_string(a.extent);
  const permute_tile& tile = plan.tiles[0];
  return "permute " + (extents.empty() ? "1" : extents) + " of " + std::to_string(plan.unit) + " bytes: " +
         (plan.copies_runs
              ? "runs of " + std::to_string(tile.units)
              : "tiles of " + std::to_string(tile.units) + ", runs of " + std::to_string(tile.run_in) + " in and " +
                    std::to_string(tile.run_out) + " out, " + std::to_string(tile.lanes) + " lanes") +
         ", " + std::to_string(plan.threads) + (plan.threads == 1 ? " thread" : " threads");
}

}  // namespace kleene::kernels::cpu
