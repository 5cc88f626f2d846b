// Contractions of values on a device.
#include "networks/contract_on_cuda.cuh"

namespace kleene::detail {

std::size_t device_contraction_bytes(std::size_t leaves, std::size_t element, std::size_t accumulator) {
  return leaves * element + static_cast<std::size_t>(kernels::cuda::most_pair_partials) * accumulator + 1024;
}

KLEENE_CONTRACTS_VALUES(KLEENE_CONTRACTS_HERE)

}  // namespace kleene::detail
