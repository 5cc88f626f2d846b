// What is refused of tile policies, without a device: for min_plus<float> (4 bytes, one step of k at a time).
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"

#include <gtest/gtest.h>

namespace kleene::kernels::cuda {
namespace {

template <policy_fault Want, simt_policy P,
          simt_needs Needs = simt_needs{4, 4, 1, 1, false, P.stages* P.stage_bytes(4)}>
inline constexpr bool is_judged = std::bool_constant<fault_of(P, Needs) == Want>::value;  // clang 14 wants it so

constexpr auto bulk = copies::bulk;

TEST(simt_policy, every_rule_has_a_fault) {
  using enum policy_fault;
  //                                               bm   bn  bk tm tn lm st bl un gr
  static_assert(is_judged<none, simt_policy{bulk, 128, 128, 32, 8, 8, 4, 3, 2, 8, 8}>);
  static_assert(is_judged<size, simt_policy{bulk, 128, 128, 32, 8, 8, 4, 3, 2, 8, 0}>);
  static_assert(is_judged<threads, simt_policy{bulk, 128, 128, 32, 7, 8, 4, 3, 2, 8, 8}>);
  static_assert(is_judged<threads, simt_policy{bulk, 128, 128, 32, 2, 2, 4, 3, 2, 8, 8}>);  // 4,096
  static_assert(is_judged<warps, simt_policy{bulk, 128, 128, 32, 8, 8, 3, 3, 2, 8, 8}>);
  static_assert(is_judged<warps, simt_policy{bulk, 32, 128, 32, 8, 8, 8, 3, 2, 8, 8}>);  // 8 of 4 threads in a column
  static_assert(is_judged<tile, simt_policy{bulk, 48, 128, 32, 6, 8, 4, 3, 2, 8, 8}>);
  static_assert(is_judged<columns, simt_policy{bulk, 128, 192, 32, 8, 6, 4, 3, 2, 8, 8}>);
  static_assert(is_judged<unroll, simt_policy{bulk, 128, 128, 32, 8, 8, 4, 3, 2, 12, 8}>);
  static_assert(
      is_judged<unroll, simt_policy{bulk, 128, 128, 32, 8, 8, 4, 3, 2, 1, 8}, simt_needs{4, 4, 2, 1, false, 1}>);
  static_assert(
      is_judged<slices, simt_policy{bulk, 64, 64, 32, 8, 8, 4, 3, 2, 8, 8, 2}, simt_needs{4, 4, 1, 1, true, 1}>);
  static_assert(
      is_judged<sliced, simt_policy{bulk, 64, 64, 32, 8, 8, 4, 3, 2, 8, 8, 2}, simt_needs{4, 8, 1, 1, false, 1}>);
  static_assert(is_judged<strided, simt_policy{copies::strided, 32, 32, 32, 4, 4, 4, 2, 2, 8, 1}>);
  static_assert(is_judged<stages, simt_policy{bulk, 128, 128, 32, 8, 8, 4, 1, 2, 8, 8}>);
  // 3 buffers of (512 + 512) x 64 floats: 786,432 bytes.
  static_assert(is_judged<policy_fault::memory, simt_policy{bulk, 512, 512, 64, 16, 16, 4, 3, 1, 8, 8}>);
}

}  // namespace
}  // namespace kleene::kernels::cuda
