// Contractions of counts on a device.
#include "networks/contract_on_cuda.cuh"

namespace kleene::detail {

KLEENE_CONTRACTS_COUNTS(KLEENE_CONTRACTS_HERE)

}  // namespace kleene::detail
