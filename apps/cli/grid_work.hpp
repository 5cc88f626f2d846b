// Closures and products on several CUDA devices, of matrices in host memory.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/grid/device_closure.hpp"
#include "kleene/grid/device_gemm.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <vector>

namespace kleene::cli {

// Sixteen blocks a side for each device, where those are of a size that suits its products (docs/scale.md).
inline index_t grid_block(index_t extent, const grid& g) {
  const auto side = static_cast<std::uint64_t>(extent / std::max(g.rows(), g.cols()) / 16);
  return std::clamp<index_t>(static_cast<index_t>(std::bit_floor(side)), 64, 2048);
}

template <class T>
distributed_device_matrix<T> share_of(worker& w, const matrix<T>& whole, index_t block, index_t other) {
  distributed_matrix<T> host(w, {whole.rows(), whole.cols(), block, other});
  host.fill([&](index_t i, index_t j) { return whole(i, j); });
  return to_device(host);
}

// Writes each worker's share to its places: they are all different.
template <class T>
void take_share(const distributed_device_matrix<T>& from, matrix<T>& whole) {
  const distributed_matrix<T> host = to_host(from);
  for (index_t i = 0; i < host.local().rows(); ++i)
    host.col_axis().for_each_run(host.at().col(), [&](index_t local, index_t global, index_t count) {
      std::copy_n(&host.local()(i, local), count, &whole(host.global_row(i), global));
    });
}

// Closes `a`, and leaves predecessors in `p` where it has elements. The progress callback is ctx's.
template <class S>
closure_info close_on_grid(const context& ctx, const std::vector<int>& devices, matrix<value_of<S>>& a,
                           matrix<std::int32_t>& p) {
  const grid g = grid::cuda(devices);
  const index_t block = grid_block(a.rows(), g);
  closure_info info;
  g.run([&](worker& w) {
    if (w.rank() == 0) w.context().on_progress(ctx.progress());
    auto there = share_of(w, a, block, block);
    closure_info found;
    if constexpr (is_selective<S> && has_unit_star<S>) {
      if (p.size() > 0) {
        distributed_device_matrix<std::int32_t> before(w, there.layout());
        found = closure(w, S{}, there, before);
        if (found.exists) take_share(before, p);
      } else {
        found = closure(w, S{}, there);
      }
    } else {
      found = closure(w, S{}, there);
    }
    if (found.exists) take_share(there, a);
    if (w.rank() == 0) info = found;
  });
  return info;
}

// C = A B. Returns the seconds of the product alone.
template <class S>
double multiply_on_grid(const std::vector<int>& devices, const matrix<value_of<S>>& a, const matrix<value_of<S>>& b,
                        matrix<value_of<S>>& c) {
  const grid g = grid::cuda(devices);
  const index_t rows = grid_block(a.rows(), g), inner = grid_block(a.cols(), g), cols = grid_block(b.cols(), g);
  double seconds = 0;
  g.run([&](worker& w) {
    const auto left = share_of(w, a, rows, inner), right = share_of(w, b, inner, cols);
    distributed_device_matrix<value_of<S>> sum(w, {a.rows(), b.cols(), rows, cols});
    w.comm().barrier();
    const auto start = std::chrono::steady_clock::now();
    gemm(w, S{}, left, right, sum);
    if (w.rank() == 0) seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    take_share(sum, c);
  });
  return seconds;
}

}  // namespace kleene::cli
