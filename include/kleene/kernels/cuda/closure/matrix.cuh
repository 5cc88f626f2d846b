// The closure of one matrix on a device.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/loading.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/kernels/contract/closure_overflow.hpp"
#include "kleene/kernels/cuda/closure/elimination.cuh"
#include "kleene/kernels/cuda/closure/exponents.cuh"
#include "kleene/kernels/cuda/closure/predecessors/recovery.cuh"
#include "kleene/kernels/cuda/gemm/simt/operands/panels.cuh"

#include <chrono>

namespace kleene::kernels::cuda {

// Acquires everything that can run out before anything is written: memory, streams, the kernels' code.
template <class S>
class closure_on_device {
 public:
  using T = value_of<S>;

  closure_on_device(const context& ctx, const matrix_view<T>& a, const matrix_view<std::int32_t>& p,
                    const closure_options& options)
      : ctx_(ctx),
        a_(a),
        p_(p),
        options_(options),
        n_(a.rows()),
        elimination_(ctx, options.block > 0 ? options.block : closure_block),
        exponents_(ctx, n_, options.block == 0 && n_ >= least_exponent_closure),
        predecessors_(ctx, n_) {
    // Rows that cannot be stored 16 bytes at a time are closed in a padded copy.
    constexpr index_t run = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
    in_place_ = a.stride(1) == 1 && a.stride(0) % run == 0 && n_ % run == 0 &&
                reinterpret_cast<std::uintptr_t>(a.data()) % 16 == 0;
    width_ = in_place_ ? n_ : round_up(n_, run);
  }

  // Acquires what run() needs; run() cannot fail for want of it while the context keeps its workspace.
  void get_ready() {
    static gpu::done_on_devices loaded, loaded_recovery;
    const int device = ctx_.device()->ordinal;
    if (!loaded.is_done(device)) {
      gpu::load_kernels(ctx_, inspect_closure<S>, prepare_closure<S>, close_blocks<S>, multiply_strip<S>,
                        unpad_closure<T>);
      gpu::require_loaded(ctx_, static_cast<cudaError_t>(panel_products<S>::load()));
      loaded.mark(device);
    }
    exponents_.load();
    if constexpr (is_selective<S>)
      if (with_predecessors() && !loaded_recovery.is_done(device)) {
        predecessor_recovery<S>::load(ctx_);
        loaded_recovery.mark(device);
      }
    const std::size_t needed = lay_out(parts_of_workspace());
    require_room(ctx_, needed, "a closure of " + std::to_string(n_) + " vertices");
    lay_out(parts_of_workspace(ctx_.workspace(needed)));
    if (in_place_) work_ = a_.data();
    elimination_.open_streams();
  }

  closure_info run() {
    const auto start = std::chrono::steady_clock::now();
    closure_info info;
    info.block = options_.block > 0 ? options_.block : closure_block;
    info.operations = 2.0 * double(n_) * double(n_) * double(n_);
    get_ready();

    const matrix_rows<T> rows = rows_of<S>(a_);
    const closure_report values = inspect_matrices<S>(ctx_, rows, options_.check_domain, report_);
    const sign_class signs = closure_signs<S>({static_cast<float>(operand_report::value(values.values.low)),
                                               static_cast<float>(operand_report::value(values.values.high))});
    gpu::launch(prepare_closure<S>, {blocks_for_rows(ctx_, width_), row_threads, 0, stream()}, rows, work_, width_,
                arcs());
    if (!exponents_.run(work_, stride(), report_)) elimination_.enqueue(work_, stride(), signs, report_);
    const closure_report done = read_report(ctx_, report_);
    info.diverging = done.diverging;
    info.exists = done.diverging < 0;
    if (!info.exists) info.operations *= double(done.diverging) / double(n_);
    if (info.exists && done.overflow) kleene::detail::refuse_overflow<S>();
    if constexpr (is_selective<S>)
      if (info.exists && with_predecessors())
        predecessors_.run({work_, n_, stride(), 1, p_.data(), p_.stride(0), p_.stride(1)}, arcs(), report_);
    if (info.exists && !in_place_) {
      gpu::launch(unpad_closure<T>, {blocks_for_rows(ctx_, n_), row_threads, 0, stream()}, work_, width_, rows);
      gpu::wait(ctx_, "a closure");
    }
    info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return info;
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }
  index_t stride() const { return in_place_ ? a_.stride(0) : width_; }
  bool with_predecessors() const { return !p_.is_null(); }

  // The input weights, which predecessors need afterwards, are saved in P's storage if they fit there.
  static constexpr bool keeps_in_p = sizeof(T) == sizeof(std::int32_t);
  matrix_rows<T> arcs() const {
    if (with_predecessors() && keeps_in_p)
      return {reinterpret_cast<T*>(p_.data()), 1, n_, 0, p_.stride(0), p_.stride(1)};
    return {kept_, 1, n_, 0, n_, 1};
  }

  std::size_t lay_out(parts_of_workspace parts) {
    report_ = parts.template take<closure_report>(1);
    if (!in_place_) work_ = parts.template take<T>(double(width_) * double(width_));
    if (with_predecessors() && !keeps_in_p) kept_ = parts.template take<T>(double(n_) * double(n_));
    elimination_.plan(n_, width_, parts);
    exponents_.plan(parts);
    if (with_predecessors()) predecessors_.plan(parts);
    return parts.bytes();
  }

  const context& ctx_;
  matrix_view<T> a_;
  matrix_view<std::int32_t> p_;
  closure_options options_;
  index_t n_, width_ = 0;
  bool in_place_ = false;
  closure_elimination<S> elimination_;
  exponent_closure<S> exponents_;
  predecessor_recovery<S> predecessors_;

  closure_report* report_ = nullptr;
  T *work_ = nullptr, *kept_ = nullptr;
};

}  // namespace kleene::kernels::cuda
