// An einsum into a new tensor, in host or in device memory, and views of device memory as einsum_run.hpp takes them.
// The contract is in einsum.hpp.
#pragma once

#include "kleene/data/device_tensor.hpp"
#include "kleene/operations/detail/einsum_run.hpp"

#include <span>
#include <string>
#include <vector>

namespace kleene::detail {

// The extents of the output where nobody has given one.
inline axis_values einsum_output(const einsum_equation& equation, std::span<const tensor_facts> operands,
                                 const einsum_options& options) {
  if (options.accumulate) throw argument_error("einsum: there is nothing in a new tensor to accumulate into");
  axis_values extents;
  with_memory("einsum", 16.0 * equation.indices(), [&] {
    const std::vector<index_t> steps = einsum_extents(equation, operands, {}, {});
    for (const int label : equation.output()) extents.push_back(steps[static_cast<std::size_t>(label)]);
  });
  return extents;
}

// Into a new tensor: in device memory, Device says.
template <product_algebra S, bool Device = false>
auto new_einsum(const context& ctx, const einsum_equation& equation,
                std::span<const tensor_view<const value_of<S>>> operands, const einsum_options& options) {
  using T = value_of<S>;
  const auto facts = with_memory("einsum", double(operands.size()) * sizeof(tensor_facts),
                                 [&] { return std::vector<tensor_facts>(operands.begin(), operands.end()); });
  if constexpr (Device) {
    device_tensor<T> out(ctx, einsum_output(equation, facts, options));
    run_einsum<S>(ctx, equation, operands, tensor_view<T>(out.data(), out.extents()), options);
    return out;
  } else {
    if (ctx.kind() == device_kind::cuda)
      throw error(fault_code::device, "einsum on " + ctx.describe() +
                                          ": operands that are not in device memory by their type give a tensor in "
                                          "host memory; give it one of the device's to write to");
    tensor<T> out(einsum_output(equation, facts, options), uninitialised{});
    run_einsum<S>(ctx, equation, operands, out.view(), options);
    return out;
  }
}

// Views of device memory as those that checks and plans take: the context was seen to reach them.
template <class T>
std::vector<tensor_view<const T>> reached_tensors(const context& ctx,
                                                  std::span<const tensor_view<const T, memory::device>> operands) {
  return with_memory("einsum", double(operands.size()) * sizeof(tensor_view<const T>), [&] {
    std::vector<tensor_view<const T>> views;
    views.reserve(operands.size());
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const std::string name = operand_name(static_cast<int>(o));
      require_reach(ctx, name.c_str(), memory::device);
      if (!operands[o].empty()) require_address(ctx, name.c_str(), operands[o].data());
      views.push_back({operands[o].data(), operands[o].extents(), operands[o].strides()});
    }
    return views;
  });
}

}  // namespace kleene::detail
