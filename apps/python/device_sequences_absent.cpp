// In place of device_scan.cu, device_sort.cu, device_merge.cu, device_sets.cu and device_join.cu where there is no
// CUDA.
#include "device_sequences.hpp"

namespace kleene::python {

void scan_on_device(const context&, int, const device_sequence&, bool) { kleene::detail::refuse_cuda(); }
void reduce_segments_on_device(const context&, int, const device_sequence&) { kleene::detail::refuse_cuda(); }
index_t sort_on_device(const context&, key_type, bool, const plain::ordered_request&) { kleene::detail::refuse_cuda(); }
index_t merge_on_device(const context&, key_type, bool, const plain::ordered_request&) {
  kleene::detail::refuse_cuda();
}
index_t set_operation_on_device(const context&, key_type, bool, const plain::ordered_request&) {
  kleene::detail::refuse_cuda();
}
std::unique_ptr<device_join> plan_join_on_device(const context&, key_type, join_kind, const device_keys&,
                                                 const device_keys&) {
  kleene::detail::refuse_cuda();
}

}  // namespace kleene::python
