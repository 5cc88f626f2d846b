// Products over floats of 8 bits on the tensor cores: against the reference where sums are exact, and within their
// stated error of sums in f64.
#include "kleene/operations/own/gemm.inl.cuh"

#include "support/product_error.hpp"
#include "support/sample.hpp"

#include <array>
#include <cmath>

namespace kleene::test {
namespace {

constexpr layout layouts[] = {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved};

template <class T, class C>
struct row {
  using S = plus_times<T>;
  using Out = C;
};
template <class Row>
class f8_on_cuda : public testing::Test {
 protected:
  using S = typename Row::S;
  using Out = typename Row::Out;

  void SetUp() override {
    KLEENE_NEEDS_GPU();
    ctx = context::cuda();
    enable_cuda<S, none, Out>();
  }
  void check(const product_case<S, Out>& p) const {
    if (!sampled()) return;
    product_operands<S, Out> want(p);
    want.run_reference();
    for (const float_precision how : {float_precision::full, float_precision::fast_accumulation}) {
      product_operands<S, Out> got(p);
      run_on_device(ctx, got, {}, how);
      EXPECT_TRUE(equal(got.c.buffer, want.c.buffer)) << p << ", precision " << static_cast<int>(how);
    }
  }
  context ctx = context::cpu();
};
using rows = testing::Types<row<f8_e4m3, bf16>, row<f8_e5m2, float>>;
TYPED_TEST_SUITE(f8_on_cuda, rows);

TYPED_TEST(f8_on_cuda, sizes_around_tile_edges) {
  constexpr std::array<index_t, 3> sizes[] = {{1, 1, 1},      {1, 1, 0},      {5, 7, 3},      {64, 64, 128},
                                              {63, 65, 127},  {128, 64, 256}, {127, 129, 33}, {257, 264, 530},
                                              {1, 300, 1024}, {300, 1, 80},   {300, 200, 384}};
  for (const auto& [m, n, k] : sizes) this->check({.m = m, .n = n, .k = k});
}

// Tiles of 128 columns and, on 132 multiprocessors, where the units sum by themselves, of 256.
TYPED_TEST(f8_on_cuda, tiles_of_every_width_agree) {
  using S = typename TypeParam::S;
  using Out = typename TypeParam::Out;
  for (const index_t k : {128, 384, 640, 1000})
    for (const index_t n : {2048, 2051})
      check_precision<S, Out>(this->ctx, 1279, n, k, false, k == 640, float_precision::fast_accumulation);
}

TYPED_TEST(f8_on_cuda, layouts_and_batches) {
  for (const layout a : layouts)
    for (const layout b : layouts) {
      const layout c = layouts[(int(a) + int(b)) % 5];
      this->check({.m = 136, .n = 144, .k = 80, .a = a, .b = b, .c = c});
      this->check({.m = 67, .n = 70, .k = 37, .batch = 3, .a = a, .b = b, .c = c});
    }
}

TYPED_TEST(f8_on_cuda, split_k_and_options) {
  using S = typename TypeParam::S;
  using Out = typename TypeParam::Out;
  for (const index_t k : {40, 5000})
    for (const layout c : {layout::row, layout::column, layout::padded}) {
      product_case<S, Out> p{.m = 70, .n = 24, .k = k, .c = c, .values = distribution::negative_zeros};
      p.alpha = 2.0f;  // alone: on the sums
      this->check(p);
      p.alpha = {};
      p.accumulate = true;
      this->check(p);
      p.alpha = 2.0f;
      this->check(p);
      p.accumulate = false, p.source = true, p.beta = 3.0f;
      this->check(p);
      p.mask = p.complement = p.replace = true;
      this->check(p);
    }
}

// full: less than stated, as the data have no products that are far larger than others.
TEST(f8_on_cuda, errs_no_more_than_stated) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda<plus_times<f8_e5m2>, none, float>();
  constexpr std::array<index_t, 3> sizes[] = {
      {1, 1, 1}, {130, 72, 200}, {65, 260, 33}, {128, 16, 5000}, {300, 40, 3000}};
  for (const double low : {-1.0, 0.0})
    for (const std::array<index_t, 3>& size : sizes) {
      SCOPED_TRACE(std::to_string(low) + ", k = " + std::to_string(size[2]));
      EXPECT_LE(error_of<f8_e5m2>(ctx, size, low, float_precision::full), 0x1p-9);
      const double k = double(size[2]);
      EXPECT_LE(error_of<f8_e5m2>(ctx, size, low, float_precision::fast_accumulation), k / 7900);
    }
}

}  // namespace
}  // namespace kleene::test
