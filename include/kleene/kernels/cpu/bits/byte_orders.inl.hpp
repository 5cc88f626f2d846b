// Bytes of vectors in another order, where the processor permutes bytes (VBMI).
#pragma once

#include "kleene/data/view.hpp"

#include <array>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define KLEENE_HAS_VBMI 1
#else
#define KLEENE_HAS_VBMI 0
#endif

#if KLEENE_HAS_VBMI

namespace kleene::kernels::cpu::detail {

#define KLEENE_VBMI [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]]

inline constexpr index_t vector_size = 64;

struct byte_order {
  alignas(64) std::array<std::uint8_t, 64> at;
};
template <class F>
constexpr byte_order order_of(F&& source) {
  byte_order order{};
  for (int i = 0; i < 64; ++i) order.at[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(source(i));
  return order;
}

// Zeroing forms: those without leave GCC 12 to warn of what they do not read.
KLEENE_VBMI inline __m512i permuted(const __m512i& order, __m512i bytes) {
  return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, order, bytes);
}
KLEENE_VBMI inline __m512i permuted(const byte_order& order, __m512i bytes) {
  return permuted(_mm512_load_si512(order.at.data()), bytes);
}

// Word j of x[i] and word i of x[j] change places.
KLEENE_VBMI inline void transpose_words(__m512i (&x)[8]) {
  constexpr __mmask8 all = 0xff;
  __m512i pairs[2][4];
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) {
    pairs[0][i] = _mm512_maskz_unpacklo_epi64(all, x[2 * i], x[2 * i + 1]);
    pairs[1][i] = _mm512_maskz_unpackhi_epi64(all, x[2 * i], x[2 * i + 1]);
  }
#pragma GCC unroll 8
  for (int odd = 0; odd < 2; ++odd) {
    const __m512i* const p = pairs[odd];
    const __m512i a = _mm512_maskz_shuffle_i64x2(all, p[0], p[1], 0x88),
                  b = _mm512_maskz_shuffle_i64x2(all, p[0], p[1], 0xdd),
                  c = _mm512_maskz_shuffle_i64x2(all, p[2], p[3], 0x88),
                  d = _mm512_maskz_shuffle_i64x2(all, p[2], p[3], 0xdd);
    x[odd] = _mm512_maskz_shuffle_i64x2(all, a, c, 0x88), x[odd + 4] = _mm512_maskz_shuffle_i64x2(all, a, c, 0xdd);
    x[odd + 2] = _mm512_maskz_shuffle_i64x2(all, b, d, 0x88), x[odd + 6] = _mm512_maskz_shuffle_i64x2(all, b, d, 0xdd);
  }
}

inline constexpr byte_order bytes_turned = order_of([](int i) { return i % 8 * 8 + i / 8; });

// Bytes [64 r][64 c] of `from` become [64 c][64 r] of `to`, the first 8 `above` rows and 8 `across` columns; zero
// behind the rows.
KLEENE_VBMI inline void transpose_bytes(const std::uint8_t* from, std::uint8_t* to, index_t above, index_t across) {
  alignas(64) __m512i words[8][8];  // [word of a row][eight rows]
  for (index_t a = 0; a < above; ++a) {
    __m512i x[8];
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) x[r] = _mm512_load_si512(from + (8 * a + r) * vector_size);
    transpose_words(x);
#pragma GCC unroll 8
    for (int q = 0; q < 8; ++q) words[q][a] = permuted(bytes_turned, x[q]);
  }
  for (index_t q = 0; q < across; ++q) {
    __m512i x[8];
#pragma GCC unroll 8
    for (int a = 0; a < 8; ++a) x[a] = a < above ? words[q][a] : _mm512_setzero_si512();
    transpose_words(x);
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) _mm512_store_si512(to + (8 * q + c) * vector_size, x[c]);
  }
}

#undef KLEENE_VBMI

}  // namespace kleene::kernels::cpu::detail

#endif
