// An einsum whose arguments are views: checked, planned, and run as products of gemm and gemv, step by step. The
// contract is in einsum.hpp.
#pragma once

#include "kleene/data/tensor.hpp"
#include "kleene/kernels/cuda/pointwise/launch.hpp"
#include "kleene/operations/detail/einsum/on_cpu.hpp"
#include "kleene/operations/detail/einsum_checks.hpp"
#include "kleene/operations/detail/einsum_step.hpp"
#include "kleene/operations/einsum_options.hpp"
#include "kleene/operations/gemm.hpp"
#include "kleene/operations/gemv.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace kleene::detail {

template <class S>
inline constexpr bool has_one = requires { S::one(); };

// A tensor whose axes are known by their indices.
template <class T>
struct labelled_tensor {
  labelled_axes axes;
  T* data;
};

template <class T>
labelled_tensor<T> labelled(std::span<const int> labels, const tensor_view<T>& v) {
  return {axes_of(labels, v.extents(), v.strides()), v.data()};
}

// Refuses the first value of v outside the domain, by its index.
template <class S, class T>
void require_tensor_domain(const std::string& name, const tensor_view<const T>& v) {
  if constexpr (has_domain<S>) {
    if (v.empty()) return;
    axis_values at = v.extents();
    for (int r = 0; r < v.rank(); ++r) at[r] = 0;
    for (;;) {
      if (const T value = v[at]; !S::in_domain(value)) {
        std::string index;
        for (const index_t i : at) index += (index.empty() ? "" : ", ") + std::to_string(i);
        throw value_error(name + "(" + index + ") = " + to_text(value) + " is outside the domain of " + name_of<S>());
      }
      int r = v.rank() - 1;
      for (; r >= 0 && ++at[r] == v.extent(r); --r) at[r] = 0;
      if (r < 0) return;
    }
  }
}

// Contracts over S on one context.
template <product_algebra S>
class einsum_runner {
 public:
  using T = value_of<S>;
  using input = labelled_tensor<const T>;
  using output = labelled_tensor<T>;
  using witness = labelled_tensor<std::int64_t>;

  einsum_runner(const context& ctx, const einsum_options& options) : ctx_(ctx), options_(options) {}

  // c = a b, or c (+) a b. Which indices are summed over, c says.
  void contract(const input& a, const input& b, const output& c, bool accumulate, const witness* w = nullptr) const {
    std::optional<kept_tensor> summed_a, summed_b;
    if constexpr (is_distributive<S> && has_one<S>)
      if (!w) {
        summed_a = sum_alone(a, b, c.axes);
        summed_b = sum_alone(b, a, c.axes);
      }
    if (!summed_a && !summed_b) return multiply(a, b, c, accumulate, w);
    multiply(summed_a ? summed_a->view() : a, summed_b ? summed_b->view() : b, c, accumulate, w);
  }

  // c = a, or c (+) a, summed over the indices that c lacks.
  void reduce(const input& a, const output& c, bool accumulate) const {
    bool sums = accumulate;
    for (int r = 0; r < a.axes.rank; ++r) sums |= c.axes.find(a.axes.label[r]) < 0;
    if (!sums) {
      if (!is_empty(c.axes)) tensor_copy(ctx_, a.axes, a.data, c.axes, c.data, sizeof(T)).run();
      return;
    }
    if constexpr (has_one<S>) {
      const T one = S::one();
      if (!on_device()) return multiply(a, input{{}, &one}, c, accumulate, nullptr);
      if (const std::optional<kept_tensor> rows = sums_of_rows(a, c.axes)) return reduce(rows->view(), c, accumulate);
      const temporary there = ctx_.temporary(sizeof(T));
      copy_elements(ctx_, {&one, there.get(), sizeof(T), {1, 1, 1}, {}, {}, memory::host, memory::device});
      multiply(a, input{{}, static_cast<const T*>(there.get())}, c, accumulate, nullptr);
    } else {
      throw argument_error("einsum over " + name_of<S>() + ": sums of one operand need one()");
    }
  }

  // An intermediate result.
  class kept_tensor {
   public:
    kept_tensor(const context& ctx, const labelled_axes& axes) : axes_(axes), memory_(ctx.temporary(bytes_of(axes))) {}
    input view() const { return {axes_, static_cast<const T*>(memory_.get())}; }
    output target() { return {axes_, static_cast<T*>(memory_.get())}; }

   private:
    static std::size_t bytes_of(const labelled_axes& axes) {
      const std::span<const index_t> extents(axes.extent, static_cast<std::size_t>(axes.rank));
      return std::max<std::size_t>(bytes_of_tensor(extents, sizeof(T)), 1);  // a device has no memory of 0 bytes
    }
    labelled_axes axes_;
    decltype(std::declval<const context&>().temporary(0)) memory_;
  };

 private:
  using checked = checked_gemm<S, none, T>;
  using G = kernels::gemm_arguments<S>;
  using temporary = decltype(std::declval<const context&>().temporary(0));

  bool on_device() const { return ctx_.kind() == device_kind::cuda; }

  static bool is_empty(const labelled_axes& axes) {
    for (int r = 0; r < axes.rank; ++r)
      if (axes.extent[r] == 0) return true;
    return false;
  }

  // x summed over the indices that neither y nor c has, if that saves work: y is more than a scalar.
  std::optional<kept_tensor> sum_alone(const input& x, const input& y, const labelled_axes& c) const {
    labelled_axes kept;
    bool sums = false, is_scalar = true;
    for (int r = 0; r < y.axes.rank; ++r) is_scalar &= y.axes.extent[r] == 1;
    for (int r = 0; r < x.axes.rank; ++r) {
      const bool stays = y.axes.find(x.axes.label[r]) >= 0 || c.find(x.axes.label[r]) >= 0;
      sums |= !stays && x.axes.extent[r] != 1;
      if (!stays) continue;
      kept.label[kept.rank] = x.axes.label[r], kept.extent[kept.rank++] = x.axes.extent[r];
    }
    if (!sums || is_scalar || is_empty(c)) return std::nullopt;
    pack(kept);
    kept_tensor result(ctx_, kept);
    reduce(x, result.target(), false);
    return result;
  }

  // On a device: what is summed to one element is summed to one for each step of its outermost axis first. (All of
  // 16384 x 16384 f32 in one sum are read at 1.1 TB/s of an H200, rows of them at 2.7.)
  std::optional<kept_tensor> sums_of_rows(const input& a, const labelled_axes& c) const {
    constexpr index_t fewest_rows = 128, shortest_row = 1024;
    double elements = 1;
    int outermost = -1;
    for (int r = 0; r < a.axes.rank; ++r) {
      elements *= static_cast<double>(a.axes.extent[r]);
      if (outermost < 0 || std::abs(a.axes.stride[r]) > std::abs(a.axes.stride[outermost])) outermost = r;
    }
    for (int r = 0; r < c.rank; ++r)
      if (c.extent[r] != 1) return std::nullopt;
    if (outermost < 0) return std::nullopt;
    const index_t rows = a.axes.extent[outermost];
    if (rows < fewest_rows || elements < double(rows) * double(shortest_row)) return std::nullopt;
    labelled_axes kept;
    kept.rank = 1, kept.label[0] = a.axes.label[outermost], kept.extent[0] = rows, kept.stride[0] = 1;
    kept_tensor sums(ctx_, kept);
    reduce(a, sums.target(), false);
    return sums;
  }

  temporary room_for(const einsum_operand& x) const {
    return ctx_.temporary(std::max<std::size_t>(checked_bytes(static_cast<double>(x.elements()), sizeof(T)), 1));
  }

  // The copy that a product reads in place of an operand; null where it reads the operand.
  temporary copied(const einsum_operand& x, const T* data) const {
    if (!x.is_copied) return {};
    temporary room = room_for(x);
    tensor_copy(ctx_, x.axes, data, packed(x.axes), room.get(), sizeof(T)).run();
    return room;
  }

  void multiply(const input& a, const input& b, const output& c, bool accumulate, const witness* w) const {
    const einsum_step step = plan_einsum(a.axes, b.axes, c.axes, w != nullptr);
    if (step.c.elements() == 0) return;
    const temporary room_a = copied(step.a, a.data), room_b = copied(step.b, b.data);
    temporary room_c;
    std::optional<tensor_copy> back;
    if (step.c.is_copied) {
      const labelled_axes there = packed(step.c.axes);
      room_c = room_for(step.c);
      // A device finds what is wrong with values when the copy back is under way already: C is then to be as it was.
      const bool keeps = accumulate || (on_device() && options_.check_domain && (has_domain<S> || can_wrap<S>));
      if (keeps) tensor_copy(ctx_, step.c.axes, c.data, there, room_c.get(), sizeof(T)).run();
      back.emplace(ctx_, there, room_c.get(), step.c.axes, c.data, sizeof(T));
    }
    const auto at = [](const temporary& room, auto* data) {
      return room ? static_cast<decltype(data)>(room.get()) : data;
    };
    run_product(step, at(room_a, a.data), at(room_b, b.data), at(room_c, c.data), accumulate, w);
    if (back) back->run();
  }

  void run_product(const einsum_step& step, const T* a, const T* b, T* c, bool accumulate, const witness* w) const {
    temporary room;
    batch_view<std::int32_t> terms;
    if (w) {
      room = ctx_.temporary(checked_bytes(static_cast<double>(step.c.elements()), sizeof(std::int32_t)));
      terms = {static_cast<std::int32_t*>(room.get()), step.c.extents};
    }
    const batch_view<const T> va(a, step.a.extents, step.a.strides), vb(b, step.b.extents, step.b.strides);
    const batch_view<T> vc(c, step.c.extents, step.c.strides);
    options_for<S> options;
    options.accumulate = accumulate;
    options.check_domain = options_.check_domain;
    product_call call{"operand 1",  "operand 2",
                      "the output", "include operations/own/gemm.inl.cuh and call enable_cuda",
                      false,        "einsum"};
    // A device has kernels of its own wherever no element is read twice.
    const bool is_thin_on_device = on_device() && (step.m == 1 || step.n == 1);
    const auto pointwise = is_thin_on_device && step.k == 1 ? kernels::cuda::find_pointwise<S>() : nullptr;
    const bool reads_once = step.is_vector || step.is_vectors || (is_thin_on_device && step.k > 1);
    call.kernels_check = reads_once;
    // For an algebra of one's own there may be kernels for matrices alone.
    const auto vectors = reads_once ? kernels::cuda::find_gemv<S, T>() : nullptr;
    checked::run(ctx_, va, vb, vc, terms, options,
                 pointwise ? pointwise
                 : vectors ? vectors
                           : kernels::cuda::find_gemm<S, none, T>(),
                 step.is_vector      ? &run_gemv_on_cpu<G>
                 : step.is_vectors   ? &run_gemvs_on_cpu<G>
                 : step.is_pointwise ? &run_pointwise_on_cpu<G>
                                     : &run_gemm_on_cpu<G>,
                 call);
    if (w) spread_witness(ctx_, step.c, terms.data(), w->axes, w->data);
  }

  const context& ctx_;
  const einsum_options& options_;
};

// Several operands, pair by pair. uses_: how many of the tensors that are left, and the output, have an index.
template <product_algebra S>
class einsum_network {
 public:
  using runner = einsum_runner<S>;
  using T = value_of<S>;

  einsum_network(const context& ctx, const einsum_equation& equation, std::span<const tensor_view<const T>> operands,
                 const einsum_options& options)
      : ctx_(ctx), run_(ctx, options), uses_(static_cast<std::size_t>(equation.indices()), 0) {
    order_ = einsum_order(equation.operands(), options.order, !is_commutative<S>);
    there_.reserve(2 * operands.size());
    for (int o = 0; o < equation.operands(); ++o) {
      there_.push_back({labelled(equation.operand(o), operands[static_cast<std::size_t>(o)]), {}});
      count(there_.back().tensor.axes, +1);
    }
    for (const int label : equation.output()) ++uses_[static_cast<std::size_t>(label)];
  }

  void run(const typename runner::output& out, bool accumulate) {
    for (std::size_t s = 0; s < order_.size(); ++s) {
      place &a = there_[static_cast<std::size_t>(order_[s].first)],
            &b = there_[static_cast<std::size_t>(order_[s].second)];
      if (s + 1 == order_.size()) {
        run_.contract(a.tensor, b.tensor, out, accumulate);
        return;
      }
      count(a.tensor.axes, -1);
      count(b.tensor.axes, -1);
      std::vector<bool> kept(uses_.size());
      for (const labelled_axes* axes : {&a.tensor.axes, &b.tensor.axes})
        for (int r = 0; r < axes->rank; ++r) kept[static_cast<std::size_t>(axes->label[r])] = uses(axes->label[r]) > 0;
      typename runner::kept_tensor result(ctx_, free_output(a.tensor.axes, b.tensor.axes, kept));
      run_.contract(a.tensor, b.tensor, result.target(), false);
      a.kept.reset(), b.kept.reset();
      const typename runner::input view = result.view();
      there_.push_back({view, std::move(result)});
      count(view.axes, +1);
    }
  }

 private:
  struct place {
    typename runner::input tensor;
    std::optional<typename runner::kept_tensor> kept;
  };

  int& uses(int label) { return uses_[static_cast<std::size_t>(label)]; }
  void count(const labelled_axes& axes, int more) {
    for (int r = 0; r < axes.rank; ++r) uses(axes.label[r]) += more;
  }

  const context& ctx_;
  runner run_;
  std::vector<int> uses_;
  std::vector<std::pair<int, int>> order_;
  std::vector<place> there_;
};

// Where the arguments fit each other: contracts them into out.
template <product_algebra S>
void contract_all(const context& ctx, const einsum_equation& equation,
                  std::span<const tensor_view<const value_of<S>>> operands, const tensor_view<value_of<S>>& out,
                  const einsum_options& options, const tensor_view<std::int64_t>* witness) {
  static_assert(product_is_compiled<S, none, value_of<S>> || is_defined<gemm_definitions, S>,
                "einsum over this algebra is not compiled into the library: include "
                "kleene/operations/own/einsum.inl.hpp, which compiles it here");
  const auto c = labelled(equation.output(), out);
  if (out.empty()) return;
  if (operands.size() > 2) {
    if constexpr (!is_distributive<S>)
      throw argument_error("einsum over " + name_of<S>() +
                           ": sums of more than two operands need a mul that "
                           "distributes over add");
    const double bytes = double(operands.size()) * sizeof(labelled_tensor<value_of<S>>);
    with_memory("einsum", 2 * bytes,
                [&] { einsum_network<S>(ctx, equation, operands, options).run(c, options.accumulate); });
    return;
  }
  if (!options.order.empty())
    with_memory("einsum", 64, [&] { (void)einsum_order(equation.operands(), options.order, false); });
  const einsum_runner<S> run(ctx, options);
  const auto a = labelled(equation.operand(0), operands[0]);
  if (operands.size() == 1) return run.reduce(a, c, options.accumulate);
  const auto b = labelled(equation.operand(1), operands[1]);
  if (!witness) return run.contract(a, b, c, options.accumulate);
  const auto w = labelled(equation.output(), *witness);
  run.contract(a, b, c, options.accumulate, &w);
}

// The same for arguments that are about to be checked. A value that gemm refuses by its place in a matrix is named by
// its place in its tensor.
template <product_algebra S>
void run_einsum(const context& ctx, const einsum_equation& equation,
                std::span<const tensor_view<const value_of<S>>> operands, const tensor_view<value_of<S>>& out,
                const einsum_options& options, const tensor_view<std::int64_t>* witness = nullptr) {
  const auto facts = with_memory("einsum", double(operands.size()) * sizeof(tensor_facts),
                                 [&] { return std::vector<tensor_facts>(operands.begin(), operands.end()); });
  const tensor_facts to(out), terms = witness ? tensor_facts(*witness) : tensor_facts();
  with_memory("einsum", 16.0 * equation.indices(), [&] { (void)einsum_extents(equation, facts, to, terms); });
  require_einsum_memory(facts, to, terms);
  if (ctx.kind() == device_kind::cuda)
    return run_as_call(ctx, call_over<S>("einsum", {-1, -1, -1}),
                       [&] { contract_all<S>(ctx, equation, operands, out, options, witness); });
  try {
    contract_all<S>(ctx, equation, operands, out, options, witness);
  } catch (const value_error&) {
    if (options.check_domain) {
      for (std::size_t o = 0; o < operands.size(); ++o)
        require_tensor_domain<S>(operand_name(static_cast<int>(o)), operands[o]);
      if (options.accumulate) require_tensor_domain<S>("the output", tensor_view<const value_of<S>>(out));
    }
    throw;
  }
}

}  // namespace kleene::detail
