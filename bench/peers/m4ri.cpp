// Products over GF(2) of Kleene and of M4RI (https://github.com/malb/m4ri), in one process and in turns, on one thread:
//
//   apt-get install libm4ri-dev
//   g++ -std=c++20 -O2 -Iinclude bench/peers/m4ri.cpp build/release/libkleene.a $(pkg-config --libs m4ri fmt zlib) \
//       -llzma -lzstd -lbz2 -lexpat -fopenmp -o m4ri
//   OMP_NUM_THREADS=1 ./m4ri $(git rev-parse --short HEAD) > m4ri.json
//
// Square matrices of random bits, median of five rounds after one; the results are compared. Both take the method that
// they choose by themselves (M4RI: Strassen and Winograd above the Four Russians).
#include "kleene/operations/bits.hpp"

#include <m4ri/m4ri.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

using namespace kleene;

namespace {

template <class F>
double seconds_of(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

mzd_t* same_as(const bit_matrix& a) {
  mzd_t* m = mzd_init(static_cast<rci_t>(a.rows()), static_cast<rci_t>(a.cols()));
  const auto from = a.view();
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < a.cols(); ++j)
      if (from(i, j)) mzd_write_bit(m, static_cast<rci_t>(i), static_cast<rci_t>(j), 1);
  return m;
}

bit_matrix random_bits(index_t n, std::mt19937_64& draw) {
  bit_matrix a(n, n);
  const auto words = a.view();
  for (index_t i = 0; i < n; ++i)
    for (index_t w = 0; w < words.words(); ++w) words.row(i)[w] = draw();
  return a;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 draw(1);
  const context ctx = context::cpu({.threads = 1});
  std::printf("{\"commit\": \"%s\", \"threads\": 1, \"rows\": [", argc > 1 ? argv[1] : "");
  for (index_t n = 1024; n <= 16384; n *= 2) {
    const bit_matrix a = random_bits(n, draw), b = random_bits(n, draw);
    bit_matrix c(n, n);
    mzd_t *const ma = same_as(a), *const mb = same_as(b),
                 *const mc = mzd_init(static_cast<rci_t>(n), static_cast<rci_t>(n));
    std::vector<double> ours, theirs;
    for (int round = 0; round < 6; ++round) {
      const double mine = seconds_of([&] { gemm(ctx, xor_and<bit>{}, a, b, c); });
      const double m4ri = seconds_of([&] { mzd_mul(mc, ma, mb, 0); });
      if (round > 0) ours.push_back(mine), theirs.push_back(m4ri);
    }
    bool equal = true;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j)
        equal &= c.view()(i, j) == (mzd_read_bit(mc, static_cast<rci_t>(i), static_cast<rci_t>(j)) != 0);
    const double operations = 2e-12 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    std::printf(
        "%s\n {\"n\": %ld, \"equal\": %s, \"kleene_seconds\": %.6f, \"m4ri_seconds\": %.6f, \"kleene_tops\": %.2f, "
        "\"m4ri_tops\": %.2f}",
        n == 1024 ? "" : ",", long(n), equal ? "true" : "false", median(ours), median(theirs),
        operations / median(ours), operations / median(theirs));
    std::fflush(stdout);
    for (mzd_t* m : {ma, mb, mc}) mzd_free(m);
  }
  std::printf("\n]}\n");
}
