// A product of plus_times over operands of 8 and 16 bits, or f32 where precision allows it: which kernel, its maps, its
// parts of k, its launches.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/tensor_map.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemm/mma_launch.cuh"
#include "kleene/kernels/cuda/gemm/wgmma_align.cuh"
#include "kleene/kernels/cuda/gemm/wgmma_sm90.cuh"

#include <algorithm>
#include <limits>

namespace kleene::kernels::cuda {

// The algebras that the kernels here compute products of.
template <class S, class T = value_of<S>>
inline constexpr bool is_mixed =
    std::is_same_v<S, plus_times<T>> && (std::is_same_v<T, bf16> || std::is_same_v<T, f16> || std::is_same_v<T, i8> ||
                                         std::is_same_v<T, u8> || kleene::detail::is_f8<T>);

template <class T>
inline constexpr gpu::wgmma_type operand_kind = gpu::wgmma_type::s8;
template <>
inline constexpr gpu::wgmma_type operand_kind<bf16> = gpu::wgmma_type::bf16;
template <>
inline constexpr gpu::wgmma_type operand_kind<f16> = gpu::wgmma_type::f16;
template <>
inline constexpr gpu::wgmma_type operand_kind<u8> = gpu::wgmma_type::u8;
template <>
inline constexpr gpu::wgmma_type operand_kind<f8_e4m3> = gpu::wgmma_type::e4m3;
template <>
inline constexpr gpu::wgmma_type operand_kind<f8_e5m2> = gpu::wgmma_type::e5m2;
template <>
inline constexpr gpu::wgmma_type operand_kind<float> = gpu::wgmma_type::tf32;

template <class T>
inline constexpr CUtensorMapDataType map_type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
template <>
inline constexpr CUtensorMapDataType map_type<bf16> = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
template <>
inline constexpr CUtensorMapDataType map_type<f16> = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
template <>
inline constexpr CUtensorMapDataType map_type<float> = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
template <>
inline constexpr CUtensorMapDataType map_type<i32> = CU_TENSOR_MAP_DATA_TYPE_INT32;

// One thread an element, for what the matrix units do not do: k of 0, and floats of 8 bits where they are not sm_90's.
template <class G>
__global__ void gemm_plain(const __grid_constant__ wgmma_arguments<G> p) {
  using S = typename G::algebra;
  G g = p.g;
  g.alpha = p.has_alpha ? &p.alpha : nullptr;
  g.beta = p.has_beta ? &p.beta : nullptr;
  const index at = index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= g.batch * g.m * g.n) return;
  const index b = at / (g.m * g.n), i = at / g.n % g.m, j = at % g.n;
  const value_of<S>* x = g.a + b * g.sa[0] + i * g.sa[1];
  const value_of<S>* y = g.b + b * g.sb[0] + j * g.sb[2];
  accumulator_of<S> sum = widen<S>(S::zero());
  for (index k = 0; k < g.k; ++k) sum = S::add(sum, S::mul(widen<S>(x[k * g.sa[2]]), widen<S>(y[k * g.sb[1]])));
  gemm_writer<G> writer{g, b};
  writer.store(i, j, sum);
  if (writer.overflow) *p.overflow = 1;
}

// C^T = B^T A^T, which is the same product: plus_times commutes.
template <class G>
G transposed(const G& g) {
  G t = g;
  std::swap(t.m, t.n), std::swap(t.a, t.b);
  const auto flipped = [](const typename G::strides& s) { return typename G::strides{s[0], s[2], s[1]}; };
  t.sa = flipped(g.sb), t.sb = flipped(g.sa), t.sc = flipped(g.sc), t.sd = flipped(g.sd), t.smask = flipped(g.smask);
  return t;
}

// Products that may be summed in f16: those of f16 without an epilogue, whose sums would come in f32.
template <class G>
inline constexpr bool may_sum_in_f16 =
    std::is_same_v<value_of<typename G::algebra>, f16> && !has_epilogue<decltype(G::epilogue)>;

// Products whose consumers may take turns. (Others are rarely short in k, and every kernel costs the build.)
template <class G>
inline constexpr bool takes_turns = sizeof(value_of<typename G::algebra>) == 2 && !gives_rows<decltype(G::epilogue)>;

// Launches the kernel of one row of the table; p holds all but what depends on it.
template <class Policy, gpu::wgmma_type Kind, class G>
void launch_wgmma(wgmma_arguments<G>& p, const readable_operand& a, const readable_operand& b, int splits,
                  int multiprocessors, cudaStream_t stream) {
  constexpr wgmma_policy P = Policy::value;
  using T = value_of<typename G::algebra>;
  constexpr int along = 128 / sizeof(T);
  p.a = gpu::make_tensor_map(a.matrix, map_type<T>, sizeof(T), a.contiguous == gpu::major::k ? P.bm : along);
  p.b =
      gpu::make_tensor_map(b.matrix, map_type<T>, sizeof(T), b.contiguous == gpu::major::k ? P.bn / P.cluster : along);
  p.a_major = a.contiguous, p.b_major = b.contiguous;
  p.a_batched = a.matrix.batch > 1, p.b_batched = b.matrix.batch > 1;
  p.clusters_m = static_cast<unsigned>(ceil_div(p.g.m, P.bm * P.cluster));
  p.tiles_n = static_cast<unsigned>(ceil_div(p.g.n, P.bn));
  p.split_steps = static_cast<int>(ceil_div(p.steps, splits));
  p.splits = static_cast<int>(ceil_div(p.steps, p.split_steps));
  const index clusters = index{p.clusters_m} * p.tiles_n * p.g.batch;
  p.units = gpu::grid_of(clusters * p.splits);

  const auto kernel = gemm_wgmma<Policy, Kind, G>;
  constexpr std::size_t bytes = P.shared_bytes();
  constexpr unsigned cluster = P.cluster;
  const auto blocks = std::min<unsigned>(p.units, multiprocessors / P.cluster) * P.cluster;
  gpu::launch(kernel, {blocks, P.threads, bytes, stream, false, cluster}, p);
  if constexpr (!P.in_turns())
    if (p.splits > 1)
      gpu::launch(wgmma_combine<Policy, G>, {gpu::grid_of(clusters * P.cluster * (P.bn / 4)), 256, 0, stream, true}, p);
}

// How many matrices of the batch one launch of each kernel can take, by the smallest tiles of the table. (In parts of k
// are tiles of few matrices alone.)
inline index wgmma_batch(index m, index n, index k) {
  constexpr index tile = 64, most_group = 16;
  const index tiles_m = ceil_div(m, tile), tiles_n = ceil_div(n, tile);
  if (!are_countable(tiles_m, tiles_n, most_group)) return 0;
  const index copied = ceil_div(2 * k, align_tile);  // blocks of an operand's copy: tiles of its lines by these
  return matrices_at_once(std::max(tiles_m * tiles_n, saturating_product(std::max(tiles_m, tiles_n), copied)), 1 << 16);
}

// Columns of an operand as the kernels read it: of f32 in two parts, both.
inline index wgmma_depth(index k, bool split) { return split ? saturating_product(2, k) + 64 : k; }

// Tiles beside each other: so many totals are left of a row.
template <class G>
index tiles_beside(const G& g, wgmma_choice choice) {
  const int bn = wgmma_table[static_cast<int>(choice.shape)].bn;
  return ceil_div(g.n, bn);
}

// Bytes of partial sums, or of what is left of rows.
template <class G>
std::size_t partial_bytes(const G& g, wgmma_choice choice) {
  if (choice.splits == 1) {
    if constexpr (gives_rows<decltype(G::epilogue)>)
      return static_cast<std::size_t>(g.batch * g.m * tiles_beside(g, choice)) * sizeof(row_total_of<G>);
    return 0;
  }
  const wgmma_policy p = wgmma_table[static_cast<int>(choice.shape)];
  const index rows = index(p.bm) * p.cluster;
  const index tiles = ceil_div(g.m, rows) * ceil_div(g.n, p.bn) * g.batch * choice.splits;
  return static_cast<std::size_t>(tiles * rows * p.bn) * 4;
}

// Whether the code at hand can use this device's matrix units: kernels that were compiled for sm_90 instead of sm_90a,
// or for sm_80, are empty.
template <class G>
bool has_wgmma(int capability) {
  if (capability != 90) return false;
  static const bool has = [] {
    cudaFuncAttributes is{};
    const auto kernel = gemm_wgmma<tuned_wgmma<wgmma_shape::narrow>, operand_kind<value_of<typename G::algebra>>, G>;
    if (cudaFuncGetAttributes(&is, kernel) == cudaSuccess) return is.numRegs > 64;
    cudaGetLastError();
    return false;
  }();
  return has;
}

// The launcher of such a product.
template <class G>
void launch_mixed(const context& ctx, const G& original) {
  using S = typename G::algebra;
  using T = value_of<S>;
  using Out = std::remove_pointer_t<decltype(G::c)>;
  constexpr bool rows = gives_rows<decltype(G::epilogue)>;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const gpu::on_device here(ctx.device()->ordinal);
  if constexpr (rows)
    if (original.n == 0) return fold_stored(ctx, original);
  if constexpr (std::is_integral_v<T>) {  // sums of bytes are formed in 32 bits, and no value is looked at
    constexpr double most = std::max(-double(std::numeric_limits<T>::lowest()), double(std::numeric_limits<T>::max()));
    if (!S::sums_fit(double(original.k), most, most))
      throw value_error(name_of<S>() + ": " + std::to_string(original.k) +
                        " products of bytes can leave 32 bits: sum parts of k, into C of f32");
  }
  const bool has_units = has_wgmma<G>(ctx.device()->capability);
  const bool split = std::is_same_v<T, float> && original.precision == float_precision::split;
  const bool k_fits = wgmma_depth(original.k, split) <= most_coordinate;
  if constexpr (is_mixed<S> && !kleene::detail::is_f8<T>)
    if (!has_units) {
      launch_mma(ctx, original);
      if constexpr (rows) fold_stored(ctx, original);
      return;
    }
  if constexpr (std::is_same_v<T, float>)
    if (!has_units || !k_fits) {
      G full = original;
      full.precision = float_precision::full;
      return launch_gemm(ctx, full);
    }
  if (has_units && !k_fits)
    throw shape_error(name_of<S>() + " " + type_name<T> + ": k is " + std::to_string(original.k) +
                      ", and the kernels of the matrix units count to " + std::to_string(most_coordinate) +
                      ": sum parts of k, into C of f32");
  const index at_once = has_units ? wgmma_batch(original.m, original.n, original.k) : original.batch;
  if (at_once == 0) refuse_extents(original.m, original.n, original.k);
  if (original.batch > at_once) {
    if constexpr (rows)
      throw shape_error("results of rows of a batch of " + std::to_string(original.batch) +
                        " matrices: one launch takes " + std::to_string(at_once));
    return launch_in_parts(original, at_once, [&](const G& part) { launch_mixed(ctx, part); });
  }
  // Rows of C next to each other in memory become columns of its transpose; few rows waste less as few columns.
  const bool by_columns = original.sc[2] != 1 && original.sc[1] == 1, few = original.m <= 64 && original.n > 128;
  const G g = !has_epilogue<decltype(G::epilogue)> && (by_columns || few) ? transposed(original) : original;

  wgmma_arguments<G> p;
  p.g = g;
  if (g.alpha) p.alpha = *g.alpha, p.has_alpha = true;
  if (g.beta) p.beta = *g.beta, p.has_beta = true;

  const bool units = has_units && g.k > 0 && g.m <= most_coordinate && g.n <= most_coordinate;
  const operand_lines<T> a{g.a, g.sa[0] ? g.batch : 1, g.m, g.k, g.sa[0], g.sa[1], g.sa[2]};
  const operand_lines<T> b{g.b, g.sb[0] ? g.batch : 1, g.n, g.k, g.sb[0], g.sb[2], g.sb[1]};
  const bool in_f16 = may_sum_in_f16<G> && g.precision == float_precision::f16_sums;
  constexpr index along = 128 / sizeof(T);
  const index term_steps = ceil_div(g.k, along);
  const bool folds =
      split || (kleene::detail::is_f8<T> && term_steps > 1 && g.precision != float_precision::fast_accumulation);
  p.steps = static_cast<int>(split ? 3 * term_steps : term_steps);
  p.term_steps = static_cast<int>(folds ? term_steps : 0);
  const int multiprocessors = ctx.device()->multiprocessors;
  const wgmma_demands demands{folds, takes_turns<G>, has_epilogue<decltype(G::epilogue)>};
  const wgmma_choice choice =
      units ? choose_wgmma(g.m, g.n, p.steps, g.batch, multiprocessors, demands) : wgmma_choice{};
  if constexpr (kleene::detail::is_f8<T>)  // their tensors have scales: a factor alone does not keep C from the boxes
    if (units && choice.splits == 1) p.scales_sums = p.has_alpha, p.has_alpha = false;
  const auto bytes_of = [&](const operand_lines<T>& x) -> std::size_t {
    if (!units) return 0;
    if constexpr (std::is_same_v<T, float>)
      if (split) return bytes_of_split(x);
    return as_it_is(x).usable ? 0 : bytes_of_copy(x);
  };
  const auto made_readable = [&](const operand_lines<T>& x, void* to) {
    if constexpr (std::is_same_v<T, float>)
      if (split) return make_split(x, to, stream);
    return make_readable(x, to, stream);
  };
  const std::size_t bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  gpu::workspace_layout layout;
  const auto overflow = layout.add<unsigned>(1);
  const auto copy_a = layout.add<char>(static_cast<index>(bytes_a)),
             copy_b = layout.add<char>(static_cast<index>(bytes_b));
  const auto partials = layout.add<char>(static_cast<index>(units ? partial_bytes(g, choice) : 0));
  void* const workspace = ctx.workspace(layout.bytes());
  p.overflow = overflow.in(workspace);
  p.partials = reinterpret_cast<accumulator_of<S>*>(partials.in(workspace));
  const bool totals = rows && units && choice.splits == 1;  // rows are totalled by the product's kernel
  if (totals) p.totals = reinterpret_cast<row_total_of<G>*>(p.partials);
  constexpr bool may_overflow = can_overflow<S> && !G::keeps_sums && std::is_integral_v<T>;
  if (may_overflow) gpu::require(cudaMemsetAsync(p.overflow, 0, sizeof(unsigned), stream), "launching a product");

  if (units) {
    const readable_operand ready_a = made_readable(a, copy_a.in(workspace));
    const readable_operand ready_b = made_readable(b, copy_b.in(workspace));
    const gpu::mapped_matrix c{g.c, g.batch, g.m, g.n, g.sc[0], g.sc[1]};
    // Boxes may not end within 16 bytes: the copy engine wrote zeros behind a C of 1 x 1.
    p.in_boxes = has_boxes<G> && g.sc[2] == 1 && g.n * sizeof(Out) % 16 == 0 && gpu::is_mappable(c, sizeof(Out)) &&
                 !p.has_alpha && !g.d && !g.mask;
    if constexpr (has_boxes<G>)
      if (p.in_boxes) p.c = gpu::make_tensor_map(c, map_type<Out>, sizeof(Out), 64);
    const auto launch_kind = [&]<wgmma_shape Shape, gpu::wgmma_type Kind>() {
      launch_wgmma<tuned_wgmma<Shape>, Kind>(p, ready_a, ready_b, choice.splits, multiprocessors, stream);
    };
    const auto launch = [&]<wgmma_shape Shape>() {
      if constexpr (may_sum_in_f16<G>)
        if (in_f16) return launch_kind.template operator()<Shape, gpu::wgmma_type::f16_sums>();
      launch_kind.template operator()<Shape, operand_kind<T>>();
    };
    switch (choice.shape) {
      case wgmma_shape::wide:
        launch.template operator()<wgmma_shape::wide>();
        break;
      case wgmma_shape::middle:
        launch.template operator()<wgmma_shape::middle>();
        break;
      case wgmma_shape::narrow:
        launch.template operator()<wgmma_shape::narrow>();
        break;
      case wgmma_shape::turns:
        if constexpr (takes_turns<G>) launch.template operator()<wgmma_shape::turns>();
        break;
    }
  } else {
    gpu::launch(gemm_plain<G>, {gpu::grid_of(ceil_div(g.batch * g.m * g.n, 256)), 256, 0, stream}, p);
  }
  if constexpr (rows) {
    if (totals) fold_totals(g, p.totals, tiles_beside(g, choice), stream, true);
    else fold_stored(ctx, g);
  }
  if (may_overflow) gpu::launch(record_overflow<G>, {1, 1, 0, stream}, p.overflow, S::name, ctx.faults());
  if (explain_enabled()) {
    const wgmma_policy row = wgmma_table[static_cast<int>(choice.shape)];
    explain("gemm " + name_of<S>() + " " + type_name<T> + " " + std::to_string(g.m) + "x" + std::to_string(g.n) + "x" +
            std::to_string(g.k) + (g.batch > 1 ? " batch " + std::to_string(g.batch) : "") + ": cuda, " +
            (units ? "matrix units, tile " + std::to_string(row.bm) + "x" + std::to_string(row.bn) +
                         (row.in_turns() ? " in turns, " : ", ") + std::to_string(row.stages) + " stages, " +
                         std::to_string(row.cluster) + " blocks a cluster; k in " + std::to_string(choice.splits) +
                         (choice.splits == 1 ? " part" : " parts")
                   : std::string("one thread an element")) +
            (split ? "; f32 in two parts" : "") + (units && in_f16 ? "; sums in f16" : "") +
            (bytes_a ? "; A is copied" : "") + (bytes_b ? "; B is copied" : "") +
            (rows && !totals ? "; rows by a pass over C" : "") + "; workspace of " + std::to_string(layout.bytes()) +
            " bytes");
  }
}

}  // namespace kleene::kernels::cuda
