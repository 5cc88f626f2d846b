// Products, ranks and inverses over GF(2) of Kleene and of M4RI (https://github.com/malb/m4ri), in one process and in
// turns, on one thread:
//
//   apt-get install libm4ri-dev
//   g++ -std=c++20 -O2 -Iinclude bench/peers/m4ri.cpp build/release/libkleene.a $(pkg-config --libs m4ri fmt zlib) \
//       -llzma -lzstd -lbz2 -lexpat -fopenmp -o m4ri
//   OMP_NUM_THREADS=1 ./m4ri $(git rev-parse --short HEAD) products > m4ri.json
//   OMP_NUM_THREADS=1 ./m4ri $(git rev-parse --short HEAD) eliminations > m4ri_eliminations.json
//
// Square matrices of random bits, median of five rounds after one (eliminations up to 4096: of 31); the results are
// compared. Products: both take the
// method that they choose by themselves (M4RI: Strassen and Winograd above the Four Russians). Ranks and inverses: the
// faster of M4RI's two ways, by the Four Russians (m4ri) and by triangular factors (pluq).
#include "kleene/operations/gf2.hpp"

#include <m4ri/m4ri.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string_view>
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

bool same_bits(const bit_view<const bit>& a, mzd_t* b) {
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < a.cols(); ++j)
      if (a(i, j) != (mzd_read_bit(b, static_cast<rci_t>(i), static_cast<rci_t>(j)) != 0)) return false;
  return true;
}

void time_products(const context& ctx, index_t n, std::mt19937_64& draw) {
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
  const double operations = 2e-12 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  std::printf(
      "%s\n {\"n\": %ld, \"equal\": %s, \"kleene_seconds\": %.6f, \"m4ri_seconds\": %.6f, \"kleene_tops\": %.2f, "
      "\"m4ri_tops\": %.2f}",
      n == 1024 ? "" : ",", long(n), same_bits(c.view(), mc) ? "true" : "false", median(ours), median(theirs),
      operations / median(ours), operations / median(theirs));
  for (mzd_t* m : {ma, mb, mc}) mzd_free(m);
}

// Seconds of our call and of M4RI's two, each on what prepare() made for it.
template <class Ours, class Prepare, class M4ri, class Pluq>
void time_elimination(const char* work, index_t n, const Ours& ours, const Prepare& prepare, const M4ri& m4ri,
                      const Pluq& pluq, const std::function<bool()>& equal, bool first) {
  std::vector<double> seconds[3];
  for (int round = 0; round < (n > 4096 ? 6 : 32); ++round) {
    const double mine = seconds_of(ours);
    prepare();
    const double tables = seconds_of(m4ri);
    prepare();
    const double factors = seconds_of(pluq);
    if (round > 0) seconds[0].push_back(mine), seconds[1].push_back(tables), seconds[2].push_back(factors);
  }
  std::printf("%s\n {\"work\": \"%s\", \"n\": %ld, \"equal\": %s", first ? "" : ",", work, long(n),
              equal() ? "true" : "false");
  const char* const names[] = {"kleene", "m4ri", "pluq"};
  for (int who = 0; who < 3; ++who)
    std::printf(", \"%s_seconds\": %.6f, \"%s_fastest\": %.6f", names[who], median(seconds[who]), names[who],
                *std::ranges::min_element(seconds[who]));
  std::printf(", \"times\": %.2f}", std::min(median(seconds[1]), median(seconds[2])) / median(seconds[0]));
}

void time_ranks(const context& ctx, index_t n, std::mt19937_64& draw) {
  const bit_matrix a = random_bits(n, draw);
  mzd_t *const ma = same_as(a), *const worked = mzd_copy(nullptr, ma);
  index_t ours = 0, theirs = 0;
  time_elimination(
      "rank", n, [&] { ours = rank(ctx, xor_and<bit>{}, a); }, [&] { mzd_copy(worked, ma); },
      [&] { theirs = mzd_echelonize_m4ri(worked, 0, 0); }, [&] { theirs = mzd_echelonize_pluq(worked, 0); },
      [&] { return ours == theirs; }, n == 1024);
  mzd_free(ma), mzd_free(worked);
}

// Of the first random matrix that has one.
void time_inverses(const context& ctx, index_t n, std::mt19937_64& draw) {
  bit_matrix a = random_bits(n, draw), x(n, n);
  while (!inverse(ctx, xor_and<bit>{}, a, x).exists) a = random_bits(n, draw);
  mzd_t *const ma = same_as(a), *const worked = mzd_copy(nullptr, ma), *const mx = mzd_copy(nullptr, ma);
  time_elimination(
      "inverse", n, [&] { (void)inverse(ctx, xor_and<bit>{}, a, x); }, [&] { mzd_copy(worked, ma), mzd_set_ui(mx, 1); },
      [&] { mzd_inv_m4ri(mx, ma, 0); }, [&] { mzd_solve_left(worked, mx, 0, 0); },
      [&] { return same_bits(x.view(), mx); }, false);
  for (mzd_t* m : {ma, worked, mx}) mzd_free(m);
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 draw(1);
  const context ctx = context::cpu({.threads = 1});
  const bool products = argc < 3 || std::string_view(argv[2]) == "products";
  std::printf("{\"commit\": \"%s\", \"threads\": 1, \"rows\": [", argc > 1 ? argv[1] : "");
  for (index_t n = 1024; n <= 16384; n *= 2) {
    if (products) time_products(ctx, n, draw);
    else time_ranks(ctx, n, draw), time_inverses(ctx, n, draw);
    std::fflush(stdout);
  }
  std::printf("\n]}\n");
}
