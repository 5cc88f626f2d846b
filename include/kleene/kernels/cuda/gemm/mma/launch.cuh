// A product of plus_times on the tensor cores of sm_80: how its operands are read, which tiles, its launches.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/tensor_map.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/gpu/ptx/mma.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/mma/kernel.cuh"
#include "kleene/kernels/cuda/gemm/overflow.cuh"
#include "kleene/kernels/cuda/gemm/readable_operand.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

namespace kleene::kernels::cuda {

// The operand as the kernel reads it; where it takes a copy first, of that.
template <class T>
mma_operand<T> as_operand(const operand_lines<T>& x, const readable_operand& ready) {
  mma_operand<T> o{x.data, x.lines, x.depth, x.batch_stride, x.line_stride, x.depth_stride, pieces::single};
  if (!ready.usable) return o;
  const gpu::mapped_matrix& m = ready.matrix;
  const bool by_depth = ready.contiguous == gpu::major::k;
  o.data = static_cast<const T*>(m.data), o.batch_stride = m.batch > 1 ? m.batch_stride : 0;
  o.by = by_depth ? pieces::along_depth : pieces::along_lines;
  o.line_stride = by_depth ? m.row_stride : 1, o.depth_stride = by_depth ? 1 : m.row_stride;
  return o;
}

template <class Policy, bool Insist, class G>
void launch_mma_with(mma_arguments<G>& p, cudaStream_t stream) {
  constexpr mma_policy P = Policy::value;
  using T = value_of<typename G::algebra>;
  constexpr int along = 128 / sizeof(T), bytes = P.shared_bytes(sizeof(typename gpu::mma_op<T>::accumulator));
  p.tiles_m = static_cast<unsigned>(ceil_div(p.g.m, P.bm));
  p.tiles_n = static_cast<unsigned>(ceil_div(p.g.n, P.bn));
  p.steps = static_cast<int>(ceil_div(p.g.k, along));
  const auto kernel = gemm_mma<Policy, Insist, G>;
  gpu::launch(kernel, {gpu::grid_of(index_t{p.tiles_m} * p.tiles_n * p.g.batch), P.threads(), bytes, stream}, p);
}

// How many matrices of the batch one launch of each kernel can take, by the smallest tiles of the table; 0: not even
// one.
template <class T>
index_t mma_batch(index_t m, index_t n, index_t k) {
  constexpr index_t tile = 64, most_group = 16;
  const index_t tiles_m = ceil_div(m, tile), tiles_n = ceil_div(n, tile);
  if (!are_countable(tiles_m, tiles_n, most_group) || ceil_div(k, 128 / sizeof(T)) > gpu::most_blocks) return 0;
  const index_t copied = ceil_div(k, align_tile);  // blocks of an operand's copy: tiles of its lines by these
  return matrices_at_once(std::max(tiles_m * tiles_n, saturating_product(std::max(tiles_m, tiles_n), copied)));
}

template <class G>
std::string describe_mma(const G& g, mma_shape shape, std::size_t copied) {
  using S = typename G::algebra;
  const mma_policy row = mma_table[static_cast<int>(shape)];
  return product_text(name_of<S>(), type_name<value_of<S>>, g.m, g.n, g.k, g.batch) +
         ": cuda, tensor cores by warps, tile " + std::to_string(row.bm) + "x" + std::to_string(row.bn) + ", " +
         std::to_string(row.stages) + " stages" + (copied ? "; operands are copied first" : "");
}

// The launcher of such a product; for doubles on every device from sm_80 on, for bytes and 16 bits on those without
// warpgroup instructions. (With Insist there too: how the tests run these kernels on sm_90.)
template <bool Insist = false, class G>
void launch_mma(const context& ctx, const G& g) {
  using S = typename G::algebra;
  using T = value_of<S>;
  using Out = std::remove_pointer_t<decltype(G::c)>;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const gpu::on_device here(ctx.device()->ordinal);
  const index_t at_once = mma_batch<T>(g.m, g.n, g.k);
  if (at_once == 0) refuse_extents(g.m, g.n, g.k);
  if (g.batch > at_once) return launch_in_parts(g, at_once, [&](const G& part) { launch_mma<Insist>(ctx, part); });
  mma_arguments<G> p;
  p.g = g;
  if (g.alpha) p.alpha = *g.alpha, p.has_alpha = true;
  if (g.beta) p.beta = *g.beta, p.has_beta = true;

  // Doubles are copied into shared memory one by one where 16 bytes cannot be; the others have no such copies.
  const operand_lines<T> a{g.a, g.sa[0] ? g.batch : 1, g.m, g.k, g.sa[0], g.sa[1], g.sa[2]};
  const operand_lines<T> b{g.b, g.sb[0] ? g.batch : 1, g.n, g.k, g.sb[0], g.sb[2], g.sb[1]};
  constexpr bool copies = sizeof(T) < 8;
  const std::size_t bytes_a = copies && !without_copy(a).usable ? bytes_of_copy(a) : 0;
  const std::size_t bytes_b = copies && !without_copy(b).usable ? bytes_of_copy(b) : 0;
  gpu::workspace_layout layout;
  const auto overflow = layout.add<unsigned>(1);
  const auto copy_a = layout.add<char>(static_cast<index_t>(bytes_a)),
             copy_b = layout.add<char>(static_cast<index_t>(bytes_b));
  void* const workspace = copies ? ctx.workspace(layout.bytes()) : nullptr;
  p.overflow = overflow.in(workspace);
  constexpr bool may_overflow = can_overflow<S> && !G::keeps_sums && std::is_integral_v<T>;
  if constexpr (may_overflow)
    gpu::require(cudaMemsetAsync(p.overflow, 0, sizeof(unsigned), stream), "launching a product");
  if constexpr (copies) {
    p.a = as_operand(a, g.k > 0 ? make_readable(a, copy_a.in(workspace), stream) : without_copy(a));
    p.b = as_operand(b, g.k > 0 ? make_readable(b, copy_b.in(workspace), stream) : without_copy(b));
  } else {
    p.a = as_operand(a, without_copy(a)), p.b = as_operand(b, without_copy(b));
  }

  const auto is_even = [](index_t stride, index_t extent) { return extent == 1 || stride % 2 == 0; };
  p.in_pairs = has_pairs<G> && g.sc[2] == 1 && reinterpret_cast<std::uintptr_t>(g.c) % (2 * sizeof(Out)) == 0 &&
               is_even(g.sc[1], g.m) && is_even(g.sc[0], g.batch) && !g.alpha && !g.d && !g.mask;

  constexpr mma_shape first = copies ? mma_shape::wide : mma_shape::doubles;
  constexpr mma_shape last = copies ? mma_shape::few : mma_shape::few_doubles;
  const mma_shape shape = choose_mma(first, last, g.m, g.n, g.batch, sizeof(typename gpu::mma_op<T>::accumulator),
                                     ctx.device()->multiprocessors, static_cast<int>(ctx.device()->shared_memory));
  const auto launch = [&]<mma_shape Shape>() {
    if (shape == Shape) launch_mma_with<tuned_mma<Shape>, Insist>(p, stream);
  };
  launch.template operator()<first>();
  if constexpr (copies) launch.template operator()<mma_shape::middle>();
  launch.template operator()<last>();
  if constexpr (may_overflow) gpu::launch(record_overflow<G>, {1, 1, 0, stream}, p.overflow, S::name, ctx.faults());
  if (explain_enabled()) explain(describe_mma(g, shape, bytes_a + bytes_b));
}

}  // namespace kleene::kernels::cuda
