// Closures of many matrices on a device.
#pragma once

#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/loading.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/kernels/contract/closure_order.hpp"
#include "kleene/kernels/cuda/closure/graphs.cuh"
#include "kleene/kernels/cuda/closure/matrix.cuh"

#include <memory>
#include <vector>

namespace kleene::kernels::cuda {

// Many small matrices, each closed by a thread block, by leaves. As in closure_on_device, everything that can run out
// is acquired first.
template <class S>
class graphs_on_device {
 public:
  using T = value_of<S>;

  // `small`: whether they are to be closed here. Otherwise this only checks their values.
  graphs_on_device(const context& ctx, const batch_view<T>& a, const batch_view<std::int32_t>& p, bool small)
      : ctx_(ctx),
        a_(a),
        p_(p),
        count_(a.extent(0)),
        n_(a.rows()),
        teams_(std::min<index_t>(count_, ctx.device()->multiprocessors * resident_teams)),
        by_tiles_(small && n_ > graph_size),
        keeps_apart_(by_tiles_ && !p.is_null() && sizeof(T) != sizeof(std::int32_t)),
        overflow_(std::make_unique_for_overwrite<unsigned[]>(small ? count_ : 0)) {}

  void get_ready() {
    static gpu::done_on_devices loaded;
    if (!loaded.is_done(ctx_.device()->ordinal)) {
      gpu::load_kernels(ctx_, inspect_closure<S>, close_graphs<S, 16>, close_graphs<S, 32>, close_graphs<S, 64>,
                        prepare_graphs<S>, close_blocks<S>, flag_graphs);
      if constexpr (is_selective<S>) gpu::load_kernels(ctx_, recover_graphs<S>, repair_graphs<S>);
      loaded.mark(ctx_.device()->ordinal);
    }
    const std::size_t needed = lay_out(parts_of_workspace());
    require_room(ctx_, needed, "closures of " + std::to_string(count_) + " matrices");
    lay_out(parts_of_workspace(ctx_.workspace(needed)));
  }

  // Throws what is wrong with the values, before any matrix is written.
  void inspect(const closure_batch_options& options) {
    x_.a = {a_.data(), count_, n_, a_.stride(0), a_.stride(1), a_.stride(2)};
    x_.p = {p_.data(), count_, n_, p_.stride(0), p_.stride(1), p_.stride(2)};
    x_.tie_count = &report_->ties;
    if (!options.sizes.empty()) {
      gpu::require(
          cudaMemcpyAsync(sizes_, options.sizes.data(), count_ * sizeof(std::int32_t), cudaMemcpyDefault, stream()),
          "copying sizes");
      x_.a.sizes = x_.p.sizes = sizes_;
    }
    inspect_matrices<S>(ctx_, x_.a, options.check_domain, report_);
  }

  // diverging[b], which has room: -1, or a vertex of matrix b whose star does not exist; empty where every star exists.
  void close(std::vector<std::int32_t>& diverging) {
    gpu::require(cudaMemsetAsync(x_.diverging, 0xff, count_ * sizeof(int), stream()), "clearing flags");
    gpu::require(cudaMemsetAsync(x_.overflow, 0, count_ * sizeof(unsigned), stream()), "clearing flags");
    const auto grid = static_cast<unsigned>(std::min<index_t>(count_, 1 << 20));
    if (n_ <= 16) gpu::launch(close_graphs<S, 16>, {grid, threads_for(16), 0, stream()}, x_);
    else if (n_ <= 32) gpu::launch(close_graphs<S, 32>, {grid, threads_for(32), 0, stream()}, x_);
    else if (!by_tiles_) gpu::launch(close_graphs<S, 64>, {grid, threads_for(64), 0, stream()}, x_);
    else close_by_tiles(grid);
    if constexpr (is_selective<S>)
      if (!p_.is_null()) {
        const auto repair_blocks = static_cast<unsigned>(std::min<index_t>(count_, 8 * ctx_.device()->multiprocessors));
        gpu::launch(repair_graphs<S>, {repair_blocks, row_threads, 0, stream()}, x_, &report_->broken);
      }
    gpu::launch(flag_graphs, {blocks_for_rows(ctx_, ceil_div(count_, 32)), row_threads, 0, stream()}, x_.diverging,
                x_.overflow, count_, &report_->flagged);
    const closure_report done = read_report(ctx_, report_);
    if (done.flagged) read_flags(diverging);
    if (explain_enabled())
      explain("closure " + name_of<S>() + ": " + std::to_string(count_) + " matrices of up to " + std::to_string(n_) +
              " vertices, a block each, " + ctx_.describe() +
              (p_.is_null() ? "" : "; " + std::to_string(done.broken) + " rows of predecessors searched again"));
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }

  void read_flags(std::vector<std::int32_t>& diverging) {
    diverging.resize(count_);
    const auto read = [&](auto* to, const auto* from) {
      gpu::require(cudaMemcpyAsync(to, from, count_ * sizeof *to, cudaMemcpyDeviceToHost, stream()), "copying flags");
    };
    read(diverging.data(), x_.diverging);
    read(overflow_.get(), x_.overflow);
    gpu::wait(ctx_, "copying flags");
    for (index_t b = 0; b < count_; ++b)
      if (overflow_[b] && diverging[b] < 0) kleene::detail::refuse_overflow<S>();
  }

  std::size_t lay_out(parts_of_workspace parts) {
    report_ = parts.template take<closure_report>(1);
    sizes_ = parts.template take<std::int32_t>(double(count_));
    x_.diverging = parts.template take<int>(double(count_));
    x_.overflow = parts.template take<unsigned>(double(count_));
    x_.ties = parts.template take<std::int32_t>(double(count_));
    if (by_tiles_) columns_ = parts.template take<T>(double(teams_) * double(n_) * tile_size);
    if (keeps_apart_) kept_ = parts.template take<T>(double(count_) * double(n_) * double(n_));
    return parts.bytes();
  }

  void close_by_tiles(unsigned grid) {
    matrix_rows<T> arcs = x_.a;
    arcs.data = nullptr;
    if (keeps_apart_) arcs = {kept_, count_, n_, n_ * n_, n_, 1, x_.a.sizes};
    else if (!p_.is_null())
      arcs = {reinterpret_cast<T*>(p_.data()), count_, n_, p_.stride(0), p_.stride(1), p_.stride(2), x_.a.sizes};
    gpu::launch(prepare_graphs<S>, {blocks_for_rows(ctx_, count_ * n_), row_threads, 0, stream()}, x_.a, arcs);
    team_arguments<T> team;
    team.a = a_.data(), team.count = count_, team.n = n_;
    team.batch_stride = a_.stride(0), team.row_stride = a_.stride(1), team.col_stride = a_.stride(2);
    team.sizes = x_.a.sizes, team.columns = columns_, team.diverging = x_.diverging, team.overflow = x_.overflow;
    gpu::launch(close_blocks<S>, {static_cast<unsigned>(teams_), tile_threads, 0, stream()}, team);
    if constexpr (is_selective<S>)
      if (!p_.is_null()) gpu::launch(recover_graphs<S>, {grid, row_threads, 0, stream()}, x_, arcs);
  }

  const context& ctx_;
  batch_view<T> a_;
  batch_view<std::int32_t> p_;
  index_t count_, n_, teams_;
  bool by_tiles_, keeps_apart_;
  std::unique_ptr<unsigned[]> overflow_;  // room for read_flags
  graphs_arguments<T> x_{};
  closure_report* report_ = nullptr;
  std::int32_t* sizes_ = nullptr;
  T *columns_ = nullptr, *kept_ = nullptr;
};

// Calls visit(b, closure of matrix b) for each matrix that has vertices.
template <class S, class Visit>
void for_each_closure(const context& ctx, const batch_view<value_of<S>>& a, const batch_view<std::int32_t>& p,
                      const closure_batch_options& options, const Visit& visit) {
  for (index_t b = 0; b < a.extent(0); ++b) {
    const index_t size = options.sizes.empty() ? a.rows() : options.sizes[b];
    if (size == 0) continue;
    closure_on_device<S> one(ctx, a[b].block(0, 0, size, size),
                             p.is_null() ? matrix_view<std::int32_t>{} : p[b].block(0, 0, size, size),
                             {.block = options.block, .check_domain = false});
    visit(b, one);
  }
}

// Larger matrices, and matrices for which other blocks than leaves were asked for, are closed one after the other.
template <class S>
closure_batch_info launch_closure_batch(const context& ctx, const batch_view<value_of<S>>& a,
                                        const batch_view<std::int32_t>& p, const closure_batch_options& options) {
  const auto start = std::chrono::steady_clock::now();
  const gpu::on_device here(ctx.device()->ordinal);
  const index_t count = a.extent(0), n = a.rows();
  if (count > std::numeric_limits<std::int32_t>::max())
    throw shape_error("closures of " + std::to_string(count) + " matrices in one call: 2147483647 are the most");
  refuse_capture(ctx);
  closure_batch_info info;
  info.diverging.reserve(count);
  const index_t block = options.block > 0 ? options.block : closure_block;
  const bool small = n <= repair_size && blocks_of_closure(n, block) == closure_leaf;
  graphs_on_device<S> graphs(ctx, a, p, small);
  if (!small) for_each_closure<S>(ctx, a, p, options, [](index_t, auto& one) { one.get_ready(); });
  graphs.get_ready();
  graphs.inspect(options);
  if (small) graphs.close(info.diverging);
  else {
    info.diverging.assign(count, -1);
    for_each_closure<S>(ctx, a, p, options, [&](index_t b, auto& one) {
      info.diverging[b] = static_cast<std::int32_t>(one.run().diverging);
    });
  }
  info.exists = std::ranges::all_of(info.diverging, [](std::int32_t v) { return v < 0; });
  if (info.exists) info.diverging.clear();
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene::kernels::cuda
