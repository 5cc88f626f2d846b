// The product of packed bits by the method of the Four Russians, on any processor: for a strip of 512 columns and 64
// rows of B at a time, eight tables hold the sums of every subset of eight rows; a word of A is then eight look-ups. A
// is copied first, word by word of k, so that a strip reads it in order (rows a power of two apart would share a few
// sets of the cache).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/launch.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <cstring>

namespace kleene::kernels::cpu {

namespace detail {

inline constexpr index_t strip_words = 8;  // a cache line of C's row
inline constexpr index_t strip_rows =
    8192;  // of C at a time: 512 KB, beside 128 KB of tables in the second-level cache
inline constexpr index_t table_count = 8, table_entries = 256;
template <int Bytes>
struct word_vector {
  typedef bit_word type __attribute__((vector_size(Bytes), may_alias));
};
inline constexpr index_t tables_bytes = table_count * table_entries * strip_words * index_t{sizeof(bit_word)};

struct table_plan {
  index_t depth, strips, rows, row_blocks;  // words of k; strips of columns; rows of a task
  explicit table_plan(const bit_product& p) {
    depth = words_for(p.a.cols());
    strips = ceil_div(p.c.words(), strip_words);
    // Tables cost as much as 256 rows of look-ups: tasks stay long unless threads would be idle.
    const index_t fair = (p.c.rows() * strips + 2 * p.threads - 1) / (2 * p.threads);
    rows = std::min({p.c.rows(), strip_rows, std::max<index_t>(fair, 2048)});
    row_blocks = ceil_div(p.c.rows(), rows);
  }
  index_t tasks() const { return strips * row_blocks; }
  std::size_t copy_bytes(const bit_product& p) const { return ceil_div(depth * p.a.rows(), 8) * 64; }
  std::size_t thread_bytes() const { return tables_bytes + rows * strip_words * sizeof(bit_word); }
};

}  // namespace detail

struct table_product_worker {
  const bit_product& p;
  const detail::table_plan& plan;
  bit_word* copy;  // word w of A's row i: copy[w * m + i]
  char* own;       // this thread's tables and strip
  task_queue &copying, &tasks;
  team_member member;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    copy_a();
    member.barrier();
    for (index_t task; (task = tasks.next()) < plan.tasks();) {
      if (p.parity) multiply<Bytes, true>(task);
      else multiply<Bytes, false>(task);
    }
  }

 private:
  static constexpr index_t lines = 64;  // rows of A whose words are copied together: whole cache lines are written

  [[gnu::always_inline]] void copy_a() {
    const index_t m = p.a.rows(), all = ceil_div(m, lines);
    for (index_t t; (t = copying.next()) < all;)
      for (index_t w = 0; w < plan.depth; ++w)
        for (index_t i = t * lines; i < std::min(m, (t + 1) * lines); ++i) copy[w * m + i] = p.a.row(i)[w];
  }

  template <bool Parity, class V>
  [[gnu::always_inline]] static V sum(const V& a, const V& b) {
    if constexpr (Parity) return a ^ b;
    else return a | b;
  }

  // Words [first, first + 8) of a row, as far as it goes; zero behind it.
  [[gnu::always_inline]] static void read(bit_word* to, const bit_word* row, index_t first, index_t words,
                                          bit_word last) {
    const index_t here = std::min(detail::strip_words, words - first);
    for (index_t w = 0; w < detail::strip_words; ++w) to[w] = w < here ? row[first + w] : 0;
    if (first + here == words) to[here - 1] &= last;
  }

  template <int Bytes, bool Parity>
  [[gnu::always_inline]] void multiply(index_t task) {
    using namespace detail;
    using V = typename word_vector<Bytes>::type;
    constexpr index_t vectors = strip_words * index_t{sizeof(bit_word)} / Bytes;
    const index_t m = p.a.rows(), k = p.a.cols(), words = p.c.words();
    const index_t first = task / plan.row_blocks * strip_words;
    const index_t i0 = task % plan.row_blocks * plan.rows, count = std::min(plan.rows, m - i0);
    const bit_word last = last_word_mask(p.c.cols());
    auto* tables = reinterpret_cast<V*>(own);
    auto* strip = reinterpret_cast<V*>(own + tables_bytes);

    for (index_t i = 0; i < count; ++i) {
      auto* to = reinterpret_cast<bit_word*>(strip + i * vectors);
      if (p.accumulate) read(to, p.c.row(i0 + i), first, words, last);
      else std::memset(to, 0, strip_words * sizeof(bit_word));
    }
    for (index_t w = 0; w < plan.depth; ++w) {
      for (index_t t = 0; t < table_count; ++t) {
        V* table = tables + t * table_entries * vectors;
        std::memset(table, 0, strip_words * sizeof(bit_word));
        for (index_t r = 0; r < 8; ++r) {
          alignas(64) bit_word row[strip_words] = {};
          if (const index_t at = w * bits_per_word + t * 8 + r; at < k) read(row, p.b.row(at), first, words, last);
          V line[vectors];
          std::memcpy(line, row, sizeof line);
          for (index_t s = 0; s < index_t{1} << r; ++s)
            for (index_t v = 0; v < vectors; ++v)
              table[((index_t{1} << r) + s) * vectors + v] = sum<Parity>(table[s * vectors + v], line[v]);
        }
      }
      const bit_word* a = copy + w * m + i0;
      for (index_t i = 0; i < count; ++i) {
        const bit_word subset = a[i];
        V c[vectors];
        for (index_t v = 0; v < vectors; ++v) c[v] = strip[i * vectors + v];
#pragma GCC unroll 8  // GCC 12 does not by itself: 10 Tops in place of 13 (8192 x 8192 x 8192, a core of a Zen 4)
        for (index_t t = 0; t < table_count; ++t) {
          const V* entry = tables + (t * table_entries + static_cast<index_t>(subset >> (8 * t) & 255)) * vectors;
          for (index_t v = 0; v < vectors; ++v) c[v] = sum<Parity>(c[v], entry[v]);
        }
        for (index_t v = 0; v < vectors; ++v) strip[i * vectors + v] = c[v];
      }
    }
    const index_t here = std::min(strip_words, words - first);
    for (index_t i = 0; i < count; ++i)
      std::memcpy(p.c.row(i0 + i) + first, strip + i * vectors, here * sizeof(bit_word));
  }
};

inline std::size_t table_workspace(const bit_product& p) {
  const detail::table_plan plan(p);
  return plan.copy_bytes(p) + plan.thread_bytes() * static_cast<std::size_t>(p.threads);
}

inline void launch_table_product(const bit_product& p, void* workspace) noexcept {
  const detail::table_plan plan(p);
  task_queue copying, tasks;
  char* own = static_cast<char*>(workspace) + plan.copy_bytes(p);
  run_team(p.threads, [&](const team_member& member) {
    table_product_worker worker{
        p, plan, static_cast<bit_word*>(workspace), own + member.thread * plan.thread_bytes(), copying, tasks, member};
    run_on(p.isa, worker);
  });
}

inline std::string describe_tables(const bit_product& p) {
  return "Four Russians, strips of 512 columns, " + std::to_string(detail::table_plan(p).rows) + " rows a task";
}

}  // namespace kleene::kernels::cpu
