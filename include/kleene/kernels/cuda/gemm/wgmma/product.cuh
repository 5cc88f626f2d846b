// One product of plus_times that one launch takes: on the tensor cores of sm_90, or by one thread an element. Chosen,
// laid out in the workspace, made readable for TMA, launched, finished, explained.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/tensor_map.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cuda/gemm/overflow.cuh"
#include "kleene/kernels/cuda/gemm/readable_operand.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/combine.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/kernel.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

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

// One thread an element, for what tensor cores do not do: k of 0, and floats of 8 bits where they are not sm_90's.
template <class G>
__global__ void gemm_plain(const __grid_constant__ wgmma_arguments<G> p) {
  using S = typename G::algebra;
  G g = p.g;
  g.alpha = p.has_alpha ? &p.alpha : nullptr;
  g.beta = p.has_beta ? &p.beta : nullptr;
  const index_t at = index_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= g.batch * g.m * g.n) return;
  const index_t b = at / (g.m * g.n), i = at / g.n % g.m, j = at % g.n;
  const value_of<S>* x = g.a + b * g.sa[0] + i * g.sa[1];
  const value_of<S>* y = g.b + b * g.sb[0] + j * g.sb[2];
  accumulator_of<S> sum = widen<S>(S::zero());
  for (index_t k = 0; k < g.k; ++k) sum = S::add(sum, S::mul(widen<S>(x[k * g.sa[2]]), widen<S>(y[k * g.sb[1]])));
  gemm_writer<G> writer{g, b};
  writer.store(i, j, sum);
  if (writer.overflow) *p.overflow = 1;
}

// Products that may be summed in f16: those of f16 without an epilogue, whose sums would come in f32.
template <class G>
inline constexpr bool may_sum_in_f16 =
    std::is_same_v<value_of<typename G::algebra>, f16> && !has_epilogue<decltype(G::epilogue)>;

// Products that have a ping-pong kernel: others are rarely short in k, and every kernel costs the build.
template <class G>
inline constexpr bool may_ping_pong = sizeof(value_of<typename G::algebra>) == 2 && !gives_rows<decltype(G::epilogue)>;

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
  const index_t clusters = index_t{p.clusters_m} * p.tiles_n * p.g.batch;
  p.units = gpu::grid_of(clusters * p.splits);

  const auto kernel = gemm_wgmma<Policy, Kind, G>;
  constexpr std::size_t bytes = P.shared_bytes();
  constexpr unsigned cluster = P.cluster;
  const auto blocks = std::min<unsigned>(p.units, multiprocessors / P.cluster) * P.cluster;
  gpu::launch(kernel, {blocks, P.threads, bytes, stream, false, cluster}, p);
  if constexpr (!P.is_ping_pong())
    if (p.splits > 1)
      gpu::launch(wgmma_combine<Policy, G>, {gpu::grid_of(clusters * P.cluster * (P.bn / 4)), 256, 0, stream, true}, p);
}

// Partial totals of a row: one for each column of tiles.
template <class G>
index_t totals_of_row(const G& g, wgmma_choice choice) {
  const int bn = wgmma_table[static_cast<int>(choice.shape)].bn;
  return ceil_div(g.n, bn);
}

// Bytes of the partial sums of split-K, or of the totals of rows.
template <class G>
std::size_t partial_bytes(const G& g, wgmma_choice choice) {
  if (choice.splits == 1) {
    if constexpr (gives_rows<decltype(G::epilogue)>)
      return static_cast<std::size_t>(g.batch * g.m * totals_of_row(g, choice)) * sizeof(row_total_of<G>);
    return 0;
  }
  const wgmma_policy p = wgmma_table[static_cast<int>(choice.shape)];
  const index_t rows = index_t(p.bm) * p.cluster;
  const index_t tiles = ceil_div(g.m, rows) * ceil_div(g.n, p.bn) * g.batch * choice.splits;
  return static_cast<std::size_t>(tiles * rows * p.bn) * 4;
}

template <class G>
class wgmma_product {
  using S = typename G::algebra;
  using T = value_of<S>;
  using Out = std::remove_pointer_t<decltype(G::c)>;
  static constexpr bool has_rows = gives_rows<decltype(G::epilogue)>;
  static constexpr bool is_f8 = kleene::detail::is_f8<T>, is_f32 = std::is_same_v<T, float>;
  static constexpr bool may_overflow = can_overflow<S> && !G::keeps_sums && std::is_integral_v<T>;

 public:
  // on_tensor_cores: else one thread an element.
  wgmma_product(const context& ctx, const G& g, bool on_tensor_cores)
      : ctx_(ctx),
        g_(g),
        on_tensor_cores_(on_tensor_cores),
        two_parts_(is_f32 && g.precision == float_precision::split),
        in_f16_(may_sum_in_f16<G> && g.precision == float_precision::f16_sums),
        a_{g.a, g.sa[0] ? g.batch : 1, g.m, g.k, g.sa[0], g.sa[1], g.sa[2]},
        b_{g.b, g.sb[0] ? g.batch : 1, g.n, g.k, g.sb[0], g.sb[2], g.sb[1]} {
    p_.g = g;
    if (g.alpha) p_.alpha = *g.alpha, p_.has_alpha = true;
    if (g.beta) p_.beta = *g.beta, p_.has_beta = true;
  }

  void run() {
    choose();
    lay_out();
    if (may_overflow) gpu::require(cudaMemsetAsync(p_.overflow, 0, sizeof(unsigned), stream()), "launching a product");
    if (on_tensor_cores_) {
      make_operands_readable();
      choose_tma_store();
      launch_tiles();
    } else {
      gpu::launch(gemm_plain<G>, {gpu::grid_of(ceil_div(g_.batch * g_.m * g_.n, 256)), 256, 0, stream()}, p_);
    }
    if constexpr (has_rows) fold_rows();
    if (may_overflow) gpu::launch(record_overflow<G>, {1, 1, 0, stream()}, p_.overflow, S::name, ctx_.faults());
    if (explain_enabled()) explain(describe());
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }
  int multiprocessors() const { return ctx_.device()->multiprocessors; }
  // Rows are totalled by the kernel that stores C.
  bool totals_rows() const { return has_rows && on_tensor_cores_ && choice_.splits == 1; }

  // Steps of k, the row of the table, split-K.
  void choose() {
    const index_t term_steps = ceil_div(g_.k, 128 / sizeof(T));
    const bool folds = two_parts_ || (is_f8 && term_steps > 1 && g_.precision != float_precision::fast_accumulation);
    p_.steps = static_cast<int>(two_parts_ ? 3 * term_steps : term_steps);
    p_.term_steps = static_cast<int>(folds ? term_steps : 0);
    if (!on_tensor_cores_) return;
    const wgmma_demands demands{folds, may_ping_pong<G>, has_epilogue<decltype(G::epilogue)>};
    choice_ = choose_wgmma(g_.m, g_.n, p_.steps, g_.batch, multiprocessors(), demands);
    // Tensors of 8-bit floats have scales: a factor alone does not keep C from leaving by TMA.
    if (is_f8 && choice_.splits == 1) p_.scales_sums = p_.has_alpha, p_.has_alpha = false;
  }

  std::size_t bytes_of_readable(const operand_lines<T>& x) const {
    if (!on_tensor_cores_) return 0;
    if constexpr (is_f32)
      if (two_parts_) return bytes_of_split(x);
    return without_copy(x).usable ? 0 : bytes_of_copy(x);
  }

  void lay_out() {
    bytes_a_ = bytes_of_readable(a_), bytes_b_ = bytes_of_readable(b_);
    gpu::workspace_layout layout;
    const auto overflow = layout.add<unsigned>(1);
    const auto copy_a = layout.add<char>(static_cast<index_t>(bytes_a_));
    const auto copy_b = layout.add<char>(static_cast<index_t>(bytes_b_));
    const auto partials = layout.add<char>(static_cast<index_t>(on_tensor_cores_ ? partial_bytes(g_, choice_) : 0));
    bytes_ = layout.bytes();
    void* const workspace = ctx_.workspace(bytes_);
    p_.overflow = overflow.in(workspace);
    copy_a_ = copy_a.in(workspace), copy_b_ = copy_b.in(workspace);
    p_.partials = reinterpret_cast<accumulator_of<S>*>(partials.in(workspace));
    if (totals_rows()) p_.totals = reinterpret_cast<row_total_of<G>*>(p_.partials);
  }

  readable_operand readable(const operand_lines<T>& x, void* copy) const {
    if constexpr (is_f32)
      if (two_parts_) return make_split(x, copy, stream());
    return make_readable(x, copy, stream());
  }
  void make_operands_readable() { ready_a_ = readable(a_, copy_a_), ready_b_ = readable(b_, copy_b_); }

  // Decides whether C is stored by TMA. Boxes may not end within 16 bytes: TMA wrote zeros behind a C of 1 x 1.
  void choose_tma_store() {
    const gpu::mapped_matrix c{g_.c, g_.batch, g_.m, g_.n, g_.sc[0], g_.sc[1]};
    p_.in_boxes = has_boxes<G> && g_.sc[2] == 1 && g_.n * sizeof(Out) % 16 == 0 && gpu::is_mappable(c, sizeof(Out)) &&
                  !p_.has_alpha && !g_.d && !g_.mask;
    if constexpr (has_boxes<G>)
      if (p_.in_boxes) p_.c = gpu::make_tensor_map(c, map_type<Out>, sizeof(Out), 64);
  }

  void launch_tiles() {
    switch (choice_.shape) {
      case wgmma_shape::wide:
        return launch_row<wgmma_shape::wide>();
      case wgmma_shape::middle:
        return launch_row<wgmma_shape::middle>();
      case wgmma_shape::narrow:
        return launch_row<wgmma_shape::narrow>();
      case wgmma_shape::ping_pong:
        if constexpr (may_ping_pong<G>) launch_row<wgmma_shape::ping_pong>();
    }
  }
  template <wgmma_shape Row>
  void launch_row() {
    if constexpr (may_sum_in_f16<G>)
      if (in_f16_) return launch_kind<Row, gpu::wgmma_type::f16_sums>();
    launch_kind<Row, operand_kind<T>>();
  }
  template <wgmma_shape Row, gpu::wgmma_type Kind>
  void launch_kind() {
    launch_wgmma<tuned_wgmma<Row>, Kind>(p_, ready_a_, ready_b_, choice_.splits, multiprocessors(), stream());
  }

  void fold_rows() {
    if (totals_rows()) fold_totals(g_, p_.totals, totals_of_row(g_, choice_), stream(), true);
    else fold_stored(ctx_, g_);
  }

  std::string describe() const {
    const wgmma_policy row = wgmma_table[static_cast<int>(choice_.shape)];
    std::string text = product_text(name_of<S>(), type_name<T>, g_.m, g_.n, g_.k, g_.batch) + ": cuda, ";
    if (on_tensor_cores_)
      text += "tensor cores, tile " + std::to_string(row.bm) + "x" + std::to_string(row.bn) +
              (row.is_ping_pong() ? " in ping-pong, " : ", ") + std::to_string(row.stages) + " stages, " +
              std::to_string(row.cluster) + " blocks a cluster" +
              (choice_.splits > 1 ? "; split-K by " + std::to_string(choice_.splits) : "");
    else text += "one thread an element";
    if (two_parts_) text += "; f32 in two parts";
    if (on_tensor_cores_ && in_f16_) text += "; sums in f16";
    if (bytes_a_) text += "; A is copied";
    if (bytes_b_) text += "; B is copied";
    if (has_rows && !totals_rows()) text += "; rows by a pass over C";
    return text + "; workspace of " + std::to_string(bytes_) + " bytes";
  }

  const context& ctx_;
  const G& g_;
  const bool on_tensor_cores_;
  const bool two_parts_, in_f16_;  // f32 as two numbers of 11 bits; f16 summed in f16
  const operand_lines<T> a_, b_;
  wgmma_arguments<G> p_;
  wgmma_choice choice_{};
  std::size_t bytes_a_ = 0, bytes_b_ = 0, bytes_ = 0;  // of the operands' copies, of the workspace
  void *copy_a_ = nullptr, *copy_b_ = nullptr;
  readable_operand ready_a_{}, ready_b_{};
};

}  // namespace kleene::kernels::cuda
