// The extension kleene._kleene: thin functions over whole arrays, which the package's Python calls. Shapes that fit,
// element types and defaults are Python's business; values, overlaps and errors the library's.
#include "module.hpp"

#include "call.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/parallel.hpp"

#include <nanobind/stl/string.h>

NB_MODULE(_kleene, m) {
  using namespace kleene::python;
  register_errors();
  m.attr("version") = KLEENE_VERSION;
  m.def("default_threads", &kleene::default_threads);
  m.def("describe", [](int threads) { return kleene::context::cpu({.threads = threads}).describe(); });
  m.def("instruction_set", [] { return kleene::to_string(kleene::context::cpu().isa()); });
  m.def("available_memory", &kleene::available_memory);
  m.def("set_explain", &kleene::set_explain);
  add_bits(m);
  add_catalog(m);
  add_matmul(m);
  add_closure(m);
  add_shortest_paths(m);
  add_einsum(m);
  add_files(m);
  add_gradients(m);
  add_passes(m);
  add_sequences(m);
  add_ordered(m);
  add_device(m);
  add_device_matmul(m);
  add_device_closure(m);
  add_device_einsum(m);
  add_device_gradients(m);
  add_device_sequences(m);
  add_device_ring(m);
  add_xla(m);
}
