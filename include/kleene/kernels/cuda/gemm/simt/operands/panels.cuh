// Definition of panel_products: gemm's packing and gemm's kernels, launched one by one.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/cuda/gemm/simt/choice.cuh"
#include "kleene/kernels/cuda/gemm/simt/enqueue.cuh"
#include "kleene/kernels/cuda/gemm/simt/operands/panels.hpp"

namespace kleene::kernels::cuda {

// The policy and the packing atom that launch_gemm takes for large products over S.
template <class S>
struct panel_choice {
  using packer = pack_atom_of<S, false>;
  using policy = policy_of<S, false>;
  static constexpr simt_policy P = policy::value;
  static index_t depth(index_t k) { return round_up(ceil_div(k, packer::lanes), packer::depth); }
};

template <class S>
index_t panel_products<S>::tile_rows() {
  return panel_choice<S>::P.bm;
}
template <class S>
index_t panel_products<S>::tile_cols() {
  return panel_choice<S>::P.bn;
}

template <class S>
int panel_products<S>::load() {
  using choice = panel_choice<S>;
  cudaFuncAttributes facts;
  const auto product = [&]<sign_class Class>() {
    if constexpr (Class == sign_class::any || has_atom<S, Class>)
      return cudaFuncGetAttributes(
          &facts, gemm_simt<atom_of<S, Class, false>, Class, typename choice::policy, false, gemm_arguments<S>>);
    else return cudaSuccess;
  };
  for (const cudaError_t loaded :
       {cudaFuncGetAttributes(&facts, pack_operands<S, typename choice::packer>),
        product.template operator()<sign_class::any>(), product.template operator()<sign_class::non_negative>(),
        product.template operator()<sign_class::non_positive>()})
    if (loaded != cudaSuccess) return loaded;
  return cudaSuccess;
}

template <class S>
std::size_t panel_products<S>::bytes(bool left, index_t rows, index_t depth) {
  using choice = panel_choice<S>;
  const std::size_t elements = round_up(rows, left ? choice::P.bm : choice::P.bn) * choice::depth(depth);
  return round_up(elements * sizeof(typename choice::packer::operand), 256);
}

template <class S>
void panel_products<S>::pack(void* stream, const panel_source<T>& a, const panel_source<T>& b) {
  using choice = panel_choice<S>;
  using packer = typename choice::packer;
  const auto target = [](const panel_source<T>& x, int panel_rows) {
    return pack_target<packer, T>({x.data, 1, x.rows, x.depth, 0, x.stride_row, x.stride_depth, x.excluded},
                                  static_cast<const typename packer::operand*>(x.panels), panel_rows,
                                  choice::depth(x.depth));
  };
  const pack_pair<packer, T> pair{{target(a, choice::P.bm), target(b, choice::P.bn)}};
  const unsigned blocks = pair.blocks();
  if (blocks > 0)
    gpu::launch(pack_operands<S, packer>, {blocks, pack_threads, 0, static_cast<cudaStream_t>(stream)}, pair);
}

template <class S>
void panel_products<S>::multiply(void* stream, const panel_product<T>& x) {
  using choice = panel_choice<S>;
  using G = gemm_arguments<S>;
  if (x.count_m <= 0 || x.count_n <= 0) return;
  G g;
  g.m = x.m, g.n = x.n, g.k = x.k;
  g.c = x.c, g.sc = {0, x.row_stride, 1};
  if (x.accumulate) g.d = x.c, g.sd = g.sc;
  const auto launch = [&]<sign_class Class>() {
    using Atom = atom_of<S, Class, false>;
    simt_arguments<Atom, G> p;
    p.g = g;
    p.a = static_cast<const typename Atom::operand*>(x.a);
    p.b = static_cast<const typename Atom::operand*>(x.b);
    p.depth = p.split_depth = choice::depth(x.k);
    p.tiles_m = static_cast<unsigned>(x.count_m), p.tiles_n = static_cast<unsigned>(x.count_n);
    p.excluded_rows = x.excluded_rows, p.excluded_cols = x.excluded_cols;
    p.first_m = x.first_m, p.first_n = x.first_n;
    p.excluded_tile_rows = x.excluded_tile_rows, p.excluded_tile_cols = x.excluded_tile_cols;
    p.checks.promised = x.signs, p.checks.stop = x.stop;
    p.overflow = x.overflow;
    constexpr index_t run = thread_position<choice::P, Atom>::run_n;
    p.store_runs = in_runs<T>(run, x.c, 0, x.row_stride, 1, x.n) && x.excluded_cols.size % run == 0 &&
                   (x.excluded_cols.size == 0 || x.excluded_cols.first % run == 0);
    constexpr auto kernel = simt_kernel_of<Atom, Class, typename choice::policy, false, G>();
    enqueue_simt(kernel, p, static_cast<cudaStream_t>(stream), false);
  };
  if constexpr (has_atom<S, sign_class::non_negative>)
    if (x.signs == sign_class::non_negative) return launch.template operator()<sign_class::non_negative>();
  if constexpr (has_atom<S, sign_class::non_positive>)
    if (x.signs == sign_class::non_positive) return launch.template operator()<sign_class::non_positive>();
  launch.template operator()<sign_class::any>();
}

}  // namespace kleene::kernels::cuda
