// What Python knows of the algebras: the rows of algebra/catalog.def with their constants and facts.
#include "kleene/algebra/concepts.hpp"
#include "module.hpp"
#include "rows.hpp"

namespace kleene::python {

namespace nb = nanobind;

namespace {

// One row, as Python's Row has it: (algebra, type, zero, one, idempotent, selective, commutative, closed, has_paths).
// one is None where a product is all there is.
template <class S>
nb::tuple row_of(S) {
  nb::object one = nb::none();
  if constexpr (full_semiring<S>) one = nb::cast(value_of<S>(S::one()));
  return nb::make_tuple(S::name, type_name<value_of<S>>, value_of<S>(S::zero()), one, is_idempotent<S>, is_selective<S>,
                        is_commutative<S>, closed_semiring<S>, closed_semiring<S> && is_selective<S>);
}

}  // namespace

void add_catalog(nb::module_& m) {
  m.def("catalog", [] {
    nb::list rows;
    for_each_algebra([&](auto s) { rows.append(row_of(s)); });
    return rows;
  });
}

}  // namespace kleene::python
