// What a condensed closure needs beside products: strongly connected components, rows combined and spread by class, and
// rows closed by way of their successors, whose closures are known already.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/launch.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace kleene::kernels::cpu {

namespace detail {

// to |= from.
template <int Bytes>
[[gnu::always_inline]] inline void or_words(bit_word* to, const bit_word* from, index_t words) {
  typedef bit_word vector __attribute__((vector_size(Bytes), may_alias));
  constexpr index_t step = Bytes / index_t{sizeof(bit_word)};
  index_t w = 0;
  for (; w + step <= words; w += step) {
    vector x, y;
    std::memcpy(&x, to + w, sizeof x);
    std::memcpy(&y, from + w, sizeof y);
    x |= y;
    std::memcpy(to + w, &x, sizeof x);
  }
  for (; w < words; ++w) to[w] |= from[w];
}

// Tarjan's algorithm (1972), without recursion. A row is read in words, "and not seen": each once on the way down, and
// once more for its successors that are still open, unless a child has already reached the bottom of the open vertices.
class component_search {
 public:
  component_search(const bit_view<const bit>& a, std::int32_t* component_of, void* workspace)
      : a_(a),
        component_(component_of),
        n_(a.rows()),
        seen_(static_cast<bit_word*>(workspace)),
        open_(seen_ + a.words()) {
    number_ = reinterpret_cast<std::int32_t*>(open_ + a.words());
    low_ = number_ + n_, stack_ = low_ + n_, path_ = stack_ + n_, at_ = path_ + n_;
    std::fill_n(seen_, 2 * a.words(), 0);
    if (n_ > 0) seen_[a.words() - 1] = ~last_word_mask(n_);
  }
  static std::size_t workspace(index_t n) {
    return static_cast<std::size_t>(2 * words_for(n)) * sizeof(bit_word) +
           static_cast<std::size_t>(5 * n) * sizeof(std::int32_t);
  }

  // Components are finished in reverse topological order, and numbered from `last` down.
  index_t run() {
    for (index_t root = 0; root < n_; ++root)
      if (!has(seen_, root)) walk(root);
    for (index_t v = 0; v < n_; ++v) component_[v] = count_ - 1 - component_[v];
    return count_;
  }

 private:
  static bool has(const bit_word* set, index_t v) { return (set[v / bits_per_word] >> (v % bits_per_word) & 1) != 0; }
  static bit_word bit_of(index_t v) { return bit_word{1} << (v % bits_per_word); }

  void enter(index_t v) {
    seen_[v / bits_per_word] |= bit_of(v), open_[v / bits_per_word] |= bit_of(v);
    number_[v] = low_[v] = entered_++;
    stack_[opened_++] = static_cast<std::int32_t>(v);
    path_[depth_] = static_cast<std::int32_t>(v), at_[depth_++] = 0;
  }

  void walk(index_t root) {
    const index_t words = a_.words();
    for (enter(root); depth_ > 0;) {
      const index_t v = path_[depth_ - 1];
      const bit_word* row = a_.row(v);
      index_t w = at_[depth_ - 1];
      while (w < words && (row[w] & ~seen_[w]) == 0) ++w;
      at_[depth_ - 1] = static_cast<std::int32_t>(w);
      if (w < words) enter(w * bits_per_word + std::countr_zero(row[w] & ~seen_[w]));
      else leave(v);
    }
  }

  void leave(index_t v) {
    const bit_word* row = a_.row(v);
    const std::int32_t bottom = number_[stack_[0]];
    std::int32_t low = low_[v];
    for (index_t w = 0; w < a_.words() && low > bottom; ++w)
      for (bit_word x = row[w] & open_[w]; x != 0 && low > bottom; x &= x - 1)
        low = std::min(low, number_[w * bits_per_word + std::countr_zero(x)]);
    if (low == number_[v]) finish(v);
    if (--depth_ > 0) low_[path_[depth_ - 1]] = std::min(low_[path_[depth_ - 1]], low);
  }

  void finish(index_t root) {
    for (index_t u = -1; u != root;) {
      u = stack_[--opened_];
      open_[u / bits_per_word] &= ~bit_of(u);
      component_[u] = static_cast<std::int32_t>(count_);
    }
    ++count_;
  }

  const bit_view<const bit>& a_;
  std::int32_t* component_;
  index_t n_;
  bit_word *seen_, *open_;
  std::int32_t *number_, *low_, *stack_;  // the stack: open vertices
  std::int32_t *path_, *at_;              // vertices on the current path, and how far their rows are read
  std::int32_t entered_ = 0;
  index_t opened_ = 0, depth_ = 0, count_ = 0;
};

}  // namespace detail

inline std::size_t component_workspace(index_t n) { return detail::component_search::workspace(n); }

inline index_t find_components(const bit_view<const bit>& a, std::int32_t* component_of, void* workspace) noexcept {
  return detail::component_search(a, component_of, workspace).run();
}

struct combine_rows_worker {
  const bit_view<const bit>& from;
  const std::int32_t* class_of;
  const bit_view<bit>& to;
  task_queue& strips;
  static constexpr index_t strip = 32;  // words: four lines of the cache

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    const index_t words = to.words();
    for (index_t first; (first = strip * strips.next()) < words;) {
      const index_t here = std::min(strip, words - first);
      for (index_t c = 0; c < to.rows(); ++c) std::fill_n(to.row(c) + first, here, 0);
      for (index_t v = 0; v < from.rows(); ++v)
        detail::or_words<Bytes>(to.row(class_of[v]) + first, from.row(v) + first, here);
    }
  }
};

inline void combine_rows(const bit_view<const bit>& from, const std::int32_t* class_of, const bit_view<bit>& to,
                         int threads, instruction_set isa) noexcept {
  task_queue strips;
  run_tasks(threads, [&](const team_member&) {
    combine_rows_worker worker{from, class_of, to, strips};
    run_on(isa, worker);
  });
}

inline void spread_rows(const bit_view<const bit>& from, const std::int32_t* class_of, const bit_view<bit>& to,
                        int threads) noexcept {
  task_queue rows;
  run_tasks(threads, [&](const team_member&) {
    for (index_t v; (v = rows.next()) < to.rows();) std::copy_n(from.row(class_of[v]), from.words(), to.row(v));
  });
}

struct follow_rows_worker {
  const bit_view<bit>& rows;
  const bit_view<const bit>& closed;
  const bit_view<bit>& left;
  index_t most;
  task_queue& tasks;
  std::atomic<bool>& any_left;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    for (index_t i; (i = tasks.next()) < rows.rows();) follow<Bytes>(rows.row(i), left.row(i));
  }

 private:
  template <int Bytes>
  [[gnu::always_inline]] void follow(bit_word* row, bit_word* arcs) {
    const index_t words = rows.words();
    std::copy_n(row, words, arcs);
    std::fill_n(row, words, 0);
    index_t followed = 0;
    for (index_t w = words - 1; w >= 0; --w)
      for (bit_word x; (x = arcs[w] & ~row[w]) != 0;) {
        if (followed++ == most) {
          for (index_t u = 0; u < words; ++u) arcs[u] &= ~row[u];
          any_left.store(true, std::memory_order_relaxed);
          return;
        }
        const index_t d = w * bits_per_word + bits_per_word - 1 - std::countl_zero(x);
        detail::or_words<Bytes>(row, closed.row(d), w + 1);
      }
    std::fill_n(arcs, words, 0);
  }
};

inline bool follow_rows(const bit_view<bit>& rows, const bit_view<const bit>& closed, const bit_view<bit>& left,
                        index_t most, int threads, instruction_set isa) noexcept {
  task_queue tasks;
  std::atomic<bool> any_left{false};
  run_tasks(threads, [&](const team_member&) {
    follow_rows_worker worker{rows, closed, left, most, tasks, any_left};
    run_on(isa, worker);
  });
  return any_left;
}

}  // namespace kleene::kernels::cpu
