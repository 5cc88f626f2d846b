// Copies of elements with any strides: those of host memory, and who makes the others.
#include "kleene/data/detail/copy_shape.hpp"
#include "kleene/data/device_matrix.hpp"

#include <cstring>

namespace kleene::detail {

void copy_on_host(const copy_request& r) {
  const auto e = static_cast<index_t>(r.element);
  const bool runs = r.from_strides[2] == 1 && r.to_strides[2] == 1;
  const index_t steps = runs ? 1 : r.extents[2];
  const std::size_t bytes = runs ? r.extents[2] * e : e;
  for (index_t b = 0; b < r.extents[0]; ++b)
    for (index_t i = 0; i < r.extents[1]; ++i)
      for (index_t j = 0; j < steps; ++j)
        std::memcpy(static_cast<char*>(r.to) + e * (b * r.to_strides[0] + i * r.to_strides[1] + j * r.to_strides[2]),
                    static_cast<const char*>(r.from) +
                        e * (b * r.from_strides[0] + i * r.from_strides[1] + j * r.from_strides[2]),
                    bytes);
}

void copy_elements(const context& ctx, const copy_request& request) {
  if (ctx.kind() == device_kind::cuda) return run_as_call(ctx, {"copy"}, [&] { backend.copy(ctx, request); });
  if (request.from_space == memory::device || request.to_space == memory::device)
    throw error(fault_code::device, "device memory is beyond the reach of " + ctx.describe());
  if (!request.from || !request.to) throw argument_error("copy: the data of a view is a null pointer");
  const copy_shape shape = shape_of_copy(request.extents, request.from_strides, request.to_strides);
  copy_request r = request;
  r.extents = shape.extents, r.from_strides = shape.from, r.to_strides = shape.to;
  copy_on_host(r);
}

}  // namespace kleene::detail
