// Relational joins on CUDA devices: the host's side of join_tiles.cuh. Counts of tiles are scanned between its passes.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/scan.cuh"
#include "kleene/streaming/cuda/tiles/join_tiles.cuh"
#include "kleene/streaming/join.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace kleene {
namespace streaming {

// Both inputs, their cuts and the counts of their tiles.
template <class Grain, class A, class B, class Less>
class join_on_cuda {
  using G = chosen_grain<Grain, join_grain<sizeof(std::iter_value_t<A>)>>;
  static constexpr int size = G::threads * G::values, share = 4096;

 public:
  join_on_cuda(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Less less)
      : ctx_(&ctx),
        kind_(kind),
        s_{a, kleene::detail::length_of(a, a_last), b, kleene::detail::length_of(b, b_last)},
        less_(less),
        tiles_(ceil_div(s_.count(), size)) {
    static_assert(std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>, "both sequences hold the same type");
    if (tiles_ == 0) return;
    gpu::workspace_layout layout;
    const auto counts_at = layout.add<join_counts>(tiles_ + 1);
    const auto cuts_at = layout.add<join_cut>(tiles_ + 1);
    const auto crossings_at = layout.add<crossing_rows>(tiles_);
    const auto starts_at = layout.add<join_start>(tiles_ * G::threads);
    memory_.emplace(ctx.temporary(layout.bytes()));
    before_ = counts_at.in(memory_->get());
    cuts_ = cuts_at.in(memory_->get());
    crossings_ = crossings_at.in(memory_->get());
    starts_ = starts_at.in(memory_->get());
    launch(ctx, cut_join<A, B, Less>, ceil_div(tiles_ + 1, cut_threads), cut_threads,
           two_sequences<B, A>{s_.b, s_.b_count, s_.a, s_.a_count}, index_t{size}, tiles_, cuts_, less);
    const auto count =
        keeps_right(kind) ? count_join_tiles<G, true, A, B, Less> : count_join_tiles<G, false, A, B, Less>;
    launch(ctx, count, tiles_, G::threads, s_, cuts_, join_rule::of(kind), before_, crossings_, starts_, share, less);
    scan_on_cuda<tuned, true>(ctx, before_, tiles_ + 1, before_, join_counts{0, 0, 0}, add_counts{});
  }

  index_t rows() const {
    if (tiles_ == 0) return 0;
    return kleene::detail::run_as_call(*ctx_, {"rows of a join"}, [&] { return fetch(*ctx_, before_ + tiles_).all(); });
  }
  template <class Count>
  void rows_to(Count count) const;

  template <class Left, class Right>
  void fill(Left left, Right right, index_t capacity) const {
    if (kleene::detail::require_count("rows of output", capacity) == 0 || tiles_ == 0) return;
    const join_rule rule = join_rule::of(kind_);
    constexpr index_t no_limit = std::numeric_limits<index_t>::max() / 2;  // sums with it do not wrap
    const join_rows<Left, Right> out{left, right, std::min(capacity, no_limit), rule.right_sides};
    const auto fill_tiles = keeps_right(kind_) ? fill_join_tiles<G, true, A, B, Left, Right, Less>
                                               : fill_join_tiles<G, false, A, B, Left, Right, Less>;
    kleene::detail::device_call call(*ctx_, {"filling of a join"});
    launch(*ctx_, fill_tiles, tiles_, G::threads, s_, cuts_, rule, before_, tiles_, crossings_, starts_, share, out,
           less_);
    constexpr int threads = 256, blocks_each = 8;
    launch(*ctx_, fill_crossing_rows<A, B, Left, Right>, index_t{ctx_->device()->multiprocessors} * blocks_each,
           threads, cuts_, size, before_, tiles_, crossings_, share, out);
    call.finish();
  }

 private:
  const context* ctx_;
  join_kind kind_;
  two_sequences<A, B> s_;
  Less less_;
  index_t tiles_;
  std::optional<decltype(std::declval<const context&>().temporary(0))> memory_;
  join_counts* before_ = nullptr;
  join_cut* cuts_ = nullptr;
  crossing_rows* crossings_ = nullptr;
  join_start* starts_ = nullptr;
};

template <class Count>
__global__ void write_rows(const join_counts* total, Count count) {
  gpu::grid_dependency_wait();
  *count = total->all();
}

template <class Grain, class A, class B, class Less>
template <class Count>
void join_on_cuda<Grain, A, B, Less>::rows_to(Count count) const {
  if (tiles_ == 0) launch(*ctx_, write_zero<Count>, 1, 1, count);
  else launch(*ctx_, write_rows<Count>, 1, 1, before_ + tiles_, count);
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct joins {
  template <class A, class B, class Left, class Right, class Less>
  static index_t join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left, Right right,
                      index_t capacity, Less less) {
    const bool fills = detail::require_count("rows of output", capacity) > 0;
    const streaming::join_on_cuda<Grain, A, B, Less> work(ctx, kind, a, a_last, b, b_last, less);
    if (fills) work.fill(left, right, capacity);
    return work.rows();
  }

  template <class A, class B, class Left, class Right, class Count, class Less>
  static void join_to(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left, Right right,
                      index_t capacity, Count count, Less less) {
    const bool fills = detail::require_count("rows of output", capacity) > 0;
    const streaming::join_on_cuda<Grain, A, B, Less> work(ctx, kind, a, a_last, b, b_last, less);
    if (fills) work.fill(left, right, capacity);
    work.rows_to(count);
  }

  template <class A, class B, class Less>
  using plan = streaming::join_on_cuda<Grain, A, B, Less>;

  template <class A, class B, class Less>
  static plan<A, B, Less> plan_join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Less less) {
    return plan<A, B, Less>(ctx, kind, a, a_last, b, b_last, less);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::joins, cuda::joins<Grain>> machines_of(family<cpu::joins, Grain>);

}  // namespace detail
}  // namespace kleene
