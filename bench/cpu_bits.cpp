#include "cpu_bits.hpp"

#include "interleave.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/operations/bits.hpp"

namespace kleene::bench {

namespace {

bit_matrix random_bits(index_t n, splitmix64& random) {
  bit_matrix a(n, n, uninitialised{});
  const bit_view<bit> v = a.view();
  for (index_t i = 0; i < n; ++i)
    for (index_t w = 0; w < v.words(); ++w) v.row(i)[w] = random();
  return a;
}

template <class S>
double product_rate(const context& one, S s, const bit_matrix& a, const bit_matrix& b, bit_matrix& c) {
  const double start = now(), n = double(a.rows());
  gemm(one, s, a, b, c);
  return n * n * n / (now() - start);
}

void product(cpu_rows& rows, const context& one) {
  const char* work = "gemm or_and bits, n = 16384, 1 thread";
  if (!rows.wants(work)) return;
  const index_t n = 16384;
  splitmix64 random{1};
  const bit_matrix a = random_bits(n, random), b = random_bits(n, random);
  bit_matrix c(n, n), d(n, n);
  const measurement m = interleave(
      rows.rounds, double(n) * double(n) * double(n), [&] { gemm(one, or_and<bit>{}, a, b, c); },
      [&] { return product_rate(one, xor_and<bit>{}, a, b, d); });
  rows.add(work, "xor_and", "pairs", m, 0.7);
}

void closed(cpu_rows& rows, const context& one) {
  const char* work = "closure or_and bits, not condensed, n = 8192, 1 thread";
  if (!rows.wants(work)) return;
  const index_t n = 8192;
  splitmix64 random{1};
  const bit_matrix graph = random_bits(n, random), b = random_bits(n, random);
  bit_matrix a(n, n), c(n, n);
  const measurement m = interleave(
      rows.rounds, double(n) * double(n) * double(n), [&] { closure(one, or_and<bit>{}, a, {.condense = false}); },
      [&] { return product_rate(one, or_and<bit>{}, graph, b, c); }, [&] { a = graph; });
  rows.add(work, "gemm", "pairs", m, 0.5);
}

}  // namespace

void run_cpu_bits(cpu_rows& rows, const context& one) {
  product(rows, one);
  closed(rows, one);
}

}  // namespace kleene::bench
