// Set operations on keys in order, with the positions that they came from, on CUDA devices.
#include "kleene/streaming/cuda/sets.cuh"

#include "device_order.cuh"
#include "device_sequences.hpp"

#include <optional>

namespace kleene::python {

namespace {

// Positions are always written, for nobody where they are not asked for: sets of keys alone would be as many kernels
// again.
template <class T>
index_t set_operation(const context& ctx, order_on_device less, const plain::ordered_request& r) {
  const T *const a = static_cast<const T*>(r.a), *const b = static_cast<const T*>(r.b);
  const T *const a_last = a + r.a_count, *const b_last = b + r.b_count;
  T* const keys = static_cast<T*>(r.keys);
  const auto bytes = static_cast<std::size_t>(r.a_count + r.b_count) * sizeof(std::int64_t);
  std::optional<decltype(ctx.temporary(bytes))> unasked;
  if (r.positions == nullptr && bytes > 0) unasked.emplace(ctx.temporary(bytes));
  auto* const positions = unasked ? static_cast<std::int64_t*>(unasked->get()) : r.positions;
  const counting_iterator<std::int64_t> from_a(0), from_b(r.a_count);
  const auto count_of = [&](const auto& ends) { return ends.first - keys; };
  switch (r.operation) {
    case plain::ordered_operation::set_union:
      return count_of(set_union_by_key(ctx, a, a_last, from_a, b, b_last, from_b, keys, positions, less));
    case plain::ordered_operation::set_intersection:
      return count_of(set_intersection_by_key(ctx, a, a_last, from_a, b, b_last, from_b, keys, positions, less));
    case plain::ordered_operation::set_difference:
      return count_of(set_difference_by_key(ctx, a, a_last, from_a, b, b_last, from_b, keys, positions, less));
    default:
      return count_of(
          set_symmetric_difference_by_key(ctx, a, a_last, from_a, b, b_last, from_b, keys, positions, less));
  }
}

}  // namespace

index_t set_operation_on_device(const context& ctx, key_type type, bool descends, const plain::ordered_request& r) {
  return with_key_type(type, [&]<class T>(std::type_identity<T>) { return set_operation<T>(ctx, {descends}, r); });
}

}  // namespace kleene::python
