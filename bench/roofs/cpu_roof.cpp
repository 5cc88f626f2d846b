#include "roofs/cpu_roof.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
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
#if defined(__x86_64__)
  if constexpr (sizeof(V) == 64) asm volatile("" : "+v"(v));
  else asm volatile("" : "+x"(v));
#else
  asm volatile("" : "+w"(v));
#endif
}

template <class S>
struct roof_loop {
  using T = accumulator_of<S>;
  long iterations;
  double pairs = 0;
  T sink{};

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    using V = kernels::cpu::vector_of<T, Bytes>;
    constexpr int chains = Bytes == 64 ? 24 : 8;  // more than latency times throughput; they fit the registers
    constexpr int width = kernels::cpu::lanes<T, Bytes>::count;
    V acc[chains], x[4], y;
    for (int c = 0; c < chains; ++c) acc[c] = V{} + T(100 + c);
    for (int r = 0; r < 4; ++r) x[r] = V{} + T(r + 1);
    y = V{} + T(1);
#pragma GCC unroll 1
    for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 32
      for (int c = 0; c < chains; ++c) {
        forget(x[c % 4]);
        kernels::cpu::multiply_add<S>(acc[c], x[c % 4], y);
      }
    }
    for (int c = 0; c < chains; ++c) {
      forget(acc[c]);
      sink += acc[c][0];
    }
    pairs = double(iterations) * chains * width;
  }
};

}  // namespace

template <class S>
double register_roof(int threads) {
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::atomic<double> total{0};
    const double start = now();
    run_team(threads, [&](const team_member&) {
      roof_loop<S> loop{400000};
      kernels::cpu::run_on(best_instruction_set(), loop);
      total += loop.pairs;
    });
    best = std::max(best, total / (now() - start));
  }
  return best;
}

template double register_roof<min_plus<f32>>(int);
template double register_roof<min_plus<f64>>(int);
template double register_roof<min_plus<i32>>(int);
template double register_roof<max_min<f32>>(int);
template double register_roof<plus_times<f32>>(int);

double clock_rate() {
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    constexpr long steps = 2'000'000;
    unsigned long x = 1;
    const double start = now();
    for (long i = 0; i < steps; i += 8)
      for (int u = 0; u < 8; ++u) {
        x += 3;
        asm volatile("" : "+r"(x));
      }
    best = std::max(best, double(steps) / (now() - start));
  }
  return best;
}

}  // namespace kleene::bench
