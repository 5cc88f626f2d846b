#include "kleene/algebra/semirings.hpp"
#include "kleene/operations/spmv.cuh"
#include "streaming/runs.cuh"

#include <numeric>

namespace kleene::bench {

namespace {

struct matrix {
  std::vector<int> offsets, columns;
};

// Entries (row, column) of an n x n matrix in rows, duplicates kept: uniform, or R-MAT(.57, .19, .19, .05) with
// scrambled numbers of rows and columns.
matrix make_matrix(int levels, index_t entries, bool rmat) {
  const index_t n = index_t{1} << levels;
  const auto scramble = [&](std::uint64_t v) {  // a permutation of 0 .. n - 1
    v = (v * 0x9e3779b1ull + 12345) & (n - 1);
    v ^= v >> (levels / 2);
    return static_cast<int>((v * 0x85ebca6bull) & (n - 1));
  };
  std::vector<int> rows(entries), columns(entries);
  for (index_t e = 0; e < entries; ++e) {
    std::uint64_t row = 0, column = 0;
    if (rmat) {
      for (int level = 0; level < levels; ++level) {
        const double u = static_cast<double>(splitmix(13 + level, e) >> 11) * 0x1p-53;
        const int quadrant = u < 0.57 ? 0 : u < 0.76 ? 1 : u < 0.95 ? 2 : 3;
        row = 2 * row + quadrant / 2;
        column = 2 * column + quadrant % 2;
      }
      rows[e] = scramble(row);
      columns[e] = scramble(column);
    } else {
      rows[e] = static_cast<int>(splitmix(13, e) % n);
      columns[e] = static_cast<int>(splitmix(14, e) % n);
    }
  }
  matrix m{std::vector<int>(n + 1), std::vector<int>(entries)};
  for (int r : rows) ++m.offsets[r + 1];
  std::partial_sum(m.offsets.begin(), m.offsets.end(), m.offsets.begin());
  std::vector<int> next(m.offsets.begin(), m.offsets.end() - 1);
  for (index_t e = 0; e < entries; ++e) m.columns[next[rows[e]]++] = columns[e];
  for (index_t r = 0; r < n; ++r) std::sort(m.columns.begin() + m.offsets[r], m.columns.begin() + m.offsets[r + 1]);
  return m;
}

template <class S>
__global__ void rows_one_by_one(const int* offsets, const int* columns, const float* values, const float* x, index_t n,
                                float* y) {
  const index_t r = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float sum = S::zero();
  for (int e = offsets[r]; e < offsets[r + 1]; ++e) sum = S::add(sum, S::mul(values[e], x[columns[e]]));
  y[r] = sum;
}

// Whole numbers in floats: sums are exact in any order.
struct small_number {
  std::uint64_t seed;
  __device__ float operator()(index_t i) const { return static_cast<float>(splitmix(seed, i) % 8); }
};

}  // namespace

void bench_spmv(streaming_runs& runs) {
  if (!runs.wants_some("SpMV")) return;
  const context& ctx = runs.ctx;
  const std::pair<int, bool> matrices[] = {{20, false}, {20, true}, {16, false}, {16, true}};
  for (const auto& [levels, rmat] : matrices) {
    const index_t n = index_t{1} << levels, entries = 16 * n;
    device_buffer<int> offsets(n + 1), columns(entries);
    device_buffer<float> values(entries), x(n), y(n), expected(n);
    fill(static_cast<float*>(values), entries, small_number{15});
    fill(static_cast<float*>(x), n, small_number{16});
    const matrix m = make_matrix(levels, entries, rmat);
    upload(static_cast<int*>(offsets), m.offsets);
    upload(static_cast<int*>(columns), m.columns);
    const csr_arrays a{n, entries, static_cast<const int*>(offsets), static_cast<const int*>(columns),
                       static_cast<const float*>(values)};
    const double bytes = 8.0 * entries + 4.0 * (n + 1) + 8.0 * n;
    const bool large = entries > index_t{1} << 20;
    const std::string kind = std::string(rmat ? ", R-MAT" : ", uniform") + (large ? "" : ", 1 Mi");
    const double at_least = !large ? 0 : rmat ? 1260 : 1180;
    const auto row = [&](const std::string& ring, auto s, std::vector<peer> others) {
      using S = decltype(s);
      runs.add({"SpMV f32 " + ring + kind, entries, bytes, "GB/s",
                [&] { spmv(ctx, S{}, a, static_cast<const float*>(x), static_cast<float*>(y)); },
                [&] {
                  rows_one_by_one<S><<<static_cast<unsigned>(n / 256), 256>>>(offsets, columns, values, x, n, expected);
                  return same<float, float>(y, expected, n);
                },
                std::move(others), at_least});
    };
    row("plus-times", plus_times<float>{}, {peers::spmv(ctx, offsets, columns, values, x, n, entries, expected)});
    row("min-plus", min_plus<float>{}, {});
  }
}

}  // namespace kleene::bench
