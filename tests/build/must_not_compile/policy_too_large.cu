// expect: a tile policy needs more shared memory than the 227 kB that a block can have
#include "kleene/operations/own/gemm.inl.cuh"

namespace wing = kleene::kernels::cuda;

struct mine {
#ifdef WRONG
  static constexpr wing::simt_policy value{wing::copies::bulk, 512, 512, 64, 16, 16, 4, 3, 1, 8, 8};
#else
  static constexpr wing::simt_policy value{wing::copies::bulk, 64, 64, 32, 8, 8, 4, 3, 4, 8, 8};
#endif
};

void f(const kleene::context& ctx, const kleene::device_matrix<float>& a, kleene::device_matrix<float>& c) {
  kleene::gemm_with<mine>(ctx, kleene::min_plus<float>{}, a, a, c);
}
