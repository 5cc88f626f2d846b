// Closures on a grid, of the catalog's element types.
#define KLEENE_GRID_UNIT
#include "kleene/grid/own/closure.inl.hpp"

namespace kleene::detail {

#define KLEENE_ELEMENT(T)                                                                                 \
  template closure_info close_on_grid(worker&, distributed_matrix<T>&, distributed_matrix<std::int32_t>*, \
                                      const grid_closure_options&, const closure_algebra<T>&);
#include "kleene/grid/detail/elements.def"
#undef KLEENE_ELEMENT

}  // namespace kleene::detail
