// Closures on a grid, of the catalog's element types.
#define KLEENE_GRID_UNIT
#include "kleene/grid/own/closure.inl.hpp"

namespace kleene::detail {

#define KLEENE_ELEMENT(T)                                                                                 \
  template closure_info close_on_grid(worker&, distributed_matrix<T>&, distributed_matrix<std::int32_t>*, \
                                      const grid_closure_options&, const closure_algebra<T>&);
KLEENE_ELEMENT(float)
KLEENE_ELEMENT(double)
KLEENE_ELEMENT(std::int32_t)
KLEENE_ELEMENT(std::int64_t)
KLEENE_ELEMENT(bool)
#undef KLEENE_ELEMENT

}  // namespace kleene::detail
