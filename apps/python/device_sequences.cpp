// Sequences in device memory, for Python: vectors of contiguous elements by their addresses.
#include "device_sequences.hpp"

#include "device.hpp"
#include "module.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

namespace kleene::python {

namespace {

struct device_vector {
  void* data = nullptr;
  index_t count = 0;
};

device_vector device_vector_of(nb::handle numbers) {
  const auto v = device_view_of<1, std::byte>(numbers);
  return {v.data(), v.extent(0)};
}

device_sequence sequence_of(nb::handle values, nb::handle offsets, nb::handle out) {
  const auto x = device_vector_of(values), at = device_vector_of(offsets);
  return {x.data, x.count, static_cast<const std::int64_t*>(at.data), at.count - 1, device_vector_of(out).data};
}

index_t ordered_on_device(const device_context& ctx, int operation, int type, bool descends, nb::handle a, nb::handle b,
                          nb::handle offsets, nb::handle keys, nb::handle positions) {
  const auto left = device_vector_of(a), right = device_vector_of(b), at = device_vector_of(offsets);
  const auto out = device_vector_of(keys);
  const plain::ordered_request r{.operation = static_cast<plain::ordered_operation>(operation),
                                 .a = left.data,
                                 .b = right.data,
                                 .a_positions = nullptr,
                                 .b_positions = nullptr,
                                 .a_count = left.count,
                                 .b_count = right.count,
                                 .offsets = static_cast<const std::int64_t*>(at.data),
                                 .segments = at.count - 1,
                                 .keys = out.data,
                                 .positions = static_cast<std::int64_t*>(device_vector_of(positions).data),
                                 .count = out.count};
  const nb::gil_scoped_release unlocked;
  const auto own_type = static_cast<key_type>(type);
  if (r.operation == plain::ordered_operation::sort) return sort_on_device(ctx.get(), own_type, descends, r);
  if (r.operation == plain::ordered_operation::merge) return merge_on_device(ctx.get(), own_type, descends, r);
  return set_operation_on_device(ctx.get(), own_type, descends, r);
}

std::unique_ptr<device_join> join_on_device(const device_context& ctx, int type, const std::string& how, nb::handle a,
                                            nb::handle b) {
  const auto left = device_vector_of(a), right = device_vector_of(b);
  const join_kind kind = join_kind_of(how);
  const nb::gil_scoped_release unlocked;
  return plan_join_on_device(ctx.get(), static_cast<key_type>(type), kind, {left.data, left.count},
                             {right.data, right.count});
}

}  // namespace

void add_device_sequences(nb::module_& m) {
  m.def(
      "scan_on_device",
      [](const device_context& ctx, int row, nb::handle values, nb::handle offsets, nb::handle out, bool exclusive) {
        const auto x = sequence_of(values, offsets, out);
        const nb::gil_scoped_release unlocked;
        scan_on_device(ctx.get(), row, x, exclusive);
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def("segmented_reduce_on_device",
        [](const device_context& ctx, int row, nb::handle values, nb::handle offsets, nb::handle out) {
          const auto x = sequence_of(values, offsets, out);
          const nb::gil_scoped_release unlocked;
          reduce_segments_on_device(ctx.get(), row, x);
        });
  m.def("ordered_on_device", &ordered_on_device, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none());
  nb::class_<device_join>(m, "DeviceJoin")
      .def("rows",
           [](const device_join& j) {
             const nb::gil_scoped_release unlocked;
             return j.rows();
           })
      .def("fill", [](device_join& j, nb::handle left, nb::handle right) {
        const auto l = device_vector_of(left), r = device_vector_of(right);
        const nb::gil_scoped_release unlocked;
        j.fill(static_cast<std::int64_t*>(l.data), static_cast<std::int64_t*>(r.data));
      });
  m.def("join_on_device", &join_on_device, nb::keep_alive<0, 1>());
}

}  // namespace kleene::python
