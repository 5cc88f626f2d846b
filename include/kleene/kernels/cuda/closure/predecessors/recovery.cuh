// Predecessors of a closure on a device, found from the closed matrix.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/loading.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/closure/checks.cuh"
#include "kleene/kernels/cuda/closure/predecessors/best_arc_room.hpp"
#include "kleene/kernels/cuda/closure/predecessors/predecessors.cuh"

namespace kleene::kernels::cuda {

// P from the closed matrix and its arcs. All memory is reserved before the elimination, when the number of best arcs is
// not known yet; where there are more than there is room for, they are listed for a strip of heads at a time.
template <class S>
class predecessor_recovery {
 public:
  using T = value_of<S>;
  using matrix = closed_matrix<T>;
  using arc_matrix = matrix_rows<T>;

  predecessor_recovery(const context& ctx, index_t n)
      : ctx_(ctx), n_(n), room_(best_arc_room(n)), followers_(2 * ctx.device()->multiprocessors) {}

  void plan(parts_of_workspace& parts) {
    list_.offsets = parts.take<unsigned>(double(n_) + 1);
    list_.cursor = parts.take<unsigned>(double(n_));
    list_.weights = parts.take<T>(double(room_));
    list_.tails = parts.take<std::int32_t>(double(room_));
    ties_ = parts.take<std::int32_t>(double(n_));
    broken_ = parts.take<std::int32_t>(double(n_));
    next_ = parts.take<std::int32_t>(double(followers_) * double(n_));
  }

  // Loads the kernels' code, before the elimination writes anything.
  static void load(const context& ctx) {
    gpu::load_kernels(ctx, list_best_arcs<S, false>, list_best_arcs<S, true>, scan_offsets, recover_predecessors<S>,
                      follow_predecessors<T>, search_rows<S, true>, search_rows<S, false>);
    gpu::allow_shared_bytes(gpu::address_of(recover_predecessors<S>), row_cache(ctx));
  }

  void run(const matrix& x, const arc_matrix& arcs, closure_report* report) {
    const unsigned long long found = count_arcs(x, arcs, {0, n_}, report);
    const bool all = found <= static_cast<unsigned long long>(room_);
    if (all) {
      recover(x, arcs, ties_, report);
    } else {
      const index_t heads = room_ / n_;
      for (index_t first = 0; first < n_; first += heads) {
        count_arcs(x, arcs, {first, std::min(heads, n_ - first)}, report);
        recover(x, arcs, nullptr, report);
      }
    }
    const std::int32_t* const noted = all ? ties_ : nullptr;
    const auto followers = static_cast<unsigned>(followers_);
    gpu::launch(follow_predecessors<T>, {followers, 1024, 0, stream()}, x, noted, &report->ties, next_, broken_,
                &report->broken);
    gpu::launch(all ? search_rows<S, true> : search_rows<S, false>, {followers, 1024, 0, stream()}, x, list_, broken_,
                &report->broken);
    const closure_report done = read_report(ctx_, report);
    if (explain_enabled())
      explain("predecessors from " + std::to_string(found) + " best arcs; " +
              (all ? std::to_string(done.ties) + " rows with ties" : "in strips of " + std::to_string(room_ / n_)) +
              ", " + std::to_string(done.broken) + " rows searched again");
  }

 private:
  struct strip {
    index_t first, size;
  };

  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }
  // Shared memory for a row of A, besides what recover_predecessors has of its own.
  static std::size_t row_cache(const context& ctx) { return ctx.device()->shared_memory - 2048; }

  // Blocks across the heads, and down the rows until the device is full: `depth` rows each.
  dim3 grid(index_t& depth) const {
    const index_t across = ceil_div(list_.size, row_threads);
    depth = std::clamp<index_t>(n_ * across / (8 * ctx_.device()->multiprocessors), 8, 256);
    return {static_cast<unsigned>(across), static_cast<unsigned>(ceil_div(n_, depth))};
  }

  // Makes the list one for these heads: counts their best arcs and sets the offsets. Returns the number of arcs.
  unsigned long long count_arcs(const matrix& x, const arc_matrix& arcs, strip heads, closure_report* report) {
    list_.first = heads.first, list_.size = heads.size;
    gpu::require(cudaMemsetAsync(list_.offsets, 0, (heads.size + 1) * sizeof(unsigned), stream()), "clearing counters");
    index_t depth;
    const dim3 blocks = grid(depth);
    gpu::launch(list_best_arcs<S, false>, {blocks, row_threads, 0, stream()}, x, arcs, depth, list_);
    gpu::launch(scan_offsets, {1, 1024, 0, stream()}, list_.offsets, heads.size, &report->best_arcs);
    return heads.size == n_ ? read_report(ctx_, report).best_arcs : 0;  // the number of a strip is not needed
  }

  // P of the list's heads.
  void recover(const matrix& x, const arc_matrix& arcs, std::int32_t* ties, closure_report* report) {
    gpu::require(cudaMemsetAsync(list_.cursor, 0, list_.size * sizeof(unsigned), stream()), "clearing counters");
    index_t depth;
    const dim3 blocks = grid(depth);
    gpu::launch(list_best_arcs<S, true>, {blocks, row_threads, 0, stream()}, x, arcs, depth, list_);
    const std::size_t row_bytes = static_cast<std::size_t>(n_) * sizeof(T);
    const bool cached = row_bytes <= row_cache(ctx_);
    const unsigned rows = static_cast<unsigned>(std::min<index_t>(n_, 16 * ctx_.device()->multiprocessors));
    gpu::launch_config config{rows, n_ > 4096 ? 1024 : 256, cached ? row_bytes : 0, stream()};
    config.most_shared_bytes = row_cache(ctx_);
    gpu::launch(recover_predecessors<S>, config, x, arcs, list_, cached, ties, &report->ties);
  }

  const context& ctx_;
  index_t n_, room_, followers_;
  best_arc_list<T> list_{};
  std::int32_t *ties_ = nullptr, *broken_ = nullptr, *next_ = nullptr;
};

}  // namespace kleene::kernels::cuda
