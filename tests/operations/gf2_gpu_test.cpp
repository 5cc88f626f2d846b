// Linear algebra over GF(2) says that it has no version for devices.
#include "kleene/operations/gf2.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

TEST(gf2_on_cuda, is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  device_bit_matrix a(ctx, 70, 70), x(ctx, 70, 70);
  const auto refused = [](const auto& call) {
    return contains(refusal<error>(fault_code::device, call), "runs on the CPU alone so far");
  };
  EXPECT_TRUE(refused([&] { (void)rank(ctx, xor_and<bit>{}, a); }));
  EXPECT_TRUE(refused([&] { (void)row_reduce(ctx, xor_and<bit>{}, a); }));
  EXPECT_TRUE(refused([&] { (void)inverse(ctx, xor_and<bit>{}, a, x); }));
  EXPECT_TRUE(refused([&] { (void)null_space(ctx, xor_and<bit>{}, bit_matrix(70, 70).view()); }));
}

}  // namespace
}  // namespace kleene::test
