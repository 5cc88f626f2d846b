// The product of a few rows with a matrix of packed bits, on any processor: a row of B is added to those rows of C
// whose row of A has its bit. The lanes of a vector are rows, and a step takes a word of B's row, so that B is read
// once, in place, for as many rows as there are lanes.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/launch.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>

namespace kleene::kernels::cpu {

namespace detail {

inline constexpr index_t chosen_rows = 512;  // of B at a time: 32 KB of masks
inline constexpr index_t most_lanes = 8;

struct few_rows_plan {
  index_t words, tasks;  // of C's rows in a task
  explicit few_rows_plan(const bit_product& p) {
    words = p.threads == 1 ? p.c.words() : round_up(ceil_div(p.c.words(), 2 * index_t{p.threads}), 16);
    tasks = ceil_div(p.c.words(), words);
  }
  static constexpr std::size_t thread_bytes() { return chosen_rows * most_lanes * sizeof(bit_word); }
};

}  // namespace detail

struct few_rows_worker {
  const bit_product& p;
  const detail::few_rows_plan& plan;
  bit_word* masks;  // [row of B][lane]: all ones where the lane's row of A has its bit
  task_queue& tasks;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    for (index_t task; (task = tasks.next()) < plan.tasks;) {
      if (p.parity) multiply<Bytes, true>(task * plan.words);
      else multiply<Bytes, false>(task * plan.words);
    }
  }

 private:
  template <int Bytes>
  struct vector {
    typedef bit_word type __attribute__((vector_size(Bytes), may_alias));
  };
  template <int Bytes>
  static constexpr index_t lanes = Bytes / index_t{sizeof(bit_word)};

  template <int Bytes, bool Parity>
  [[gnu::always_inline]] void multiply(index_t first) {
    const index_t end = std::min(first + plan.words, p.c.words()), k = p.a.cols();
    for (index_t i = 0; i < p.c.rows(); i += lanes<Bytes>)
      for (index_t r = 0; r == 0 || r < k; r += detail::chosen_rows) {
        const index_t rows = std::min(detail::chosen_rows, k - r);
        choose<Bytes>(i, r, rows);
        constexpr int most = Bytes == 64 ? 16 : 8;  // registers
        add_words<Bytes, Parity, most>(i, r, rows, first, end);
      }
  }

  template <int Bytes>
  [[gnu::always_inline]] void choose(index_t i, index_t r, index_t rows) {
    using V = typename vector<Bytes>::type;
    const index_t here = std::min(lanes<Bytes>, p.a.rows() - i);
    for (index_t x = 0; x < rows; x += bits_per_word) {
      V words = {};
      for (index_t lane = 0; lane < here; ++lane) words[lane] = p.a.row(i + lane)[(r + x) / bits_per_word];
      for (index_t bit = 0; bit < std::min(bits_per_word, rows - x); ++bit)
        reinterpret_cast<V*>(masks)[x + bit] = -(words >> bit & 1);
    }
  }

  // C's words [w, end) of the lanes' rows, Words at a time, and what is left by half as many.
  template <int Bytes, bool Parity, int Words>
  [[gnu::always_inline]] void add_words(index_t i, index_t r, index_t rows, index_t w, index_t end) {
    for (; w + Words <= end; w += Words) add<Bytes, Parity, Words>(i, r, rows, w);
    if constexpr (Words > 1) add_words<Bytes, Parity, Words / 2>(i, r, rows, w, end);
  }

  template <int Bytes, bool Parity, int Words>
  [[gnu::always_inline]] void add(index_t i, index_t r, index_t rows, index_t w) {
    using V = typename vector<Bytes>::type;
    V sum[Words] = {};
    const bit_word* from = p.b.row(r) + w;
    for (index_t x = 0; x < rows; ++x, from += p.b.stride()) {
      if constexpr (Words >= 8) __builtin_prefetch(from + 16 * p.b.stride());
      const V mask = reinterpret_cast<const V*>(masks)[x];
#pragma GCC unroll 16
      for (int s = 0; s < Words; ++s) {
        const V chosen = mask & from[s];
        if constexpr (Parity) sum[s] ^= chosen;
        else sum[s] |= chosen;
      }
    }
    const index_t here = std::min(lanes<Bytes>, p.c.rows() - i);
    for (index_t lane = 0; lane < here; ++lane)
      for (int s = 0; s < Words; ++s) {
        bit_word& to = p.c.row(i + lane)[w + s];
        const bit_word before = p.accumulate || r > 0 ? to : 0;
        to = (Parity ? before ^ sum[s][lane] : before | sum[s][lane]) &
             (w + s + 1 == p.c.words() ? last_word_mask(p.c.cols()) : ~bit_word{0});
      }
  }
};

inline std::size_t few_rows_workspace(const bit_product& p) {
  return detail::few_rows_plan::thread_bytes() * static_cast<std::size_t>(p.threads);
}

inline void launch_few_rows_product(const bit_product& p, void* workspace) noexcept {
  const detail::few_rows_plan plan(p);
  task_queue tasks;
  run_tasks(p.threads, [&](const team_member& member) {
    char* const own = static_cast<char*>(workspace) + member.thread * detail::few_rows_plan::thread_bytes();
    few_rows_worker worker{p, plan, reinterpret_cast<bit_word*>(own), tasks};
    run_on(p.isa, worker);
  });
}

inline std::string describe_few_rows(const bit_product& p) {
  return "rows of B added where A has bits, " + std::to_string(vector_bytes(p.isa) / sizeof(bit_word)) +
         " rows at a time";
}

}  // namespace kleene::kernels::cpu
