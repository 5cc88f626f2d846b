// A panel of an elimination over GF(2): its pivots are found and its rows transformed, in place, a word of 64 columns
// at a time. The pivots of a word come from reducing rows one by one until there are as many as columns, which needs
// little more than 64 rows of most matrices. Then every row adds the reduced pivot rows that its word names: eight
// tables of 256 sums, the Four Russians. The panel is copied first: lines of 64 bytes in a matrix whose rows are a
// power of two apart would share a few sets of the cache.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/tables.inl.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kleene::kernels::cpu {

namespace detail {

// The reduced row echelon form of a word of columns, and how it comes from rows: the pivot of column c has the word
// reduced[c], which is a sum of `count` rows, sums[c] says of which. Zero where there is no pivot.
struct word_pivots {
  int count = 0;
  bit_word columns = 0;  // that have a pivot
  index_t rows[bits_per_word];
  alignas(64) bit_word reduced[bits_per_word] = {}, sums[bits_per_word] = {};

  // Takes row i, whose word is x, unless it is a sum of those before it. All columns at once, since branches would go
  // the wrong way half of the time (6 us a word of 64 x 64 random bits; without them 4, in vectors 2).
  template <int Bytes>
  [[gnu::always_inline]] void offer(index_t i, bit_word x) {
    using V = typename word_vector<Bytes>::type;
    constexpr index_t lanes = Bytes / index_t{sizeof(bit_word)}, vectors = bits_per_word / lanes;
    auto* const r = reinterpret_cast<V*>(reduced);
    auto* const s = reinterpret_cast<V*>(sums);
    V column, x_terms{}, sum_terms{};
    for (index_t l = 0; l < lanes; ++l) column[l] = static_cast<bit_word>(l);
    for (index_t v = 0; v < vectors; ++v) {
      const V taken = V{} - (((V{} + x) >> (column + static_cast<bit_word>(v * lanes))) & 1);
      x_terms ^= r[v] & taken, sum_terms ^= s[v] & taken;
    }
    bit_word sum = bit_word{1} << count;
    for (index_t l = 0; l < lanes; ++l) x ^= x_terms[l], sum ^= sum_terms[l];
    if (x == 0) return;
    const int pivot = std::countr_zero(x);
    for (index_t v = 0; v < vectors; ++v) {
      const V taken = V{} - ((r[v] >> pivot) & 1);
      r[v] ^= taken & x, s[v] ^= taken & sum;
    }
    rows[count++] = i;
    columns |= bit_word{1} << pivot;
    reduced[pivot] = x, sums[pivot] = sum;
  }
};

// The lowest bits of x, in order, where `places` has bits.
inline bit_word deposit(bit_word x, bit_word places) {
  if (places == ~bit_word{0}) return x;
  bit_word placed = 0;
  for (; places != 0; places &= places - 1, x >>= 1)
    if ((x & 1) != 0) placed |= places & (~places + 1);
  return placed;
}

}  // namespace detail

inline constexpr index_t gf2_panel_words = gf2_panel_columns / bits_per_word;
inline constexpr index_t gf2_table_words = detail::table_entries * gf2_panel_words;

// One word of a panel: its pivots, their rows, and the tables that all other rows take.
struct gf2_pivots_worker {
  const gf2_panel& p;
  index_t w;
  index_t& pivots;  // of the panel's words so far
  detail::word_pivots& found;
  bit_word* tables;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    find<Bytes>();
    if (found.count > 0) exchange<Bytes>();
  }

 private:
  // The pivots of word w, whose rows change places with the first ones that have none.
  template <int Bytes>
  [[gnu::always_inline]] void find() {
    found = {};
    const index_t first = p.row + pivots, most = std::min(bits_per_word, p.cols - w * bits_per_word);
    for (index_t i = first; i < p.a.rows() && found.count < most; ++i)
      if (const bit_word x = p.t.row(i)[w]; x != 0) found.offer<Bytes>(i, x);
    for (int j = 0; j < found.count; ++j) {
      const index_t to = first + j, from = found.rows[j];
      p.swaps[to] = from;
      if (from == to) continue;
      std::swap_ranges(p.a.row(to), p.a.row(to) + p.a.words(), p.a.row(from));
      std::swap_ranges(p.t.row(to), p.t.row(to) + gf2_panel_words, p.t.row(from));
    }
  }

  // The pivots' rows become what they are in the end: reduced, and in the pivots' own columns the transformation.
  template <int Bytes>
  [[gnu::always_inline]] void exchange() {
    using V = typename detail::word_vector<Bytes>::type;
    constexpr index_t vectors = gf2_panel_words * index_t{sizeof(bit_word)} / Bytes;
    alignas(64) bit_word rows[bits_per_word][gf2_panel_words] = {};  // by column of the pivot
    const index_t first = p.row + pivots;
    for (bit_word left = found.columns; left != 0; left &= left - 1) {
      const int c = std::countr_zero(left);
      V row[vectors] = {};
      for (bit_word sum = found.sums[c]; sum != 0; sum &= sum - 1) {
        const auto* const term = reinterpret_cast<const V*>(p.t.row(first + std::countr_zero(sum)));
        for (index_t v = 0; v < vectors; ++v) row[v] ^= term[v];
      }
      std::memcpy(rows[c], row, sizeof row);
      rows[c][w] = (found.reduced[c] & ~found.columns) | detail::deposit(found.sums[c], found.columns);
    }
    for (bit_word left = found.columns; left != 0; left &= left - 1) {
      const int c = std::countr_zero(left);
      std::copy_n(rows[c], gf2_panel_words, p.t.row(p.row + pivots));
      p.pivots[p.row + pivots++] = p.col + w * bits_per_word + c;
      rows[c][w] ^= bit_word{1} << c;  // who adds it loses its own bit there
    }
    make_tables<Bytes>(rows);
  }

  // The sums of every subset of eight rows.
  template <int Bytes>
  [[gnu::always_inline]] void make_tables(const bit_word (&rows)[bits_per_word][gf2_panel_words]) {
    using V = typename detail::word_vector<Bytes>::type;
    constexpr index_t vectors = gf2_panel_words * index_t{sizeof(bit_word)} / Bytes;
    for (index_t t = 0; t < detail::table_count; ++t) {
      V* const table = reinterpret_cast<V*>(tables + t * gf2_table_words);
      for (index_t v = 0; v < vectors; ++v) table[v] = V{};
      for (index_t r = 0; r < 8; ++r) {
        V row[vectors];
        std::memcpy(row, rows[8 * t + r], sizeof row);
        for (index_t s = 0; s < index_t{1} << r; ++s)
          for (index_t v = 0; v < vectors; ++v)
            table[((index_t{1} << r) + s) * vectors + v] = table[s * vectors + v] ^ row[v];
      }
    }
  }
};

// What the pivots of a word mean for the rows [first, last).
struct gf2_rows_worker {
  const gf2_panel& p;
  index_t w;
  const bit_word* tables;
  index_t first, last;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    for (index_t i = first; i < last; ++i) add<Bytes>(p.t.row(i));
  }

 private:
  // A row that is no pivot's adds what its bits in the pivots' columns name. (Other columns name zero.)
  template <int Bytes>
  [[gnu::always_inline]] void add(bit_word* row) {
    using V = typename detail::word_vector<Bytes>::type;
    constexpr index_t vectors = gf2_panel_words * index_t{sizeof(bit_word)} / Bytes;
    const bit_word subset = row[w];
    auto* const x = reinterpret_cast<V*>(row);
    V sum[vectors];
    for (index_t v = 0; v < vectors; ++v) sum[v] = x[v];
#pragma GCC unroll 8
    for (index_t t = 0; t < detail::table_count; ++t) {
      const auto entry = static_cast<index_t>(subset >> (8 * t) & 255);
      const auto* const term = reinterpret_cast<const V*>(tables + t * gf2_table_words + entry * gf2_panel_words);
      for (index_t v = 0; v < vectors; ++v) sum[v] ^= term[v];
    }
    for (index_t v = 0; v < vectors; ++v) x[v] = sum[v];
  }
};

class gf2_panel_steps {
 public:
  gf2_panel_steps(const gf2_panel& p, bit_word* tables, int threads, instruction_set isa)
      : p_(p), tables_(tables), threads_(threads), isa_(isa) {}

  index_t run() {
    share_rows([&](index_t i) { load(i); });
    for (index_t w = 0; w < words_for(p_.cols); ++w) {
      gf2_pivots_worker search{p_, w, pivots_, found_, tables_};
      run_on(isa_, search);
      if (found_.count > 0) add_pivots(w);
    }
    bit_word kept[gf2_panel_words];
    std::fill_n(kept, gf2_panel_words, ~bit_word{0});
    for (index_t j = p_.row; j < p_.row + pivots_ && !p_.invert; ++j) kept[word_of(j)] &= ~bit_of(j);
    share_rows([&](index_t i) { store(i, kept); });
    mark_pivots();
    return pivots_;
  }

 private:
  static constexpr index_t rows_of_task = 512;

  // share(first, last) for all rows that the panel works on, by whoever is free.
  template <class F>
  void share(const F& f) {
    task_queue tasks;
    const index_t top = p_.invert ? 0 : p_.row, end = p_.a.rows();
    run_tasks(threads_, [&](const team_member&) {
      for (index_t i; (i = top + rows_of_task * tasks.next()) < end;) f(i, std::min(end, i + rows_of_task));
    });
  }
  template <class F>
  void share_rows(const F& f) {
    share([&](index_t first, index_t last) {
      for (index_t i = first; i < last; ++i) f(i);
    });
  }

  // All rows but the pivots' own.
  void add_pivots(index_t w) {
    const index_t own = p_.row + pivots_ - found_.count, behind = p_.row + pivots_;
    share([&](index_t first, index_t last) {
      gf2_rows_worker above{p_, w, tables_, first, std::min(last, own)};
      gf2_rows_worker below{p_, w, tables_, std::max(first, behind), last};
      run_on(isa_, above);
      run_on(isa_, below);
    });
  }

  void load(index_t i) {
    const index_t words = words_for(p_.cols);
    const bit_word* const from = p_.a.row(i) + p_.col / bits_per_word;
    bit_word* const to = p_.t.row(i);
    // Rows are pages apart: without it the copy of a panel of 16,384 rows takes 0.28 ms in place of 0.11.
    __builtin_prefetch(p_.a.row(std::min(i + 32, p_.a.rows() - 1)) + p_.col / bits_per_word);
    for (index_t w = 0; w < gf2_panel_words; ++w) to[w] = w < words ? from[w] : 0;
    to[words - 1] &= last_word_mask(p_.cols);
  }

  // Where the pivot of row j stands in the panel.
  index_t word_of(index_t j) const { return (p_.pivots[j] - p_.col) / bits_per_word; }
  bit_word bit_of(index_t j) const { return bit_word{1} << (p_.pivots[j] % bits_per_word); }

  void store(index_t i, const bit_word* kept) {
    bit_word* const to = p_.a.row(i) + p_.col / bits_per_word;
    for (index_t w = 0; w < words_for(p_.cols); ++w) to[w] = p_.t.row(i)[w] & kept[w];
  }
  void mark_pivots() {
    for (index_t j = p_.row; j < p_.row + pivots_; ++j) {
      p_.t.row(j)[word_of(j)] ^= bit_of(j);
      if (!p_.invert) p_.a.row(j)[p_.pivots[j] / bits_per_word] |= bit_of(j);
    }
  }

  const gf2_panel& p_;
  bit_word* tables_;
  int threads_;
  instruction_set isa_;
  detail::word_pivots found_;  // in the word at hand
  index_t pivots_ = 0;         // of all words
};

inline std::size_t gf2_panel_workspace() {
  return static_cast<std::size_t>(detail::table_count * gf2_table_words) * sizeof(bit_word);
}

inline index_t launch_gf2_panel(const gf2_panel& p, void* workspace, int threads, instruction_set isa) noexcept {
  return gf2_panel_steps(p, static_cast<bit_word*>(workspace), threads, isa).run();
}

}  // namespace kleene::kernels::cpu
