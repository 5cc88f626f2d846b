// Contractions of several of the best values on a device.
#include "networks/contract_on_cuda.cuh"

namespace kleene::detail {

KLEENE_CONTRACTS_BEST(KLEENE_CONTRACTS_HERE)

}  // namespace kleene::detail
