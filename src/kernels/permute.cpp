// Copies with another order of axes: a tile is read into a buffer in runs of cache lines, transposed in registers from
// there into a second one, and written in such runs.
//
// Tried and lost, for the reverse of 28 axes of f32 on two Zen 4 cores: reading tiles where they lie (rows that are
// powers of two apart push each other out of the cache), writing transposed vectors straight to the copy past the
// caches (lines are written in parts: 0.55 s where 0.38), a table of places for each element in place of transposed
// vectors (0.46 s). On one Zen 5 core, 0.125 s beside 0.046 of memcpy, in huge pages: asking for rows of the same tile,
// 4 to 20 ahead, as well as for the next tile (0.14 s) or in place of it (0.16), rows of 128 or 256 to be read and of
// 64 to be written (0.13, 0.15). There loads alone take 0.105 s, transposing 0.045 and stores 0.020.
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

// Moves 16 bytes that bypass the caches, where the machine can.
void stream_16(char* to, const char* from) {
#if defined(__x86_64__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_load_si128(reinterpret_cast<const __m128i*>(from)));
#else
  std::memcpy(to, from, 16);
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
void transpose_block(const E* in, const std::int32_t* lane_in, E* out, const std::int32_t* lane_out) {
  using V = typename unit_vector<E>::type;
  constexpr int n = unit_vector<E>::lanes;
  V v[n], w[n];
  for (int i = 0; i < n; ++i) std::memcpy(&v[i], in + lane_in[i], 16);
#pragma GCC unroll 4
  for (int step = 1; step < n; step *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i)
      interleave<E>(v[i], v[i + n / 2], w[2 * i], w[2 * i + 1], std::make_index_sequence<n>());
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) v[i] = w[i];
  }
  for (int i = 0; i < n; ++i) std::memcpy(out + lane_out[i], &v[i], 16);
}

// One thread's copy of tiles. E is what is moved at once.
template <class E>
struct tile_copier {
  const permute_plan& plan;
  E *read, *written;  // a tile each

  static const E* source(const permute_plan& p) { return reinterpret_cast<const E*>(p.from); }
  static E* target(const permute_plan& p) { return reinterpret_cast<E*>(p.to); }

  void load(const permute_tile& tile, const E* from) {
    E* to = read;
    for (const index_t row : tile.rows_in) {
      if (tile.run_in == 1) *to = from[row];
      else std::memcpy(to, from + row, static_cast<std::size_t>(tile.run_in) * sizeof(E));
      to += tile.run_in;
    }
  }

  void transpose(const permute_tile& tile) {
    for (const auto& far : tile.outer)
      for (const auto& near : tile.inner) {
        const E* in = read + far.in + near.in;
        E* out = written + far.out + near.out;
        if constexpr (sizeof(E) < 16)
          if (tile.lanes > 1) {
            transpose_block<E>(in, tile.lane_in.data(), out, tile.lane_out.data());
            continue;
          }
        *out = *in;
      }
  }

  // Writes the tile, and asks for the next one meanwhile.
  void store(const permute_tile& tile, E* to, const E* next) {
    const E* from = written;
    const std::size_t bytes = static_cast<std::size_t>(tile.run_out) * sizeof(E);
    std::size_t asked = 0;
    const std::size_t rows = tile.rows_in.size(), each = ceil_div(rows, tile.rows_out.size());
    for (const index_t row : tile.rows_out) {
      for (const std::size_t end = std::min(rows, asked + each); next && asked < end; ++asked)
        for (index_t at = 0; at < tile.run_in; at += 64 / index_t{sizeof(E)})
          __builtin_prefetch(next + tile.rows_in[asked] + at, 0, 2);
      char* run = reinterpret_cast<char*>(to + row);
      if (plan.streams && ((reinterpret_cast<std::uintptr_t>(run) | bytes | sizeof(E) * (from - written)) & 15) == 0)
        for (std::size_t at = 0; at < bytes; at += 16) stream_16(run + at, reinterpret_cast<const char*>(from) + at);
      else if (tile.run_out == 1) to[row] = *from;
      else std::memcpy(run, from, bytes);
      from += tile.run_out;
    }
  }

  void copy_tile(const permute_tile& tile, const E* from, E* to, const E* next) {
    if (plan.copies_runs) {
      std::memcpy(to, from, static_cast<std::size_t>(tile.units) * sizeof(E));
      return;
    }
    load(tile, from);
    transpose(tile);
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
    char* own = workspace + 2 * bytes * static_cast<std::size_t>(member.thread);
    tile_copier<E> copier{plan, reinterpret_cast<E*>(own), reinterpret_cast<E*>(own + bytes)};
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
  return 2 * tile_bytes(plan) * static_cast<std::size_t>(plan.threads);
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
