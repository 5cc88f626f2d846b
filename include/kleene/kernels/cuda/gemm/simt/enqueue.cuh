// One product with a given atom and policy: its workspace, and its launches in the order in which they run.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/cuda/gemm/simt/combine.cuh"
#include "kleene/kernels/cuda/gemm/simt/kernel.cuh"
#include "kleene/kernels/cuda/gemm/simt/operands/pack.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

template <class Atom>
struct simt_plan {
  index_t tiles_m, tiles_n, depth, split_depth, blocks;
  index_t line_depth;  // 0: no lines
  int splits;
  gpu::workspace_array<gemm_findings> findings;
  gpu::workspace_array<typename Atom::operand> panels_a, panels_b, lines_a, lines_b;
  gpu::workspace_array<typename Atom::accumulator> partials;
  gpu::workspace_array<std::int32_t> groups;
  std::size_t bytes;
};

// `slots`: blocks of this policy that the device runs at once. Few tiles are split along k until they fill the slots.
template <class Atom, class G>
simt_plan<Atom> plan_simt(const simt_policy& policy, bool with_witness, const G& g, int slots) {
  simt_plan<Atom> plan{};
  plan.tiles_m = ceil_div(g.m, policy.bm), plan.tiles_n = ceil_div(g.n, policy.bn);
  plan.depth = round_up(ceil_div(g.k, Atom::lanes), Atom::depth);
  const index_t tiles = plan.tiles_m * plan.tiles_n * g.batch;
  const index_t least = 4 * policy.bk;  // steps of k below which a range is not worth its partial sums
  const index_t most = std::max<index_t>(plan.depth / least, 1);
  plan.splits = static_cast<int>(std::clamp<index_t>(slots / std::max<index_t>(tiles, 1), 1, most));
  plan.split_depth = round_up(ceil_div(std::max<index_t>(plan.depth, 1), plan.splits), policy.bk);
  plan.splits = static_cast<int>(std::max<index_t>(ceil_div(plan.depth, plan.split_depth), 1));
  plan.blocks = tiles * plan.splits;

  gpu::workspace_layout layout;
  plan.findings = layout.add<gemm_findings>(1);
  if (policy.copy != copies::strided) {
    const index_t batch_a = g.sa[0] ? g.batch : 1, batch_b = g.sb[0] ? g.batch : 1;
    plan.panels_a = layout.add<typename Atom::operand>(batch_a * plan.tiles_m * policy.bm * plan.depth);
    plan.panels_b = layout.add<typename Atom::operand>(batch_b * plan.tiles_n * policy.bn * plan.depth);
    if (with_witness) {
      plan.line_depth = round_up(plan.depth, witness_chunk<Atom>);
      plan.lines_a = layout.add<typename Atom::operand>(batch_a * g.m * plan.line_depth);
      plan.lines_b = layout.add<typename Atom::operand>(batch_b * g.n * plan.line_depth);
    }
  }
  const index_t elements = policy.bm * policy.bn;
  if (plan.splits > 1) plan.partials = layout.add<typename Atom::accumulator>(plan.blocks * elements);
  if (with_witness) plan.groups = layout.add<std::int32_t>(plan.blocks * elements);
  plan.bytes = layout.bytes();
  return plan;
}

// How many matrices of the batch one launch of each kernel can take; 0: not even one. (The ranges of split-K are
// bounded by `slots`, and each has at least a step.)
template <class Atom, class G>
index_t simt_batch(const simt_policy& policy, const G& g) {
  const index_t tiles_m = ceil_div(g.m, policy.bm), tiles_n = ceil_div(g.n, policy.bn);
  const index_t operands = ceil_div(g.k, Atom::lanes);
  if (!are_countable(tiles_m, tiles_n, policy.group) || ceil_div(operands, policy.bk) > gpu::most_blocks) return 0;
  index_t most = matrices_at_once(tiles_m * tiles_n);
  if (policy.copy != copies::strided) {
    using target = pack_target<Atom, value_of<typename G::algebra>>;
    const index_t deep = ceil_div(operands, target::pack_depth);
    const index_t a = saturating_product(ceil_div(tiles_m * policy.bm, pack_rows), deep);
    const index_t b = saturating_product(ceil_div(tiles_n * policy.bn, pack_rows), deep);
    const index_t each = (g.sa[0] ? a : 0) + (g.sb[0] ? b : 0), common = (g.sa[0] ? 0 : a) + (g.sb[0] ? 0 : b);
    most = std::min(most, matrices_at_once(each, common));
  }
  return most;
}

// Whether an operand's lines are made of aligned runs of `run` neighbouring elements, with none left over.
template <class T>
bool in_runs(index_t run, const void* data, index_t batch_stride, index_t line_stride, index_t stride, index_t extent) {
  return stride == 1 && extent % run == 0 && line_stride % run == 0 && batch_stride % run == 0 &&
         reinterpret_cast<std::uintptr_t>(data) % (run * sizeof(T)) == 0;
}

// The arguments of the launches below; the workspace holds plan.bytes, and a thread stores runs of `run` elements.
template <class Atom, class G, class Other>
simt_arguments<Atom, G> arguments_simt(const simt_policy& policy, index_t run, const G& g, const simt_plan<Other>& plan,
                                       void* workspace) {
  simt_arguments<Atom, G> p;
  p.g = g;
  if (g.alpha) p.alpha = *g.alpha, p.has_alpha = true;
  if (g.beta) p.beta = *g.beta, p.has_beta = true;
  p.depth = plan.depth, p.tiles_m = static_cast<unsigned>(plan.tiles_m),
  p.tiles_n = static_cast<unsigned>(plan.tiles_n);
  p.split_depth = plan.split_depth, p.splits = plan.splits;
  if (policy.copy != copies::strided) {
    p.a = reinterpret_cast<typename Atom::operand*>(plan.panels_a.in(workspace));
    p.b = reinterpret_cast<typename Atom::operand*>(plan.panels_b.in(workspace));
    p.a_batch = g.sa[0] ? plan.tiles_m * policy.bm * plan.depth : 0;
    p.b_batch = g.sb[0] ? plan.tiles_n * policy.bn * plan.depth : 0;
  }
  if (plan.line_depth > 0) {
    p.lines_a = reinterpret_cast<typename Atom::operand*>(plan.lines_a.in(workspace));
    p.lines_b = reinterpret_cast<typename Atom::operand*>(plan.lines_b.in(workspace));
    p.line_depth = plan.line_depth;
  }
  p.partials = reinterpret_cast<typename Atom::accumulator*>(plan.partials.in(workspace));
  p.groups = plan.groups.in(workspace);

  using T = value_of<typename G::algebra>;
  p.store_runs = can_store_runs<G> && !g.alpha && !g.beta && !g.mask && !g.witness &&
                 in_runs<T>(run, g.c, g.sc[0], g.sc[1], g.sc[2], g.n) &&
                 (!g.d || in_runs<T>(run, g.d, g.sd[0], g.sd[1], g.sd[2], g.n));
  constexpr index_t word = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
  p.vectors_a =
      in_runs<T>(word, g.a, g.sa[0], g.sa[1], g.sa[2], g.k) || in_runs<T>(word, g.a, g.sa[0], g.sa[2], g.sa[1], g.m);
  p.vectors_b =
      in_runs<T>(word, g.b, g.sb[0], g.sb[2], g.sb[1], g.k) || in_runs<T>(word, g.b, g.sb[0], g.sb[1], g.sb[2], g.n);
  return p;
}

template <class S, class G>
operand_source<value_of<S>> source_a(const G& g) {
  return {g.a, g.sa[0] ? g.batch : 1, g.m, g.k, g.sa[0], g.sa[1], g.sa[2]};
}
template <class S, class G>
operand_source<value_of<S>> source_b(const G& g) {
  return {g.b, g.sb[0] ? g.batch : 1, g.n, g.k, g.sb[0], g.sb[2], g.sb[1]};
}

// `reports`: what is asked about A and B, or null. `early`: the launch before is clear_findings, and all before it
// done.
template <class Atom, class G>
void enqueue_pack(const simt_policy& policy, const G& g, const simt_arguments<Atom, G>& p, operand_report* reports,
                  cudaStream_t stream, bool early) {
  using S = typename G::algebra;
  using T = value_of<S>;
  const pack_pair<Atom, T> pair{{{source_a<S>(g), p.a, policy.bm, p.depth, p.lines_a, p.line_depth},
                                 {source_b<S>(g), p.b, policy.bn, p.depth, p.lines_b, p.line_depth}},
                                reports,
                                p.checks.done};
  constexpr unsigned few =
      4096;  // for a launch that may find everything done: 65,536 blocks that end at once take 81 us
  const unsigned blocks = p.checks.done ? std::min(pair.blocks(), few) : pair.blocks();
  if (blocks > 0) gpu::launch(pack_operands<S, Atom>, {blocks, pack_threads, 0, stream, early}, pair);
}

// The kernel of a product, and what a launch has to know of it: with the policy a value, one copy of the launching code
// serves all policies of an algebra.
template <class Atom, class G>
struct simt_kernel {
  void (*address)(simt_arguments<Atom, G>) = nullptr;
  unsigned threads = 0;
  std::size_t shared_bytes = 0;
};
template <class Atom, sign_class Class, class Policy, bool Witness, class G>
constexpr simt_kernel<Atom, G> simt_kernel_of() {
  constexpr simt_policy P = Policy::value;
  constexpr int bytes = simt_shared_bytes<Atom, P, Witness, G>();
  require_legal_policy<Policy, simt_needs{sizeof(typename Atom::operand), sizeof(typename Atom::accumulator),
                                          Atom::depth, Atom::lanes, Witness, bytes}>();
  return {gemm_simt<Atom, Class, Policy, Witness, G>, static_cast<unsigned>(P.threads()), bytes};
}

// `early`: the launch before is pack_operands or a product, so that this one may start before it is done (sm_90).
template <class Atom, class G>
void enqueue_simt(const simt_kernel<Atom, G>& kernel, const simt_arguments<Atom, G>& p, cudaStream_t stream,
                  bool early) {
  const index_t tiles = index_t{p.tiles_m} * p.tiles_n * p.g.batch;
  gpu::launch(kernel.address, {gpu::grid_of(tiles * p.splits), kernel.threads, kernel.shared_bytes, stream, early}, p);
}

// After the products of all classes, if their tiles were split along k.
template <bool Witness, class Atom, class G>
void enqueue_combine(const simt_policy& policy, const simt_arguments<Atom, G>& p, cudaStream_t stream, bool early) {
  if (p.splits == 1) return;
  const combine_shape shape(policy, operand_run<Atom>, p.splits, most_combine_parts<Atom>);
  const dim3 blocks = shape.blocks(gpu::grid_of(index_t{p.tiles_m} * p.tiles_n * p.g.batch), combine_width<Atom>);
  gpu::launch(gemm_combine<Atom, Witness, G>, {blocks, shape.threads(), 0, stream, early}, p, shape);
}

}  // namespace kleene::kernels::cuda
