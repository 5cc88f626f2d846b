#include "cpu_gemv.hpp"

#include "interleave.hpp"
#include "kleene/algebra/catalog.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"
#include "kleene/operations/gemv.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

namespace kleene::bench {

namespace {

// Reads an array front to back with the widest vectors, and does next to nothing with it.
struct reader {
  const char* from;
  index_t bytes;
  std::uint64_t sink = 0;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    using V = kernels::cpu::vector_of<std::uint64_t, Bytes>;
    constexpr int chains = 4;
    V all[chains]{};
#pragma GCC unroll 1
    for (index_t at = 0; at + chains * Bytes <= bytes; at += chains * Bytes)
#pragma GCC unroll 4
      for (int c = 0; c < chains; ++c) {
        V next;
        std::memcpy(&next, from + at + c * Bytes, sizeof(V));
        all[c] ^= next;
      }
    for (int c = 0; c < chains; ++c) sink += all[c][0];
  }
};

template <class Body>
double seconds_on_all_threads(const context& ctx, index_t bytes, const Body& body) {
  const double start = now();
  run_team(ctx.threads(), [&](const team_member& member) {
    const index_t each = bytes / member.threads / 64 * 64, begin = each * member.thread;
    body(begin, member.thread + 1 == member.threads ? bytes - begin : each);
  });
  return now() - start;
}

// Bytes a second: the greater of what all threads read, and what they read and write with memcpy.
double memory_roof(const context& ctx, const char* from, char* to, index_t bytes) {
  std::atomic<std::uint64_t> sink{0};
  const double reading = seconds_on_all_threads(ctx, bytes, [&](index_t begin, index_t count) {
    reader read{from + begin, count};
    kernels::cpu::run_on(best_instruction_set(), read);
    sink += read.sink;
  });
  const double copying = seconds_on_all_threads(ctx, bytes, [&](index_t begin, index_t count) {
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(count));
  });
  return std::max(double(bytes) / reading, 2 * double(bytes) / copying);
}

enum class form { rows, columns, rows_with_witness };

template <class S, class Out = value_of<S>>
void product(cpu_rows& rows, S s, form how, const context& ctx) {
  using T = value_of<S>;
  const index_t m = 8192, k = 8192 * 4 / static_cast<index_t>(sizeof(T));
  const std::string work = std::string("gemv ") + S::name + " " + type_name<T> +
                           (how == form::columns ? ", x A"
                            : how == form::rows  ? ", A x"
                                                 : ", A x, witness") +
                           ", " + std::to_string(m) + " x " + std::to_string(k) + ", " + std::to_string(ctx.threads()) +
                           (ctx.threads() == 1 ? " thread" : " threads");
  if (!rows.wants(work)) return;
  matrix<T> a(m, k, uninitialised{}), copy(m, k);
  splitmix64 random{1};
  const auto draw = [&] {
    const std::uint64_t z = random();
    if constexpr (!std::is_integral_v<T>) return T(double(z >> 40) * 0x1p-24);
    else return static_cast<T>(z % 1000);
  };
  for (index_t e = 0; e < a.size(); ++e) a.data()[e] = draw();
  std::vector<T> x(static_cast<std::size_t>(how == form::columns ? m : k));
  std::generate(x.begin(), x.end(), draw);
  std::vector<Out> y(static_cast<std::size_t>(how == form::columns ? k : m));
  std::vector<std::int32_t> witness(y.size());
  const double bytes = double(a.size()) * sizeof(T);
  const measurement measured = interleave(
      rows.rounds, bytes,
      [&] {
        if (how == form::columns) return gemv(ctx, s, x, a, y);
        if constexpr (is_selective<S>)
          if (how == form::rows_with_witness) return gemv(ctx, s, a, x, y, witness);
        gemv(ctx, s, a, x, y);
      },
      [&] {
        return memory_roof(ctx, reinterpret_cast<const char*>(a.data()), reinterpret_cast<char*>(copy.data()),
                           static_cast<index_t>(bytes));
      });
  rows.add(work, "memory", "bytes", measured, 0.85);
}

}  // namespace

void run_cpu_gemv(cpu_rows& rows, const context& one, const context& all) {
  for (const context* ctx : {&one, &all}) {
    product(rows, min_plus<f32>{}, form::rows, *ctx);
    product(rows, min_plus<f32>{}, form::columns, *ctx);
    product(rows, min_plus<f32>{}, form::rows_with_witness, *ctx);
    product(rows, min_plus<f64>{}, form::rows, *ctx);
    product(rows, min_plus<i32>{}, form::rows, *ctx);
    product(rows, plus_times<f32>{}, form::rows, *ctx);
    product(rows, plus_times<f64>{}, form::rows, *ctx);
    product(rows, plus_times<i32>{}, form::rows, *ctx);
    product(rows, min_times<i32>{}, form::rows, *ctx);
    product<plus_times<i8>, i32>(rows, {}, form::rows, *ctx);
    product<plus_times<f16>, f32>(rows, {}, form::rows, *ctx);
    product<plus_times<bf16>, f32>(rows, {}, form::rows, *ctx);
    product(rows, log_plus<f32>{}, form::rows, *ctx);
    product(rows, log_plus<f32>{}, form::columns, *ctx);
  }
}

}  // namespace kleene::bench
