#include "kleene/data/device.hpp"

namespace kleene {

bool has_cuda() { return detail::backend.is_compiled; }
std::string cuda_architectures() { return detail::backend.architectures; }
const std::vector<cuda_device>& cuda_devices() { return detail::backend.devices(); }

void detail::refuse_cuda() {
  throw error(fault_code::device, "no CUDA device: this build of Kleene has no CUDA kernels");
}

const std::vector<cuda_device>& detail::no_cuda_devices() {
  static const std::vector<cuda_device> none;
  return none;
}

}  // namespace kleene
