// Closures over rings at run time: the blocked elimination of kernels/cuda/closure, one step after the other on the
// context's stream. (Those of the library prepare a step beside the bulk of the one before.)
#include "kernels/run_time_product.cuh"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/kernels/cuda/closure/checks.cuh"
#include "kleene/kernels/cuda/closure/elimination.cuh"

#include <cstdint>

namespace kleene::kernels::cuda {

namespace {

template <class T>
class ring_closure {
  using S = any_ring<T>;

 public:
  ring_closure(const context& ctx, const matrix_view<T>& a, const closure_options& options, ring_kernels& ring)
      : ctx_(ctx), a_(a), options_(options), ring_(ring), n_(a.rows()) {
    constexpr index_t run = 16 / sizeof(T);
    in_place_ = a.stride(1) == 1 && a.stride(0) % run == 0 && n_ % run == 0 &&
                reinterpret_cast<std::uintptr_t>(a.data()) % 16 == 0;
    width_ = in_place_ ? n_ : round_up(n_, run);
    block_ = blocks_of_closure(n_, options.block > 0 ? options.block : closure_block);
    // With blocks of another size than was asked for all is one block, which is closed in tiles of that size.
    if (block_ != (options.block > 0 ? options.block : closure_block)) block_ = width_;
    steps_ = ceil_div(width_, block_);
    parts_of_workspace sizes;
    lay_out(sizes);
    require_room(ctx, sizes.bytes(), "a closure of " + std::to_string(n_) + " vertices");
    memory_ = ctx.temporary(sizes.bytes());
    parts_of_workspace parts(memory_.get());
    lay_out(parts);
    if (in_place_) work_ = a.data();
  }

  closure_info run() {
    const auto& kernels = ring_.of({ring_part::closures}, ctx_.device()->capability);
    inspect(kernels[0]);
    const matrix_rows<T> rows = rows_of<S>(a_);
    launch_loaded(kernels[1], {blocks_for_rows(ctx_, width_), row_threads, 0, stream()}, rows, work_, width_,
                  matrix_rows<T>{});
    gpu::require(cudaMemsetAsync(arrivals_, 0, static_cast<std::size_t>(steps_) * sizeof(unsigned), stream()),
                 "clearing counters");
    for (index_t k = 0; k < steps_; ++k) {
      close_diagonal(kernels[2], k);
      if (steps_ == 1) break;
      const excluded_range here{first(k), size(k)};
      const index_t others = width_ - size(k);
      multiply(at(first(k), first(k)), at(first(k), 0), at(first(k), 0), size(k), others, k, {{}, here}, false);
      multiply(at(0, first(k)), at(first(k), 0), work_, others, others, k, {here, here}, true);
      multiply(at(0, first(k)), at(first(k), first(k)), at(0, first(k)), others, size(k), k, {here, {}}, false);
    }
    const closure_report done = read_report(ctx_, report_);
    closure_info info{.exists = done.diverging < 0, .diverging = done.diverging};
    if (info.exists && !in_place_) {
      gpu::launch(unpad_closure<T>, {blocks_for_rows(ctx_, n_), row_threads, 0, stream()}, work_, width_, rows);
      gpu::wait(ctx_, "a closure");
    }
    return info;
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }
  index_t stride() const { return in_place_ ? a_.stride(0) : width_; }
  index_t first(index_t k) const { return k * block_; }
  index_t size(index_t k) const { return std::min(block_, width_ - first(k)); }
  T* at(index_t i, index_t j) const { return work_ + i * stride() + j; }

  void lay_out(parts_of_workspace& parts) {
    report_ = parts.take<closure_report>(1);
    arrivals_ = parts.take<unsigned>(double(steps_));
    columns_ = parts.take<T>(double(block_) * tile_size);
    if (!in_place_) work_ = parts.take<T>(double(width_) * double(width_));
  }

  // Throws what is wrong with the values, before anything is written.
  void inspect(const void* kernel) const {
    matrix_rows<const T> x{a_.data(), 1, n_, 0, a_.stride(0), a_.stride(1)};
    const bool transposed = std::abs(x.row_stride) < std::abs(x.col_stride);
    if (transposed) std::swap(x.row_stride, x.col_stride);
    gpu::launch(clear_closure_report, {1, 1, 0, stream()}, report_);
    operand_report* const values = &report_->values;
    launch_loaded(kernel, {blocks_for_rows(ctx_, n_), row_threads, 0, stream()}, x, n_, transposed,
                  options_.check_domain, values);
    const closure_report found = read_report(ctx_, report_);
    if (found.values.offender == operand_report::no_offender) return;
    const index_t place = static_cast<index_t>(found.values.offender), i = place / n_, j = place % n_;
    T value;
    gpu::require(
        cudaMemcpy(&value, a_.data() + i * a_.stride(0) + j * a_.stride(1), sizeof value, cudaMemcpyDeviceToHost),
        "reading a value");
    const std::string name = "A(" + std::to_string(i) + ", " + std::to_string(j) + ")";
    if (!(value == value)) throw value_error(name + " is NaN");
    throw value_error(name + " = " + kleene::detail::to_text(value) + " is outside the domain of " +
                      ring_.facts().name);
  }

  void close_diagonal(const void* kernel, index_t k) const {
    team_arguments<T> x;
    x.a = at(first(k), first(k)), x.n = size(k), x.row_stride = stride(), x.col_stride = 1;
    x.columns = columns_, x.arrivals = arrivals_ + k;
    x.diverging = &report_->diverging, x.first_vertex = static_cast<int>(first(k)), x.overflow = &report_->overflow;
    const index_t tiles = ceil_div(x.n, tile_size);
    x.team = static_cast<int>(std::min<index_t>(tiles * tiles, ctx_.device()->multiprocessors));
    launch_loaded(
        kernel,
        {.blocks = static_cast<unsigned>(x.team), .threads = tile_threads, .stream = stream(), .cooperative = true}, x);
  }

  // C := A B or C := C (+) A B, all of them in the matrix, so that packing reads what the product then writes over.
  void multiply(const T* a, const T* b, T* c, index_t m, index_t n, index_t k, product_place place, bool accumulate) {
    gemm_arguments<S> g;
    g.m = m, g.n = n, g.k = size(k), g.check_domain = false;
    g.a = a, g.b = b, g.c = c;
    g.sa = g.sb = g.sc = {0, stride(), 1};
    if (accumulate) g.d = c, g.sd = g.sc;
    place.stop = &report_->diverging;
    const workload usual = usual_row_of(sizeof(T), ring_.facts().is_selective, false);
    const workload chosen =
        select_simt_row(usual, false, m, n, g.k, 1, ctx_.device()->capability >= 90, ctx_.device()->multiprocessors);
    const workload row = row_of(chosen).policy.copy == copies::strided ? usual : chosen;
    with_product<T>(ring_.facts(), row, [&]<int Depth>() { ring_product<T, Depth>(ctx_, g, ring_, row, place).run(); });
  }

  const context& ctx_;
  const matrix_view<T> a_;
  const closure_options options_;
  ring_kernels& ring_;
  const index_t n_;
  bool in_place_ = false;
  index_t width_ = 0, block_ = 0, steps_ = 0;
  decltype(std::declval<const context&>().temporary(0)) memory_;
  closure_report* report_ = nullptr;
  unsigned* arrivals_ = nullptr;
  T *columns_ = nullptr, *work_ = nullptr;
};

}  // namespace

template <class T>
closure_info launch_closure(const context& ctx, const matrix_view<T>& a, const closure_options& options,
                            ring_kernels& ring) {
  const gpu::on_device here(ctx.device()->ordinal);
  refuse_capture(ctx);
  return ring_closure<T>(ctx, a, options, ring).run();
}

#define KLEENE_RING_TYPE(type)                                                                                 \
  template closure_info launch_closure<type>(const context&, const matrix_view<type>&, const closure_options&, \
                                             ring_kernels&);
KLEENE_FOR_RING_TYPES(KLEENE_RING_TYPE)
#undef KLEENE_RING_TYPE

}  // namespace kleene::kernels::cuda
