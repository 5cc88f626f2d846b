// Transposition, packing and unpacking of bits, and the innermost block of a closure.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/bits/launch.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>

namespace kleene::kernels::cpu {

namespace detail {

// Transposes 64 x 64 bits in place by swapping quarters of ever smaller squares (Warren, Hacker's Delight, 7-3).
inline void transpose_square(bit_word (&x)[64]) {
  bit_word mask = 0x00000000ffffffffu;
  for (int s = 32; s > 0; s /= 2, mask ^= mask << s)
    for (int i = 0; i < 64; i = ((i | s) + 1) & ~s) {
      const bit_word t = ((x[i] >> s) ^ x[i | s]) & mask;
      x[i] ^= t << s;
      x[i | s] ^= t;
    }
}

}  // namespace detail

// 512 x 512 bits at a time, so that whole cache lines are written: rows are often a power of two apart, and
// lines written word by word would push each other out of a few sets (65,536 x 65,536, one core of a Zen 5: 3.1 s).
inline void launch_bit_transpose(const bit_view<const bit>& from, const bit_view<bit>& to, int threads) noexcept {
  constexpr index_t line = 8;  // words
  task_queue tasks;
  run_tasks(threads, [&](const team_member&) {
    bit_word lines[line * bits_per_word][line];
    for (index_t w; (w = line * tasks.next()) < to.words();) {  // a column of lines of the transpose
      const index_t down = std::min(line, to.words() - w);
      for (index_t v = 0; v < from.words(); v += line) {
        const index_t across = std::min(line, from.words() - v);
        for (index_t i = 0; i < down; ++i)
          for (index_t j = 0; j < across; ++j) {
            bit_word square[64] = {};
            const index_t rows = std::min(bits_per_word, from.rows() - (w + i) * bits_per_word);
            for (index_t r = 0; r < rows; ++r) square[r] = from.row((w + i) * bits_per_word + r)[v + j];
            detail::transpose_square(square);
            for (index_t c = 0; c < bits_per_word; ++c) lines[j * bits_per_word + c][i] = square[c];
          }
        const index_t cols = std::min(line * bits_per_word, from.cols() - v * bits_per_word);
        for (index_t c = 0; c < cols; ++c) {
          bit_word* const words = to.row(v * bits_per_word + c) + w;
          for (index_t i = 0; i < down; ++i) words[i] = lines[c][i];
        }
      }
    }
  });
}

template <class T>
void launch_bit_pack(const matrix_view<const T>& from, const bit_view<bit>& to, int threads) noexcept {
  task_queue tasks;
  run_tasks(threads, [&](const team_member&) {
    for (index_t i; (i = tasks.next()) < to.rows();)
      for (index_t w = 0; w < to.words(); ++w) {
        const index_t j0 = w * bits_per_word, bits = std::min(bits_per_word, to.cols() - j0);
        bit_word word = 0;
        for (index_t b = 0; b < bits; ++b) word |= bit_word{from(i, j0 + b) != T(0)} << b;
        to.row(i)[w] = word;
      }
  });
}

template <class T>
void launch_bit_unpack(const bit_view<const bit>& from, const matrix_view<T>& to, int threads) noexcept {
  task_queue tasks;
  run_tasks(threads, [&](const team_member&) {
    for (index_t i; (i = tasks.next()) < to.rows();)
      for (index_t j = 0; j < to.cols(); ++j) to(i, j) = static_cast<T>(from(i, j));
  });
}

struct bit_closure_worker {
  const bit_view<bit>& a;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    const index_t n = a.rows(), words = a.words();
    if (n == 0) return;
    const bit_word last = last_word_mask(n);
    for (index_t i = 0; i < n; ++i) {
      a.row(i)[words - 1] &= last;
      a.set(i, i, true);
    }
    for (index_t k = 0; k < n; ++k) {
      const bit_word* pivot = a.row(k);
      for (index_t i = 0; i < n; ++i) {
        if (i == k || !a(i, k)) continue;
        bit_word* row = a.row(i);
        for (index_t w = 0; w < words; ++w) row[w] |= pivot[w];
      }
    }
  }
};

inline void close_bits(const bit_view<bit>& a, instruction_set isa) noexcept {
  bit_closure_worker worker{a};
  run_on(isa, worker);
}

}  // namespace kleene::kernels::cpu
