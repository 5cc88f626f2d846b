// What a library without CUDA has in place of contract_on_cuda.cu.
#include "kleene/networks/detail/contract_on_cuda.hpp"

namespace kleene::detail {

std::size_t device_contraction_bytes(std::size_t, std::size_t, std::size_t) { return 0; }

#define KLEENE_ROW(...)                                                          \
  template <>                                                                    \
  device_contraction_maker<__VA_ARGS__> find_device_contraction<__VA_ARGS__>() { \
    return nullptr;                                                              \
  }
KLEENE_CONTRACTS_ON_CUDA(KLEENE_ROW)
#undef KLEENE_ROW

}  // namespace kleene::detail
