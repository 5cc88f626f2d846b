// Two tensors in device memory contracted over a row of the catalog, as one product: operations/einsum.hpp.
#include "kleene/operations/einsum.hpp"

#include "device.hpp"
#include "module.hpp"
#include "rows.hpp"

#include <nanobind/stl/string.h>

namespace kleene::python {

namespace {

struct device_contraction {
  const device_context& context;
  const std::string& equation;
  nb::handle a, b, out;
  bool accumulate, check_domain;
};
using einsum_function = void (*)(const device_contraction&);

template <class S>
void contract(const device_contraction& r) {
  using T = value_of<S>;
  const einsum_equation equation(r.equation);
  const auto a = device_tensor_of<const T>(r.a), b = device_tensor_of<const T>(r.b);
  const auto out = device_tensor_of<T>(r.out);
  const nb::gil_scoped_release unlocked;
  kleene::einsum(r.context.get(), S{}, equation, a, b, out,
                 einsum_options{.accumulate = r.accumulate, .check_domain = r.check_domain});
}

const std::vector<einsum_function>& functions() {
  static const auto rows = function_rows<einsum_function>([]<class S>(S) -> einsum_function { return &contract<S>; });
  return rows;
}

}  // namespace

void add_device_einsum(nb::module_& m) {
  m.def("einsum_on_device", [](const device_context& ctx, int row, const std::string& equation, nb::handle a,
                               nb::handle b, nb::handle out, bool accumulate, bool check_domain) {
    function_of(functions(), row, "einsum")({ctx, equation, a, b, out, accumulate, check_domain});
  });
}

}  // namespace kleene::python
