// Merges of keys in order, with the positions that they came from, on CUDA devices.
#include "kleene/streaming/cuda/merge.cuh"

#include "device_order.cuh"
#include "device_sequences.hpp"

namespace kleene::python {

namespace {

template <class T>
void merge_keys(const context& ctx, order_on_device less, const plain::ordered_request& r) {
  const T *const a = static_cast<const T*>(r.a), *const b = static_cast<const T*>(r.b);
  T* const keys = static_cast<T*>(r.keys);
  using counted = counting_iterator<std::int64_t>;
  if (r.positions == nullptr) merge(ctx, a, a + r.a_count, b, b + r.b_count, keys, less);
  else merge_by_key(ctx, a, a + r.a_count, counted(0), b, b + r.b_count, counted(r.a_count), keys, r.positions, less);
}

}  // namespace

index_t merge_on_device(const context& ctx, key_type type, bool descends, const plain::ordered_request& r) {
  with_key_type(type, [&]<class T>(std::type_identity<T>) { merge_keys<T>(ctx, {descends}, r); });
  return r.a_count + r.b_count;
}

}  // namespace kleene::python
