// The catalog's closures on a grid. One unit, as most of each is in the library's products already: 32 s for all rows.
#define KLEENE_GRID_UNIT
#include "kleene/grid/own/closure.inl.hpp"

namespace kleene {
namespace detail {

// plus_min has no closure: min does not distribute over +.
template <class S>
struct grid_unit {};
template <closed_semiring S>
struct grid_unit<S> {
  static constexpr auto run = &run_grid_closure<S>;
};

}  // namespace detail

#define KLEENE_ROW(algebra, type) template struct detail::grid_unit<algebra<type>>;
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

}  // namespace kleene
