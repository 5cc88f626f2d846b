// Tropical and minimax products of f16 and bf16 on a CUDA device, against the reference.
#include "kleene/operations/own/gemm.inl.cuh"

#include "kleene/kernels/reference/gemm.hpp"
#include "support/device.hpp"

#include <limits>

namespace kleene::test {
namespace {

// Every exponent of T: sums round, overflow and become subnormal; infinities of both signs and NaN among them.
template <class T>
T drawn(splitmix64& random) {
  return T::from_bits(static_cast<std::uint16_t>(random() >> 48));
}
// Exponents close to each other, where most sums round.
template <class T>
T close(splitmix64& random) {
  const float sign = random() >> 63 ? -1.0f : 1.0f;
  return T(sign * (1 + static_cast<float>(random() >> 40) * 0x1p-22f));
}

template <class S>
struct half_problem {
  using T = value_of<S>;
  matrix<T> a, b, want;
  matrix<float> sums;
  matrix<std::int32_t> first;

  half_problem(index_t m, index_t n, index_t k, T (*draw)(splitmix64&), const float* alpha)
      : a(m, k), b(k, n), want(m, n), sums(m, n), first(m, n) {
    splitmix64 random(static_cast<std::uint64_t>(m * 1000 + n));
    for (index_t i = 0; i < m * k; ++i) a.data()[i] = draw(random);
    for (index_t i = 0; i < n * k; ++i) b.data()[i] = draw(random);
    kernels::gemm_arguments<S> g;
    fill(g);
    g.c = want.data(), g.sc = {0, n, 1}, g.alpha = alpha;
    if (!alpha) g.witness = first.data(), g.switness = {0, n, 1};
    EXPECT_EQ(kernels::reference::gemm(g), status::ok);
    kernels::gemm_arguments<S, none, float> h;
    fill(h);
    h.c = sums.data(), h.sc = {0, n, 1}, h.alpha = alpha;
    EXPECT_EQ(kernels::reference::gemm(h), status::ok);
  }

 private:
  template <class G>
  void fill(G& g) const {
    g.m = want.extent(0), g.n = want.extent(1), g.k = a.extent(1);
    g.a = a.data(), g.sa = {0, g.k, 1};
    g.b = b.data(), g.sb = {0, g.n, 1};
  }
};

// Sums: C of f32, too.
template <class S, bool Sums>
void check_half() {
  using T = value_of<S>;
  KLEENE_NEEDS_GPU();
  enable_cuda<S>();
  if constexpr (Sums) enable_cuda<S, none, float>();
  const context ctx = context::cuda();
  const float shift = 0.7f;
  for (T (*draw)(splitmix64&) : {&drawn<T>, &close<T>})
    for (const float* alpha : {static_cast<const float*>(nullptr), &shift})
      for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{
               {1, 1, 1}, {3, 4, 5}, {70, 65, 33}, {129, 130, 600}, {40, 256, 0}, {64, 64, 9000}}) {
        const half_problem<S> p(m, n, k, draw, alpha);
        device_matrix<T> c(ctx, m, n), with_witness(ctx, m, n);
        device_matrix<float> sums(ctx, m, n);
        device_matrix<std::int32_t> witness(ctx, m, n);
        const auto at_a = to_device(ctx, p.a), at_b = to_device(ctx, p.b);
        const std::string what = name_of<S>() + " " + type_name<T> + " " + std::to_string(m) + "x" + std::to_string(n) +
                                 (alpha ? " with a factor" : "");
        if (alpha) {
          gemm(ctx, S{}, at_a, at_b, c, {.alpha = *alpha});
          if constexpr (Sums) gemm(ctx, S{}, at_a, at_b, sums, {.alpha = *alpha});
        } else {
          gemm(ctx, S{}, at_a, at_b, c);
          if constexpr (Sums) gemm(ctx, S{}, at_a, at_b, sums);
          gemm(ctx, S{}, at_a, at_b, with_witness, witness);
          EXPECT_TRUE(equal(to_host(ctx, with_witness), p.want)) << what;
          EXPECT_TRUE(equal(to_host(ctx, witness), p.first)) << what;
        }
        EXPECT_TRUE(equal(to_host(ctx, c), p.want)) << what;
        if (Sums) EXPECT_TRUE(equal(to_host(ctx, sums), p.sums)) << what;
      }
}

TEST(gemm_half_on_cuda, min_plus_of_f16) { check_half<min_plus<f16>, true>(); }
TEST(gemm_half_on_cuda, max_plus_of_bf16) { check_half<max_plus<bf16>, false>(); }
TEST(gemm_half_on_cuda, minimax) {
  check_half<min_max<bf16>, false>();
  check_half<max_min<f16>, false>();
}

}  // namespace
}  // namespace kleene::test
