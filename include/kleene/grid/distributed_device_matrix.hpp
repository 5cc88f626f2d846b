// A matrix that is spread over a grid of CUDA devices (grid::cuda): each worker has its blocks, as one dense matrix in
// the memory of its device.
//
//   distributed_matrix<float> host(w, {.m = n, .n = n, .mb = 1024, .nb = 1024});   // filled, scattered, or read
//   distributed_device_matrix<float> a = to_device(host);
//   a.local()                                    // a view of device memory, as host.local() is of the host's
//   matrix<float> whole = to_host(a).gather();
//
// Contract
//   collective   the constructor, to_device and to_host, as grid.hpp says
//   memory       NUMROC(M) x NUMROC(N) elements on a worker's device; error(memory) of all workers where one of them
//                has no room
//   errors       as distributed_matrix.hpp; error(device) on a grid without devices
//   to_host      waits for the work of the worker's context, and throws what that found wrong with values, as all
//                workers do
#pragma once

#include "kleene/data/device_matrix.hpp"
#include "kleene/grid/distributed_matrix.hpp"

namespace kleene {

template <class T>
class distributed_device_matrix {
 public:
  using value_type = T;

  // Uninitialised elements.
  distributed_device_matrix(worker& w, const distribution& d) : worker_(&w), layout_(d) {
    w.together([&] {
      detail::require_distribution(w, d);
      local_ = device_matrix<T>(w.context(), row_axis().numroc(w.row()), col_axis().numroc(w.col()));
    });
  }

  const distribution& layout() const { return layout_; }
  worker& at() const { return *worker_; }
  cyclic_axis row_axis() const { return {layout_.m, layout_.mb, layout_.rsrc, worker_->rows()}; }
  cyclic_axis col_axis() const { return {layout_.n, layout_.nb, layout_.csrc, worker_->cols()}; }

  view<T, 2, memory::device> local() { return local_.view(); }
  view<const T, 2, memory::device> local() const { return local_.view(); }
  index_t global_row(index_t local) const { return row_axis().indxl2g(local, worker_->row()); }
  index_t global_col(index_t local) const { return col_axis().indxl2g(local, worker_->col()); }

 private:
  worker* worker_;
  distribution layout_;
  device_matrix<T> local_;
};

template <class T>
distributed_device_matrix<T> to_device(const distributed_matrix<T>& from) {
  distributed_device_matrix<T> to(from.at(), from.layout());
  from.at().together([&] {
    copy(from.at().context(), from.local(), to.local());
    from.at().context().synchronise();
  });
  return to;
}

template <class T>
distributed_matrix<T> to_host(const distributed_device_matrix<T>& from) {
  distributed_matrix<T> to(from.at(), from.layout());
  from.at().together([&] {
    copy(from.at().context(), from.local(), to.local());
    from.at().context().synchronise();
  });
  return to;
}

}  // namespace kleene
