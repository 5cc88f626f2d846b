#include "cpu_small.hpp"

#include "interleave.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/own/gemm.inl.hpp"

#include <algorithm>
#include <limits>

namespace kleene::bench {

namespace {

// What a user would write for a product of small matrices, for extents known when it runs.
template <class S>
[[gnu::noinline]] void plain_product(const value_of<S>* a, const value_of<S>* b, value_of<S>* c, index_t n) {
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      accumulator_of<S> sum = widen<S>(S::zero());
      for (index_t k = 0; k < n; ++k) sum = S::add(sum, S::mul(widen<S>(a[i * n + k]), widen<S>(b[k * n + j])));
      c[i * n + j] = normalise<S>(sum);
    }
}

// A call may be shorter than the clock is fine: `work` many times.
template <class Work>
double rate_of(double amount, const Work& work) {
  const double start = now();
  work();
  return amount / (now() - start);
}

template <class S>
void batched_product(cpu_rows& rows, const context& one, index_t n) {
  using T = value_of<S>;
  const std::string work =
      "batch of gemm " + name_of<S>() + " " + type_name<T> + ", n = " + std::to_string(n) + ", 1 thread";
  if (!rows.wants(work)) return;
  const index_t count = 1'000'000 / (n * n);
  splitmix64 random{1};
  batch<T> a(count, n, n), b(count, n, n), c(count, n, n);
  for (batch<T>* operand : {&a, &b})
    for (index_t e = 0; e < operand->size(); ++e) operand->data()[e] = static_cast<T>(random() % 1000);
  const double pairs = double(count) * double(n) * double(n) * double(n);
  const measurement m = interleave(
      rows.rounds, pairs, [&] { gemm(one, S{}, a, b, c, {.check_domain = false}); },
      [&] {
        return rate_of(pairs, [&] {
          for (index_t at = 0; at < count * n * n; at += n * n)
            plain_product<S>(a.data() + at, b.data() + at, c.data() + at, n);
        });
      });
  // Integers are looked at for overflow, in no plain loop.
  rows.add(work, "a plain loop", "pairs", m, std::is_integral_v<T> && n < 8 ? 1.2 : 2);
}

// 1,000 graphs of 10 to 40 vertices, two arcs in three.
void small_closures(cpu_rows& rows, const context& one) {
  const char* work = "1,000 closures with predecessors, min_plus f32, 10 to 40 vertices, 1 thread";
  if (!rows.wants(work)) return;
  const index_t count = 1000, most = 40;
  splitmix64 random{1};
  batch<f32> graphs(count, most, most), closed(count, most, most);
  batch<std::int32_t> predecessors(count, most, most);
  std::vector<std::int32_t> sizes(count);
  double pairs = 0;
  for (std::int32_t& size : sizes) {
    size = static_cast<std::int32_t>(10 + random() % 31);
    pairs += double(size) * size * size;
  }
  for (index_t e = 0; e < graphs.size(); ++e)
    graphs.data()[e] = random() % 3 == 0 ? std::numeric_limits<f32>::infinity() : static_cast<f32>(random() % 1000);
  const measurement m = interleave(
      rows.rounds, pairs, [&] { (void)closure(one, min_plus<f32>{}, closed, predecessors, {.sizes = sizes}); },
      [&] {
        closed = graphs;
        return rate_of(pairs, [&] { (void)closure(one, min_plus<f32>{}, closed, {.sizes = sizes}); });
      },
      [&] { closed = graphs; });
  rows.add(work, "the same without predecessors", "pairs", m, 1.0 / 3);
}

// The shortest length and, of those, the fewest hops: as a struct, and packed into a number with the length on top.
struct hops_apart {
  struct value_type {
    std::uint16_t length, hops;
    friend bool operator==(const value_type&, const value_type&) = default;
  };
  static constexpr const char* name = "fewest_hops";
  static constexpr value_type zero() { return {30000, 0}; }
  static constexpr value_type add(value_type a, value_type b) {
    return b.length < a.length || (b.length == a.length && b.hops < a.hops) ? b : a;
  }
  static constexpr value_type mul(value_type a, value_type b) {
    return {static_cast<std::uint16_t>(a.length + b.length), static_cast<std::uint16_t>(a.hops + b.hops)};
  }
};
struct hops_packed {
  using value_type = std::uint32_t;
  static constexpr const char* name = "fewest_hops_packed";
  static constexpr value_type zero() { return 30000u << 16; }
  static constexpr value_type add(value_type a, value_type b) { return b < a ? b : a; }
  static constexpr value_type mul(value_type a, value_type b) { return a + b; }
};

void ring_over_structs(cpu_rows& rows, const context& one) {
  const char* work = "gemm ring over {u16, u16}, n = 1024, 1 thread";
  if (!rows.wants(work)) return;
  const index_t n = 1024;
  splitmix64 random{1};
  matrix<hops_apart::value_type> a(n, n), b(n, n), c(n, n);
  matrix<std::uint32_t> packed_a(n, n), packed_b(n, n), packed_c(n, n);
  const auto draw = [&](auto& apart, auto& packed) {
    for (index_t e = 0; e < apart.size(); ++e) {
      const auto length = static_cast<std::uint16_t>(random() % 1000), hops = static_cast<std::uint16_t>(random() % 8);
      apart.data()[e] = {length, hops};
      packed.data()[e] = std::uint32_t{length} << 16 | hops;
    }
  };
  draw(a, packed_a);
  draw(b, packed_b);
  const double pairs = double(n) * double(n) * double(n);
  const measurement m = interleave(
      rows.rounds, pairs, [&] { gemm(one, hops_apart{}, a, b, c); },
      [&] { return rate_of(pairs, [&] { gemm(one, hops_packed{}, packed_a, packed_b, packed_c); }); });
  rows.add(work, "the same packed into u32", "pairs", m, 1.0 / 3);
}

}  // namespace

void run_cpu_small(cpu_rows& rows, const context& one) {
  for (const index_t n : {4, 5, 8, 12, 16}) batched_product<min_plus<f32>>(rows, one, n);
  for (const index_t n : {4, 16}) batched_product<min_plus<f64>>(rows, one, n);
  for (const index_t n : {4, 16}) batched_product<min_plus<i32>>(rows, one, n);
  small_closures(rows, one);
  ring_over_structs(rows, one);
}

}  // namespace kleene::bench
