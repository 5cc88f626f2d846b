// Products of plus_times over operands of 8 and 16 bits: what is refused, and which engine computes the others.
// Compiled with nvcc, for every row of mixed.def by the library.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemm/mma/launch.cuh"
#include "kleene/kernels/cuda/gemm/rows.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"
#include "kleene/kernels/cuda/gemm/wgmma/launch.cuh"

#include <algorithm>
#include <limits>

namespace kleene::kernels::cuda {

// The algebras that the kernels here compute products of.
template <class S, class T = value_of<S>>
inline constexpr bool is_mixed =
    std::is_same_v<S, plus_times<T>> && (std::is_same_v<T, bf16> || std::is_same_v<T, f16> || std::is_same_v<T, i8> ||
                                         std::is_same_v<T, u8> || kleene::detail::is_f8<T>);

// Sums of bytes are formed in 32 bits, and no value is looked at.
template <class G>
void require_sums_fit(const G& g) {
  using S = typename G::algebra;
  using T = value_of<S>;
  if constexpr (std::is_integral_v<T>) {
    constexpr double most = std::max(-double(std::numeric_limits<T>::lowest()), double(std::numeric_limits<T>::max()));
    if (!S::sums_fit(double(g.k), most, most))
      throw value_error(name_of<S>() + ": " + std::to_string(g.k) +
                        " products of bytes can leave 32 bits: sum ranges of k, into C of f32");
  }
}

template <class G>
void launch_mixed(const context& ctx, const G& g) {
  using S = typename G::algebra;
  using T = value_of<S>;
  constexpr bool rows = gives_rows<decltype(G::epilogue)>;
  constexpr gemm_operands operands = kleene::detail::is_f8<T> ? gemm_operands::f8 : gemm_operands::half;
  const gpu::on_device here(ctx.device()->ordinal);
  if constexpr (rows)
    if (g.n == 0) return fold_stored(ctx, g);
  require_sums_fit(g);
  const gemm_engine engine = select_engine(operands, g.precision, false, has_wgmma<G>(ctx.device()->capability));
  if constexpr (operands == gemm_operands::half)
    if (engine == gemm_engine::mma) {
      launch_mma(ctx, g);
      if constexpr (rows) fold_stored(ctx, g);
      return;
    }
  if (engine == gemm_engine::wgmma && g.k > most_coordinate)
    throw shape_error(name_of<S>() + " " + type_name<T> + ": k is " + std::to_string(g.k) +
                      ", and the kernels of the tensor cores count to " + std::to_string(most_coordinate) +
                      ": sum ranges of k, into C of f32");
  launch_wgmma_batch(ctx, g, engine == gemm_engine::wgmma);
}

}  // namespace kleene::kernels::cuda
