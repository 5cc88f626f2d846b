#include "roofs/cpu_roof.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/order.hpp"
#include "kleene/kernels/cpu/tile/sums.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace kleene::bench {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Makes the compiler forget what it knows about a register; no instruction.
template <class V>
[[gnu::always_inline]] inline void forget(V& v) {
  // clang asks, before it inlines, whether the function may use such registers, and sanitizers keep v in memory; loads
  // are no limit here.
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  asm volatile("" : : "r"(&v) : "memory");
#elif defined(__x86_64__)
  if constexpr (sizeof(V) == 64) asm volatile("" : "+v"(v));
  else asm volatile("" : "+x"(v));
#else
  asm volatile("" : "+w"(v));
#endif
}

// What to expect, in vectors a clock: 1 pair for f32 and f64 add + min on Intel (both want ports 0 and 5). On Zen 3, 4
// and 5 four pipes add and take minima on the same two (2.0 of vaddps, vminps, or both mixed; vmulps + vminps 4.0), and
// do i32 on all four: 2 pairs, of f32 too where the sum is a multiply-add or floats are compared as integers. Measured
// on Zen 5, before either: 16.0 f32, 8.0 f64, 31.8 i32, 16.0 max-min pairs a clock; on Zen 4 by AVX2 8.1 f32, by
// multiply-adds 14.9.
template <class S, bool ByMultiplying>
struct roof_loop {
  using T = accumulator_of<S>;
  long iterations;
  double pairs = 0;
  T sink{};

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    using V = kernels::cpu::vector_of<T, Bytes>;
    constexpr int down = Bytes == 64 ? 4 : 2, across = 4, chains = down * across;  // as many as the registers hold
    constexpr int width = kernels::cpu::lanes<T, Bytes>::count;
    V acc[chains], x[down], y[across];
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) acc[c] = V{} + T(100 + c);
#pragma GCC unroll 32
    for (int r = 0; r < down; ++r) x[r] = V{} + T(r + 1);
#pragma GCC unroll 32
    for (int r = 0; r < across; ++r) y[r] = V{} + T(r + 7);
    [[maybe_unused]] V one;
    if constexpr (ByMultiplying) kernels::cpu::hide_one(one);
#pragma GCC unroll 1
    for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
      for (int r = 0; r < down; ++r) forget(x[r]);  // nothing can be carried over from the last iteration
#pragma GCC unroll 16
      for (int r = 0; r < across; ++r) forget(y[r]);
#pragma GCC unroll 32
      for (int c = 0; c < chains; ++c) {
        V left = x[c / across];
        if constexpr (ByMultiplying) left = left * one;
        kernels::cpu::multiply_add<S>(acc[c], left, y[c % across]);
      }
    }
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) {
      V last = acc[c];  // a copy: chains stay in registers
      forget(last);
      sink += last[0];
    }
    pairs = double(iterations) * chains * width;
  }
};

template <class Loop>
double fastest_of_five(int threads) {
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::atomic<double> total{0};
    const double start = now();
    run_team(threads, [&](const team_member&) {
      Loop loop{400000};
      kernels::cpu::run_on(best_instruction_set(), loop);
      total += loop.pairs;
    });
    best = std::max(best, total / (now() - start));
  }
  return best;
}

}  // namespace

// Of the two ways to add or to compare, where there are two.
template <class S>
double register_roof(int threads) {
  double best = fastest_of_five<roof_loop<S, false>>(threads);
  if constexpr (kernels::cpu::adds_by_multiplying<S>)
    best = std::max(best, fastest_of_five<roof_loop<S, true>>(threads));
  if constexpr (kernels::cpu::only_compares<S>)
    best = std::max(best, fastest_of_five<roof_loop<kernels::cpu::in_order<S>, false>>(threads));
  return best;
}

template double register_roof<min_plus<f32>>(int);
template double register_roof<min_plus<f64>>(int);
template double register_roof<min_plus<i32>>(int);
template double register_roof<min_plus<i16>>(int);
template double register_roof<min_plus<u8>>(int);
template double register_roof<max_min<f32>>(int);
template double register_roof<plus_times<f32>>(int);

double clock_rate() {
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    constexpr long steps = 1'000'000;
    constexpr double latency = 3;
    unsigned long x = 3;
    const double start = now();
    for (long i = 0; i < steps; ++i) {
      x *= x;
      asm volatile("" : "+r"(x));
    }
    best = std::max(best, latency * double(steps) / (now() - start));
  }
  return best;
}

}  // namespace kleene::bench
