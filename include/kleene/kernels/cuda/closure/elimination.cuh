// The blocked elimination on a device, in terms of gemm's panels and close_blocks.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/contract/closure_order.hpp"
#include "kleene/kernels/cuda/closure/blocks.cuh"
#include "kleene/kernels/cuda/closure/checks.cuh"
#include "kleene/kernels/cuda/closure/report.hpp"
#include "kleene/kernels/cuda/gemm/simt/operands/panels.hpp"

namespace kleene::kernels::cuda {

// An event that orders streams.
class stream_event {
 public:
  stream_event() { gpu::require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }
  ~stream_event() { cudaEventDestroy(event_); }
  stream_event(const stream_event&) = delete;
  stream_event& operator=(const stream_event&) = delete;

  void record(cudaStream_t stream) {
    gpu::require(cudaEventRecord(event_, stream), "recording an event");
    recorded_ = true;
  }
  // Later work of the stream waits for what came before record(); an event that was never recorded delays nothing.
  void delay(cudaStream_t stream) const {
    if (recorded_) gpu::require(cudaStreamWaitEvent(stream, event_), "waiting for an event");
  }

 private:
  cudaEvent_t event_{};
  bool recorded_ = false;
};

// One run of the blocked elimination on the device, on four streams:
//
//   diagonal stream   update the next diagonal block and close it
//   strip stream      update its rows; R := D R; packing
//   column stream     L := L D of the block before; update the next block's columns
//   main stream       everything else: A := A (+) L R, but for the rows and columns of the block that comes next
//
// So step k + 1 is prepared while the bulk of step k runs. Each element receives its sums in the CPU's order.
template <class S>
class closure_elimination {
 public:
  using T = value_of<S>;
  using panels = panel_products<S>;

  closure_elimination(const context& ctx, index_t block) : ctx_(ctx), asked_(block) {}

  // A matrix of `vertices`, padded to n. Leaves are close_blocks' tiles. That kernel does everything where there are
  // only leaves, and where integer sums could wrap, as it checks for that.
  void plan(index_t vertices, index_t n, parts_of_workspace& parts) {
    static_assert(closure_leaf == tile_size);
    n_ = n;
    block_ = blocks_of_closure(vertices, asked_);
    if (block_ != asked_ || (can_wrap<S> && std::is_integral_v<T>)) block_ = n;
    steps_ = ceil_div(n, block_);
    const index_t b = block_, tile = tile_size;
    columns_ = parts.take<T>(double(steps_ == 1 ? n : b) * tile);
    arrivals_ = parts.take<unsigned>(double(steps_));
    if (steps_ == 1) return;
    ahead_ = b % panels::tile_rows() == 0 && b % panels::tile_cols() == 0;
    for (int half : {0, 1}) {
      left_[half] = parts.take(double(panels::bytes(true, n, b)));
      right_[half] = parts.take(double(panels::bytes(false, n, b)));
      right_diagonal_[half] = parts.take(double(panels::bytes(false, b, b)));
      next_left_[half] = parts.take<T>(double(b) * b);
    }
    // With so few tiles, a product with a small tile a block finishes sooner than gemm.
    small_ = ahead_ && (n / tile) * (b / tile) <= 2 * ctx_.device()->multiprocessors;
    if (small_) {
      old_rows_ = parts.take<T>(double(b) * n);
      return;
    }
    left_diagonal_ = parts.take(double(panels::bytes(true, b, b)));
    old_right_ = parts.take(double(panels::bytes(false, n, b)));
  }

  // Called before anything is written, as the context may have to create them.
  void open_streams() {
    if (steps_ == 1) return;
    diagonal_ = static_cast<cudaStream_t>(ctx_.side_stream(0));
    strips_ = static_cast<cudaStream_t>(ctx_.side_stream(1));
    columns_stream_ = static_cast<cudaStream_t>(ctx_.side_stream(2));
  }

  // a: n x n, contiguous rows `stride` apart, prepared. Enqueues everything; the context's stream is done when all is.
  void enqueue(T* a, index_t stride, sign_class signs, closure_report* report) {
    a_ = a, stride_ = stride, signs_ = signs, report_ = report;
    main_ = static_cast<cudaStream_t>(ctx_.stream());
    gpu::require(cudaMemsetAsync(arrivals_, 0, steps_ * sizeof(unsigned), main_), "clearing counters");
    if (steps_ == 1) {
      close_diagonal(0, main_);
      return;
    }
    prepared_.record(main_);
    for (cudaStream_t side : {diagonal_, strips_, columns_stream_}) prepared_.delay(side);
    for (index_t k = 0; k < steps_; ++k) {
      // The last bulk update that block k waits for: that of step k - 2 or, without running ahead, of step k - 1.
      const stream_event& before = bulk_[(ahead_ ? k : k + 1) % 2];
      // The diagonal block.
      if (k > 0) packed_[(k - 1) % 2].delay(diagonal_);
      before.delay(diagonal_);
      close_diagonal(k, diagonal_);
      closed_.record(diagonal_);
      // Its strips, as step k - 1 leaves them.
      before.delay(strips_);
      if (k > 0) {
        packed_[(k - 1) % 2].delay(columns_stream_);
        before.delay(columns_stream_);
        finish_columns(k - 1);
        if (ahead_) update_strips(k - 1);
        finished_.record(columns_stream_);
        finished_.delay(strips_);
      }
      copy_old(k);
      closed_.delay(strips_);
      multiply_rows(k);
      pack(k);
      packed_[k % 2].record(strips_);
      // The bulk.
      packed_[k % 2].delay(main_);
      update_rest(k);
      bulk_[k % 2].record(main_);
    }
    packed_[(steps_ - 1) % 2].delay(columns_stream_);
    finish_columns(steps_ - 1);
    finished_.record(columns_stream_);
    finished_.delay(main_);
  }

 private:
  index_t first(index_t k) const { return k * block_; }
  index_t size(index_t k) const { return std::min(block_, n_ - first(k)); }
  excluded_range without(index_t k) const { return {first(k), size(k)}; }
  T* at(index_t i, index_t j) const { return a_ + i * stride_ + j; }

  void close_diagonal(index_t k, cudaStream_t stream) {
    team_arguments<T> x;
    x.a = at(first(k), first(k)), x.n = size(k), x.row_stride = stride_, x.col_stride = 1;
    if (ahead_ && k > 0) {
      x.left = next_left_[(k - 1) % 2], x.left_stride = block_;
      x.right = at(first(k - 1), first(k)), x.right_stride = stride_;
      x.depth = size(k - 1);
    }
    x.columns = columns_, x.arrivals = arrivals_ + k;
    x.diverging = &report_->diverging, x.first_vertex = static_cast<int>(first(k)), x.overflow = &report_->overflow;
    const index_t tiles = ceil_div(x.n, tile_size);
    x.team = static_cast<int>(std::min<index_t>(tiles * tiles, ctx_.device()->multiprocessors));

    const auto blocks = static_cast<unsigned>(x.team);
    gpu::launch(close_blocks<S>, {.blocks = blocks, .threads = tile_threads, .stream = stream, .cooperative = true}, x);
  }

  panel_product<T> product(index_t k) const {
    panel_product<T> p;
    p.k = size(k);
    p.row_stride = stride_;
    p.signs = signs_, p.overflow = &report_->overflow, p.stop = &report_->diverging;
    return p;
  }

  void copy_block(T* to, index_t to_stride, index_t i, index_t j, index_t rows, index_t cols) {
    gpu::require(cudaMemcpy2DAsync(to, to_stride * sizeof(T), at(i, j), stride_ * sizeof(T), cols * sizeof(T), rows,
                                   cudaMemcpyDeviceToDevice, strips_),
                 "copying a block");
  }
  // Copies what products in place would overwrite, before the diagonal block is closed.
  void copy_old(index_t k) {
    if (ahead_ && k + 1 < steps_) copy_block(next_left_[k % 2], block_, first(k + 1), first(k), size(k + 1), size(k));
    if (small_) copy_block(old_rows_, n_, first(k), 0, size(k), n_);
  }
  // R := D R
  void multiply_rows(index_t k) {
    const index_t b = size(k);
    if (small_) {
      strip_arguments<T> x;
      x.left = at(first(k), first(k)), x.left_stride = stride_, x.right = old_rows_, x.right_stride = n_;
      x.c = at(first(k), 0), x.c_stride = stride_, x.rows = x.depth = b, x.cols = n_ - b;
      x.excluded = without(k), x.stop = &report_->diverging, x.overflow = &report_->overflow;
      const dim3 grid(static_cast<unsigned>(ceil_div(x.cols, tile_size)),
                      static_cast<unsigned>(ceil_div(b, tile_size)));
      return gpu::launch(multiply_strip<S>, {grid, tile_threads, 0, strips_}, x);
    }
    panels::pack(strips_, {at(first(k), first(k)), b, b, stride_, 1, {}, left_diagonal_},
                 {at(first(k), 0), n_ - b, b, 1, stride_, without(k), old_right_});
    auto p = product(k);
    p.a = left_diagonal_, p.b = old_right_;
    p.m = b, p.n = n_ - b, p.c = at(first(k), 0), p.excluded_cols = without(k);
    p.count_m = ceil_div(p.m, panels::tile_rows()), p.count_n = ceil_div(p.n, panels::tile_cols());
    panels::multiply(strips_, p);
  }
  // The old L and the new R; D as a right operand.
  void pack(index_t k) {
    const index_t b = size(k), outer = n_ - b;
    panels::pack(strips_, {at(0, first(k)), outer, b, stride_, 1, without(k), left_[k % 2]},
                 {at(first(k), 0), outer, b, 1, stride_, without(k), right_[k % 2]});
    panels::pack(strips_, {}, {at(first(k), first(k)), b, b, 1, stride_, {}, right_diagonal_[k % 2]});
  }
  // L := L D
  void finish_columns(index_t k) {
    auto p = product(k);
    p.a = left_[k % 2], p.b = right_diagonal_[k % 2];
    p.m = n_ - size(k), p.n = size(k), p.c = at(0, first(k)), p.excluded_rows = without(k);
    p.count_m = ceil_div(p.m, panels::tile_rows()), p.count_n = ceil_div(p.n, panels::tile_cols());
    panels::multiply(columns_stream_, p);
  }
  // A := A (+) L R outside block k's rows and columns.
  panel_product<T> update(index_t k) const {
    auto p = product(k);
    p.a = left_[k % 2], p.b = right_[k % 2];
    p.m = p.n = n_ - size(k), p.c = a_, p.accumulate = true;
    p.excluded_rows = p.excluded_cols = without(k);
    p.count_m = ceil_div(p.m, panels::tile_rows()), p.count_n = ceil_div(p.n, panels::tile_cols());
    return p;
  }
  // Block k + 1 among the tiles of that update. Block k itself is excluded, so block k + 1 starts where block k does.
  excluded_range next_rows(index_t k) const {
    return {first(k) / panels::tile_rows(), ceil_div(size(k + 1), panels::tile_rows())};
  }
  excluded_range next_columns(index_t k) const {
    return {first(k) / panels::tile_cols(), ceil_div(size(k + 1), panels::tile_cols())};
  }

  void update_strips(index_t k) {
    const excluded_range rows = next_rows(k), columns = next_columns(k);
    auto p = update(k);
    p.first_m = rows.first, p.count_m = rows.size;
    p.excluded_tile_cols = columns, p.count_n -= columns.size;
    panels::multiply(strips_, p);
    p = update(k);
    p.first_n = columns.first, p.count_n = columns.size;
    p.excluded_tile_rows = rows, p.count_m -= rows.size;
    panels::multiply(columns_stream_, p);
  }
  void update_rest(index_t k) {
    auto p = update(k);
    if (ahead_ && k + 1 < steps_) {
      p.excluded_tile_rows = next_rows(k), p.excluded_tile_cols = next_columns(k);
      p.count_m -= p.excluded_tile_rows.size, p.count_n -= p.excluded_tile_cols.size;
    }
    panels::multiply(main_, p);
  }

  const context& ctx_;
  index_t asked_, block_ = 0, n_ = 0, steps_ = 0;
  bool ahead_ = false, small_ = false;
  T* a_ = nullptr;
  index_t stride_ = 0;
  sign_class signs_ = sign_class::any;
  closure_report* report_ = nullptr;
  cudaStream_t main_{}, diagonal_{}, strips_{}, columns_stream_{};
  stream_event prepared_, closed_, finished_, packed_[2], bulk_[2];

  T* columns_ = nullptr;
  unsigned* arrivals_ = nullptr;
  char *left_[2]{}, *right_[2]{}, *right_diagonal_[2]{}, *left_diagonal_ = nullptr, *old_right_ = nullptr;
  T *next_left_[2]{}, *old_rows_ = nullptr;
};

}  // namespace kleene::kernels::cuda
