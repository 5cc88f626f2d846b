// The steps of a closure from file to file. run() reads in the order in which a step happens.
#pragma once

#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/detail/npy_file.hpp"
#include "kleene/grid/detail/shared_file.hpp"
#include "kleene/grid/file_closure.hpp"
#include "kleene/operations/detail/closure_algebra.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <memory>
#include <string>

namespace kleene::detail {

// A matrix in a file, by whole rows, which lie together.
template <class T>
class row_file {
 public:
  row_file(const std::string& path, shared_file::mode m, std::uint64_t start, index_t cols)
      : file_(path, m), start_(start), cols_(cols) {}

  void read(index_t first, const matrix_view<T>& rows) const {
    file_.read(place(first), rows.data(), bytes(rows));
    if constexpr (std::is_same_v<T, bool>) {  // any other byte in a bool would be undefined behaviour
      const auto* byte = reinterpret_cast<const unsigned char*>(rows.data());
      if (std::any_of(byte, byte + bytes(rows), [](unsigned char b) { return b > 1; }))
        throw error(fault_code::bad_input, "a bool that is neither 0 nor 1 in rows " + std::to_string(first) + " to " +
                                               std::to_string(first + rows.rows() - 1));
    }
  }
  void write(index_t first, const matrix_view<T>& rows) const { file_.write(place(first), rows.data(), bytes(rows)); }
  const shared_file& file() const { return file_; }

 private:
  std::uint64_t place(index_t row) const { return start_ + static_cast<std::uint64_t>(row * cols_) * sizeof(T); }
  static std::size_t bytes(const matrix_view<T>& rows) { return static_cast<std::size_t>(rows.size()) * sizeof(T); }

  shared_file file_;
  std::uint64_t start_;
  index_t cols_;
};

template <class T>
class file_steps {
 public:
  using values = matrix_view<T>;
  // change(first row, rows): what happens to a strip between being read and being written.
  using strip_change = std::function<void(index_t, const values&)>;

  // Takes all memory but gemm's workspace.
  file_steps(const context& ctx, index_t n, const file_closure_plan& plan, const closure_algebra<T>& algebra)
      : n_(n),
        plan_(plan),
        right_(plan.block, n, uninitialised{}),
        old_(plan.block, plan.columns, uninitialised{}),
        left_(plan.strip, plan.block, uninitialised{}),
        steps_(algebra.steps(ctx, plan.block, false)) {
    for (matrix<T>& each : strips_) each = matrix<T>(plan.strip, n, uninitialised{});
  }

  // All rows but [skip, skip + skipped) from one file to another, where there is one. Reads ahead and writes behind.
  void pass(const row_file<T>& from, const row_file<T>* to, index_t skip, index_t skipped, const strip_change& change) {
    std::array<std::future<void>, 3> read, written;
    index_t next = 0;  // the first row that is not asked for
    const auto rows_at = [&](index_t first) { return std::min(plan_.strip, (first < skip ? skip : n_) - first); };
    const auto begin = [&](int at) -> index_t {
      if (next == skip) next += skipped;
      const index_t first = next;
      if (first >= n_) return -1;
      if (written[at].valid()) written[at].get();
      const values rows(strips_[at].data(), {rows_at(first), n_});
      read[at] = std::async(std::launch::async, [&from, first, rows] { from.read(first, rows); });
      next = first + rows.rows();
      return first;
    };
    index_t first = begin(0);
    for (int at = 0; first >= 0; at = (at + 1) % 3) {
      const values rows(strips_[at].data(), {rows_at(first), n_});
      read[at].get();
      const index_t following = begin((at + 1) % 3);
      change(first, rows);
      if (to) written[at] = std::async(std::launch::async, [to, first, rows] { to->write(first, rows); });
      first = following;
    }
    for (auto& each : written)
      if (each.valid()) each.get();
  }

  // Eliminates the block that starts at k0, from one file to another; hash(first row, rows) is told what is written,
  // and report(rows done) how far it is. Returns the vertex whose star has no value, or -1.
  index_t step(index_t k0, const row_file<T>& from, const row_file<T>& to, const strip_change& hash,
               const std::function<void(index_t)>& report) {
    const index_t size = std::min(plan_.block, n_ - k0);
    const values right(right_.data(), {size, n_});
    from.read(k0, right);
    const values diagonal = right.block(0, k0, size, size);
    if (const index_t bad = steps_->close(diagonal, {}); bad >= 0) return k0 + bad;
    // R := D R, from a copy of the old R.
    for_each_part(k0, size, [&](index_t col, index_t cols) {
      const values old(old_.data(), {size, cols}), now = right.block(0, col, size, cols);
      copy(now, old);
      steps_->multiply(diagonal, old, now, false, {}, {});
    });
    to.write(k0, right);
    hash(k0, right);
    index_t done = size;
    pass(from, &to, k0, size, [&](index_t first, const values& rows) {
      // A := A (+) L R, then L := L D.
      const values left(left_.data(), {rows.rows(), size}), columns = rows.block(0, k0, rows.rows(), size);
      copy(columns, left);
      for_each_part(k0, size, [&](index_t col, index_t cols) {
        steps_->multiply(left, right.block(0, col, size, cols), rows.block(0, col, rows.rows(), cols), true, {}, {});
      });
      steps_->multiply(left, diagonal, columns, false, {}, {});
      hash(first, rows);
      report(done += rows.rows());
    });
    return -1;
  }

  bool take_overflow() { return steps_->take_overflow(); }

 private:
  // visit(first, count) for parts of the columns outside the block.
  template <class Visit>
  void for_each_part(index_t k0, index_t size, const Visit& visit) const {
    const std::array<index_t, 4> ends{0, k0, k0 + size, n_};
    for (int side = 0; side < 4; side += 2)
      for (index_t col = ends[side]; col < ends[side + 1]; col += plan_.columns)
        visit(col, std::min(plan_.columns, ends[side + 1] - col));
  }
  static void copy(const values& from, const values& to) {
    for (index_t i = 0; i < from.rows(); ++i) std::copy_n(&from(i, 0), from.cols(), &to(i, 0));
  }

  index_t n_;
  file_closure_plan plan_;
  matrix<T> right_, old_, left_;
  std::array<matrix<T>, 3> strips_;
  std::unique_ptr<closure_steps<T>> steps_;
};

}  // namespace kleene::detail
