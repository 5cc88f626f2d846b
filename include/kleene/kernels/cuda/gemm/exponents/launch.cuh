// A product by exponents: its workspace, and its launches in the order in which they run.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/cuda/gemm/exponents/inspect.cuh"
#include "kleene/kernels/cuda/gemm/exponents/kernel.cuh"
#include "kleene/kernels/cuda/gemm/exponents/mma_kernel.cuh"
#include "kleene/kernels/cuda/gemm/exponents/pack.cuh"
#include "kleene/kernels/cuda/gemm/exponents/witness.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

// Whether the device at hand runs this build's kernel for wgmma with its body, which has barriers in static shared
// memory. Where it does not, the one for mma has a body.
template <class G, exponents_kind Kind>
bool has_exponents_on_wgmma() {
  cudaFuncAttributes is{};
  return cudaFuncGetAttributes(&is, gemm_exponents<G, Kind>) == cudaSuccess && is.sharedSizeBytes > 0;
}

// What one matrix of the batch needs.
struct exponents_plan {
  gpu::workspace_array<exponent_findings> findings;  // first
  gpu::workspace_array<std::int32_t> least_a, most_a, least_b, most_b;
  gpu::workspace_array<uint4> codes_a, codes_b;
  std::size_t bytes;
};
inline exponents_plan plan_exponents(index_t m, index_t n, index_t k) {
  using P = exponents_sm90;
  exponents_plan plan{};
  gpu::workspace_layout layout;
  plan.findings = layout.add<exponent_findings>(1);
  plan.least_a = layout.add<std::int32_t>(m), plan.most_a = layout.add<std::int32_t>(m);
  plan.least_b = layout.add<std::int32_t>(n), plan.most_b = layout.add<std::int32_t>(n);
  const index_t steps = P::most_steps(k);
  plan.codes_a = layout.add<uint4>(ceil_div(m, P::rows) * P::cluster * steps * (P::bytes_a / 16));
  plan.codes_b = layout.add<uint4>(ceil_div(n, P::block_cols) * P::cluster * steps * (P::bytes_b / 16));
  plan.bytes = layout.bytes();
  return plan;
}

// The arguments of a product in a workspace planned for it, or for one that is larger; a and b are its lines.
template <class G, class S = typename G::algebra>
exponents_arguments<G> arguments_exponents(const G& g, const exponent_lines<S>& a, const exponent_lines<S>& b,
                                           const exponents_plan& plan, void* workspace) {
  using P = exponents_sm90;
  exponents_arguments<G> p;
  p.g = g;
  p.tiles_m = static_cast<unsigned>(ceil_div(g.m, P::rows));
  p.tiles_n = static_cast<unsigned>(ceil_div(g.n, P::block_cols));
  p.a = {plan.codes_a.in(workspace), P::block_rows, index_t{p.tiles_m} * P::cluster};
  p.b = {plan.codes_b.in(workspace), P::part_cols, index_t{p.tiles_n} * P::cluster};
  p.least_a = a.least, p.least_b = b.least, p.found = plan.findings.in(workspace);
  return p;
}

template <exponents_kind Kind, class G>
void enqueue_on_wgmma(const exponents_arguments<G>& p, cudaStream_t stream) {
  using P = exponents_sm90;
  const auto kernel = gemm_exponents<G, Kind>;
  const index_t tiles = index_t{p.tiles_m} * p.tiles_n;
  gpu::launch_config config{gpu::grid_of(tiles * P::cluster), P::threads, P::shared_bytes, stream, true, P::cluster};
  const int resident = gpu::resident_clusters(gpu::address_of(kernel), config);
  config.blocks.x = static_cast<unsigned>(std::min<index_t>(tiles, resident)) * P::cluster;
  gpu::launch(kernel, config, p);
}

template <exponents_kind Kind, bool Insist, class G>
void enqueue_on_mma(const exponents_arguments<G>& p, cudaStream_t stream) {
  using P = exponents_sm80;
  const unsigned tiles = gpu::grid_of(index_t{p.tiles_m} * p.tiles_n);
  gpu::launch(gemm_exponents_mma<G, Kind, Insist>, {tiles, P::threads, P::shared_bytes, stream, true}, p);
}

// Codes, and the product of them.
template <exponents_kind Kind, exponent_engine Engine, class G, class S = typename G::algebra>
void enqueue_coded(const exponents_arguments<G>& p, const exponent_lines<S>& a, const exponent_lines<S>& b,
                   cudaStream_t stream) {
  enqueue_pack_exponents(a, b, p.a, p.b, p.found, stream);
  if (Engine == exponent_engine::chosen && has_exponents_on_wgmma<G, Kind>()) enqueue_on_wgmma<Kind>(p, stream);
  else enqueue_on_mma<Kind, Engine == exponent_engine::mma>(p, stream);
}

// The most products of a sum that the kernel takes.
template <exponents_kind Kind, exponent_engine Engine, class G>
int most_exponent_terms() {
  if (Kind == exponents_kind::keyed) return exponent_key::terms;
  const bool on_wgmma = Engine == exponent_engine::chosen && has_exponents_on_wgmma<G, Kind>();
  return on_wgmma ? exponents_sm90::most_terms : exponents_sm80::most_terms;
}

// C of one matrix, where its operands can be coded. The workspace holds plan_exponents(...).bytes, exponent_findings
// first: what follows in the stream learns from its `done` whether C is computed. g has no alpha, no beta, and is not
// empty; keyed: it has a witness, and no mask, else none.
template <class G, exponents_kind Kind = exponents_kind::plain, exponent_engine Engine = exponent_engine::chosen>
void enqueue_exponents(const context& ctx, const G& g, void* workspace) {
  using S = typename G::algebra;
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const exponents_plan plan = plan_exponents(g.m, g.n, g.k);
  exponent_lines<S> a(g.a, g.m, g.k, g.sa[1], g.sa[2]), b(g.b, g.n, g.k, g.sb[2], g.sb[1]);
  a.least = plan.least_a.in(workspace), a.most = plan.most_a.in(workspace);
  b.least = plan.least_b.in(workspace), b.most = plan.most_b.in(workspace);
  const exponents_arguments<G> p = arguments_exponents(g, a, b, plan, workspace);
  enqueue_inspect_exponents(g, a, b, most_exponent_terms<Kind, Engine, G>(), plan.findings.in(workspace), stream);
  enqueue_coded<Kind, Engine>(p, a, b, stream);
  if constexpr (Kind == exponents_kind::keyed) enqueue_exponent_witnesses(p, stream);
}

}  // namespace kleene::kernels::cuda
