// The blocked elimination of a matrix in host memory, strip by strip on a device. run() reads in the order in which a
// step happens. Two streams: the caller's context multiplies; the other, `way_`, has what comes and goes.
#pragma once

#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/detail/closure_algebra.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <string>

namespace kleene::detail {

// shape_error, argument_error or error(device) for what cannot be closed so.
void require_host_closure(const context& ctx, const std::array<index_t, 2>& extents,
                          const std::array<index_t, 2>& strides);
struct host_closure_plan {
  index_t block, strip;  // rows
};
// For that much device memory; error(memory) where the smallest block does not fit, or the one that was asked for. A
// strip has a quarter of the block's rows, or half or all of them where there is room: a product packs the block's rows
// anew for each strip, which for 131,072 vertices in strips of 1,024 took 3 ms beside 33 of products.
host_closure_plan plan_host_closure(const context& ctx, index_t n, std::size_t element, std::size_t memory,
                                    index_t asked);

// Each thread looks at rows one after the other; the first row of all that has a refused value is named.
template <class T>
void check_host_rows(const matrix_view<T>& a, const closure_algebra<T>& algebra) {
  const int threads = threads_for(double(a.rows()) * double(a.cols()), elements_per_thread, default_threads());
  std::atomic<index_t> first = a.rows();
  run_team(threads, [&](const team_member& member) {
    for (index_t i = member.thread; i < first; i += member.threads) {
      if (algebra.first_refused(&a(i, 0), a.cols()) < 0) continue;
      for (index_t known = first; i < known && !first.compare_exchange_weak(known, i);) {
      }
    }
  });
  if (const index_t i = first; i < a.rows()) {
    const index_t j = algebra.first_refused(&a(i, 0), a.cols());
    const std::string place = "A(" + std::to_string(i) + ", " + std::to_string(j) + ")";
    if (!(a(i, j) == a(i, j))) throw value_error(place + " is NaN");
    throw value_error(place + " = " + to_text(a(i, j)) + " is outside the domain of " + algebra.name());
  }
}

template <class S>
class host_elimination {
 public:
  using T = value_of<S>;
  using values = view<T, 2, memory::device>;

  // Takes all memory but what products pack their operands in.
  host_elimination(const context& ctx, const matrix_view<T>& a, const host_closure_plan& plan)
      : ctx_(ctx),
        a_(a),
        n_(a.rows()),
        block_(plan.block),
        height_(plan.strip),
        pinned_(a.data(), bytes_of_rows()),
        rows_{device_matrix<T>(ctx, std::min(block_, n_), n_),
              device_matrix<T>(ctx, std::min(block_, n_ - std::min(block_, n_)), n_)},
        old_(ctx, std::min(block_, n_), std::max(height_, std::min(block_, n_))),
        strips_{strip(ctx, height_, n_), strip(ctx, height_, n_), strip(ctx, height_, n_)},
        way_(context::cuda(stream_.get())) {}

  // Returns the vertex whose star has no value, or -1. report(pairs done) before each step.
  index_t run(const std::function<void(double)>& report) {
    if (n_ == 0) return -1;
    size_ = std::min(block_, n_);
    copy(ctx_, a_.block(0, 0, size_, n_), rows());
    for (first_ = 0; first_ < n_; first_ += block_) {
      report(double(n_) * double(n_) * double(first_));
      size_ = std::min(block_, n_ - first_);
      const index_t strips = ceil_div(n_ - size_, height_);
      if (strips > 0) load_strip(0);
      if (const index_t bad = close_rows(); bad >= 0) {
        wait(way_);
        return first_ + bad;
      }
      const index_t parts = std::clamp<index_t>(strips, 1, 4);
      for (index_t i = 0; i < strips; ++i) {
        if (i > 0) load_strip(i);
        multiply(i);
        if (i > 0) take_back(i - 1);
        if (i < parts) put_rows_back(i, parts);
      }
      if (strips > 0) take_back(strips - 1);
      else put_rows_back(0, 1), wait(way_);
      wait(ctx_);
    }
    return -1;
  }

  // Whether a result did not fit the type.
  bool overflow() const { return overflow_; }

 private:
  struct strip {
    strip(const context& ctx, index_t height, index_t n) : whole(ctx, height, n) {}
    device_matrix<T> whole;
    device_event here, done;
  };

  // From the first row's begin to the last one's end; 0 where rows lie in another order.
  std::size_t bytes_of_rows() const {
    const index_t stride = a_.strides()[0];
    return n_ > 0 && (n_ == 1 || stride >= n_) ? static_cast<std::size_t>((n_ - 1) * stride + n_) * sizeof(T) : 0;
  }
  index_t step() const { return first_ / block_; }
  values rows() { return {rows_[step() % 2].data(), {size_, n_}}; }
  // Of the next block.
  values next_rows() { return {rows_[(step() + 1) % 2].data(), {std::min(block_, n_ - first_ - size_), n_}}; }
  values diagonal() { return rows().block(0, first_, size_, size_); }
  // Columns before and behind the block's.
  std::array<values, 2> outside(const values& v) const {
    const index_t end = first_ + size_;
    return {v.block(0, 0, v.rows(), first_), v.block(0, end, v.rows(), n_ - end)};
  }
  // The rows of strip i, which are none of the block's; they follow each other in the host's matrix but where the block
  // was left out: two parts.
  struct part {
    index_t at, from, rows;  // in the strip, in the matrix
  };
  std::array<part, 2> parts(index_t i) const {
    const index_t begin = i * height_, end = std::min(n_ - size_, begin + height_);
    const index_t before = std::clamp(first_ - begin, index_t{0}, end - begin);
    return {part{0, begin, before}, part{before, begin + before + size_, end - begin - before}};
  }
  values strip_of(index_t i) {
    const index_t height = std::min(height_, n_ - size_ - i * height_);
    return {strips_[i % 3].whole.data(), {height, n_}};
  }
  matrix_view<T> host(const part& p) const { return a_.block(p.from, 0, p.rows, n_); }

  void wait(const context& ctx) {
    try {
      ctx.synchronise();
    } catch (const value_error&) {
      overflow_ = true;
    }
  }
  void product(const values& x, const values& y, const values& c, bool accumulate) {
    if (!c.empty()) gemm(ctx_, S{}, x, y, c, {.accumulate = accumulate, .check_domain = false});
  }

  // D := D*, R := D R of the rows, which are on the device. Returns the diverging vertex of the block, or -1.
  index_t close_rows() {
    try {
      const closure_info info = closure(ctx_, S{}, diagonal(), {.block = block_, .check_domain = false});
      if (!info.exists) return info.diverging;
    } catch (const value_error&) {
      overflow_ = true;
    }
    // A product does not read what it writes: columns in pieces as wide as there is room for the old ones.
    for (const values& columns : outside(rows()))
      for (index_t j = 0; j < columns.cols(); j += old_.cols()) {
        const values piece = columns.block(0, j, size_, std::min(old_.cols(), columns.cols() - j));
        const values old(old_.data(), {size_, piece.cols()});
        copy(ctx_, piece, old);
        product(diagonal(), old, piece, false);
      }
    closed_.record(ctx_.stream());
    return -1;
  }

  void load_strip(index_t i) {
    strip& s = strips_[i % 3];
    for (const part& p : parts(i))
      if (p.rows > 0) copy(way_, host(p), strip_of(i).block(p.at, 0, p.rows, n_));
    s.here.record(way_.stream());
  }
  // The other columns (+)= L R, then L := L D.
  void multiply(index_t i) {
    strip& s = strips_[i % 3];
    s.here.delay(ctx_.stream());
    const values whole = strip_of(i), own = whole.block(0, first_, whole.rows(), size_),
                 left(old_.data(), {whole.rows(), size_});
    copy(ctx_, own, left);
    const auto rest = outside(whole), right = outside(rows());
    for (int side : {0, 1}) product(left, right[side], rest[side], true);
    product(left, diagonal(), own, false);
    keep_next(i);
    s.done.record(ctx_.stream());
  }
  // Rows of the next block stay on the device.
  void keep_next(index_t i) {
    const index_t begin = first_ + size_, end = std::min(n_, begin + block_);
    for (const part& p : parts(i)) {
      const index_t from = std::max(p.from, begin), rows = std::min(p.from + p.rows, end) - from;
      if (rows > 0)
        copy(ctx_, strip_of(i).block(p.at + from - p.from, 0, rows, n_), next_rows().block(from - begin, 0, rows, n_));
    }
  }
  // The block's rows go to the host's memory while strips are multiplied by them, a part of them at each of the first.
  void put_rows_back(index_t part, index_t parts) {
    const index_t from = size_ * part / parts, rest = size_ * (part + 1) / parts - from;
    closed_.delay(way_.stream());
    if (rest > 0) copy(way_, rows().block(from, 0, rest, n_), a_.block(first_ + from, 0, rest, n_));
  }
  // Returns when they are in the host's memory: the strip may be used again.
  void take_back(index_t i) {
    strips_[i % 3].done.delay(way_.stream());
    for (const part& p : parts(i))
      if (p.rows > 0) copy(way_, strip_of(i).block(p.at, 0, p.rows, n_), host(p));
    wait(way_);
  }

  const context& ctx_;
  matrix_view<T> a_;
  index_t n_, block_, height_, first_ = 0, size_ = 0;
  pinned_range pinned_;             // the matrix; outlives what copies from and to it
  device_matrix<T> rows_[2], old_;  // the block's rows and the next one's; the old columns of a strip
  strip strips_[3];
  device_event closed_;  // the rows are
  device_stream stream_;
  context way_;  // on that stream
  bool overflow_ = false;
};

}  // namespace kleene::detail
