// Products of all beginnings on a CUDA device: equal to those of the CPU, which scan_products_test.cpp holds to the
// steps.
#include "kleene/operations/scan_products.hpp"
#include "support/device.hpp"

#include <algorithm>
#include <random>

namespace kleene::test {
namespace {

TEST(scan_products_on_cuda, equal_those_of_the_cpu) {
  KLEENE_NEEDS_GPU();
  const context gpu = context::cuda();
  std::mt19937 random(5);
  for (const index_t count : {1, 2, 7, 64, 100}) {
    batch<float> a(count, 17, 17), expected(count, 17, 17);
    for (index_t e = 0; e < a.size(); ++e) a.data()[e] = static_cast<float>(random() % 1000);
    scan_products(context::cpu(), min_plus<float>{}, a, expected);
    device_batch<float> there = to_device(gpu, a), out(gpu, {count, 17, 17});
    scan_products(gpu, min_plus<float>{}, there, out);
    scan_products(gpu, min_plus<float>{}, there, there);
    const batch<float> found = to_host(gpu, out), in_place = to_host(gpu, there);
    EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), found.data())) << count;
    EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), in_place.data())) << count;
  }
}

}  // namespace
}  // namespace kleene::test
