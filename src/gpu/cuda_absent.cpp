// The runtime's side of CUDA in builds without it: there are no devices, and nothing can be opened.
#include "kleene/data/device.hpp"

namespace kleene::detail {

constinit const cuda_backend backend{};

}  // namespace kleene::detail
