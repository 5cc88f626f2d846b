// C = alpha A B (+) beta D over a row of the catalog in device memory: put on the stream, and not waited for.
#include "device.hpp"
#include "module.hpp"
#include "rows.hpp"
#include "stoppable_product.hpp"

namespace kleene::python {

namespace {

struct device_product {
  const device_context& context;
  nb::handle a, b, c, witness, source, mask, alpha, beta;
  bool mask_complement, replace, check_domain;
};
using device_matmul_function = void (*)(const device_product&);

template <class S>
void multiply(const device_product& r) {
  using T = value_of<S>;
  product<S, memory::device> p;
  p.a = device_view_of<3, const T>(r.a), p.b = device_view_of<3, const T>(r.b), p.c = device_view_of<3, T>(r.c);
  p.witness = device_view_of<3, std::int32_t>(r.witness);
  p.source = device_view_of<3, const T>(r.source), p.mask = device_view_of<3, const bool>(r.mask);
  if (!r.alpha.is_none()) p.options.alpha = nb::cast<scalar_of<S>>(r.alpha);
  if (!r.beta.is_none()) p.options.beta = nb::cast<scalar_of<S>>(r.beta);
  p.options.mask_complement = r.mask_complement;
  p.options.replace = r.replace;
  p.options.check_domain = r.check_domain;
  const nb::gil_scoped_release unlocked;
  multiply_at_once(r.context.get(), p);
}

const std::vector<device_matmul_function>& device_matmul_functions() {
  static const auto rows =
      function_rows<device_matmul_function>([]<class S>(S) -> device_matmul_function { return &multiply<S>; });
  return rows;
}

}  // namespace

void add_device_matmul(nb::module_& m) {
  m.def(
      "matmul_on_device",
      [](const device_context& ctx, int row, nb::handle a, nb::handle b, nb::handle c, nb::handle witness,
         nb::handle source, nb::handle mask, nb::handle alpha, nb::handle beta, bool mask_complement, bool replace,
         bool check_domain) {
        function_of(device_matmul_functions(), row, "matmul")(
            {ctx, a, b, c, witness, source, mask, alpha, beta, mask_complement, replace, check_domain});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
      nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace kleene::python
