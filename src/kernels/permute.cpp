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
//
// On Zen 4 the parts add up, whichever way they are interleaved: 1 GiB of f32 by one thread of a busy one, beside 0.082
// of memcpy and 0.052 of a loop of streaming stores: runs of 512 bytes read 0.09 to 0.11, of 1 KiB 0.06; runs of 256
// bytes written past the caches 0.045; 8 x 8 transposed in the caches 0.023. In a program for it, rows gathered first,
// 8 x 8 transposed and written as lines 0.16; lost: all three in turns of 256 bytes (0.19).
#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/permute/launch.hpp"
#include "kleene/kernels/cpu/permute/tuning.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kleene::kernels::cpu {

namespace {

// Moves multiples of 16 bytes past the caches, where the machine can. Lines of which a loop writes a vector a step are
// written in parts now and then (13 % slower).
[[gnu::always_inline]] inline void stream(char* to, const void* from, std::size_t bytes) {
#if defined(__x86_64__)
  const auto* in = static_cast<const __m128i*>(from);
  auto* out = reinterpret_cast<__m128i*>(to);
  const auto* const end = in + bytes / 16;
  for (; end - in >= 16; in += 16, out += 16)
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
  for (; end - in >= 4; in += 4, out += 4)
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
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

// Blocks of lanes x lanes units, in[i][j] of which becomes out[j][i], as many side by side as a vector has 16 bytes.
// Interleaving the halves of rows log2(lanes) times transposes, within each 16 bytes.
template <class E, int Bytes>
struct block_transposer {
  typedef E V __attribute__((vector_size(Bytes)));
  static constexpr int lanes = 16 / sizeof(E), blocks = Bytes / 16;
  index_t in[lanes], out[lanes];  // where vectors lie

  explicit block_transposer(const permute_tile& tile) {
    std::copy_n(tile.lane_in.begin(), lanes, in);
    std::copy_n(tile.lane_out.begin(), lanes, out);
  }

  // Loops of a constant length over arrays of vectors have to be unrolled, or these lie in memory: at half the speed.
  [[gnu::always_inline]] void operator()(const E* from, E* to, const permute_tile::place* places) const {
    V v[lanes], w[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) std::memcpy(&v[i], from + in[i], Bytes);
#pragma GCC unroll 4
    for (int step = 1; step < lanes; step *= 2) {
#pragma GCC unroll 8
      for (int i = 0; i < lanes / 2; ++i)
        interleave(v[i], v[i + lanes / 2], w[2 * i], w[2 * i + 1], std::make_index_sequence<Bytes / sizeof(E)>());
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) v[i] = w[i];
    }
#pragma GCC unroll 4
    for (int b = 0; b < blocks; ++b)
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i)
        std::memcpy(to + places[b].out + out[i], reinterpret_cast<const char*>(&v[i]) + 16 * b, 16);
  }

 private:
  template <std::size_t... L>
  [[gnu::always_inline]] static void interleave(const V& x, const V& y, V& low, V& high, std::index_sequence<L...>) {
    constexpr int units = blocks * lanes;
    shuffle<(int(L) / lanes * lanes + int(L) % lanes / 2 + int(L) % 2 * units)...>(low, x, y);
    shuffle<(int(L) / lanes * lanes + lanes / 2 + int(L) % lanes / 2 + int(L) % 2 * units)...>(high, x, y);
  }
};

// How many blocks lie side by side in the source, wherever one of so many begins: 1, 2 or 4.
int blocks_in_line(const permute_tile& tile) {
  int line = 4;
  for (; line > 1 && tile.inner.size() % static_cast<std::size_t>(line) != 0; line /= 2) {
  }
  for (std::size_t i = 0; i + 1 < tile.inner.size(); ++i)
    while (line > 1 && (i + 1) % static_cast<std::size_t>(line) != 0 &&
           tile.inner[i + 1].in != tile.inner[i].in + tile.lanes)
      line /= 2;
  return line;
}

// One thread's copy of tiles [first, last). E is what is moved at once.
template <class E>
struct tile_copier {
  const permute_plan& plan;
  E* turned;                  // a tile
  E* gathered;                // the rows of a group of tiles
  std::array<int, 4> blocks;  // in line, of each of the plan's tiles
  index_t first = 0, last = 0;

  static const E* source(const permute_plan& p) { return reinterpret_cast<const E*>(p.from); }
  static E* target(const permute_plan& p) { return reinterpret_cast<E*>(p.to); }

  // By vectors of so many bytes, or of 16 where fewer blocks lie in line.
  template <int Bytes>
  [[gnu::always_inline]] void transpose(const permute_tile& tile, const E* from) {
    if constexpr (sizeof(E) < 16)
      if (tile.lanes > 1) {
        if (16 * blocks[static_cast<std::size_t>(&tile - plan.tiles.data())] >= Bytes)
          return transpose_blocks<Bytes>(tile, from);
        return transpose_blocks<16>(tile, from);
      }
    for (const auto& far : tile.outer)
      for (const auto& near : tile.inner) turned[far.out + near.out] = from[far.in + near.in];
  }
  template <int Bytes>
  [[gnu::always_inline]] void transpose_blocks(const permute_tile& tile, const E* from) {
    const block_transposer<E, Bytes> block(tile);
    for (const auto& far : tile.outer)
      for (std::size_t i = 0; i < tile.inner.size(); i += block.blocks)
        block(from + far.in + tile.inner[i].in, turned + far.out, &tile.inner[i]);
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

  // The rows of a group of tiles, one after the other: those of the source may be a power of two apart, so that no
  // cache holds all of a tile's lines at once. Lines are asked for as long ahead as a set of the second cache has
  // room for.
  template <int Bytes>
  [[gnu::always_inline]] void gather(const permute_tile& tile, const E* from, const E* next) {
    typedef std::uint64_t V __attribute__((vector_size(Bytes), aligned(1), may_alias));
    const index_t run = tile.run_in * plan.group, rows = std::ssize(tile.rows_in), bytes = run * index_t{sizeof(E)};
    const index_t ahead = std::max<index_t>(asked_bytes / bytes, 1);
    E* to = gathered;
    for (index_t r = 0; r < rows; ++r, to += plan.pitch) {
      if (r + ahead < rows) ask_for(from + tile.rows_in[r + ahead], run);
      else if (next && r + ahead - rows < rows) ask_for(next + tile.rows_in[r + ahead - rows], run);
      const char* in = reinterpret_cast<const char*>(from + tile.rows_in[r]);
      char* out = reinterpret_cast<char*>(to);
      index_t b = 0;
      for (; b + 64 <= bytes; b += 64)
#pragma GCC unroll 4
        for (int v = 0; v < 64; v += Bytes)
          *reinterpret_cast<V*>(out + b + v) = *reinterpret_cast<const V*>(in + b + v);
      std::memcpy(out + b, in + b, static_cast<std::size_t>(bytes - b));
    }
  }

  template <int Bytes>
  [[gnu::always_inline]] void copy_tile(const permute_tile& tile, const E* from, E* to, const E* next) {
    if (plan.copies_runs) {
      std::memcpy(to, from, static_cast<std::size_t>(tile.units) * sizeof(E));
      return;
    }
    transpose<Bytes>(tile, from);
    store(tile, to, next);
  }

  // Where a tile begins in the source.
  index_t source_of(index_t tile) const {
    index_t from = 0;
    for (const permute_axis& loop : plan.loops) from += tile % loop.extent * loop.from, tile /= loop.extent;
    return from;
  }

  template <int Bytes>
  void run() {
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
      if (plan.pitch > 0) {
        const index_t g = t % plan.group, ahead = t + plan.group;
        if (g == 0)
          gather<Bytes>(tile, source(plan) + from_here, ahead < last ? source(plan) + source_of(ahead) : nullptr);
        copy_tile<Bytes>(tile, gathered + g * tile.run_in, target(plan) + to_here, nullptr);
        continue;
      }
      copy_tile<Bytes>(tile, source(plan) + from_here, target(plan) + to_here,
                       t + 1 < last && plan.streams ? source(plan) + from : nullptr);
    }
    if (plan.streams) end_of_streams();
  }
};

// Of one tile, in whole cache lines.
std::size_t tile_bytes(const permute_plan& plan) {
  return plan.copies_runs ? 0 : round_up(static_cast<std::size_t>(plan.tiles[0].units) * std::size_t(plan.unit), 64);
}

// Of a group of tiles.
std::size_t gathered_bytes(const permute_plan& plan) {
  return round_up(plan.tiles[0].rows_in.size() * static_cast<std::size_t>(plan.pitch * plan.unit), 64);
}

template <class E>
void copy_tiles(const permute_plan& plan, char* workspace, instruction_set isa) {
  const index_t count = plan.count();
  const index_t each = round_up(std::clamp<index_t>(count / (8 * plan.threads), 1, 256), plan.group);
  const std::size_t bytes = tile_bytes(plan), all = bytes + gathered_bytes(plan);
  std::array<int, 4> blocks;
  std::transform(plan.tiles.begin(), plan.tiles.end(), blocks.begin(), blocks_in_line);
  task_queue queue;
  run_tasks(plan.threads, [&](const team_member& member) {
    char* own = workspace + all * static_cast<std::size_t>(member.thread);
    tile_copier<E> copier{plan, reinterpret_cast<E*>(own), reinterpret_cast<E*>(own + bytes), blocks};
    const index_t tasks = ceil_div(count, each);
    for (index_t task = queue.next(); task < tasks; task = queue.next()) {
      copier.first = task * each, copier.last = std::min(count, (task + 1) * each);
      run_on(isa, copier);
    }
  });
}

struct two_words {
  std::uint64_t word[2];
};

}  // namespace

std::size_t permute_workspace(const permute_plan& plan) {
  return (tile_bytes(plan) + gathered_bytes(plan)) * static_cast<std::size_t>(plan.threads);
}

void launch_permute(const permute_plan& plan, void* workspace, instruction_set isa) noexcept {
  char* const memory = static_cast<char*>(workspace);
  switch (plan.unit) {
    case 1:
      return copy_tiles<std::uint8_t>(plan, memory, isa);
    case 2:
      return copy_tiles<std::uint16_t>(plan, memory, isa);
    case 4:
      return copy_tiles<std::uint32_t>(plan, memory, isa);
    case 8:
      return copy_tiles<std::uint64_t>(plan, memory, isa);
    default:
      return copy_tiles<two_words>(plan, memory, isa);
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
