#include "bits_suite.hpp"

#include "gpu_timer.cuh"
#include "kleene/data/splitmix64.hpp"
#include "kleene/operations/bits.hpp"
#include "kleene/operations/gf2.hpp"

#include <algorithm>

namespace kleene::bench {

namespace {

// Each bit set with probability 2^-halvings.
bit_matrix random_bits(index_t rows, index_t cols, int halvings, std::uint64_t seed) {
  splitmix64 random{seed};
  bit_matrix a(rows, cols, uninitialised{});
  for (index_t i = 0; i < rows; ++i)
    for (index_t w = 0; w < a.view().words(); ++w) {
      bit_word word = random();
      for (int h = 1; h < halvings; ++h) word &= random();
      a.view().row(i)[w] = word;
    }
  return a;
}

struct bits_runs {
  const context& ctx;
  const bits_suite_options& options;
  const std::function<void(const bits_row&)>& done;
  std::vector<bits_row> rows{};

  bool wants(const std::string& work) const { return work.find(options.only) != std::string::npos; }

  // `before` is not timed; `right` looks at the result.
  void add(bits_row row, const std::function<void()>& before, const std::function<void()>& call,
           const std::function<bool()>& right) {
    if (!wants(row.work)) return;
    try {
      gpu_timer timer(ctx.stream());
      std::vector<double> seconds;
      for (int round = -3; round < options.rounds; ++round) {
        if (before) before();
        timer.start();
        call();
        timer.stop();
        const double s = timer.seconds();
        if (round >= 0) seconds.push_back(s);
      }
      ctx.synchronise();
      row.seconds = median(seconds);
      row.fastest = *std::min_element(seconds.begin(), seconds.end());
      row.slowest = *std::max_element(seconds.begin(), seconds.end());
      if (!right()) row.failure = "wrong result";
    } catch (const std::exception& e) {
      row.failure = e.what();
    }
    rows.push_back(row);
    done(row);
  }
};

// Whether good(i, j) holds for 64 places of an m x n matrix, the last one included.
bool sampled(index_t m, index_t n, const std::function<bool(index_t, index_t)>& good) {
  splitmix64 random{99};
  for (int s = 0; s < 63; ++s)
    if (!good(static_cast<index_t>(random() % m), static_cast<index_t>(random() % n))) return false;
  return good(m - 1, n - 1);
}

void bench_products(bits_runs& runs, index_t n, double at_least) {
  const std::string size = ", " + std::to_string(n);
  if (!runs.wants("or_and" + size) && !runs.wants("xor_and" + size) && !runs.wants("counts" + size)) return;
  const context& ctx = runs.ctx;
  const bit_matrix a = random_bits(n, n, 7, 1), b = random_bits(n, n, 7, 2);
  const device_bit_matrix da = to_device(ctx, a), db = to_device(ctx, b);
  device_bit_matrix dc(ctx, n, n);
  const auto count = [&](index_t i, index_t j) {
    int sum = 0;
    for (index_t k = 0; k < n; ++k) sum += a(i, k) && b(k, j);
    return sum;
  };
  const auto right = [&](const std::function<bool(int)>& value) {
    const bit_matrix c = to_host(ctx, dc);
    return sampled(n, n, [&](index_t i, index_t j) { return c(i, j) == value(count(i, j)); });
  };
  const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  runs.add(
      {"or_and" + size, operations, "Tops", 0, 0, 0, at_least}, {}, [&] { gemm(ctx, or_and<bit>{}, da, db, dc); },
      [&] { return right([](int x) { return x > 0; }); });
  runs.add(
      {"xor_and" + size, operations, "Tops", 0, 0, 0, at_least}, {}, [&] { gemm(ctx, xor_and<bit>{}, da, db, dc); },
      [&] { return right([](int x) { return x % 2 != 0; }); });
  if (!runs.wants("counts" + size)) return;
  device_matrix<std::int32_t> counts(ctx, n, n);
  runs.add(
      {"counts" + size, operations, "Tops"}, {}, [&] { count_products(ctx, da, db, counts); },
      [&] {
        const matrix<std::int32_t> c = to_host(ctx, counts);
        return sampled(n, n, [&](index_t i, index_t j) { return c(i, j) == count(i, j); });
      });
}

// 80 % of what a copy moves on an H200.
constexpr double moved_at_least = 3400;

void bench_transposition(bits_runs& runs) {
  constexpr index_t n = 65536;
  if (!runs.wants("transpose, 65536")) return;
  const context& ctx = runs.ctx;
  const bit_matrix a = random_bits(n, n, 1, 3);
  const device_bit_matrix from = to_device(ctx, a);
  device_bit_matrix to(ctx, n, n);
  runs.add(
      {"transpose, 65536", 2.0 * n * n / 8, "GB/s", 0, 0, 0, moved_at_least}, {}, [&] { transpose(ctx, from, to); },
      [&] {
        const bit_matrix t = to_host(ctx, to);
        return sampled(n, n, [&](index_t i, index_t j) { return t(i, j) == a(j, i); });
      });
}

template <class T>
void bench_conversions(bits_runs& runs, const std::string& type, index_t rows, index_t cols) {
  if (!runs.wants("pack " + type) && !runs.wants("unpack " + type)) return;
  const context& ctx = runs.ctx;
  const bit_matrix bits = random_bits(rows, cols, 1, 4);
  const device_bit_matrix from = to_device(ctx, bits);
  device_bit_matrix back(ctx, rows, cols);
  device_matrix<T> values(ctx, rows, cols);
  const double bytes = static_cast<double>(rows) * static_cast<double>(cols) * (sizeof(T) + 0.125);
  unpack(ctx, from, values);
  runs.add(
      {"unpack " + type, bytes, "GB/s", 0, 0, 0, moved_at_least}, {}, [&] { unpack(ctx, from, values); },
      [&] {
        const matrix<T> v = to_host(ctx, values);
        return sampled(rows, cols, [&](index_t i, index_t j) { return v(i, j) == T(bits(i, j)); });
      });
  runs.add(
      {"pack " + type, bytes, "GB/s", 0, 0, 0, moved_at_least}, {}, [&] { pack(ctx, values, back); },
      [&] {
        const bit_matrix b = to_host(ctx, back);
        return sampled(rows, cols, [&](index_t i, index_t j) { return b(i, j) == bits(i, j); });
      });
}

// 16 arcs from each of 65,536 vertices: to vertices before it, or to any; then nearly all are in one component.
void bench_closure(bits_runs& runs, bool cycles) {
  constexpr index_t n = 65536, arcs = 16;
  const std::string work =
      std::string("closure of a random ") + (cycles ? "digraph" : "DAG") + ", 65536 vertices, 16 arcs each";
  if (!runs.wants(work)) return;
  const context& ctx = runs.ctx;
  splitmix64 random{5};
  bit_matrix graph(n, n);
  std::vector<std::vector<index_t>> heads(n);
  for (index_t i = cycles ? 0 : 1; i < n; ++i)
    for (index_t e = 0; e < arcs; ++e) {
      const auto j = static_cast<index_t>(random() % static_cast<std::uint64_t>(cycles ? n : i));
      graph.set(i, j, true);
      heads[i].push_back(j);
    }
  const device_bit_matrix source = to_device(ctx, graph);
  device_bit_matrix a(ctx, n, n);
  const auto right = [&] {
    const bit_matrix c = to_host(ctx, a);
    for (const index_t i : {index_t{0}, index_t{999}, n / 2 + 1, n - 1}) {
      std::vector<char> reached(n, 0);
      std::vector<index_t> open{i};
      reached[i] = 1;
      while (!open.empty()) {
        const index_t v = open.back();
        open.pop_back();
        for (const index_t j : heads[v])
          if (!reached[j]) reached[j] = 1, open.push_back(j);
      }
      for (index_t j = 0; j < n; ++j)
        if (c(i, j) != (reached[j] != 0)) return false;
    }
    return true;
  };
  const double second = 2.0 * n * n * n;  // what is promised: a second
  runs.add(
      {work, second, "Tops", 0, 0, 0, 1e-12 * second}, [&] { copy(ctx, source, a); },
      [&] { closure(ctx, or_and<bit>{}, a); }, right);
}

// What M4RI takes on one core of a Zen 4 for 16,384 x 16,384 random bits, the faster of its two ways, in its fastest
// round (bench/results/zen4-2c/m4ri_eliminations.json): a device has to be 40 times as fast.
constexpr double m4ri_rank_seconds = 1.196539, m4ri_inverse_seconds = 2.579246, times_m4ri = 40;

void bench_rank(bits_runs& runs, index_t n, double m4ri_seconds) {
  const std::string work = "rank over GF(2), " + std::to_string(n);
  if (!runs.wants(work)) return;
  const context& ctx = runs.ctx;
  const device_bit_matrix a = to_device(ctx, random_bits(n, n, 1, 6));
  const double operations = 2.0 / 3 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const double at_least = m4ri_seconds > 0 ? 1e-12 * operations * times_m4ri / m4ri_seconds : 0;
  index_t found = 0;
  runs.add(
      {work, operations, "Tops", 0, 0, 0, at_least}, {}, [&] { found = rank(ctx, xor_and<bit>{}, a); },
      [&] { return found == std::ssize(row_reduce(context::cpu(), xor_and<bit>{}, to_host(ctx, a).view())); });
}

// Of the first random matrix that has one.
void bench_inverse(bits_runs& runs, index_t n, double m4ri_seconds) {
  const std::string work = "inverse over GF(2), " + std::to_string(n);
  if (!runs.wants(work)) return;
  const context& ctx = runs.ctx;
  device_bit_matrix a, x(ctx, n, n), one(ctx, n, n);
  std::uint64_t seed = 6;
  do a = to_device(ctx, random_bits(n, n, 1, ++seed));
  while (rank(ctx, xor_and<bit>{}, a) < n);
  const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const double at_least = m4ri_seconds > 0 ? 1e-12 * operations * times_m4ri / m4ri_seconds : 0;
  bool exists = false;
  runs.add(
      {work, operations, "Tops", 0, 0, 0, at_least}, {}, [&] { exists = inverse(ctx, xor_and<bit>{}, a, x).exists; },
      [&] {
        gemm(ctx, xor_and<bit>{}, a, x, one);
        const bit_matrix product = to_host(ctx, one);
        return exists && sampled(n, n, [&](index_t i, index_t j) { return product(i, j) == (i == j); }) &&
               sampled(n, 1, [&](index_t i, index_t) { return product(i, i); });
      });
}

}  // namespace

std::vector<bits_row> run_bits_suite(const context& ctx, const bits_suite_options& options,
                                     const std::function<void(const bits_row&)>& done) {
  bits_runs runs{ctx, options, done};
  bench_products(runs, 8192, 8000);
  bench_products(runs, 16384, 10000);
  bench_products(runs, 32768, 11000);
  bench_transposition(runs);
  bench_conversions<float>(runs, "f32", 16384, 32768);
  bench_conversions<std::uint8_t>(runs, "u8", 65536, 32768);
  bench_closure(runs, false);
  bench_closure(runs, true);
  for (const index_t n : {4096, 16384, 32768}) {
    bench_rank(runs, n, n == 16384 ? m4ri_rank_seconds : 0);
    bench_inverse(runs, n, n == 16384 ? m4ri_inverse_seconds : 0);
  }
  return runs.rows;
}

}  // namespace kleene::bench
