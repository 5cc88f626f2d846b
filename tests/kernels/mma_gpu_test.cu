// Products on the tensor cores of sm_80 against the reference, on values whose sums are exact. Doubles come here by
// gemm itself; bytes and 16 bits only on devices without warpgroup instructions, so the launcher is called directly:
// what runs there is tested on sm_90 too.
#include "kleene/kernels/cuda/gemm/mma/launch.cuh"

#include "kleene/operations/gemm.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

#include <array>

namespace kleene::test {
namespace {

constexpr layout layouts[] = {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved};

template <class S, class Out>
constexpr distribution exact() {
  return std::is_same_v<Out, i8> ? distribution::negative_zeros : distribution::signed_integers;
}

// check_on_device with the launcher of gemm/mma whatever the device.
template <class S, class Out>
void check_directly(const context& ctx, const product_case<S, Out>& p) {
  product_operands<S, Out> got(p), want(p);
  device_strided<value_of<S>> a(ctx, got.a), b(ctx, got.b);
  device_strided<Out> c(ctx, got.c), d(ctx, got.d);
  device_strided<bool> mask(ctx, got.mask);
  detail::options_for<S, none, Out> o{.accumulate = p.accumulate,
                                      .alpha = p.alpha,
                                      .beta = p.beta,
                                      .mask_complement = p.complement,
                                      .replace = p.replace};
  if (p.source) o.source = d.at;
  if (p.mask) o.mask = mask.at;
  using G = kernels::gemm_arguments<S, none, Out>;
  detail::reach_and_run<S, none, Out>(ctx, a.at, b.at, c.at, {}, o, &kernels::cuda::launch_mma<true, G>);
  if (want.run_reference() == status::overflow) EXPECT_THROW(ctx.synchronise(), value_error) << p;
  else EXPECT_TRUE(equal(to_host(ctx, c.buffer), want.c.buffer)) << p << " on " << ctx.describe();
}

template <class S, class Out>
void check(const context& ctx, const product_case<S, Out>& p) {
  if (!sampled()) return;
  if constexpr (std::is_same_v<S, plus_times<f64>>) check_on_device<S, Out>(ctx, p);
  else check_directly<S, Out>(ctx, p);
}

template <class T>
class mma : public testing::Test {};
template <class T, class C>
struct row {
  using S = plus_times<T>;
  using Out = C;
};
using rows = testing::Types<row<f64, f64>, row<bf16, f32>, row<f16, f16>, row<i8, i8>, row<u8, i32>>;
TYPED_TEST_SUITE(mma, rows);

TYPED_TEST(mma, sizes_around_tile_edges) {
  KLEENE_NEEDS_GPU();
  using S = typename TypeParam::S;
  using Out = typename TypeParam::Out;
  const context ctx = context::cuda();
  constexpr std::array<index_t, 3> sizes[] = {
      {1, 1, 1},      {1, 1, 0},     {5, 7, 3},      {64, 64, 64},  {63, 65, 15}, {65, 63, 17},  {128, 64, 33},
      {127, 129, 65}, {129, 72, 72}, {257, 264, 40}, {17, 1000, 8}, {300, 1, 80}, {1, 300, 129}, {96, 80, 700}};
  for (const auto& [m, n, k] : sizes) check<S, Out>(ctx, {.m = m, .n = n, .k = k, .values = exact<S, Out>()});
}

TYPED_TEST(mma, layouts) {
  KLEENE_NEEDS_GPU();
  using S = typename TypeParam::S;
  using Out = typename TypeParam::Out;
  const context ctx = context::cuda();
  constexpr distribution values = exact<S, Out>();
  for (const layout a : layouts)
    for (const layout b : layouts) {
      const layout c = layouts[(int(a) + int(b)) % 5];
      check<S, Out>(ctx, {.m = 136, .n = 144, .k = 80, .a = a, .b = b, .c = c, .values = values});
      check<S, Out>(ctx, {.m = 67, .n = 70, .k = 37, .a = a, .b = b, .c = c, .values = values});
    }
  check<S, Out>(ctx, {.m = 64, .n = 72, .k = 48, .a = layout::broadcast, .b = layout::broadcast, .values = values});
}

// On 132 multiprocessors: rows doubles and middle, then doubles and wide.
TYPED_TEST(mma, large_tiles) {
  KLEENE_NEEDS_GPU();
  using S = typename TypeParam::S;
  using Out = typename TypeParam::Out;
  const context ctx = context::cuda();
  constexpr distribution values = exact<S, Out>();
  constexpr layout row = layout::row, column = layout::column;
  check<S, Out>(ctx, {.m = 1408, .n = 1536, .k = 72, .a = row, .b = row, .values = values});
  check<S, Out>(ctx, {.m = 1400, .n = 1530, .k = 40, .a = column, .b = column, .c = column, .values = values});
  check<S, Out>(ctx, {.m = 1408, .n = 3064, .k = 72, .a = row, .b = column, .values = values});
  check<S, Out>(ctx, {.m = 1401, .n = 3071, .k = 37, .a = column, .b = row, .values = values});
}

TYPED_TEST(mma, batches) {
  KLEENE_NEEDS_GPU();
  using S = typename TypeParam::S;
  using Out = typename TypeParam::Out;
  const context ctx = context::cuda();
  constexpr distribution values = exact<S, Out>();
  check<S, Out>(ctx, {.m = 72, .n = 88, .k = 48, .batch = 5, .values = values});
  check<S, Out>(ctx, {.m = 33, .n = 129, .k = 31, .batch = 3, .b = layout::column, .values = values});
  check<S, Out>(ctx, {.m = 160, .n = 16, .k = 200, .batch = 2, .values = values, .accumulate = true});
}

TYPED_TEST(mma, options) {
  KLEENE_NEEDS_GPU();
  using S = typename TypeParam::S;
  using Out = typename TypeParam::Out;
  const context ctx = context::cuda();
  for (const layout c : {layout::row, layout::column, layout::padded}) {
    product_case<S, Out> p{.m = 136, .n = 72, .k = 40, .c = c, .values = exact<S, Out>()};
    p.accumulate = true;
    check<S, Out>(ctx, p);
    p.alpha = 2;
    check<S, Out>(ctx, p);
    p.accumulate = false, p.source = true, p.beta = 3;
    check<S, Out>(ctx, p);
    p.mask = true;
    check<S, Out>(ctx, p);
    p.complement = p.replace = true;
    check<S, Out>(ctx, p);
  }
}

}  // namespace
}  // namespace kleene::test
