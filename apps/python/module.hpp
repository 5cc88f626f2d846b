// What each file of the extension adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace kleene::python {

void add_bits(nanobind::module_& m);
void add_catalog(nanobind::module_& m);
void add_matmul(nanobind::module_& m);
void add_sequences(nanobind::module_& m);
void add_ordered(nanobind::module_& m);
void add_closure(nanobind::module_& m);
void add_shortest_paths(nanobind::module_& m);
void add_einsum(nanobind::module_& m);
void add_files(nanobind::module_& m);
void add_gradients(nanobind::module_& m);
void add_passes(nanobind::module_& m);
void add_device(nanobind::module_& m);
void add_device_matmul(nanobind::module_& m);
void add_device_closure(nanobind::module_& m);
void add_device_einsum(nanobind::module_& m);
void add_device_gradients(nanobind::module_& m);
void add_device_sequences(nanobind::module_& m);
void add_device_ring(nanobind::module_& m);
void add_xla(nanobind::module_& m);

}  // namespace kleene::python
