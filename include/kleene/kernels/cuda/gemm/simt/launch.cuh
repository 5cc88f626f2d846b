// One product of any algebra on the ordinary units, with a policy: packing, which looks at the operands on the way, the
// product for each class of signs that has an atom, and split-K's last step.
#pragma once

#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/gemm/simt/checks.cuh"
#include "kleene/kernels/cuda/gemm/simt/describe.cuh"
#include "kleene/kernels/cuda/gemm/simt/enqueue.cuh"

namespace kleene::kernels::cuda {

// The kernel of launch_simt that is always there.
template <class Policy, bool Witness, class G, class S = typename G::algebra>
inline constexpr auto first_kernel =
    gemm_simt<std::conditional_t<Policy::value.copy != copies::strided, atom_of<S, sign_class::any, Witness>,
                                 unpacked_atom_of<S>>,
              sign_class::any, Policy, Witness, G>;

// One product with a policy.
template <class Policy, bool Witness, class G>
class simt_product {
  using S = typename G::algebra;
  static constexpr simt_policy P = Policy::value;
  static constexpr bool packed = P.copy != copies::strided;
  static constexpr bool classes = packed && has_classes<S>;
  using packer = std::conditional_t<packed, pack_atom_of<S, Witness>, unpacked_atom_of<S>>;

 public:
  simt_product(const context& ctx, const G& g)
      : ctx_(ctx),
        g_(g),
        plan_(plan_simt<packer>(P, Witness, g, P.blocks * ctx.device()->multiprocessors)),
        workspace_(ctx.workspace(plan_.bytes)),
        found_(plan_.findings.in(workspace_)),
        checks_(checks_for(g, found_, classes)),
        looks_(checks_.find_class || checks_.check_domain || checks_.check_wrap),
        may_fail_(checks_.check_domain || checks_.check_wrap || can_overflow<S> || can_wrap<S>) {}

  void run() const {
    if (looks_ || may_fail_) gpu::launch(clear_findings, {1, 1, 0, stream()}, found_);
    inspect();
    if constexpr (packed)
      enqueue_pack(P, g_, arguments<packer>(), looks_ ? found_->reports : nullptr, stream(), looks_);
    multiply<sign_class::any>();
    if constexpr (classes && has_atom<S, sign_class::non_negative>) multiply<sign_class::non_negative>();
    if constexpr (classes && has_atom<S, sign_class::non_positive>) multiply<sign_class::non_positive>();
    enqueue_combine<Witness>(P, arguments<packer>(), stream(), packed);
    if (may_fail_)
      gpu::launch(record_fault<G>, {1, 1, 0, stream()}, g_, checks_, algebra_name<S>(), "A", "B", "the source",
                  ctx_.faults());
    if (explain_enabled()) explain(describe_simt(description()));
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }

  // A pass over what packing does not look at: D, and A and B where they are read as they are.
  void inspect() const {
    const bool source = g_.d && (checks_.check_domain || checks_.check_wrap);
    if (packed ? source : looks_) enqueue_inspect<S>(ctx_, g_, !packed, source, found_);
  }

  simt_description description() const {
    simt_description text{product_text(name_of<S>(), type_name<value_of<S>>, g_.m, g_.n, g_.k, g_.batch)};
    text.with_witness = Witness;
    text.atom = describe_atoms(names_of_atoms<S, packed, Witness>(), checks_);
    text.policy = describe_policy(P, name_of_policy<Policy>());
    text.splits = plan_.splits, text.workspace = plan_.bytes;
    return text;
  }

  template <class Atom>
  simt_arguments<Atom, G> arguments() const {
    simt_arguments<Atom, G> p = arguments_simt<Atom>(P, thread_position<P, Atom>::run_n, g_, plan_, workspace_);
    p.checks = checks_, p.overflow = &found_->overflow;
    return p;
  }

  // The product for one class of signs. All that may be found are launched, and those of other classes return at once.
  template <sign_class Class>
  void multiply() const {
    using Atom = std::conditional_t<packed, atom_of<S, Class, Witness>, unpacked_atom_of<S>>;
    if (!checks_.find_class && classes && checks_.promised != Class) return;
    enqueue_simt<Atom, Class, Policy, Witness>(arguments<Atom>(), stream(), packed);
  }

  const context& ctx_;
  const G& g_;
  const simt_plan<packer> plan_;
  void* const workspace_;
  gemm_findings* const found_;
  const gemm_checks checks_;
  const bool looks_, may_fail_;
};

// A batch of any size with a policy.
template <class Policy, bool Witness, class G>
void launch_simt(const context& ctx, const G& g) {
  using S = typename G::algebra;
  constexpr simt_policy P = Policy::value;
  using packer = std::conditional_t<P.copy != copies::strided, pack_atom_of<S, Witness>, unpacked_atom_of<S>>;
  const gpu::on_device here(ctx.device()->ordinal);
  if constexpr (needs_sm_90<Policy>)
    if (gpu::target_of(gpu::address_of(first_kernel<Policy, Witness, G>)) < 90)
      throw error(fault_code::device, "this tile policy needs a device of compute capability 9.0, and code for it");
  const index_t at_once = simt_batch<packer>(P, g);
  if (at_once == 0) refuse_extents(g.m, g.n, g.k);
  launch_in_parts(g, at_once, [&](const G& part) { simt_product<Policy, Witness, G>(ctx, part).run(); });
}

}  // namespace kleene::kernels::cuda
