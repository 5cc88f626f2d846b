// gemm on a grid of CUDA devices: C = A B, or A B (+) C, in the words of grid/gemm.hpp.
//
//   gemm(w, min_plus<float>{}, a, b, c);                     // distributed_device_matrix, every worker
//
// Method: SUMMA, as grid/gemm.hpp says. Panels go from device to device on a stream of their own, one block of k ahead
// of the products, which are gemm's.
//
// Contract: that of grid/gemm.hpp, for algebras of the catalog and products of algebra/mixed.def. The call returns when
// the result is there. Blocks of k of 1,024 and more let products hide what goes from device to device.
#pragma once

#include "kleene/grid/detail/device_share.hpp"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/gemm.hpp"

#include <algorithm>
#include <optional>

namespace kleene {

namespace detail {

template <class S>
class device_summa {
 public:
  using T = value_of<S>;
  using matrices = distributed_device_matrix<T>;
  using values = view<T, 2, memory::device>;
  using const_values = view<const T, 2, memory::device>;

  device_summa(worker& w, const matrices& a, const matrices& b, matrices& c)
      : worker_(w),
        a_(a),
        b_(b),
        c_(c),
        block_(std::min(a.layout().nb, a.layout().n)),
        panels_{panels(w.context(), c.local(), block_), panels(w.context(), c.local(), block_)},
        ahead_(context::cuda(stream_.get())) {}

  // Enqueues everything; the worker's context is done when all is.
  void run(bool accumulate) {
    const index_t blocks = a_.col_axis().blocks();
    if (blocks == 0) multiply(0, 0, accumulate);
    panels_[0].used.record(worker_.context().stream());  // what the caller put there
    panels_[0].used.delay(stream_.get());
    if (blocks > 0) begin(0);
    for (index_t at = 0; at < blocks; ++at) {
      panels& now = panels_[at % 2];
      now.here.delay(worker_.context().stream());
      if (at + 1 < blocks) begin(at + 1);
      multiply(at, size_of(at), accumulate || at > 0);
      now.used.record(worker_.context().stream());
    }
  }

 private:
  struct panels {
    panels(const context& ctx, const values& c, index_t block)
        : left(ctx, c.rows(), block), right(ctx, block, c.cols()) {}
    device_matrix<T> left, right;
    device_event here, used;  // when they are, and when the product needs them no more
  };

  index_t size_of(index_t at) const { return std::min(block_, a_.layout().n - at * block_); }
  values left(index_t at, index_t size) { return {panels_[at % 2].left.data(), {c_.local().rows(), size}}; }
  values right(index_t at, index_t size) { return {panels_[at % 2].right.data(), {size, c_.local().cols()}}; }

  // Sends this worker's part of block `at` of k, or takes it.
  void begin(index_t at) {
    const index_t first = at * block_, size = size_of(at);
    const int col = a_.col_axis().indxg2p(first), row = b_.row_axis().indxg2p(first);
    const values l = left(at, size), r = right(at, size);
    panels_[at % 2].used.delay(stream_.get());
    if (worker_.col() == col) copy(ahead_, a_.local().block(0, a_.col_axis().indxg2l(first), l.rows(), size), l);
    if (worker_.row() == row) copy(ahead_, b_.local().block(b_.row_axis().indxg2l(first), 0, size, r.cols()), r);
    const auto bytes = [](const values& v) { return static_cast<std::size_t>(v.size()) * sizeof(T); };
    worker_.comm().broadcast_on(stream_.get(), scope::row, col, l.data(), bytes(l));
    worker_.comm().broadcast_on(stream_.get(), scope::column, row, r.data(), bytes(r));
    panels_[at % 2].here.record(stream_.get());
  }

  void multiply(index_t at, index_t size, bool accumulate) {
    if (c_.local().empty()) return;
    gemm(worker_.context(), S{}, left(at, size), right(at, size), c_.local(),
         {.accumulate = accumulate, .check_domain = false});
  }

  worker& worker_;
  const matrices& a_;
  const matrices& b_;
  matrices& c_;
  index_t block_;
  panels panels_[2];
  device_stream stream_;
  context ahead_;  // on that stream
};

}  // namespace detail

template <product_algebra S>
void gemm(worker& w, S, const distributed_device_matrix<value_of<S>>& a,
          const distributed_device_matrix<value_of<S>>& b, distributed_device_matrix<value_of<S>>& c,
          grid_gemm_options options = {}) {
  std::optional<detail::device_summa<S>> product;
  w.together([&] {
    detail::require_product(a.layout(), b.layout(), c.layout());
    if (&c == &a || &c == &b) throw argument_error("C is one of the factors of the product");
    if constexpr (has_domain<S>)
      if (options.check_domain) {
        detail::check_device_share<S>(a, "A", false);
        detail::check_device_share<S>(b, "B", false);
        if (options.accumulate) detail::check_device_share<S>(c, "C", false);
      }
    product.emplace(w, a, b, c);
  });
  product->run(options.accumulate);
  w.together([&] { w.context().synchronise(); });
}

}  // namespace kleene
