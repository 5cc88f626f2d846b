// One product of any algebra on the ordinary units, with a policy: packing, which looks at the operands on the way, the
// product for each class of signs that has an atom, and split-K's last step.
#pragma once

#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/gemm/simt/describe.cuh"
#include "kleene/kernels/cuda/gemm/simt/enqueue.cuh"
#include "kleene/kernels/cuda/gemm/simt/operands/checks.cuh"

#include <bit>

namespace kleene::kernels::cuda {

// The kernel of launch_simt that is always there.
template <class Policy, bool Witness, class G, class S = typename G::algebra>
inline constexpr auto first_kernel =
    gemm_simt<std::conditional_t<Policy::value.copy != copies::strided, atom_of<S, sign_class::any, Witness>,
                                 unpacked_atom_of<S>>,
              sign_class::any, Policy, Witness, G>;

// All kernels of a product with one policy, that as a value. Packed: the policy's tiles come from packed panels.
template <bool Packed, bool Witness, class G>
struct simt_kernels {
  using S = typename G::algebra;
  template <sign_class Class>
  using atom = std::conditional_t<Packed, atom_of<S, Class, Witness>, unpacked_atom_of<S>>;

  simt_policy policy;
  const char* name;  // null for a caller's policy
  simt_kernel<atom<sign_class::any>, G> any;
  simt_kernel<atom<sign_class::non_negative>, G> non_negative;  // without an address: there is none
  simt_kernel<atom<sign_class::non_positive>, G> non_positive;
};

template <class S, sign_class Class, bool Packed>
inline constexpr bool has_kernel = Class == sign_class::any || (Packed && has_classes<S> && has_atom<S, Class>);

template <class Policy, bool Witness, class G>
constexpr auto simt_kernels_of() {
  constexpr bool packed = Policy::value.copy != copies::strided;
  using kernels = simt_kernels<packed, Witness, G>;
  kernels all{};
  all.policy = Policy::value, all.name = name_of_policy<Policy>();
  const auto fill = [&]<class Atom, sign_class Class>(simt_kernel<Atom, G>& kernel,
                                                      std::integral_constant<sign_class, Class>) {
    if constexpr (has_kernel<typename G::algebra, Class, packed>)
      kernel = simt_kernel_of<Atom, Class, Policy, Witness, G>();
  };
  fill(all.any, std::integral_constant<sign_class, sign_class::any>{});
  fill(all.non_negative, std::integral_constant<sign_class, sign_class::non_negative>{});
  fill(all.non_positive, std::integral_constant<sign_class, sign_class::non_positive>{});
  return all;
}

// Another way that is tried before a product: it puts what it does on the stream, and leaves a word other than 0 at the
// start of the workspace where it has computed C; nothing else is done then.
template <class G>
struct simt_attempt {
  static constexpr std::size_t head = gpu::workspace_layout::alignment;        // bytes that are left alone afterwards
  std::size_t bytes = 0;                                                       // of workspace
  void (*enqueue)(const context& ctx, const G& g, void* workspace) = nullptr;  // null: there is none
  const char* name = nullptr;                                                  // "by ..., if ..."
};

// One product with a policy.
template <bool Packed, bool Witness, class G>
class simt_product {
  using S = typename G::algebra;
  using kernels = simt_kernels<Packed, Witness, G>;
  using packer = std::conditional_t<Packed, pack_atom_of<S, Witness>, unpacked_atom_of<S>>;
  static constexpr bool classes = Packed && has_classes<S>;

 public:
  simt_product(const context& ctx, const G& g, const kernels& with, const simt_attempt<G>& attempt)
      : ctx_(ctx),
        g_(g),
        with_(with),
        attempt_(attempt),
        plan_(plan_simt<packer>(with.policy, Witness, g, with.policy.blocks * ctx.device()->multiprocessors)),
        head_(static_cast<unsigned char*>(ctx.workspace(std::max(attempt.bytes, kept() + plan_.bytes)))),
        workspace_(head_ + kept()),
        found_(plan_.findings.in(workspace_)),
        checks_(with_done(checks_for(g, found_, classes))),
        looks_(checks_.find_class || checks_.check_domain || checks_.check_wrap),
        may_fail_(checks_.check_domain || checks_.check_wrap || can_overflow<S> || can_wrap<S>) {}

  void run() const {
    if (attempt_.enqueue) attempt_.enqueue(ctx_, g_, head_);
    if (looks_ || may_fail_) gpu::launch(clear_findings, {1, 1, 0, stream()}, found_);
    inspect();
    if constexpr (Packed)
      enqueue_pack(with_.policy, g_, arguments<packer>(), looks_ ? found_->reports : nullptr, stream(), looks_);
    multiply<sign_class::any>(with_.any);
    multiply<sign_class::non_negative>(with_.non_negative);
    multiply<sign_class::non_positive>(with_.non_positive);
    enqueue_combine<Witness>(with_.policy, arguments<packer>(), stream(), Packed);
    if (may_fail_)
      gpu::launch(record_fault<G>, {1, 1, 0, stream()}, g_, checks_, algebra_name<S>(), "A", "B", "the source",
                  ctx_.faults());
    if (explain_enabled()) explain(describe_simt(description()));
  }

 private:
  std::size_t kept() const { return attempt_.enqueue ? attempt_.head : 0; }
  gemm_checks with_done(gemm_checks checks) const {
    if (attempt_.enqueue) checks.done = reinterpret_cast<const unsigned*>(head_);
    return checks;
  }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }

  // A pass over what packing does not look at: D, and A and B where they are read as they are.
  void inspect() const {
    const bool source = g_.d && (checks_.check_domain || checks_.check_wrap);
    if (Packed ? source : looks_) enqueue_inspect<S>(ctx_, g_, !Packed, source, found_);
  }

  simt_description description() const {
    simt_description text{product_text(name_of<S>(), type_name<value_of<S>>, g_.m, g_.n, g_.k, g_.batch)};
    text.with_witness = Witness;
    text.atom = describe_atoms(names_of_atoms<S, Packed, Witness>(), checks_);
    text.policy = describe_policy(with_.policy, with_.name);
    text.splits = plan_.splits, text.workspace = plan_.bytes, text.before = attempt_.name;
    return text;
  }

  template <class Atom>
  simt_arguments<Atom, G> arguments() const {
    simt_arguments<Atom, G> p =
        arguments_simt<Atom>(with_.policy, tile_steps(with_.policy, operand_run<Atom>).run_n, g_, plan_, workspace_);
    p.checks = checks_, p.overflow = &found_->overflow;
    return p;
  }

  // The product for one class of signs. All that may be found are launched, and those of other classes return at once.
  template <sign_class Class, class Atom>
  void multiply(const simt_kernel<Atom, G>& kernel) const {
    if constexpr (has_kernel<S, Class, Packed>) {
      if (!checks_.find_class && classes && checks_.promised != Class) return;
      enqueue_simt(kernel, arguments<Atom>(), stream(), Packed);
    }
  }

  const context& ctx_;
  const G& g_;
  const kernels& with_;
  const simt_attempt<G>& attempt_;
  const simt_plan<packer> plan_;
  unsigned char* const head_;
  void* const workspace_;
  gemm_findings* const found_;
  const gemm_checks checks_;
  const bool looks_, may_fail_;
};

// A batch of any size with a policy's kernels.
template <bool Packed, bool Witness, class G>
void launch_simt_kernels(const context& ctx, const G& g, const simt_kernels<Packed, Witness, G>& with,
                         const simt_attempt<G>& attempt) {
  using S = typename G::algebra;
  using packer = std::conditional_t<Packed, pack_atom_of<S, Witness>, unpacked_atom_of<S>>;
  const index_t at_once = simt_batch<packer>(with.policy, g);
  if (at_once == 0) refuse_extents(g.m, g.n, g.k);
  launch_in_parts(g, at_once, [&](const G& part) { simt_product<Packed, Witness, G>(ctx, part, with, attempt).run(); });
}

// The product of an algebra whose sums stay unrounded (half_atoms.cuh).
template <class S, class Epilogue, class Out>
gemm_arguments<unrounded<S>, Epilogue, Out> without_rounding(const gemm_arguments<S, Epilogue, Out>& g) {
  return std::bit_cast<gemm_arguments<unrounded<S>, Epilogue, Out>>(g);
}
// Whether a product's sums may be rounded before anything is done to them.
template <class G>
bool may_round(const G& g) {
  return std::is_same_v<G, gemm_arguments<typename G::algebra>> && !g.alpha;
}

// The same with a policy, after an attempt at it another way.
template <class Policy, bool Witness, class G>
void launch_after_attempt(const context& ctx, const G& g, const simt_attempt<G>& attempt) {
  if constexpr (!Witness && has_half_pairs<arithmetic_of<typename G::algebra>>)
    if (!may_round(g)) return launch_after_attempt<Policy, Witness>(ctx, without_rounding(g), {});
  const gpu::on_device here(ctx.device()->ordinal);
  if constexpr (needs_sm_90<Policy>)
    if (gpu::target_of(gpu::address_of(first_kernel<Policy, Witness, G>)) < 90)
      throw error(fault_code::device, "this tile policy needs a device of compute capability 9.0, and code for it");
  launch_simt_kernels(ctx, g, simt_kernels_of<Policy, Witness, G>(), attempt);
}
template <class Policy, bool Witness, class G>
void launch_simt(const context& ctx, const G& g) {
  launch_after_attempt<Policy, Witness>(ctx, g, {});
}

}  // namespace kleene::kernels::cuda
