// closure on a grid of CUDA devices: A* in place, in the words of grid/closure.hpp.
//
//   const grid g = grid::cuda({0, 1, 2, 3});
//   g.run([&](worker& w) {
//     distributed_device_matrix<float> a = to_device(host);
//     closure_info info = closure(w, min_plus<float>{}, a);        // the same for all workers
//     closure_info info = closure(w, min_plus<float>{}, a, p);     // with predecessors, on devices as A is
//   });
//
// Method: that of grid/closure.hpp. While a device does the bulk of one step, the next one's diagonal block is closed
// and its panels go from device to device, on a stream that goes before the bulk. Products are gemm's.
//
// Contract, beside that of grid/closure.hpp
//   algebras     the catalog's
//   equality     Over selective algebras and integers the result has the bits of closure(ctx, S{}, a, {.block = MB}) on
//                one device or the CPU, on every grid. Sums of floats are gemm's on each device.
//   predecessors Those that one device finds, from the closed matrix (its choice where paths tie, too, but where chains
//                go round and rows are searched again).
//   speed        Blocks of 1,024 to 4,096 vertices, and shares of eight blocks or more a side, let the bulk hide the
//                rest (docs/scale.md).
//   memory       on each device 2 MB (r + c) elements for panels, and about as much again to pack them in; with
//                predecessors a copy of A's share, up to n^2 / 16 arcs (an element and 4 bytes each), and 2^26 elements
//                and more, in which whole rows are put together. Repairing takes the shares in host memory.
//                Checkpoints: a copy of the share on the device, or in host memory where it has no room.
//   checkpoints  as there, without P, which is found when A is closed: a run may be resumed with or without
//                predecessors, and one without on a grid of any kind. Once a length has left the type nothing is saved.
//   callbacks    Worker 0's context's, between steps.
#pragma once

#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/device_elimination.inl.hpp"
#include "kleene/grid/detail/device_recovery.inl.hpp"
#include "kleene/grid/detail/device_share.hpp"
#include "kleene/grid/detail/saved_closure.inl.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace kleene {

struct device_grid_closure_options {
  bool check_domain = true;
  checkpoint_options checkpoint{};
};

namespace detail {

// Sets the diagonal, of the blocks that this worker has.
template <class S>
void prepare_device_share(distributed_device_matrix<value_of<S>>& a) {
  if constexpr (has_unit_star<S>) {
    using T = value_of<S>;
    const worker& w = a.at();
    const view<T, 2, memory::device> local = a.local();
    const cyclic_axis rows = a.row_axis(), cols = a.col_axis();
    for (index_t first = 0; first < rows.extent; first += rows.block) {
      if (rows.indxg2p(first) != w.row() || cols.indxg2p(first) != w.col()) continue;
      const index_t size = std::min(rows.block, rows.extent - first);
      matrix<T> host(size, 1);
      const view<T, 2, memory::device> diagonal(
          local.block(rows.indxg2l(first), cols.indxg2l(first), size, size).data(), {size, 1},
          {local.stride(0) + 1, 1});
      copy(w.context(), diagonal, host);
      w.context().synchronise();
      for (index_t i = 0; i < size; ++i) host(i, 0) = normalise<S>(S::add(widen<S>(S::one()), widen<S>(T(host(i, 0)))));
      copy(w.context(), host, diagonal);
    }
    w.context().synchronise();
  }
}

template <class S>
void explain_closure(const worker& w, const distribution& d, bool with_predecessors) {
  if (w.rank() == 0 && explain_enabled())
    explain("closure " + name_of<S>() + " " + to_string(d) + " on a grid of " + std::to_string(w.rows()) + " x " +
            std::to_string(w.cols()) + " devices, the first " + w.context().describe() +
            (with_predecessors ? ", with predecessors" : ""));
}

// P, from the closed A and the arcs that it came from.
template <class S>
void recover_on_devices(worker& w, distributed_device_matrix<value_of<S>>& a, const device_matrix<value_of<S>>& arcs,
                        distributed_device_matrix<std::int32_t>& p) {
  std::optional<device_recovery<S>> recovery;
  w.together([&] { recovery.emplace(w, a, arcs, p); });
  recovery->run();
  w.comm().barrier();
}

// p: null where no predecessors are wanted.
template <class S>
closure_info close_on_devices(worker& w, distributed_device_matrix<value_of<S>>& a,
                              distributed_device_matrix<std::int32_t>* p, const device_grid_closure_options& options) {
  using T = value_of<S>;
  const auto start = std::chrono::steady_clock::now();
  closure_info info;
  std::optional<device_elimination<S>> run;
  device_matrix<T> arcs;
  w.together([&] {
    require_closable(a.layout(), p ? &p->layout() : nullptr);
    if (options.check_domain) check_device_share<S>(a, "A", true);
    if (p) arcs = to_device(w.context(), a.local());
    run.emplace(w, a);
  });
  explain_closure<S>(w, a.layout(), p != nullptr);
  const double n = static_cast<double>(a.layout().n);
  info.block = a.layout().mb;
  const double all = 2 * n * n * n;
  std::optional<saved_closure<distributed_device_matrix<value_of<S>>>> saved;
  saved.emplace(a, nullptr, name_of<S>(), options.checkpoint);
  const index_t first = saved->resume();
  if (first == 0) prepare_device_share<S>(a);
  double done = 0;
  const auto report = [&](double pairs) {
    done = 2 * pairs;
    const progress_callback& progress = w.context().progress();
    if (w.rank() == 0 && progress && !progress(done, all)) throw error(fault_code::usage, "interrupted");
  };
  const double before = 2 * n * n * std::min(n, double(first) * double(a.layout().mb));
  if (first > 0) report(before / 2);
  info.diverging = run->run(first, {.report = report,
                                    .is_due = [&](index_t blocks) { return saved->is_due(blocks); },
                                    .save = [&](index_t blocks) {  // an overflow is not known to who resumes
                                      const bool overflow = run->finish();
                                      if (w.comm().minimum(overflow ? 0 : 1) == 1) saved->save(blocks);
                                    }});
  saved.reset();
  info.exists = info.diverging < 0;
  const bool overflow = run->finish();
  info.operations = (info.exists ? all : done) - before;
  if (info.exists && w.comm().minimum(overflow ? 0 : 1) == 0)
    w.together([&] {
      throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
    });
  w.comm().barrier();  // panels go when nobody copies from them any more
  run.reset();
  if constexpr (is_selective<S> && has_unit_star<S>)
    if (info.exists && p) recover_on_devices<S>(w, a, arcs, *p);
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace detail

template <closed_semiring S>
closure_info closure(worker& w, S, distributed_device_matrix<value_of<S>>& a,
                     device_grid_closure_options options = {}) {
  return detail::close_on_devices<S>(w, a, nullptr, options);
}

template <closed_semiring S>
closure_info closure(worker& w, S, distributed_device_matrix<value_of<S>>& a,
                     distributed_device_matrix<std::int32_t>& predecessors, device_grid_closure_options options = {}) {
  detail::require_paths<S>();
  return detail::close_on_devices<S>(w, a, &predecessors, options);
}

}  // namespace kleene
