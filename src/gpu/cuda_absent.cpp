// The runtime's side of CUDA in builds without it: there are no devices, and nothing can be opened.
#include "gpu/cuda.hpp"

#include "kleene/data/device_matrix.hpp"
#include "kleene/kernels/cuda/bits/launch.hpp"

namespace kleene {

bool has_cuda() { return false; }
std::string cuda_architectures() { return ""; }
const std::vector<cuda_device>& cuda_devices() {
  static const std::vector<cuda_device> none;
  return none;
}

namespace detail {

namespace {
[[noreturn]] void refuse() {
  throw error(fault_code::device, "no CUDA device: this build of Kleene has no CUDA kernels");
}
}  // namespace

void register_cuda_kernels() {}
cuda_queue* cuda_open(int, void*) { refuse(); }
void cuda_close::operator()(cuda_queue*) const noexcept {}
void* cuda_stream(const cuda_queue*) { return nullptr; }
std::size_t cuda_available(cuda_queue*) { return 0; }
void* cuda_side_stream(cuda_queue*, int) { return nullptr; }
const cuda_device* cuda_device_of(const cuda_queue*) { return nullptr; }
device_fault* cuda_faults(const cuda_queue*) { return nullptr; }
device_fault cuda_synchronise(cuda_queue*) { refuse(); }
void* cuda_allocate(cuda_queue*, std::size_t) { refuse(); }
void cuda_free(cuda_queue*, void*) noexcept {}
bool cuda_captures(const cuda_queue*) { return false; }
tagged_memory cuda_tagged(cuda_queue*, std::size_t) { refuse(); }
void cuda_wait(int) { refuse(); }
std::string cuda_refuses(int, const void*) { return ""; }
void* cuda_allocate_owned(int, std::size_t) { refuse(); }
void cuda_free_owned(int, void*) noexcept {}
void copy_elements(const context&, const copy_request&) { refuse(); }
path_list trace_paths_on_cuda(const context&, const matrix_view<const std::int32_t>&, std::span<const vertex_pair>) {
  refuse();
}

}  // namespace detail

namespace kernels::cuda {

using detail::refuse;

std::size_t bit_product_workspace(const context&, const bit_product&) { refuse(); }
void launch_bit_product(const context&, const bit_product&) { refuse(); }
void launch_bit_transpose(const context&, const bit_view<const bit>&, const bit_view<bit>&) { refuse(); }
template <class T>
void launch_bit_pack(const context&, const matrix_view<const T>&, const bit_view<bit>&) {
  refuse();
}
template <class T>
void launch_bit_unpack(const context&, const bit_view<const bit>&, const matrix_view<T>&) {
  refuse();
}
#define KLEENE_UNPACKED(type)                                                                          \
  template void launch_bit_pack(const context&, const matrix_view<const type>&, const bit_view<bit>&); \
  template void launch_bit_unpack(const context&, const bit_view<const bit>&, const matrix_view<type>&);
KLEENE_UNPACKED(bool)
KLEENE_UNPACKED(std::uint8_t)
KLEENE_UNPACKED(float)
#undef KLEENE_UNPACKED
void close_bits(const context&, const bit_view<bit>&) { refuse(); }
void load_bit_closure(const context&) { refuse(); }
std::size_t class_workspace(index) { refuse(); }
index find_classes(const context&, const bit_view<const bit>&, const bit_view<bit>&, std::span<std::int32_t>, index,
                   void*) {
  refuse();
}
void combine_rows(const context&, const bit_view<const bit>&, const std::int32_t*, const bit_view<bit>&) { refuse(); }
void spread_rows(const context&, const bit_view<const bit>&, const std::int32_t*, const bit_view<bit>&) { refuse(); }
void copy_bits(const context&, const bit_view<const bit>&, const bit_view<bit>&) { refuse(); }

}  // namespace kernels::cuda
}  // namespace kleene
