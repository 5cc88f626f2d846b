// What is checked of an einsum before anything runs, and copies of its tensors: what needs no algebra.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/tensor.hpp"
#include "kleene/kernels/cpu/permute/plan.hpp"
#include "kleene/kernels/cuda/permute/plan.hpp"
#include "kleene/operations/detail/einsum_step.hpp"
#include "kleene/operations/einsum_equation.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kleene::detail {

// A tensor without its element type. It refers to the extents and strides of a view.
struct tensor_facts {
  const void* data = nullptr;
  std::size_t element = 1;
  const axis_values* extents = nullptr;
  const axis_values* strides = nullptr;

  tensor_facts() = default;
  template <class T, memory Space>
  tensor_facts(const tensor_view<T, Space>& v)
      : data(v.data()), element(sizeof(T)), extents(&v.extents()), strides(&v.strides()) {}
  explicit operator bool() const { return extents != nullptr; }
};

// "operand 2"; they are counted from 1 in messages.
std::string operand_name(int o);

// How many steps each index has. Refuses a wrong number of operands, ranks and extents that do not fit, and what has no
// data. out and witness may be absent.
std::vector<index_t> einsum_extents(const einsum_equation& equation, std::span<const tensor_facts> operands,
                                    const tensor_facts& out, const tensor_facts& witness);

// What is written has elements with addresses of their own, and shares none with what is read.
void require_einsum_memory(std::span<const tensor_facts> operands, const tensor_facts& out,
                           const tensor_facts& witness);

// Which two tensors a step contracts, the left one first: operands are 0 to n - 1, the result of step s is n + s. Given
// as pairs, or empty: from left to right. argument_error where pairs take what is not there. keeps_order: an algebra
// whose mul does not commute contracts neighbours alone.
std::vector<std::pair<int, int>> einsum_order(int operands, std::span<const std::pair<int, int>> pairs,
                                              bool keeps_order);

// A copy between tensors with the same indices, where the context works, ready to run: all memory that it takes is
// there once it is made, so that nothing fails after an output was written.
class tensor_copy {
 public:
  tensor_copy(const context& ctx, const labelled_axes& from_axes, const void* from, const labelled_axes& to_axes,
              void* to, std::size_t element);
  void run() const;

 private:
  const context& ctx_;
  std::variant<kernels::cpu::permute_plan, kernels::cuda::permute_plan> plan_;
};

// The axes of a tensor's contiguous copy.
labelled_axes packed(const labelled_axes& axes);

// The witness of a product, in C's order, to where each index lies in the output's witness; both where the context
// works.
void spread_witness(const context& ctx, const einsum_operand& c, const std::int32_t* from, const labelled_axes& to_axes,
                    std::int64_t* to);

}  // namespace kleene::detail
