// CUDA devices, the contexts that work on them, and arrays that speak DLPack alone.
#include "device.hpp"

#include "arrays.hpp"
#include "module.hpp"

#include <nanobind/stl/string.h>

namespace kleene::python {

device_context::~device_context() {
  if (!ctx_) return;
  const nb::gil_scoped_release unlocked;
  ctx_.reset();
}

namespace {

// (address, kind of element, bits of one, extents, strides, device, what keeps it alive) of what a capsule of DLPack
// holds: Python has asked for the capsule, since it has to say for which stream.
nb::tuple describe_capsule(const input_array& a) {
  nb::list extents, strides;
  for (std::size_t r = 0; r < a.ndim(); ++r) extents.append(a.shape(r)), strides.append(a.stride(r));
  const nb::capsule owner(new input_array(a), [](void* p) noexcept { delete static_cast<input_array*>(p); });
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(a.data()), a.dtype().code, a.dtype().bits, nb::tuple(extents),
                        nb::tuple(strides), a.device_id(), owner);
}

nb::list devices() {
  nb::list found;
  for (const cuda_device& d : cuda_devices()) found.append(nb::make_tuple(d.ordinal, d.name, d.capability));
  return found;
}

}  // namespace

void add_device(nb::module_& m) {
  m.def("has_cuda", &has_cuda);
  m.def("cuda_devices", &devices);
  m.def("describe_capsule", &describe_capsule);
  nb::class_<device_context>(m, "DeviceContext")
      .def_static(
          "on_stream",
          [](std::uintptr_t stream) { return device_context(context::cuda(reinterpret_cast<cuda_stream>(stream))); })
      .def_static("on_device", [](int device) { return device_context(context::cuda(device)); })
      .def("stream", [](const device_context& c) { return reinterpret_cast<std::uintptr_t>(c.get().stream()); })
      .def("device", [](const device_context& c) { return c.get().device()->ordinal; })
      .def("describe", [](const device_context& c) { return c.get().describe(); })
      .def("synchronise", [](const device_context& c) {
        const nb::gil_scoped_release unlocked;
        c.get().synchronise();
      });
}

}  // namespace kleene::python
