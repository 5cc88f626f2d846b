// The product over GF(2) where the processor has GFNI: one vgf2p8affineqb multiplies a tile of 8 x 8 bits of A with
// eight tiles of B. A tile of A is a word whose byte 7 - i is row i; of B, and of C while it is summed, one whose byte
// 7 - j is column j. Sums of 96 rows and 128 columns stay in registers while k goes by; B is packed once, A by the
// thread that needs it. One core of a Zen 4: 20 to 23 Tops from 2048 on, where a loop of this instruction in registers
// and the first-level cache reaches 29.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/launch.hpp"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define KLEENE_HAS_AFFINE 1
#else
#define KLEENE_HAS_AFFINE 0
#endif

namespace kleene::kernels::cpu {

#if KLEENE_HAS_AFFINE

namespace detail {

#define KLEENE_AFFINE [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]]

inline constexpr index_t tile_bits = 8;
inline constexpr index_t tile_rows = 12;   // tiles of A in registers at a time, 96 rows
inline constexpr index_t panel_words = 2;  // of B's and C's rows, 128 columns
inline constexpr index_t panel_tiles = panel_words * bits_per_word / tile_bits;
inline constexpr index_t depth_tiles = 512;  // of k at a time: 48 KB of A and 64 KB of B
inline constexpr index_t most_blocks = 8;    // of rows that share a panel of B: 384 KB of A, in the second-level cache

struct affine_plan {
  index_t tiles;           // of k, an even number
  index_t panels, blocks;  // of 128 columns; of 96 rows
  index_t blocks_of_task, panels_of_task;
  index_t down, across;  // tasks

  explicit affine_plan(const bit_product& p) {
    tiles = round_up(ceil_div(p.a.cols(), tile_bits), 2);
    panels = ceil_div(p.c.words(), panel_words), blocks = ceil_div(p.c.rows(), tile_rows * tile_bits);
    const index_t wanted = p.threads > 1 ? 4 * p.threads : 1;  // a task across others packs their rows of A again
    blocks_of_task = std::clamp<index_t>(blocks / wanted, 1, most_blocks);
    down = ceil_div(blocks, blocks_of_task);
    across = std::clamp<index_t>(ceil_div(wanted, down), 1, panels);
    panels_of_task = ceil_div(panels, across), across = ceil_div(panels, panels_of_task);
  }
  std::size_t packed_bytes() const { return static_cast<std::size_t>(panels * tiles * panel_tiles) * sizeof(bit_word); }
  static constexpr std::size_t thread_bytes() {
    return static_cast<std::size_t>(most_blocks * depth_tiles * tile_rows) * sizeof(bit_word);
  }
};

// Eight words as eight words of their bytes 0, 1, ..., 7; the last word's byte comes first.
KLEENE_AFFINE inline __m512i bytes_of_words(__m512i words) {
  const __m512i turned =
      _mm512_set_epi64(0x070f171f272f373f, 0x060e161e262e363e, 0x050d151d252d353d, 0x040c141c242c343c,
                       0x030b131b232b333b, 0x020a121a222a323a, 0x0109111921293139, 0x0008101820283038);
  return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, turned, words);
}

// Eight rows of 64 columns as eight tiles of B.
KLEENE_AFFINE inline __m512i tiles_of_rows(__m512i rows) {
  return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(0x0102040810204080), bytes_of_words(rows), 0);
}
// And eight tiles of C as eight rows.
KLEENE_AFFINE inline __m512i rows_of_tiles(__m512i tiles) {
  const __m512i bytes =
      _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(static_cast<long long>(0x8040201008040201u)), tiles, 0);
  const __m512i turned =
      _mm512_set_epi64(0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
                       0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901, 0x3830282018100800);
  return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, turned, bytes);
}

// Panel `panel` of B: [tile of k][tile of columns]. Rows beyond the last and bits past the last column are zero.
KLEENE_AFFINE inline void pack_panel(const bit_view<const bit>& b, index_t panel, index_t tiles, bit_word* to) {
  const bit_word last = last_word_mask(b.cols());
  for (index_t t = 0; t < tiles; ++t)
    for (index_t w = panel * panel_words; w < (panel + 1) * panel_words; ++w, to += tile_bits) {
      alignas(64) bit_word rows[tile_bits] = {};
      const index_t count = w < b.words() ? std::clamp<index_t>(b.rows() - t * tile_bits, 0, tile_bits) : 0;
      const bit_word mask = w + 1 == b.words() ? last : ~bit_word{0};
      for (index_t r = 0; r < count; ++r) rows[r] = b.row(t * tile_bits + r)[w] & mask;
      _mm512_store_si512(to, tiles_of_rows(_mm512_load_si512(rows)));
    }
}

// Tiles [first, first + count) of k of 96 rows of A from row i on: [tile of k][tile of rows]. first is a whole word.
KLEENE_AFFINE inline void pack_rows(const bit_view<const bit>& a, index_t i, index_t first, index_t count,
                                    bit_word* to) {
  for (index_t r = 0; r < tile_rows; ++r)
    for (index_t t = 0; t < count; t += tile_bits) {
      const index_t w = (first + t) / tile_bits;
      alignas(64) bit_word rows[tile_bits] = {};
      const index_t here = w < a.words() ? std::clamp<index_t>(a.rows() - i - r * tile_bits, 0, tile_bits) : 0;
      for (index_t x = 0; x < here; ++x) rows[x] = a.row(i + r * tile_bits + x)[w];
      _mm512_store_si512(rows, bytes_of_words(_mm512_load_si512(rows)));
      for (index_t x = 0; x < std::min(tile_bits, count - t); ++x) to[(t + x) * tile_rows + r] = rows[x];
    }
}

// C ^= A B of 96 rows and 128 columns: rows from i, words from w of C, as far as it goes.
KLEENE_AFFINE [[gnu::noinline]] inline void multiply_tiles(const bit_word* a, const bit_word* b, index_t tiles,
                                                           const bit_view<bit>& c, index_t i, index_t w) {
  __m512i sum[tile_rows][panel_words];
#pragma GCC unroll 12
  for (int r = 0; r < tile_rows; ++r) sum[r][0] = sum[r][1] = _mm512_setzero_si512();
  for (index_t t = 0; t < tiles; t += 2, a += 2 * tile_rows, b += 2 * panel_tiles) {
    const __m512i b0 = _mm512_load_si512(b), b1 = _mm512_load_si512(b + 8), b2 = _mm512_load_si512(b + 16),
                  b3 = _mm512_load_si512(b + 24);
#pragma GCC unroll 12
    for (int r = 0; r < tile_rows; ++r) {
      const __m512i a0 = _mm512_set1_epi64(static_cast<long long>(a[r])),
                    a1 = _mm512_set1_epi64(static_cast<long long>(a[tile_rows + r]));
      constexpr int all_three = 0x96;  // x ^ y ^ z
      sum[r][0] = _mm512_ternarylogic_epi64(sum[r][0], _mm512_gf2p8affine_epi64_epi8(b0, a0, 0),
                                            _mm512_gf2p8affine_epi64_epi8(b2, a1, 0), all_three);
      sum[r][1] = _mm512_ternarylogic_epi64(sum[r][1], _mm512_gf2p8affine_epi64_epi8(b1, a0, 0),
                                            _mm512_gf2p8affine_epi64_epi8(b3, a1, 0), all_three);
    }
  }
  const bool both = w + 1 < c.words();
#pragma GCC unroll 12
  for (int r = 0; r < tile_rows; ++r) {
    alignas(64) bit_word left[tile_bits], right[tile_bits];
    _mm512_store_si512(left, rows_of_tiles(sum[r][0]));
    _mm512_store_si512(right, rows_of_tiles(sum[r][1]));
    const index_t top = i + r * tile_bits, here = std::min(tile_bits, c.rows() - top);
    for (index_t x = 0; x < here; ++x) {
      bit_word* const row = c.row(top + x) + w;
      row[0] ^= left[x];
      if (both) row[1] ^= right[x];
    }
  }
}

#undef KLEENE_AFFINE

// One task: some blocks of rows and panels of columns, all of k.
inline void multiply_task(const bit_product& p, const affine_plan& plan, index_t task, const bit_word* packed,
                          bit_word* rows) {
  const index_t block = task / plan.across * plan.blocks_of_task, panel = task % plan.across * plan.panels_of_task;
  const index_t blocks = std::min(plan.blocks_of_task, plan.blocks - block);
  const index_t panels = std::min(plan.panels_of_task, plan.panels - panel);
  constexpr index_t height = tile_rows * tile_bits;
  const index_t w0 = panel * panel_words, w1 = std::min(p.c.words(), (panel + panels) * panel_words);
  for (index_t i = block * height; i < std::min(p.c.rows(), (block + blocks) * height); ++i) {
    if (!p.accumulate) std::fill(p.c.row(i) + w0, p.c.row(i) + w1, 0);
    else if (w1 == p.c.words()) p.c.row(i)[w1 - 1] &= last_word_mask(p.c.cols());
  }
  for (index_t t = 0; t < plan.tiles; t += depth_tiles) {
    const index_t tiles = std::min(depth_tiles, plan.tiles - t);
    for (index_t r = 0; r < blocks; ++r)
      pack_rows(p.a, (block + r) * height, t, tiles, rows + r * depth_tiles * tile_rows);
    for (index_t j = panel; j < panel + panels; ++j)
      for (index_t r = 0; r < blocks; ++r)
        multiply_tiles(rows + r * depth_tiles * tile_rows, packed + (j * plan.tiles + t) * panel_tiles, tiles, p.c,
                       (block + r) * height, j * panel_words);
  }
}

}  // namespace detail

// Whether the processor has what the kernel needs beside instruction_set::avx512.
inline bool has_affine() { return __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512vbmi"); }

inline std::string describe_affine(const bit_product&) { return "tiles of 8 x 8 bits (GFNI), 96 x 128 in registers"; }

inline std::size_t affine_workspace(const bit_product& p) {
  const detail::affine_plan plan(p);
  return plan.packed_bytes() + plan.thread_bytes() * static_cast<std::size_t>(p.threads);
}

inline void launch_affine_product(const bit_product& p, void* workspace) noexcept {
  const detail::affine_plan plan(p);
  auto* packed = static_cast<bit_word*>(workspace);
  char* own = static_cast<char*>(workspace) + plan.packed_bytes();
  task_queue panels, tasks;
  run_team(p.threads, [&](const team_member& member) {
    auto* rows = reinterpret_cast<bit_word*>(own + member.thread * plan.thread_bytes());
    for (index_t j; (j = panels.next()) < plan.panels;)
      detail::pack_panel(p.b, j, plan.tiles, packed + j * plan.tiles * detail::panel_tiles);
    member.barrier();
    for (index_t task; (task = tasks.next()) < plan.down * plan.across;)
      detail::multiply_task(p, plan, task, packed, rows);
  });
}

#else

inline bool has_affine() { return false; }
inline std::string describe_affine(const bit_product&) { return {}; }
inline std::size_t affine_workspace(const bit_product&) { return 0; }
inline void launch_affine_product(const bit_product&, void*) noexcept {}

#endif

}  // namespace kleene::kernels::cpu
