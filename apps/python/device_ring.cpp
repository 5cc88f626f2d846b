// Rings of one's own in device memory: the library's rings at run time, whose text Python has made of functions.
#include "device.hpp"
#include "kleene/operations/own/run_time_ring.hpp"
#include "module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kleene::python {

namespace {

// A matrix or a batch; its elements are those that the ring says.
plain::array array_of(nb::handle numbers) {
  if (numbers.is_none()) return {};
  if (nb::cast<nb::tuple>(numbers).size() == 5) return kleene::detail::array_of(device_view_of<2, void*>(numbers));
  return kleene::detail::array_of(device_view_of<3, void*>(numbers));
}

// A factor as an element of the ring's type.
union element {
  float f32;
  double f64;
  std::int32_t i32;
  std::int64_t i64;
};
const void* element_of(const std::string& type, nb::handle factor, element& to) {
  if (factor.is_none()) return nullptr;
  if (type == "float") to.f32 = nb::cast<float>(factor);
  else if (type == "double") to.f64 = nb::cast<double>(factor);
  else if (type == "std::int32_t") to.i32 = nb::cast<std::int32_t>(factor);
  else to.i64 = nb::cast<std::int64_t>(factor);
  return &to;
}

class device_ring {
 public:
  device_ring(const ring_text& text, const std::string& type, const compile_options& options)
      : type_(type), ring_(text, type_.c_str(), options) {}

  void multiply(const device_context& context, nb::handle a, nb::handle b, nb::handle c, nb::handle witness,
                nb::handle source, nb::handle mask, nb::handle alpha, nb::handle beta, bool mask_complement,
                bool replace, bool check_domain) {
    plain::product p{array_of(a), array_of(b), array_of(c), array_of(witness), array_of(source), array_of(mask)};
    element factors[2];
    p.alpha = element_of(type_, alpha, factors[0]), p.beta = element_of(type_, beta, factors[1]);
    p.mask_complement = mask_complement, p.replace = replace, p.check_domain = check_domain;
    const nb::gil_scoped_release unlocked;
    ring_.run(context.get(), p);
  }

  // For each matrix -1, or a vertex whose star has no value.
  std::vector<std::int32_t> close(const device_context& context, nb::handle a, nb::handle predecessors,
                                  const std::optional<std::vector<std::int32_t>>& sizes, index_t block,
                                  bool check_domain) {
    plain::closures request{.a = array_of(a), .predecessors = array_of(predecessors)};
    const auto count = static_cast<std::size_t>(request.a.extents[0]);
    if (sizes && sizes->size() != count)
      throw shape_error(std::to_string(sizes->size()) + " sizes for " + std::to_string(count) + " matrices");
    std::vector<std::int32_t> diverging(count, -1);
    request.sizes = sizes ? sizes->data() : nullptr, request.diverging = diverging.data();
    const nb::gil_scoped_release unlocked;
    (void)ring_.run(context.get(), request, {.block = block, .check_domain = check_domain});
    return diverging;
  }

  void compile_for(int capability) {
    const nb::gil_scoped_release unlocked;
    ring_.compile_for_cuda(capability);
  }

 private:
  std::string type_;
  kleene::detail::compiled_ring ring_;
};

}  // namespace

void add_device_ring(nb::module_& m) {
  nb::class_<device_ring>(m, "DeviceRing")
      .def("__init__",
           [](device_ring* made, const std::string& type, const std::string& name, const std::string& add,
              const std::string& mul, const std::string& zero, const std::string& one, const std::string& in_domain,
              bool is_idempotent, bool is_selective, bool is_distributive, const std::string& computes_as,
              const std::vector<std::string>& headers, const std::string& cache, const std::string& nvrtc) {
             new (made) device_ring({.name = name,
                                     .add = add,
                                     .mul = mul,
                                     .zero = zero,
                                     .one = one,
                                     .is_idempotent = is_idempotent,
                                     .is_selective = is_selective,
                                     .is_distributive = is_distributive,
                                     .in_domain = in_domain,
                                     .computes_as = computes_as},
                                    type, {.headers = headers, .cache = cache, .nvrtc = nvrtc});
           })
      .def("closure", &device_ring::close, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
           nb::arg())
      .def("compile_for", &device_ring::compile_for)
      .def("matmul", &device_ring::multiply, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
           nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace kleene::python
