// Packed bits on CUDA devices: which kernels a call becomes.
#include "kernels/bit_kernels.hpp"

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/loading.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/kernels/cuda/bits/closure.cuh"
#include "kleene/kernels/cuda/bits/components.cuh"
#include "kleene/kernels/cuda/bits/convert.cuh"
#include "kleene/kernels/cuda/bits/launch.hpp"
#include "kleene/kernels/cuda/bits/transpose.cuh"
#include "kleene/kernels/cuda/gemm/bits/launch.cuh"
#include "kleene/kernels/cuda/gemm/bits/words.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"
#include "kleene/kernels/cuda/tile/limits.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

namespace {

cudaStream_t stream_of(const context& ctx) { return static_cast<cudaStream_t>(ctx.stream()); }

bit_result result_of(const bit_product& p) { return {p.c, p.counts, p.accumulate, p.m(), p.n()}; }

// Calls `run` with the output that is asked for, as a constant.
template <class Run>
void with_output(const bit_product& p, const Run& run) {
  using enum bit_output;
  if (!p.counts.is_null()) return run(std::integral_constant<bit_output, counts>{});
  if (p.parity) return run(std::integral_constant<bit_output, parity>{});
  run(std::integral_constant<bit_output, any>{});
}

// Panels of a product on the tensor cores, and what they take.
struct sm90_plan {
  using P = bits_sm90;
  index_t steps, tiles_m, tiles_n, panels_a, panels_b;
  std::size_t bytes_a, bytes_b;

  explicit sm90_plan(const bit_product& p)
      : steps(std::max<index_t>(ceil_div(p.k(), P::panels_a::depth), 1)),
        tiles_m(ceil_div(p.m(), P::rows)),
        tiles_n(ceil_div(p.n(), P::cols)),
        panels_a(P::cluster * tiles_m),
        panels_b(P::cluster * tiles_n),
        bytes_a(panels_a * steps * P::panels_a::bytes),
        bytes_b(panels_b * steps * P::panels_b::bytes) {}
};

std::size_t transpose_bytes(const bit_product& p) {
  return p.transposed_b ? 0 : static_cast<std::size_t>(p.n() * words_for(p.k())) * sizeof(bit_word);
}

// Both operands into panels, then the product.
void launch_sm90(const context& ctx, const bit_product& p) {
  const sm90_plan plan(p);
  auto* memory = static_cast<char*>(ctx.workspace(bit_product_workspace(ctx, p)));
  const bits_sm90::panels_a a{reinterpret_cast<uint4*>(memory), plan.panels_a, plan.steps};
  const bits_sm90::panels_b b{reinterpret_cast<uint4*>(memory + plan.bytes_a), plan.panels_b, plan.steps};
  const bit_operand<bits_sm90::panels_a> left{bit_words(p.a), false, a};
  const bit_operand<bits_sm90::panels_b> right{bit_words(p.b), !p.transposed_b, b};
  launch_pack_bit_operands(left, right, stream_of(ctx));
  with_output(p, [&](auto output) {
    const bits_sm90_arguments arguments{a, b, result_of(p), static_cast<unsigned>(plan.tiles_m),
                                        static_cast<unsigned>(plan.tiles_n)};
    launch_gemm_bits_sm90<output()>(arguments, stream_of(ctx));
  });
}

// B's transpose, then the product.
void launch_words(const context& ctx, const bit_product& p) {
  bit_view<const bit> bt = p.b;
  if (!p.transposed_b) {
    const bit_view<bit> room(static_cast<bit_word*>(ctx.workspace(bit_product_workspace(ctx, p))), p.n(), p.k());
    if (!p.b.empty()) launch_bit_transpose(ctx, p.b, room);
    bt = room;
  }
  with_output(p, [&](auto output) {
    launch_gemm_bits_words<output()>(bit_words(p.a), bit_words(bt), result_of(p), stream_of(ctx));
  });
}

bool on_tensor_cores(const context& ctx) {
  // Asked of such devices alone: where the program has no code for a device the question leaves an error behind.
  const int capability = ctx.device()->capability;
  return select_bits_engine(capability, capability == 90 && has_gemm_bits_sm90()) == bits_engine::tensor_cores;
}

}  // namespace

std::size_t bit_product_workspace(const context& ctx, const bit_product& p) {
  if (!on_tensor_cores(ctx)) return transpose_bytes(p);
  const sm90_plan plan(p);
  return plan.bytes_a + plan.bytes_b;
}

void launch_bit_product(const context& ctx, const bit_product& p) {
  const gpu::on_device here(ctx.device()->ordinal);
  const bool tensor_cores = on_tensor_cores(ctx);
  if (!are_countable(ceil_div(p.m(), 128), ceil_div(p.n(), 128), bits_sm90::group)) refuse_extents(p.m(), p.n(), p.k());
  if (explain_enabled())
    explain("gemm bits " + std::to_string(p.m()) + "x" + std::to_string(p.n()) + "x" + std::to_string(p.k()) +
            (!p.counts.is_null() ? ", counts"
             : p.parity          ? ", xor_and"
                                 : ", or_and") +
            (tensor_cores ? ": sm_90 binary tensor cores, clusters of 2, 256x256x1024" : ": words, 128x128x1024"));
  if (tensor_cores) launch_sm90(ctx, p);
  else launch_words(ctx, p);
}

void launch_bit_transpose(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  const gpu::on_device here(ctx.device()->ordinal);
  launch_transpose_bits(bit_words(from), to, stream_of(ctx));
}

namespace {
template <class T>
bool in_units_of(const matrix_view<T>& m, index_t bytes) {
  return m.stride(1) == 1 && m.stride(0) % bytes == 0 && reinterpret_cast<std::uintptr_t>(m.data()) % bytes == 0;
}
}  // namespace

template <class T>
void launch_bit_pack(const context& ctx, const matrix_view<const T>& from, const bit_view<bit>& to) {
  const gpu::on_device here(ctx.device()->ordinal);
  const bit_runs runs(from.rows(), from.cols());
  if (sizeof(T) == 1 && in_units_of(from, 16))
    gpu::launch(pack_bytes, {runs.blocks(), runs.threads, 0, stream_of(ctx)},
                matrix_view<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(from.data()), from.extents(),
                                                from.strides()),
                to, runs);
  else gpu::launch(pack_bits<T>, {runs.blocks(), runs.threads, 0, stream_of(ctx)}, from, to, runs);
}

template <class T>
void launch_bit_unpack(const context& ctx, const bit_view<const bit>& from, const matrix_view<T>& to) {
  const gpu::on_device here(ctx.device()->ordinal);
  const bit_runs runs(to.rows(), to.cols());
  if (sizeof(T) == 1 && in_units_of(to, 4))
    gpu::launch(unpack_bytes, {runs.blocks(), runs.threads, 0, stream_of(ctx)}, bit_words(from),
                matrix_view<std::uint8_t>(reinterpret_cast<std::uint8_t*>(to.data()), to.extents(), to.strides()),
                runs);
  else gpu::launch(unpack_bits<T>, {runs.blocks(), runs.threads, 0, stream_of(ctx)}, bit_words(from), to, runs);
}

#define KLEENE_UNPACKED(type)                                                                          \
  template void launch_bit_pack(const context&, const matrix_view<const type>&, const bit_view<bit>&); \
  template void launch_bit_unpack(const context&, const bit_view<const bit>&, const matrix_view<type>&);
KLEENE_UNPACKED(bool)
KLEENE_UNPACKED(std::uint8_t)
KLEENE_UNPACKED(float)
#undef KLEENE_UNPACKED

void close_bits(const context& ctx, const bit_view<bit>& a) {
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::launch(close_bits_block, {1, closed_bits, 0, stream_of(ctx)}, bit_words(a), a);
}

void load_bit_closure(const context& ctx) {
  static gpu::done_on_devices loaded;
  const int device = ctx.device()->ordinal;
  if (loaded.is_done(device)) return;
  const gpu::on_device here(device);
  gpu::load_kernels(ctx, close_bits_block, transpose_bits, combine_bit_rows, spread_bit_rows);
  if (on_tensor_cores(ctx))
    gpu::load_kernels(ctx, pack_bit_operands<bits_sm90::panels_a, bits_sm90::panels_b>,
                      gemm_bits_sm90<bit_output::any>);
  else gpu::load_kernels(ctx, gemm_bits_words<bit_output::any>);
  loaded.mark(device);
}

namespace {

// Sweeps until no pivot reaches a further vertex; then the marks of both directions go to the host.
void sweep_until_stable(const context& ctx, const bit_words& arcs, const bit_words& reversed, const pivot_marks& marks,
                        std::span<std::uint32_t> found) {
  // The host looks now and then: a sweep that finds nothing takes 5 us on an H200, random graphs need 7 to 10. Long
  // paths are left to the closure: 512 sweeps of 65,536 vertices take 6 ms, 7 % of its time.
  constexpr int sweeps_between_looks = 8;
  const index_t most = std::max<index_t>(arcs.rows / 128, 2 * sweeps_between_looks);
  const cudaStream_t stream = stream_of(ctx);
  const auto copy_out = [&](void* to, const void* from, std::size_t words) {
    gpu::require(cudaMemcpyAsync(to, from, words * sizeof(std::uint32_t), cudaMemcpyDeviceToHost, stream),
                 "copying marks");
    gpu::wait(ctx, "looking for components");
  };
  const dim3 grid(gpu::grid_of(ceil_div(marks.n, sweep_vertices)), 2);
  gpu::launch(begin_sweeps, {gpu::grid_of(ceil_div(marks.n, sweep_threads)), sweep_threads, 0, stream}, marks);
  int sweeps = 0;
  for (std::uint32_t last = 0; sweeps < most && last == static_cast<std::uint32_t>(sweeps);) {
    for (int s = 0; s < sweeps_between_looks; ++s)
      gpu::launch(sweep_pivots, {grid, sweep_threads, 0, stream}, arcs, reversed, marks, sweeps++);
    copy_out(&last, marks.last(), 1);
  }
  copy_out(found.data(), marks.reached(0), found.size());
}

}  // namespace

std::size_t class_workspace(index_t n) {
  return static_cast<std::size_t>(pivot_marks::count(n)) * sizeof(std::uint32_t);
}

index_t find_classes(const context& ctx, const bit_view<const bit>& a, const bit_view<bit>& transposed,
                     std::span<std::int32_t> class_of, index_t enough, void* workspace) {
  const gpu::on_device here(ctx.device()->ordinal);
  const index_t n = a.rows();
  launch_bit_transpose(ctx, a, transposed);
  const pivot_marks marks{static_cast<std::uint32_t*>(workspace), n};
  matrix<std::uint32_t> both(2, n, uninitialised{});
  const std::span<std::uint32_t> forward(both.data(), class_of.size());
  pivot_search search(class_of);
  for (bool worthwhile = true; worthwhile && search.alone() > enough;) {
    search.begin(forward);
    gpu::require(
        cudaMemcpyAsync(marks.reached(0), forward.data(), forward.size_bytes(), cudaMemcpyHostToDevice, stream_of(ctx)),
        "copying marks");
    sweep_until_stable(ctx, bit_words(a), bit_words(transposed), marks,
                       {both.data(), static_cast<std::size_t>(both.size())});
    // On an H200 a round takes 2 ms of 65,536 vertices, and the closure 1 to 2 us less for each that finds a class.
    worthwhile = 32 * search.end(both.data(), both.data() + n) >= n;
  }
  return search.finish();
}

void combine_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                  const bit_view<bit>& to) {
  const gpu::on_device here(ctx.device()->ordinal);
  const auto width = static_cast<std::size_t>(to.words()) * sizeof(bit_word);
  gpu::require(
      cudaMemset2DAsync(to.data(), static_cast<std::size_t>(std::max(to.stride(), to.words())) * sizeof(bit_word), 0,
                        width, static_cast<std::size_t>(to.rows()), stream_of(ctx)),
      "clearing bits");
  gpu::launch(combine_bit_rows,
              {gpu::grid_of(ceil_div(from.rows(), bit_rows_of_block)), bit_row_threads, 0, stream_of(ctx)},
              bit_words(from), class_of, to);
}

void spread_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                 const bit_view<bit>& to) {
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::launch(spread_bit_rows,
              {gpu::grid_of(ceil_div(to.rows(), bit_rows_of_block)), bit_row_threads, 0, stream_of(ctx)}, from,
              class_of, to);
}

void copy_bits(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  const gpu::on_device here(ctx.device()->ordinal);
  constexpr std::size_t word = sizeof(bit_word);
  gpu::require(cudaMemcpy2DAsync(to.data(), std::max(to.stride(), to.words()) * word, from.data(),
                                 std::max(from.stride(), from.words()) * word, from.words() * word, from.rows(),
                                 cudaMemcpyDeviceToDevice, stream_of(ctx)),
               "copying bits");
}

}  // namespace kleene::kernels::cuda

namespace kleene::kernels {

extern const gf2_exchange_kernels gf2_exchanges_on_cuda;  // gf2.cu

namespace {
constinit const bit_kernels table{
    .product_workspace = cuda::bit_product_workspace,
    .multiply = cuda::launch_bit_product,
    .transpose = cuda::launch_bit_transpose,
    .copy = cuda::copy_bits,
    .bytes = {cuda::launch_bit_pack, cuda::launch_bit_unpack},
    .bools = {cuda::launch_bit_pack, cuda::launch_bit_unpack},
    .floats = {cuda::launch_bit_pack, cuda::launch_bit_unpack},
    .innermost_block = cuda::closed_bits,  // one thread block holds it in registers
    .outer_block = 4096,                   // the product wants a deep k
    // H200, ms without condensation and with it, of random graphs without cycles and with them: 8192: 3.2 and 3.9, 4.5
    // and 0.35; 16,384: 7.3 and 8.0, 10.0 and 0.63; 32,768: 20.4 and 21.7, 25.8 and 1.06.
    .condensed_above = 8192,
    .load_closure = cuda::load_bit_closure,
    .close = cuda::close_bits,
    .class_workspace = cuda::class_workspace,
    .find_classes = cuda::find_classes,
    .combine_rows = cuda::combine_rows,
    .spread_rows = cuda::spread_rows,
    .follow_rows = nullptr,
    .gf2_workspace = nullptr,
    .eliminate_panel = nullptr,
    .spread_pivots = nullptr,
    .gf2_exchanges = &gf2_exchanges_on_cuda,
};
}  // namespace

const bit_kernels& bits_on_cuda() { return table; }

}  // namespace kleene::kernels
