// The blocked elimination of one matrix on a grid of devices, as one worker does it. run() reads in the order in which
// a step happens; device_closure.hpp says what travels.
//
// Two streams. `chain`, which goes before the other, has what the next step waits for: the rows and columns of its
// block, the closed diagonal block, the panels from device to device. The worker's own has the bulk.
#pragma once

#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/distributed_device_matrix.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace kleene::detail {

template <class S>
class device_elimination {
 public:
  using T = value_of<S>;
  using values = view<T, 2, memory::device>;

  // Takes all memory but what products pack their operands in.
  device_elimination(worker& w, distributed_device_matrix<T>& a)
      : worker_(w),
        rows_(a.row_axis()),
        cols_(a.col_axis()),
        block_(std::clamp<index_t>(a.layout().mb, 1, std::max<index_t>(a.layout().n, 1))),
        a_(a.local()),
        diagonal_(w.context(), block_, block_),
        panels_{panels(w.context(), a_, block_), panels(w.context(), a_, block_)},
        ahead_(context::cuda(stream_.get())) {}

  // Goes on from where `done` blocks have been eliminated. Returns the vertex whose star has no value, or -1.
  // Everything is on the streams then: finish() waits, as save() has to.
  index_t run(index_t done, const between_steps& between) {
    const index_t blocks = rows_.blocks();
    panels_[0].used.record(main());  // what the caller put there
    panels_[0].used.delay(chain());
    if (done < blocks && !begin(done)) return diverging_;
    for (index_t at = done; at < blocks; ++at) {
      const bool is_last = at + 1 == blocks;
      panels_[at % 2].here.delay(main());
      finish_columns(at);
      if (!is_last) update_next(at);
      update_rest(at, is_last ? at + 1 : at + 2);
      panels_[at % 2].used.record(main());
      panels_[(at + 1) % 2].used.wait();  // two steps on the streams are enough
      between.report(double(rows_.extent) * double(rows_.extent) * double(start_of(at)));
      if (is_last) break;
      if (between.is_due(at + 1)) between.save(at + 1);
      if (!begin(at + 1)) return diverging_;
    }
    return -1;
  }

  // Waits until all is done. Whether a result did not fit the type.
  bool finish() {
    for (const context* each : {&ahead_, &worker_.context()}) try {
        each->synchronise();
      } catch (const value_error&) {
        overflow_ = true;
      }
    return overflow_;
  }

 private:
  struct panels {
    panels(const context& ctx, const values& a, index_t block)
        : left(ctx, a.rows(), block), right(ctx, block, a.cols()) {}
    device_matrix<T> left, right;  // the columns and the rows of a block; a smaller last one lies packed in front
    device_event here, used;       // when they are, and when the bulk needs them no more
  };
  // Local rows or columns.
  struct range {
    index_t at, size;
  };

  cuda_stream main() const { return worker_.context().stream(); }
  cuda_stream chain() const { return stream_.get(); }

  index_t start_of(index_t at) const { return at * block_; }
  index_t end_of(index_t at) const { return std::min(rows_.extent, (at + 1) * block_); }
  index_t size_of(index_t at) const { return end_of(at) - start_of(at); }
  bool has_rows(index_t at) const { return worker_.row() == rows_.indxg2p(start_of(at)); }
  bool has_cols(index_t at) const { return worker_.col() == cols_.indxg2p(start_of(at)); }

  // This worker's rows (columns) of the blocks first .. last - 1, and those of all others.
  static range within(const cyclic_axis& axis, int process, index_t first, index_t last) {
    const index_t from = axis.numroc(process, std::min(axis.extent, first * axis.block));
    return {from, axis.numroc(process, std::min(axis.extent, last * axis.block)) - from};
  }
  static std::array<range, 2> outside(const cyclic_axis& axis, int process, index_t first, index_t last) {
    const range inner = within(axis, process, first, last);
    const index_t end = inner.at + inner.size, all = axis.numroc(process);
    if (inner.size == 0) return {range{0, all}, range{all, 0}};
    return {range{0, inner.at}, range{end, all - end}};
  }
  range rows_within(index_t first, index_t last) const { return within(rows_, worker_.row(), first, last); }
  range cols_within(index_t first, index_t last) const { return within(cols_, worker_.col(), first, last); }
  std::array<range, 2> rows_outside(index_t first, index_t last) const {
    return outside(rows_, worker_.row(), first, last);
  }
  std::array<range, 2> cols_outside(index_t first, index_t last) const {
    return outside(cols_, worker_.col(), first, last);
  }
  static values part(const values& v, range rows, range cols) {
    return v.block(rows.at, cols.at, rows.size, cols.size);
  }
  static std::size_t bytes(const values& v) { return static_cast<std::size_t>(v.size()) * sizeof(T); }

  values left(index_t at) { return {panels_[at % 2].left.data(), {a_.rows(), size_of(at)}}; }
  values right(index_t at) { return {panels_[at % 2].right.data(), {size_of(at), a_.cols()}}; }
  values diagonal(index_t at) { return {diagonal_.data(), {size_of(at), size_of(at)}}; }

  // c = x y, or c = x y (+) c. Values were looked at in the beginning.
  static void multiply(const context& ctx, const values& x, const values& y, const values& c, bool accumulate) {
    if (c.empty()) return;
    gemm(ctx, S{}, x, y, c, {.accumulate = accumulate, .check_domain = false});
  }

  // Closes the diagonal block, and sends what the others need of its row and column, which are up to date. Whether the
  // closure exists: all workers know.
  bool begin(index_t at) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const int row = rows_.indxg2p(start_of(at)), col = cols_.indxg2p(start_of(at));
    communicator& comm = worker_.comm();
    const std::int64_t bad = comm.minimum(has_rows(at) && has_cols(at) ? close_diagonal(at) : none);
    if (bad != none) {
      diverging_ = bad;
      return false;
    }
    const values d = diagonal(at), l = left(at), r = right(at);
    if (has_rows(at)) comm.broadcast_on(chain(), scope::row, col, d.data(), bytes(d));
    if (has_cols(at)) comm.broadcast_on(chain(), scope::column, row, d.data(), bytes(d));
    if (has_rows(at)) prepare_right(at);
    if (has_cols(at)) copy(ahead_, part(a_, {0, a_.rows()}, cols_within(at, at + 1)), l);
    comm.broadcast_on(chain(), scope::row, col, l.data(), bytes(l));
    comm.broadcast_on(chain(), scope::column, row, r.data(), bytes(r));
    panels_[at % 2].here.record(chain());
    return true;
  }

  // Waits for the block, as the host has to know.
  std::int64_t close_diagonal(index_t at) {
    const values own = part(a_, rows_within(at, at + 1), cols_within(at, at + 1));
    try {
      const closure_info info = closure(ahead_, S{}, own, {.block = block_, .check_domain = false});
      if (!info.exists) return start_of(at) + info.diverging;
    } catch (const value_error&) {
      overflow_ = true;
    }
    copy(ahead_, own, diagonal(at));
    return std::numeric_limits<std::int64_t>::max();
  }

  // R := D R, from a copy of the old R.
  void prepare_right(index_t at) {
    const values r = right(at);
    const range rows = rows_within(at, at + 1), own{0, rows.size}, all{0, a_.cols()};
    copy(ahead_, part(a_, rows, all), r);
    for (const range cols : cols_outside(at, at + 1))
      multiply(ahead_, diagonal(at), part(r, own, cols), part(a_, rows, cols), false);
    copy(ahead_, part(a_, rows, all), r);
  }

  // L := L D.
  void finish_columns(index_t at) {
    if (!has_cols(at)) return;
    const range cols = cols_within(at, at + 1), own{0, cols.size};
    for (const range rows : rows_outside(at, at + 1))
      multiply(ahead_, part(left(at), rows, own), diagonal(at), part(a_, rows, cols), false);
  }

  // A := A (+) L R of some rows and columns, with the old L.
  void update(const context& ctx, index_t at, range rows, range cols) {
    const range own{0, size_of(at)};
    multiply(ctx, part(left(at), rows, own), part(right(at), own, cols), part(a_, rows, cols), true);
  }
  // First what the next step begins with: the rows and columns of its block, when the bulk before has left them.
  void update_next(index_t at) {
    panels_[(at + 1) % 2].used.delay(chain());
    if (has_rows(at + 1))
      for (const range cols : cols_outside(at, at + 1)) update(ahead_, at, rows_within(at + 1, at + 2), cols);
    if (has_cols(at + 1))
      for (const range rows : rows_outside(at, at + 2)) update(ahead_, at, rows, cols_within(at + 1, at + 2));
  }
  // Everything but the blocks from this one to `last`.
  void update_rest(index_t at, index_t last) {
    for (const range rows : rows_outside(at, last))
      for (const range cols : cols_outside(at, last)) update(worker_.context(), at, rows, cols);
  }

  worker& worker_;
  cyclic_axis rows_, cols_;
  index_t block_;
  values a_;
  device_matrix<T> diagonal_;
  panels panels_[2];
  device_stream stream_;
  context ahead_;  // on that stream
  index_t diverging_ = -1;
  bool overflow_ = false;
};

}  // namespace kleene::detail
