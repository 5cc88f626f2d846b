// Contractions on a device: every pair of a plan as a kernel, one after the other in the context's stream. The units
// beside this compile it for the algebras of contract_on_cuda.hpp.
#pragma once

#include "kleene/networks/detail/contract_checks.hpp"
#include "kleene/networks/detail/contract_on_cuda.hpp"

#include "kleene/data/error.hpp"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/contract/pair_choice.hpp"
#include "kleene/kernels/cuda/pairs/choose.cuh"
#include "kleene/kernels/cuda/pairs/launch.cuh"

#include <algorithm>
#include <string>
#include <vector>

namespace kleene::detail {

using kernels::pair_axis;

// Neighbours that run on into each other in all tensors are one axis.
inline void merge_axes(std::vector<pair_axis>& axes) {
  std::vector<pair_axis> merged;
  for (const pair_axis& x : axes) {
    if (x.extent == 1) continue;
    if (!merged.empty()) {
      pair_axis& before = merged.back();
      if (before.a == x.extent * x.a && before.b == x.extent * x.b && before.extent < (index_t{1} << 31) / x.extent) {
        before = {before.extent * x.extent, x.a, x.b};
        continue;
      }
    }
    merged.push_back(x);
  }
  axes = std::move(merged);
}

inline index_t stride_in(std::span<const network_axis> axes, int label) {
  for (const network_axis& x : axes)
    if (x.label == label) return x.stride;
  return 0;
}
inline bool has(std::span<const network_axis> axes, int label) {
  return std::any_of(axes.begin(), axes.end(), [&](const network_axis& x) { return x.label == label; });
}

// The loops of a pair, without pointers.
template <class T>
kernels::pair_product<T> loops_of(const contraction_plan& plan, const planned_pair& pair) {
  const auto a = plan.axes_of(pair.a), b = plan.axes_of(pair.b), c = plan.axes_of(pair.c);
  std::vector<network_axis> order(c.begin(), c.end());
  std::sort(order.begin(), order.end(), [](const auto& x, const auto& y) { return x.stride > y.stride; });
  kernels::pair_product<T> p;
  std::vector<pair_axis> kept, summed;
  for (const network_axis& x : order) {
    kept.push_back({x.extent, stride_in(a, x.label), stride_in(b, x.label)});
    p.items *= x.extent;
  }
  const auto sum_over = [&](const network_axis& x) {
    if (has(c, x.label)) return;
    summed.push_back({x.extent, stride_in(a, x.label), stride_in(b, x.label)});
    p.terms *= x.extent;
  };
  for (const network_axis& x : a) sum_over(x);
  for (const network_axis& x : b)
    if (!has(a, x.label)) sum_over(x);
  std::sort(summed.begin(), summed.end(), [](const pair_axis& x, const pair_axis& y) { return x.b > y.b; });
  merge_axes(kept);
  merge_axes(summed);
  if (kept.size() + summed.size() > static_cast<std::size_t>(p.most_axes))
    throw error(fault_code::memory, "contract: a pair of tensors has " + std::to_string(kept.size() + summed.size()) +
                                        " axes, more than a kernel takes: " + std::to_string(p.most_axes));
  p.kept = static_cast<int>(kept.size()), p.summed = static_cast<int>(summed.size());
  std::copy(kept.begin(), kept.end(), p.axes);
  std::copy(summed.begin(), summed.end(), p.axes + p.kept);
  return p;
}

template <class S>
class on_device final : public device_contraction<value_of<S>> {
 public:
  using T = value_of<S>;

  on_device(const context& ctx, const contraction_plan& plan, std::span<const T> leaves)
      : ctx_(ctx), plan_(plan), leaves_(leaves), here_(ctx.device()->ordinal) {
    gpu::workspace_layout layout;
    const auto results = layout.add<unsigned char>(static_cast<index_t>(plan.bytes));
    const auto elements = layout.add<T>(static_cast<index_t>(leaves.size()));
    const auto partials = layout.add<accumulator_of<S>>(kernels::cuda::most_pair_partials);
    const auto overflow = layout.add<unsigned>(1);
    void* const memory = ctx.workspace(layout.bytes());
    results_ = results.in(memory), elements_ = elements.in(memory), partials_ = partials.in(memory);
    overflow_ = overflow.in(memory);
    if (!leaves.empty())
      gpu::require(cudaMemcpyAsync(elements_, leaves.data(), leaves.size_bytes(), cudaMemcpyHostToDevice, stream()),
                   "copying tensors");
    data_.resize(plan.tensors.size(), nullptr);
    for (std::size_t s = 0; s < plan.pairs.size(); ++s)
      data_[static_cast<std::size_t>(plan.leaves) + s] = reinterpret_cast<T*>(results_ + plan.offsets[s]);
    for (const planned_pair& pair : plan.pairs) pairs_.push_back(loops_of<T>(plan, pair));
    result_.resize(static_cast<std::size_t>(plan.elements_of(plan.pairs.back().c)));
  }

  void set_leaf(std::size_t leaf, const T* data) override { data_[leaf] = elements_ + (data - leaves_.data()); }

  void run() override {
    gpu::require(cudaMemsetAsync(overflow_, 0, sizeof *overflow_, stream()), "clearing a mark");
    for (std::size_t s = 0; s < pairs_.size(); ++s) {
      const planned_pair& pair = plan_.pairs[s];
      kernels::pair_product<T> p = pairs_[s];
      p.a = data_[static_cast<std::size_t>(pair.a)], p.b = data_[static_cast<std::size_t>(pair.b)];
      p.c = data_[static_cast<std::size_t>(pair.c)];
      kernels::cuda::launch_pair<S>(p, overflow_, partials_, ctx_.device()->multiprocessors, stream());
    }
    unsigned overflow = 0;
    gpu::require(cudaMemcpyAsync(&overflow, overflow_, sizeof overflow, cudaMemcpyDeviceToHost, stream()),
                 "reading a mark");
    gpu::require(
        cudaMemcpyAsync(result_.data(), data_.back(), result_.size() * sizeof(T), cudaMemcpyDeviceToHost, stream()),
        "reading the result");
    gpu::wait(ctx_, "a contraction");
    if (overflow)
      throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
  }

  const T* result() const override { return reinterpret_cast<const T*>(result_.data()); }

  void choose(std::span<const int> pairs, std::span<std::int32_t> values) override {
    if constexpr (is_selective<S>) choose_on_device(pairs, values);
    else throw error(fault_code::internal, "a configuration needs a selective algebra");
  }

 private:
  void choose_on_device(std::span<const int> pairs, std::span<std::int32_t> values) {
    using choice = kernels::pair_choice<T>;
    std::vector<choice> choices;
    std::vector<kernels::choice_axis> axes;
    for (const int s : pairs) {
      const planned_pair& pair = plan_.pairs[static_cast<std::size_t>(s)];
      const pair_indices indices = indices_of(plan_, pair);
      choice p{data_of(pair.a),
               data_of(pair.b),
               data_of(pair.c),
               1,
               static_cast<std::int32_t>(axes.size()),
               static_cast<std::int32_t>(indices.kept.size()),
               static_cast<std::int32_t>(indices.summed.size())};
      for (const std::vector<labelled_loop>* loops : {&indices.kept, &indices.summed})
        for (const labelled_loop& x : *loops)
          axes.push_back({x.label, static_cast<std::int32_t>(x.extent), x.a, x.b, x.c});
      for (const labelled_loop& x : indices.summed) p.terms *= x.extent;
      choices.push_back(p);
    }
    gpu::workspace_layout layout;
    const auto all_choices = layout.add<choice>(std::ssize(choices));
    const auto all_axes = layout.add<kernels::choice_axis>(std::ssize(axes));
    const auto all_values = layout.add<std::int32_t>(std::ssize(values));
    const auto lost_mark = layout.add<unsigned>(1);
    const auto memory = ctx_.temporary(layout.bytes());  // results are in the workspace
    const auto upload = [&](auto* to, const auto& from) {
      if (!from.empty())
        gpu::require(cudaMemcpyAsync(to, from.data(), from.size() * sizeof *to, cudaMemcpyHostToDevice, stream()),
                     "copying a table");
    };
    upload(all_choices.in(memory.get()), choices);
    upload(all_axes.in(memory.get()), axes);
    upload(all_values.in(memory.get()), values);
    unsigned* const mark = lost_mark.in(memory.get());
    gpu::require(cudaMemsetAsync(mark, 0, sizeof *mark, stream()), "clearing a mark");
    gpu::launch(kernels::cuda::choose_terms<S>, {1, kernels::cuda::pair_threads, 0, stream()},
                all_choices.in(memory.get()), static_cast<int>(choices.size()), all_axes.in(memory.get()),
                all_values.in(memory.get()), mark);
    unsigned lost = 0;
    gpu::require(cudaMemcpyAsync(&lost, mark, sizeof lost, cudaMemcpyDeviceToHost, stream()), "reading a mark");
    gpu::require(cudaMemcpyAsync(values.data(), all_values.in(memory.get()), values.size_bytes(),
                                 cudaMemcpyDeviceToHost, stream()),
                 "reading a configuration");
    gpu::wait(ctx_, "a configuration");
    if (lost) refuse_lost_term();
  }

  const T* data_of(int tensor) const { return data_[static_cast<std::size_t>(tensor)]; }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }

  // A bool as a byte: std::vector<bool> has none to copy to.
  using stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

  const context& ctx_;
  const contraction_plan& plan_;
  std::span<const T> leaves_;
  gpu::on_device here_;
  unsigned char* results_ = nullptr;
  T* elements_ = nullptr;
  accumulator_of<S>* partials_ = nullptr;
  unsigned* overflow_ = nullptr;
  std::vector<T*> data_;
  std::vector<kernels::pair_product<T>> pairs_;
  std::vector<stored> result_;
};

template <class S>
std::unique_ptr<device_contraction<value_of<S>>> make_on_device(const context& ctx, const contraction_plan& plan,
                                                                std::span<const value_of<S>> leaves) {
  return std::make_unique<on_device<S>>(ctx, plan, leaves);
}

#define KLEENE_CONTRACTS_HERE(...)                                               \
  template <>                                                                    \
  device_contraction_maker<__VA_ARGS__> find_device_contraction<__VA_ARGS__>() { \
    return &make_on_device<__VA_ARGS__>;                                         \
  }

}  // namespace kleene::detail
