#include "kleene/algebra/catalog.hpp"
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

template <class S, class T = value_of<S>>
__global__ void rows_one_by_one(const int* offsets, const int* columns, const T* values, const T* x, index_t n, T* y) {
  const index_t r = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r >= n) return;
  T sum = S::zero();
  for (int e = offsets[r]; e < offsets[r + 1]; ++e) sum = S::add(sum, S::mul(values[e], x[columns[e]]));
  y[r] = sum;
}

// Whole numbers in floats: sums are exact in any order.
template <class T>
struct small_number {
  std::uint64_t seed;
  __device__ T operator()(index_t i) const { return static_cast<T>(splitmix(seed, i) % 8); }
};

template <class T>
void bench_spmv_of(streaming_runs& runs, const matrix& m, const std::string& kind, double at_least) {
  const context& ctx = runs.ctx;
  const index_t n = static_cast<index_t>(m.offsets.size()) - 1, entries = static_cast<index_t>(m.columns.size());
  device_buffer<int> offsets(n + 1), columns(entries);
  device_buffer<T> values(entries), x(n), y(n), expected(n);
  fill(static_cast<T*>(values), entries, small_number<T>{15});
  fill(static_cast<T*>(x), n, small_number<T>{16});
  upload(static_cast<int*>(offsets), m.offsets);
  upload(static_cast<int*>(columns), m.columns);
  const csr_arrays a{n, entries, static_cast<const int*>(offsets), static_cast<const int*>(columns),
                     static_cast<const T*>(values)};
  const double bytes = (4.0 + sizeof(T)) * entries + 4.0 * (n + 1) + 2.0 * sizeof(T) * n;
  const auto row = [&](const char* ring, auto s, std::vector<peer> others) {
    using S = decltype(s);
    runs.add({std::string("SpMV ") + type_name<T> + " " + ring + kind, entries, bytes, "GB/s",
              [&] { spmv(ctx, S{}, a, static_cast<const T*>(x), static_cast<T*>(y)); },
              [&] {
                rows_one_by_one<S><<<static_cast<unsigned>(n / 256), 256>>>(
                    static_cast<const int*>(offsets), static_cast<const int*>(columns), static_cast<const T*>(values),
                    static_cast<const T*>(x), n, static_cast<T*>(expected));
                return same<T, T>(y, expected, n);
              },
              std::move(others), at_least});
  };
  row("plus-times", plus_times<T>{}, {peers::spmv(ctx, offsets, columns, values, x, n, entries, expected)});
  row("min-plus", min_plus<T>{}, {});
}

}  // namespace

void bench_spmv(streaming_runs& runs) {
  if (!runs.wants_some("SpMV")) return;
  const std::pair<int, bool> matrices[] = {{20, false}, {20, true}, {16, false}, {16, true}};
  for (const auto& [levels, rmat] : matrices) {
    const index_t entries = index_t{16} << levels;
    const matrix m = make_matrix(levels, entries, rmat);
    const bool large = entries > index_t{1} << 20;
    const std::string kind = std::string(rmat ? ", R-MAT" : ", uniform") + (large ? "" : ", 1 Mi");
    bench_spmv_of<float>(runs, m, kind, !large ? 0 : rmat ? 1260 : 1180);
    bench_spmv_of<double>(runs, m, kind, 0);
  }
}

}  // namespace kleene::bench
