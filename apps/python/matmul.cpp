// C = alpha A B (+) beta D over a row of the catalog: operations/gemm.hpp on arrays of three dimensions.
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows.hpp"
#include "stoppable_product.hpp"

#include <nanobind/stl/optional.h>

namespace kleene::python {

namespace {

struct matmul_request {
  const input_array &a, &b;
  const output_array& c;
  const std::optional<output_array>& witness;
  const std::optional<input_array>&source, &mask;
  nb::handle alpha, beta;
  bool mask_complement, replace, check_domain;
  call_options call;
};
using matmul_function = void (*)(const matmul_request&);

template <class S>
void multiply(const matmul_request& r) {
  using T = value_of<S>;
  product<S> p;
  p.a = view_of<3, T>("a", r.a), p.b = view_of<3, T>("b", r.b), p.c = view_of<3, T>("out", r.c);
  if (r.witness) p.witness = view_of<3, std::int32_t>("the witness", *r.witness);
  if (r.source) p.source = view_of<3, T>("accumulate", *r.source);
  if (r.mask) p.mask = view_of<3, bool>("mask", *r.mask);
  if (!r.alpha.is_none()) p.options.alpha = nb::cast<scalar_of<S>>(r.alpha);
  if (!r.beta.is_none()) p.options.beta = nb::cast<scalar_of<S>>(r.beta);
  p.options.mask_complement = r.mask_complement;
  p.options.replace = r.replace;
  p.options.check_domain = r.check_domain;
  run(r.call, [&](const context& ctx, attention& look) { multiply_in_blocks(ctx, p, look); });
}

const std::vector<matmul_function>& functions() {
  static const auto rows = function_rows<matmul_function>([]<class S>(S) -> matmul_function { return &multiply<S>; });
  return rows;
}

}  // namespace

void add_matmul(nb::module_& m) {
  m.def(
      "matmul",
      [](int row, const input_array& a, const input_array& b, const output_array& c,
         const std::optional<output_array>& witness, const std::optional<input_array>& source,
         const std::optional<input_array>& mask, nb::handle alpha, nb::handle beta, bool mask_complement, bool replace,
         bool check_domain, int threads, nb::object progress) {
        function_of(functions(), row, "matmul")({a,
                                                 b,
                                                 c,
                                                 witness,
                                                 source,
                                                 mask,
                                                 alpha,
                                                 beta,
                                                 mask_complement,
                                                 replace,
                                                 check_domain,
                                                 {threads, std::move(progress)}});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
      nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace kleene::python
