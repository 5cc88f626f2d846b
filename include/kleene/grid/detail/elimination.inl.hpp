// The blocked elimination of one matrix on a grid, as one worker does it. run() reads in the order in which a step
// happens; closure.hpp says what travels.
#pragma once

#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/panel.hpp"
#include "kleene/operations/detail/closure_algebra.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace kleene::detail {

template <class T>
class elimination {
 public:
  using values = matrix_view<T>;
  using vertices = matrix_view<std::int32_t>;

  // Takes all memory.
  elimination(worker& w, distributed_matrix<T>& a, distributed_matrix<std::int32_t>* p,
              const closure_algebra<T>& algebra)
      : worker_(w),
        rows_(a.row_axis()),
        cols_(a.col_axis()),
        block_(std::clamp<index_t>(a.layout().mb, 1, std::max<index_t>(a.layout().n, 1))),
        a_(a.local()),
        p_(p ? p->local() : vertices()),
        diagonal_(block_, block_, p),
        steps_(algebra.steps(w.context(), block_, p)) {
    for (panels& each : panels_) {
      each.left = panel<T>(a_.rows(), block_, false);
      each.right = panel<T>(block_, a_.cols(), p);
    }
    panels& any = panels_[0];
    steps_->reserve(any.left.values(), any.right.values(), a_, p_, any.right.from());
  }

  // Goes on from where `done` blocks have been eliminated. Returns the vertex whose star has no value, or -1.
  index_t run(index_t done, const between_steps& between) {
    const index_t blocks = rows_.blocks();
    if (done < blocks) begin(done);
    for (index_t at = done; at < blocks; ++at) {
      panels& now = panels_[at % 2];
      now.of_rows->wait();
      now.of_columns->wait();
      if (now.left.diverging() >= 0) return now.left.diverging();
      finish_columns(at);
      const bool is_last = at + 1 == blocks, saves = !is_last && between.is_due(at + 1);
      const bool ahead = !is_last && !saves && worker_.size() > 1;
      if (ahead) {
        update_next(at);
        begin(at + 1);
      }
      update_rest(at, ahead ? at + 2 : at + 1);
      between.report(double(rows_.extent) * double(rows_.extent) * double(end_of(at)));
      if (saves) between.save(at + 1);
      if (!is_last && !ahead) begin(at + 1);
    }
    return -1;
  }

  // Whether a result did not fit the type.
  bool overflow() const { return steps_->take_overflow(); }

 private:
  struct panels {
    panel<T> left, right;  // the columns and the rows of a block
    pending of_rows, of_columns;
  };
  // Local rows or columns.
  struct range {
    index_t at, size;
  };

  index_t start_of(index_t at) const { return at * block_; }
  index_t end_of(index_t at) const { return std::min(rows_.extent, (at + 1) * block_); }
  index_t size_of(index_t at) const { return end_of(at) - start_of(at); }
  bool has_rows(index_t at) const { return worker_.row() == rows_.indxg2p(start_of(at)); }
  bool has_cols(index_t at) const { return worker_.col() == cols_.indxg2p(start_of(at)); }

  // This worker's rows (columns) of the blocks first .. last - 1, and those of all others.
  range within(const cyclic_axis& axis, int process, index_t first, index_t last) const {
    const index_t from = axis.numroc(process, start_of(first));
    return {from, axis.numroc(process, end_of(last - 1)) - from};
  }
  std::array<range, 2> outside(const cyclic_axis& axis, int process, index_t first, index_t last) const {
    const range inner = within(axis, process, first, last);
    const index_t end = inner.at + inner.size;
    return {range{0, inner.at}, range{end, axis.numroc(process) - end}};
  }
  std::array<range, 2> rows_outside(index_t first, index_t last) const {
    return outside(rows_, worker_.row(), first, last);
  }
  std::array<range, 2> cols_outside(index_t first, index_t last) const {
    return outside(cols_, worker_.col(), first, last);
  }
  template <class V>
  static V part(const V& v, range rows, range cols) {
    return v.is_null() ? v : v.block(rows.at, cols.at, rows.size, cols.size);
  }
  template <class V>
  static void copy(const V& from, const V& to) {
    for (index_t i = 0; i < from.rows() && from.cols() > 0; ++i) std::copy_n(&from(i, 0), from.cols(), &to(i, 0));
  }

  // Closes the diagonal block, and begins to send what the others need of its row and column, which are up to date.
  void begin(index_t at) {
    panels& next = panels_[at % 2];
    const index_t size = size_of(at);
    const int row = rows_.indxg2p(start_of(at)), col = cols_.indxg2p(start_of(at));
    communicator& comm = worker_.comm();
    next.left.shape(a_.rows(), size);
    next.right.shape(size, a_.cols());
    if (has_rows(at) || has_cols(at)) {
      diagonal_.shape(size, size);
      if (has_rows(at) && has_cols(at)) close_diagonal(at);
      pending along_row, along_column;
      if (has_rows(at)) along_row = comm.begin_broadcast(scope::row, col, diagonal_.data(), diagonal_.bytes());
      if (has_cols(at)) along_column = comm.begin_broadcast(scope::column, row, diagonal_.data(), diagonal_.bytes());
      if (along_row) along_row->wait();
      if (along_column) along_column->wait();
    }
    if (has_rows(at)) prepare_right(at, next.right);
    if (has_cols(at)) prepare_left(at, next.left);
    next.of_rows = comm.begin_broadcast(scope::row, col, next.left.data(), next.left.bytes());
    next.of_columns = comm.begin_broadcast(scope::column, row, next.right.data(), next.right.bytes());
  }

  void close_diagonal(index_t at) {
    const range rows = within(rows_, worker_.row(), at, at + 1), cols = within(cols_, worker_.col(), at, at + 1);
    const values own = part(a_, rows, cols);
    const vertices from = part(p_, rows, cols);
    const index_t bad = steps_->close(own, from);
    diagonal_.diverging() = bad < 0 ? -1 : start_of(at) + bad;
    copy(own, diagonal_.values());
    if (!from.is_null()) copy(from, diagonal_.from());
  }

  // R := D R, from a copy of the old R. With predecessors only what improves is rewritten.
  void prepare_right(index_t at, panel<T>& right) {
    right.diverging() = diagonal_.diverging();
    if (diagonal_.diverging() >= 0) return;
    const range rows = within(rows_, worker_.row(), at, at + 1), all{0, a_.cols()};
    const range own{0, rows.size};
    copy(part(a_, rows, all), right.values());
    if (!p_.is_null()) copy(part(p_, rows, all), right.from());
    for (const range cols : cols_outside(at, at + 1))
      steps_->multiply(diagonal_.values(), part(right.values(), own, cols), part(a_, rows, cols), !p_.is_null(),
                       part(p_, rows, cols), part(right.from(), own, cols));
    copy(part(a_, rows, all), right.values());
    if (!p_.is_null()) copy(part(p_, rows, all), right.from());
  }

  void prepare_left(index_t at, panel<T>& left) {
    left.diverging() = diagonal_.diverging();
    if (diagonal_.diverging() < 0)
      copy(part(a_, {0, a_.rows()}, within(cols_, worker_.col(), at, at + 1)), left.values());
  }

  // L := L D.
  void finish_columns(index_t at) {
    if (!has_cols(at)) return;
    const range cols = within(cols_, worker_.col(), at, at + 1), own{0, cols.size};
    for (const range rows : rows_outside(at, at + 1))
      steps_->multiply(part(panels_[at % 2].left.values(), rows, own), diagonal_.values(), part(a_, rows, cols),
                       !p_.is_null(), part(p_, rows, cols), diagonal_.from());
  }

  // A := A (+) L R of some rows and columns, with the old L.
  void update(index_t at, range rows, range cols) {
    panels& now = panels_[at % 2];
    const range own{0, size_of(at)};
    steps_->multiply(part(now.left.values(), rows, own), part(now.right.values(), own, cols), part(a_, rows, cols),
                     true, part(p_, rows, cols), part(now.right.from(), own, cols));
  }
  // First what the next step begins with: the rows and columns of its block.
  void update_next(index_t at) {
    if (has_rows(at + 1))
      for (const range cols : cols_outside(at, at + 1)) update(at, within(rows_, worker_.row(), at + 1, at + 2), cols);
    if (has_cols(at + 1))
      for (const range rows : rows_outside(at, at + 2)) update(at, rows, within(cols_, worker_.col(), at + 1, at + 2));
  }
  // Everything but the blocks from this one to `last`.
  void update_rest(index_t at, index_t last) {
    for (const range rows : rows_outside(at, last))
      for (const range cols : cols_outside(at, last)) update(at, rows, cols);
  }

  worker& worker_;
  cyclic_axis rows_, cols_;
  index_t block_;
  values a_;
  vertices p_;
  panels panels_[2];
  panel<T> diagonal_;
  std::unique_ptr<closure_steps<T>> steps_;
};

}  // namespace kleene::detail
