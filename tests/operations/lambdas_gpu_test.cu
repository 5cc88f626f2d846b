// Lambdas of nvcc --extended-lambda: __device__ ones, which only the card can call, as epilogues; as operators of
// sequences, which are compiled for both machines, those of both.
#include "kleene/operations/own/gemm.inl.cuh"
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/sort.cuh"
#include "support/device.hpp"

namespace kleene::test {

// nvcc takes no such lambda in a function without a name of its own, as those of TEST are.
void check_epilogue(const context& ctx) {
  const device_matrix<float> a = to_device(ctx, matrix<float>(70, 70, 3));
  device_matrix<float> c(ctx, 70, 70);
  const float more = 10;
  const auto f = [=] __device__(float value, index_t row, index_t column) {
    return value + more + float(row - column);
  };
  using epilogue = std::remove_const_t<decltype(f)>;
  enable_cuda<min_plus<float>, epilogue, float>();
  gemm(ctx, min_plus<float>{}, a, a, c, gemm_options<none, epilogue>{.epilogue = f});
  EXPECT_EQ(to_host(ctx, c)(69, 1), 84);  // 3 + 3 + 10 + 68
}

void check_sequences(const context& ctx) {
  device_matrix<float> a = to_device(ctx, matrix<float>{{3, 1, 4, 1, 5}});
  EXPECT_EQ(reduce(ctx, a.data(), a.data() + 5, 1.0f, [] __host__ __device__(float x, float y) { return x * y; }), 60);
  merge_sort(ctx, a.data(), a.data() + 5, [] __host__ __device__(float x, float y) { return y < x; });
  EXPECT_TRUE(equal(to_host(ctx, a), matrix<float>{{5, 4, 3, 1, 1}}));
}

TEST(device_lambdas, are_epilogues) {
  KLEENE_NEEDS_GPU();
  check_epilogue(context::cuda());
}
TEST(device_lambdas, are_operators) {
  KLEENE_NEEDS_GPU();
  check_sequences(context::cuda());
}

}  // namespace kleene::test
