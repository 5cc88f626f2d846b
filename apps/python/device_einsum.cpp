// Tensors in device memory contracted over a row of the catalog: operations/einsum.hpp.
#include "kleene/operations/einsum.hpp"

#include "device.hpp"
#include "module.hpp"
#include "rows.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <utility>
#include <vector>

namespace kleene::python {

namespace {

struct device_contraction {
  const device_context& context;
  const std::string& equation;
  const nb::list& operands;
  nb::handle out, witness;
  const std::vector<std::pair<int, int>>& order;
  bool accumulate, check_domain;
};
using device_einsum_function = void (*)(const device_contraction&);

template <class S>
void contract(const device_contraction& r) {
  using T = value_of<S>;
  using operand = tensor_view<const T, memory::device>;
  const einsum_equation equation(r.equation);
  std::vector<operand> operands;
  for (const nb::handle numbers : r.operands) operands.push_back(device_tensor_of<const T>(numbers));
  const auto out = device_tensor_of<T>(r.out);
  const einsum_options options{.accumulate = r.accumulate, .check_domain = r.check_domain, .order = r.order};
  if constexpr (is_selective<S>) {
    if (!r.witness.is_none()) {
      if (operands.size() != 2) throw argument_error("a witness is of two operands");
      const auto witness = device_tensor_of<std::int64_t>(r.witness);
      const nb::gil_scoped_release unlocked;
      return kleene::einsum(r.context.get(), S{}, equation, operands[0], operands[1], out, witness, options);
    }
  }
  const nb::gil_scoped_release unlocked;
  kleene::einsum(r.context.get(), S{}, equation, std::span<const operand>(operands), out, options);
}

const std::vector<device_einsum_function>& device_einsum_functions() {
  static const auto rows =
      function_rows<device_einsum_function>([]<class S>(S) -> device_einsum_function { return &contract<S>; });
  return rows;
}

}  // namespace

void add_device_einsum(nb::module_& m) {
  m.def(
      "einsum_on_device",
      [](const device_context& ctx, int row, const std::string& equation, const nb::list& operands, nb::handle out,
         nb::handle witness, const std::vector<std::pair<int, int>>& order, bool accumulate, bool check_domain) {
        function_of(device_einsum_functions(), row,
                    "einsum")({ctx, equation, operands, out, witness, order, accumulate, check_domain});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace kleene::python
