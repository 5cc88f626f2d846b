// How one product of a matrix and a vector is cut up. What sums depend on (which loop, ranges of k) follows from the
// shape alone; the number of threads changes no result.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/matrix_vector.hpp"
#include "kleene/kernels/cpu/gemv/launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace kleene::kernels::cpu::detail {

// Chosen by the sizes of caches; on matrices far beyond them the loops read as fast as a plain one does (`cpu_gemv` of
// bench).
struct gemv_tuning {
  static constexpr index_t task = index_t{1} << 17;       // elements: enough to pay for a task, little enough to share
  static constexpr index_t row_depth = index_t{1} << 14;  // k of a task by rows: its x stays in the second-level cache
  static constexpr index_t least_row_depth = 32;          // k below which rows are copied into columns first
  static constexpr index_t copied = 4096;                 // elements of such a copy: it stays in the first-level cache
  static constexpr index_t column_rows = 2048;            // rows of a task by columns: its y stays there
  // A column is a stream, which memory gives the faster the longer it is (f32, one core of a Zen 5: 33 GB/s of 2048
  // rows, 37 of 8192); y is in the second-level cache then. Only where there are tasks enough for all threads.
  static constexpr index_t most_column_rows = 8192, tasks_per_thread = 4;
  static constexpr index_t least_column_depth = 256;       // k of a task by columns: each part writes all of y once
  static constexpr index_t bytes_per_thread = 384 * 1024;  // below this a thread costs more than it brings
};

struct gemv_plan {
  bool by_rows = true;  // dot products of rows, else columns added up
  bool unit = true;     // elements of a row (column) are neighbours
  bool direct = true;   // tasks store their elements of y themselves: no split-K, and nothing is checked before
  int threads = 1;
  index_t rows = 0, depth = 0;  // of a task
  index_t row_blocks = 0, parts = 0;
  index_t tasks() const { return row_blocks * parts; }
};

// Whether y is formed by rows: along whichever index has the neighbours, unless rows are too short for that.
template <class M>
bool is_by_rows(const M& v) {
  if (v.rows <= 1) return true;
  if (v.depth < gemv_tuning::least_row_depth) return false;
  return v.depth_stride == 1 || (v.row_stride != 1 && std::abs(v.depth_stride) <= std::abs(v.row_stride));
}

template <class G>
gemv_plan plan_gemv(const G& g, const matrix_vector<G>& v, const gemv_checks& checks) {
  using tuning = gemv_tuning;
  gemv_plan p;
  p.by_rows = is_by_rows(v);
  p.unit = (p.by_rows ? v.depth_stride : v.row_stride) == 1;
  const index_t rows = std::max<index_t>(v.rows, 1), depth = std::max<index_t>(v.depth, 1);
  if (p.by_rows) {
    p.depth = std::min(depth, tuning::row_depth);
    p.rows = std::min(rows, std::max<index_t>(tuning::task / p.depth, 4));
  } else {
    p.rows = std::min(rows, p.unit ? tuning::column_rows : std::max<index_t>(tuning::copied / depth, 64));
    p.depth = std::min(depth, std::max(tuning::task / p.rows, tuning::least_column_depth));
    for (index_t more = 2 * p.rows; p.unit && more <= tuning::most_column_rows && p.rows < rows; more *= 2)
      if (ceil_div(rows, more) * ceil_div(depth, p.depth) >= tuning::tasks_per_thread * g.threads) p.rows = more;
  }
  p.row_blocks = ceil_div(rows, p.rows), p.parts = ceil_div(depth, p.depth);
  p.direct = p.parts == 1 && !checks.domain && !checks.wraps;
  const double bytes = double(rows) * double(depth) * sizeof(typename matrix_vector<G>::T);
  const double most = std::min<double>(g.threads, double(p.tasks()));
  p.threads = static_cast<int>(std::clamp(bytes / double(tuning::bytes_per_thread), 1.0, most));
  return p;
}

// "gemv min_plus f32 2048x4096: avx512, 2 threads, ..."; out: the type of y where that is not the matrix's, or null.
std::string describe_plan(const std::string& algebra, const char* type, const char* out, index_t rows, index_t depth,
                          const gemv_plan& plan, instruction_set isa);

}  // namespace kleene::kernels::cpu::detail
