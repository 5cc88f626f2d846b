// Runs a planned contraction: pair after pair in one workspace.
#pragma once

#include "kleene/kernels/cpu/permute/launch.hpp"
#include "kleene/networks/detail/contract_checks.hpp"
#include "kleene/networks/detail/contract_kernel.hpp"
#include "kleene/operations/detail/einsum_run.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kleene::detail {

// The tensors of a network as they lie, diagonals as one axis.
template <class T>
struct network_operands {
  std::vector<std::vector<network_axis>> axes;
  std::vector<const T*> data;

  // Where a tensor begins once some indices have values.
  const T* begin(std::size_t tensor, std::span<const std::uint8_t> fixed, std::span<const std::int32_t> values) const {
    const T* at = data[tensor];
    for (const network_axis& x : axes[tensor])
      if (const auto l = static_cast<std::size_t>(x.label); fixed[l]) at += x.stride * values[l];
    return at;
  }
};

// Whether large products are gemm's: not those of structs, which it has no vectors for.
template <class S>
inline constexpr bool multiplies_by_gemm =
    product_is_compiled<S, none, value_of<S>> || std::is_arithmetic_v<value_of<S>>;

template <product_algebra S>
class contraction_runner {
 public:
  using T = value_of<S>;

  // The workspace is there once this is made; it is error(memory) where it cannot be had.
  contraction_runner(const context& ctx, const contraction_plan& plan)
      : ctx_(ctx), plan_(plan), room_(ctx.temporary(std::max<std::size_t>(plan.bytes, 1))) {
    ask_for_large_pages(room_.get(), plan.bytes);
    data_.resize(plan.tensors.size(), nullptr);
    for (std::size_t s = 0; s < plan.pairs.size(); ++s)
      data_[static_cast<std::size_t>(plan.leaves) + s] = room(plan.offsets[s]);
  }

  void set_leaf(std::size_t leaf, const T* data) { data_[leaf] = data; }
  // Elements of a tensor: after run(), of the last result, its operands, and what the plan keeps.
  const T* data(int tensor) const { return data_[static_cast<std::size_t>(tensor)]; }
  const T* result() const { return data_.back(); }

  void run() const {
    for (const planned_pair& p : plan_.pairs) {
      const T* a = copied(p.copy_a, data(p.a));
      const T* b = copied(p.copy_b, data(p.b));
      T* c = const_cast<T*>(data(p.c));  // of the workspace
      if (p.mode == pair_mode::product) {
        if constexpr (multiplies_by_gemm<S>) multiply(*plan_.steps[static_cast<std::size_t>(p.step)], a, b, c);
        continue;
      }
      require_no_wrap(p);
      run_loops(p, a, b, c);
    }
  }

 private:
  using checked = checked_gemm<S, none, T>;
  using G = kernels::gemm_arguments<S>;

  T* room(std::size_t offset) const { return reinterpret_cast<T*>(static_cast<char*>(room_.get()) + offset); }

  const T* copied(int which, const T* from) const {
    if (which < 0) return from;
    const planned_copy& copy = plan_.copies[static_cast<std::size_t>(which)];
    T* to = room(copy.offset);
    if (copy.by) {
      copy.by->from = reinterpret_cast<const char*>(from), copy.by->to = reinterpret_cast<char*>(to);
      kernels::cpu::launch_permute(*copy.by, ctx_.workspace(kernels::cpu::permute_workspace(*copy.by)), ctx_.isa());
      return to;
    }
    if (copy.elements == 0) return to;
    loop_position at(copy.axes.of(plan_.loops), 0);
    for (index_t e = 0; e < copy.elements; ++e, at.next()) to[e] = from[at.a];
    return to;
  }

  // Sums of more terms than are tabulated are added up table by table.
  void run_loops(const planned_pair& p, const T* a, const T* b, T* c) const {
    const auto repeats = p.repeats.of(plan_.loops);
    index_t times = 1;
    for (const loop_axis& x : repeats) times *= x.extent;
    loop_position at(repeats, 0);
    for (index_t i = 0; i < times; ++i, at.next()) {
      const pair_kernel<S> kernel(plan_, p, a + at.a, b + at.b, c, i > 0);
      if (p.mode == pair_mode::scalar ? kernel.run_scalar() : kernel.run_streamed(ctx_))
        throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
    }
  }

  void multiply(const einsum_step& step, const T* a, const T* b, T* c) const {
    if (step.c.elements() == 0) return;
    const batch_view<const T> va(a, step.a.extents, step.a.strides), vb(b, step.b.extents, step.b.strides);
    const batch_view<T> vc(c, step.c.extents, step.c.strides);
    options_for<S> options;
    options.check_domain = can_wrap<S>;  // the network's tensors were looked at; sums that wrap depend on all values
    product_call call{"operand 1", "operand 2", "the result", "", false, "contract"};
    call.kernels_check = step.is_vector || step.is_vectors;
    checked::run(ctx_, va, vb, vc, {}, options, nullptr,
                 step.is_vector      ? &run_gemv_on_cpu<G>
                 : step.is_vectors   ? &run_gemvs_on_cpu<G>
                 : step.is_pointwise ? &run_pointwise_on_cpu<G>
                                     : &run_gemm_on_cpu<G>,
                 call);
  }

  // Integers whose products are summed in a wider type, which they must not leave.
  void require_no_wrap(const planned_pair& p) const {
    if constexpr (can_wrap<S> && std::is_integral_v<T>) {
      const double u = magnitude(p.a), v = magnitude(p.b);
      double k = double(p.terms.count);
      for (const loop_axis& x : p.repeats.of(plan_.loops)) k *= double(x.extent);
      if (!S::sums_fit(k, u, v)) refuse_wrapping_sums(name_of<S>(), {k, u, v, 8 * sizeof(accumulator_of<S>)});
    }
  }
  double magnitude(int tensor) const {
    std::vector<loop_axis> axes;
    for (const network_axis& x : plan_.axes_of(tensor)) axes.push_back({x.extent, x.stride, 0, 0});
    const index_t elements = plan_.elements_of(tensor);
    double largest = 0;
    if (elements == 0) return largest;
    loop_position at(axes, 0);
    for (index_t e = 0; e < elements; ++e, at.next())
      largest = std::max(largest, std::abs(static_cast<double>(data(tensor)[at.a])));
    return largest;
  }

  const context& ctx_;
  const contraction_plan& plan_;
  decltype(std::declval<const context&>().temporary(0)) room_;
  std::vector<const T*> data_;
};

}  // namespace kleene::detail
