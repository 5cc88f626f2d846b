// The product where the processor permutes bytes (VBMI): the method of the Four Russians with tables in registers. For
// six rows of B and eight columns the sums of every subset of the rows are 64 bytes, one register; one vpermb looks up
// those of 64 rows of A, each by six of its bits. Sums of 320 rows and 32 columns stay in registers while k goes by. On
// one core of a Zen 5 the look-ups run at 42 to 49 Tops, where two vpermb a cycle would be 50. With 256 rows, which
// read a table every 16 permutations in place of 20, they run at 36; vpermi2b, which has tables of seven rows, at 23.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/byte_orders.inl.hpp"
#include "kleene/kernels/cpu/bits/launch.hpp"

#include <algorithm>

namespace kleene::kernels::cpu {

#if KLEENE_HAS_VBMI

namespace detail {

#define KLEENE_VBMI [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]]

inline constexpr index_t subset_rows = 6;                    // of B in a table: a group
inline constexpr index_t vector_rows = vector_size;          // of A, whose subsets are the bytes of a vector
inline constexpr int tile_vectors = 5, tile_columns = 4;     // of bytes, in registers
inline constexpr index_t band_words = 8, band_columns = 64;  // of B's and C's rows: a line, and its bytes
inline constexpr index_t block_words = 6;                    // of k at a time, and the groups that they are:
inline constexpr index_t block_groups = block_words * bits_per_word / subset_rows;
static_assert(block_groups == vector_size, "packed by square tiles of bytes");
// 20 KB of subsets in the first-level cache, beside them 256 KB of tables for each band in the second-level one. Two
// bands read subsets from memory once: 38 Tops at 16,384 in place of 34 (one core of a Zen 5); three take 36.
inline constexpr index_t most_bands = 2;

struct byte_table_plan {
  index_t groups, vectors, bands;
  index_t rows, row_blocks;  // of a task
  index_t wide, across;      // bands of a task; tasks side by side

  explicit byte_table_plan(const bit_product& p) {
    groups = std::max<index_t>(2, round_up(ceil_div(p.a.cols(), subset_rows), 2));  // sums of none are zero, too
    vectors = ceil_div(p.c.rows(), vector_rows);
    bands = ceil_div(p.c.words(), band_words);
    wide = std::clamp<index_t>(bands / (2 * index_t{p.threads}), 1, most_bands), across = ceil_div(bands, wide);
    // Two tasks a thread, but tables cost as much as 500 rows of look-ups: of fewer than 2048 rows one.
    constexpr index_t tile_rows = tile_vectors * vector_rows, most_rows = 64 * tile_rows;
    const index_t fair = ceil_div(p.c.rows() * across, 2 * index_t{p.threads});
    rows = std::min(most_rows, round_up(std::max(fair, std::min<index_t>(2 * fair, 2048)), tile_rows));
    row_blocks = ceil_div(p.c.rows(), rows);
  }
  index_t tasks() const { return across * row_blocks; }
  index_t groups_from(index_t g) const { return std::min(block_groups, groups - g); }
  // Where the subsets of vectors [v, v + tile_vectors) begin, in groups [g, g + groups_from(g)); g begins a block.
  index_t subsets_at(index_t g, index_t v) const { return (g * vectors + groups_from(g) * v) * vector_size; }
  std::size_t subset_bytes() const { return static_cast<std::size_t>(groups * vectors * vector_size); }
  // Of a band.
  index_t table_bytes() const { return std::min(groups, block_groups) * band_columns * vector_size; }
  index_t sum_bytes() const { return std::min(rows, vectors * vector_rows) * band_columns; }
  std::size_t thread_bytes() const { return static_cast<std::size_t>(wide * (table_bytes() + sum_bytes())); }
};

template <bool Parity>
KLEENE_VBMI inline __m512i sum_of(__m512i x, __m512i y, __m512i z) {
  return _mm512_ternarylogic_epi64(x, y, z, Parity ? 0x96 : 0xfe);
}

// Words [first, first + 8) of a row of `words`; zero behind it.
KLEENE_VBMI inline __m512i load_words(const bit_word* row, index_t first, index_t words) {
  const index_t here = std::clamp<index_t>(words - first, 0, 8);
  return _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << here) - 1), row + std::min(first, words));
}

// The subsets of vectors [v, v + count) in all groups: a block of k after the other, in it [group][vector][row]. Bits
// past the last row of B choose rows of zeros.
KLEENE_VBMI inline void pack_subsets(const bit_view<const bit>& a, const byte_table_plan& plan, index_t v,
                                     index_t count, std::uint8_t* subsets) {
  // Of six words 48 bytes, of six of them eight groups; of a byte vpermb reads but the low six bits.
  constexpr byte_order six_bytes = order_of([](int i) { return i / 8 * 6 + i % 8; });
  const __m512i six_bits = _mm512_set1_epi64(0x2a241e18120c0600);
  alignas(64) std::uint8_t rows[64 * vector_size], columns[64 * vector_size];
  for (index_t g = 0; g < plan.groups; g += block_groups) {
    const index_t groups = plan.groups_from(g), word = g / block_groups * block_words;
    std::uint8_t* const to = subsets + plan.subsets_at(g, v);
    for (index_t r = 0; r < count; ++r) {
      for (index_t i = 0; i < vector_rows; ++i) {
        const index_t row = (v + r) * vector_rows + i;
        __m512i words = _mm512_setzero_si512();
        if (row < a.rows()) {
          words = load_words(a.row(row), word, a.words());
          _mm_prefetch(reinterpret_cast<const char*>(a.row(row) + std::min(word + 16, a.words() - 1)), _MM_HINT_T1);
        }
        _mm512_store_si512(rows + i * vector_size,
                           _mm512_maskz_multishift_epi64_epi8(~__mmask64{0}, six_bits, permuted(six_bytes, words)));
      }
      transpose_bytes(rows, columns, 8, ceil_div(groups, 8));
      for (index_t x = 0; x < groups; ++x)
        _mm512_store_si512(to + (x * count + r) * vector_size, _mm512_load_si512(columns + x * vector_size));
    }
  }
}

// A table's sums are those of the sums of its first and of its second three rows: these are 16 bytes.
inline constexpr byte_order half_row(int row, int half) {
  return order_of([=](int i) {
    constexpr int none = 6;
    const int second = i / 8 % 2, chosen = i >> row & 1;
    return 8 * (4 * half + i / 16) + (chosen ? row + 3 * second : none);
  });
}
inline constexpr byte_order half_rows[2][3] = {{half_row(0, 0), half_row(1, 0), half_row(2, 0)},
                                               {half_row(0, 1), half_row(1, 1), half_row(2, 1)}};
inline constexpr byte_order half_sum(int column, int second) {
  return order_of([=](int i) { return 16 * column + 8 * second + (second ? i / 8 : i % 8); });
}
inline constexpr byte_order half_sums[4][2] = {{half_sum(0, 0), half_sum(0, 1)},
                                               {half_sum(1, 0), half_sum(1, 1)},
                                               {half_sum(2, 0), half_sum(2, 1)},
                                               {half_sum(3, 0), half_sum(3, 1)}};

// The tables of groups [g, g + groups) and the words of B's rows from `first` on, `words` of them: [four columns of
// bytes][group][column].
template <bool Parity>
KLEENE_VBMI inline void fill_tables(const bit_view<const bit>& b, index_t g, index_t groups, index_t first,
                                    index_t words, std::uint8_t* tables) {
  for (index_t s = 0; s < groups; ++s) {
    __m512i x[8] = {};
    for (index_t r = 0; r < subset_rows; ++r)
      if (const index_t row = (g + s) * subset_rows + r; row < b.rows()) {
        x[r] = load_words(b.row(row), first, b.words());
        _mm_prefetch(reinterpret_cast<const char*>(b.row(std::min(row + 24, b.rows() - 1)) + first), _MM_HINT_T0);
      }
    transpose_words(x);
    for (index_t w = 0; w < words; ++w) {
      const __m512i rows = permuted(bytes_turned, x[w]);
#pragma GCC unroll 8
      for (int half = 0; half < 2; ++half) {
        const byte_order(&by)[3] = half_rows[half];
        const __m512i sums = sum_of<Parity>(permuted(by[0], rows), permuted(by[1], rows), permuted(by[2], rows));
        std::uint8_t* const to = tables + ((2 * w + half) * groups + s) * tile_columns * vector_size;
#pragma GCC unroll 8
        for (int c = 0; c < tile_columns; ++c)
          _mm512_store_si512(
              to + c * vector_size,
              sum_of<Parity>(permuted(half_sums[c][0], sums), permuted(half_sums[c][1], sums), _mm512_setzero_si512()));
      }
    }
  }
}

// Adds `groups` groups to the sums of some vectors of rows and Tiles times four columns of bytes; sums [vector][column]
// [row]. The subsets at `next` are prefetched meanwhile, as many as make all of them in a band of 16 such steps.
template <int Vectors, int Tiles, bool Parity>
KLEENE_VBMI [[gnu::noinline]] void look_up(const std::uint8_t* subsets, const std::uint8_t* tables, index_t groups,
                                           std::uint8_t* sums, bool first, const std::uint8_t* next) {
  constexpr int columns = Tiles * tile_columns;
  __m512i sum[Vectors][columns];
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v)
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) {
      sum[v][c] = _mm512_setzero_si512();
      _mm_prefetch(reinterpret_cast<const char*>(sums + (v * band_columns + c) * vector_size), _MM_HINT_T0);
    }
  const index_t tile = groups * tile_columns * vector_size;
  for (index_t g = 0; g < groups; g += 2) {
    _mm_prefetch(reinterpret_cast<const char*>(next), _MM_HINT_T1);
    __m512i s0[Vectors], s1[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      s0[v] = _mm512_load_si512(subsets + v * vector_size);
      s1[v] = _mm512_load_si512(subsets + (Vectors + v) * vector_size);
    }
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) {
      const std::uint8_t* const from = tables + c / tile_columns * tile + c % tile_columns * vector_size;
      const __m512i t0 = _mm512_load_si512(from), t1 = _mm512_load_si512(from + tile_columns * vector_size);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sum[v][c] = sum_of<Parity>(sum[v][c], permuted(s0[v], t0), permuted(s1[v], t1));
    }
    subsets += 2 * Vectors * vector_size, tables += 2 * tile_columns * vector_size;
    next += Vectors * vector_size / 8;
  }
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v)
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) {
      std::uint8_t* const at = sums + (v * band_columns + c) * vector_size;
      const __m512i before = first ? _mm512_setzero_si512() : _mm512_load_si512(at);
      _mm512_store_si512(at, sum_of<Parity>(sum[v][c], before, _mm512_setzero_si512()));
    }
}

// 64 rows of C from row i on, words from `first` on.
KLEENE_VBMI inline void store_rows(const bit_product& p, index_t i, index_t first, const std::uint8_t* sums) {
  const index_t words = std::min(band_words, p.c.words() - first), rows = std::min(vector_rows, p.c.rows() - i);
  alignas(64) std::uint8_t turned[64 * vector_size];
  transpose_bytes(sums, turned, words, ceil_div(rows, 8));
  const auto mask = static_cast<__mmask8>((1u << words) - 1);
  const auto lane = static_cast<__mmask8>(first + words == p.c.words() ? 1u << (words - 1) : 0);
  const __m512i all = _mm512_set1_epi64(-1);
  const __m512i kept = _mm512_mask_set1_epi64(all, lane, static_cast<long long>(last_word_mask(p.c.cols())));
  for (index_t r = 0; r < rows; ++r) {
    bit_word* const to = p.c.row(i + r) + first;
    __m512i x = _mm512_load_si512(turned + r * vector_size);
    if (p.accumulate) {
      const __m512i before = _mm512_maskz_loadu_epi64(mask, to);
      x = p.parity ? _mm512_xor_si512(x, before) : _mm512_or_si512(x, before);
    }
    _mm512_mask_storeu_epi64(to, mask, _mm512_and_si512(x, kept));
  }
}

#undef KLEENE_VBMI

// All columns of a band, of the rows of a tile.
template <int Vectors, bool Parity>
inline void look_up_band(const std::uint8_t* subsets, const std::uint8_t* tables, index_t groups, index_t words,
                         std::uint8_t* sums, bool first, const std::uint8_t* next) {
  constexpr int tiles = Vectors > 2 ? 1 : 2;  // enough sums for the latency of an instruction
  constexpr index_t columns = tiles * tile_columns;
  for (index_t c = 0; c < words * 8; c += columns, next += Vectors * vector_size / 8 * groups / 2)
    look_up<Vectors, tiles, Parity>(subsets, tables + c * groups * vector_size, groups, sums + c * vector_size, first,
                                    next);
}

struct byte_table_task {
  const bit_product& p;
  const byte_table_plan& plan;
  const std::uint8_t* subsets;
  std::uint8_t *tables, *sums;

  template <bool Parity>
  void run(index_t task) const {
    const index_t band = task / plan.row_blocks * plan.wide, bands = std::min(plan.wide, plan.bands - band);
    const index_t v0 = task % plan.row_blocks * plan.rows / vector_rows;
    const index_t v1 = std::min(plan.vectors, v0 + plan.rows / vector_rows);
    for (index_t g = 0; g < plan.groups; g += block_groups) {
      for (index_t x = 0; x < bands; ++x)
        fill_tables<Parity>(p.b, g, plan.groups_from(g), (band + x) * band_words, words_of(band + x),
                            tables + x * plan.table_bytes());
      for (index_t v = v0; v < v1; v += tile_vectors)
        for (index_t x = 0; x < bands; ++x)
          add<Parity>(g, v, std::min<index_t>(tile_vectors, v1 - v), tables + x * plan.table_bytes(),
                      words_of(band + x), sums_of(x, v - v0), x == 0);
    }
    for (index_t x = 0; x < bands; ++x)
      for (index_t v = v0; v < v1; ++v) store_rows(p, v * vector_rows, (band + x) * band_words, sums_of(x, v - v0));
  }

 private:
  index_t words_of(index_t band) const { return std::min(band_words, p.c.words() - band * band_words); }
  std::uint8_t* sums_of(index_t band, index_t vector) const {
    return sums + band * plan.sum_bytes() + vector * band_columns * vector_size;
  }

  template <bool Parity>
  void add(index_t g, index_t v, index_t count, const std::uint8_t* from, index_t words, std::uint8_t* to,
           bool prefetches) const {
    const index_t groups = plan.groups_from(g);
    const std::uint8_t* const chosen = subsets + plan.subsets_at(g, v);
    const std::uint8_t* const next = prefetches ? chosen + groups * count * vector_size : chosen;
    if (count == 5) look_up_band<5, Parity>(chosen, from, groups, words, to, g == 0, next);
    else if (count == 4) look_up_band<4, Parity>(chosen, from, groups, words, to, g == 0, next);
    else if (count == 3) look_up_band<3, Parity>(chosen, from, groups, words, to, g == 0, next);
    else if (count == 2) look_up_band<2, Parity>(chosen, from, groups, words, to, g == 0, next);
    else look_up_band<1, Parity>(chosen, from, groups, words, to, g == 0, next);
  }
};

}  // namespace detail

// Whether the processor has what the kernel needs beside instruction_set::avx512.
inline bool has_byte_tables() { return __builtin_cpu_supports("avx512vbmi"); }

inline std::string describe_byte_tables(const bit_product&) {
  return "Four Russians in registers (VBMI), 320 x 32 at a time";
}

inline std::size_t byte_table_workspace(const bit_product& p) {
  const detail::byte_table_plan plan(p);
  return plan.subset_bytes() + plan.thread_bytes() * static_cast<std::size_t>(p.threads);
}

inline void launch_byte_table_product(const bit_product& p, void* workspace) noexcept {
  const detail::byte_table_plan plan(p);
  auto* const subsets = static_cast<std::uint8_t*>(workspace);
  task_queue packing, tasks;
  run_team(p.threads, [&](const team_member& member) {
    for (index_t v; (v = packing.next() * detail::tile_vectors) < plan.vectors;)
      detail::pack_subsets(p.a, plan, v, std::min<index_t>(detail::tile_vectors, plan.vectors - v), subsets);
    member.barrier();
    std::uint8_t* const tables = subsets + plan.subset_bytes() + member.thread * plan.thread_bytes();
    const detail::byte_table_task work{p, plan, subsets, tables, tables + plan.wide * plan.table_bytes()};
    for (index_t task; (task = tasks.next()) < plan.tasks();) {
      if (p.parity) work.run<true>(task);
      else work.run<false>(task);
    }
  });
}

#else

inline bool has_byte_tables() { return false; }
inline std::string describe_byte_tables(const bit_product&) { return {}; }
inline std::size_t byte_table_workspace(const bit_product&) { return 0; }
inline void launch_byte_table_product(const bit_product&, void*) noexcept {}

#endif

}  // namespace kleene::kernels::cpu
