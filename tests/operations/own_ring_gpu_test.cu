// Semirings, epilogues and element types of one's own on a CUDA device.
#include "kleene/operations/own/gemm.inl.cuh"

#include "support/device.hpp"

namespace kleene::test {
namespace {

// The length of the shortest route and how many there are.
struct route {
  float length;
  std::int32_t count;
  KLEENE_FUNCTION bool operator==(const route& other) const { return length == other.length && count == other.count; }
};
struct counted {
  using value_type = route;
  static constexpr const char* name = "counted";
  KLEENE_FUNCTION static constexpr route zero() { return {std::numeric_limits<float>::infinity(), 0}; }
  KLEENE_FUNCTION static constexpr route add(const route& a, const route& b) {
    if (a.length == b.length) return {a.length, a.count + b.count};
    return a.length < b.length ? a : b;
  }
  KLEENE_FUNCTION static constexpr route mul(const route& a, const route& b) {
    return {a.length + b.length, a.count * b.count};
  }
};

TEST(own_ring, of_structs) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda<counted>();
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{{3, 4, 5}, {70, 65, 33}, {64, 64, 300}}) {
    matrix<route> a(m, k), b(k, n), c(m, n);
    problems::generator g(7);
    for (index_t e = 0; e < a.size(); ++e) a.data()[e] = {float(g.below(5)), 1};
    for (index_t e = 0; e < b.size(); ++e) b.data()[e] = {float(g.below(5)), 1};
    device_matrix<route> dc(ctx, m, n);
    gemm(ctx, counted{}, to_device(ctx, a), to_device(ctx, b), dc);
    const matrix<route> got = to_host(ctx, dc);
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < n; ++j) {
        route want = counted::zero();
        for (index_t l = 0; l < k; ++l) want = counted::add(want, counted::mul(a(i, l), b(l, j)));
        ASSERT_TRUE(got(i, j) == want) << i << " " << j;
      }
  }
}

// An epilogue that knows where it is and changes the type.
struct far_away {
  float limit;
  KLEENE_FUNCTION std::uint8_t operator()(float value, index_t row, index_t column) const {
    return value > limit && row != column ? 1 : 0;
  }
};

TEST(own_ring, epilogues_change_the_type) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using S = min_plus<float>;
  enable_cuda<S, far_away, std::uint8_t>();
  const matrix<float> a = problems::random_matrix<S>(130, 60, distribution::uniform, 1);
  const matrix<float> b = problems::random_matrix<S>(60, 130, distribution::uniform, 2);
  const matrix<float> product = multiply(S{}, a, b);
  device_matrix<std::uint8_t> c(ctx, 130, 130);
  gemm(ctx, S{}, to_device(ctx, a), to_device(ctx, b), c, gemm_options<float, far_away>{.epilogue = {0.15f}});
  const matrix<std::uint8_t> got = to_host(ctx, c);
  int far = 0;
  for (index_t i = 0; i < 130; ++i)
    for (index_t j = 0; j < 130; ++j) {
      ASSERT_EQ(got(i, j), product(i, j) > 0.15f && i != j ? 1 : 0);
      far += got(i, j);
    }
  EXPECT_GT(far, 0);
}

struct nobody : counted {};
TEST(own_ring, without_kernels_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  device_matrix<route> a(ctx, 2, 2), c(ctx, 2, 2);
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { gemm(ctx, nobody{}, a, a, c); }), "enable_cuda"));
}

}  // namespace
}  // namespace kleene::test
