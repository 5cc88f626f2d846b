// Tensors contracted over a row of the catalog: operations/einsum.hpp on arrays of any rank.
#include "kleene/operations/einsum.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

namespace kleene::python {

namespace {

struct einsum_request {
  const std::string& equation;
  const std::vector<input_array>& operands;
  const output_array& out;
  const std::optional<output_array>& witness;
  const std::vector<std::pair<int, int>>& order;
  bool accumulate, check_domain;
  call_options call;
};
using einsum_function = void (*)(const einsum_request&);

template <class T, class Array>
auto tensor_of(const char* name, const Array& a) {
  using E = std::conditional_t<std::is_same_v<Array, input_array>, const T, T>;
  require_host(name, a);
  if (a.dtype() != nb::dtype<T>()) refuse_array(name, type_words(a.dtype()), type_name<T>);
  axis_values extents, strides;
  for (std::size_t r = 0; r < a.ndim(); ++r) {
    extents.push_back(static_cast<index_t>(a.shape(r)));
    strides.push_back(a.stride(r));
  }
  return tensor_view<E>(static_cast<E*>(const_cast<void*>(static_cast<const void*>(a.data()))), extents, strides);
}

template <class S>
void contract(const einsum_request& r) {
  using T = value_of<S>;
  const einsum_equation equation(r.equation);
  std::vector<tensor_view<const T>> operands;
  for (const input_array& a : r.operands) operands.push_back(tensor_of<T>("an operand", a));
  const auto out = tensor_of<T>("out", r.out);
  const einsum_options options{.accumulate = r.accumulate, .check_domain = r.check_domain, .order = r.order};
  run(r.call, [&](const context& ctx, attention&) {
    if constexpr (is_selective<S>) {
      if (r.witness) {
        if (operands.size() != 2) throw argument_error("a witness is of two operands");
        const auto witness = tensor_of<std::int64_t>("the witness", *r.witness);
        return kleene::einsum(ctx, S{}, equation, operands[0], operands[1], out, witness, options);
      }
    }
    kleene::einsum(ctx, S{}, equation, std::span<const tensor_view<const T>>(operands), out, options);
  });
}

const std::vector<einsum_function>& functions() {
  static const auto rows = function_rows<einsum_function>([]<class S>(S) -> einsum_function { return &contract<S>; });
  return rows;
}

std::vector<int> numbers_of(std::span<const int> indices) { return {indices.begin(), indices.end()}; }

}  // namespace

void add_einsum(nb::module_& m) {
  // The indices of each operand and of the output, as numbers.
  m.def("einsum_indices", [](const std::string& text) {
    const einsum_equation equation(text);
    std::vector<std::vector<int>> operands;
    for (int o = 0; o < equation.operands(); ++o) operands.push_back(numbers_of(equation.operand(o)));
    return std::pair(operands, numbers_of(equation.output()));
  });
  m.def(
      "einsum",
      [](int row, const std::string& equation, const std::vector<input_array>& operands, const output_array& out,
         const std::optional<output_array>& witness, const std::vector<std::pair<int, int>>& order, bool accumulate,
         bool check_domain, int threads) {
        function_of(functions(), row, "einsum")(
            {equation, operands, out, witness, order, accumulate, check_domain, {threads, nb::none()}});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace kleene::python
