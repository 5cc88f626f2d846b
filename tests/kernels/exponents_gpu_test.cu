// Products by exponents on the tensor cores, launched directly, against the reference: on and off the edges of tiles
// and pieces, in any layout, at the limits of the code and beyond, with infinite elements and whole lines of them. The
// kernel that the device is meant for, and the one by mma.sync, which runs everywhere.
#include "kleene/kernels/cuda/gemm/exponents/launch.cuh"
#include "kleene/kernels/reference/gemm.hpp"

#include "kleene/algebra/catalog.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

namespace kleene::test {
namespace {

using kernels::cuda::exponent_engine;
using enum kernels::cuda::exponents_kind;

struct exponent_case {
  index_t m, n, k;
  int high_a, high_b;  // levels, from 0 on
  layout a = layout::row, b = layout::row, c = layout::row;
  bool source = false;
  bool coded = true;
  double infinite = 0.1;
};

// Lines (rows of A, columns of B) have offsets of their own, and both ends of the range in each; some are infinite.
template <class S, class View>
void fill_lines(const View& x, bool by_columns, int high, double infinite, std::uint64_t seed) {
  using T = value_of<S>;
  problems::generator g(seed);
  const index_t lines = by_columns ? x.extent(2) : x.extent(1), depth = by_columns ? x.extent(1) : x.extent(2);
  for (index_t i = 0; i < lines; ++i) {
    const int offset = static_cast<int>(g.below(2000)) - 1000;
    const bool all_infinite = infinite > 0 && i % 7 == 3;
    for (index_t l = 0; l < depth; ++l) {
      const int level = l == 0 ? 0 : l == 1 ? high : static_cast<int>(g.below(high + 1));
      T& element = by_columns ? x(0, l, i) : x(0, i, l);
      element = all_infinite || (l > 1 && g.chance(infinite)) ? S::zero() : T(offset + kernels::level_sign<S> * level);
    }
  }
}

// As many products a sum as the range has room for, where both ends of it are in the operands, and the kernel takes.
int terms_for(const exponent_case& p, bool on_wgmma) {
  const bool both_ends = p.k > 1;
  const int a = both_ends ? p.high_a : 0, b = both_ends ? p.high_b : 0;
  if (on_wgmma && a <= 31 && b <= 31 && a + b <= 41) return 63;
  return a <= 37 && b <= 37 && a + b <= 50 ? 31 : 15;
}

template <kernels::cuda::exponents_kind Kind, exponent_engine Engine, class G>
kernels::cuda::exponent_findings run_exponents(const context& ctx, const G& g) {
  void* const workspace = ctx.workspace(kernels::cuda::plan_exponents(g.m, g.n, g.k).bytes);
  kernels::cuda::enqueue_exponents<G, Kind, Engine>(ctx, g, workspace);
  ctx.synchronise();
  kernels::cuda::exponent_findings found{};
  EXPECT_EQ(cudaMemcpy(&found, workspace, sizeof found, cudaMemcpyDeviceToHost), cudaSuccess);
  return found;
}

template <class S, exponent_engine Engine = exponent_engine::chosen>
void check(const context& ctx, const exponent_case& p) {
  if (!sampled()) return;
  using T = value_of<S>;
  using G = kernels::gemm_arguments<S>;
  SCOPED_TRACE(testing::Message() << name_of<S>() << " " << type_name<T> << " " << p.m << "x" << p.n << "x" << p.k
                                  << " levels " << p.high_a << " and " << p.high_b << " layouts " << int(p.a)
                                  << int(p.b) << int(p.c) << (p.source ? " with D" : ""));
  strided<T> a(p.a, 1, p.m, p.k, T(3)), b(p.b, 1, p.k, p.n, T(3)), c(p.c, 1, p.m, p.n, T(-77)),
      d(p.c, 1, p.m, p.n, T(5));
  fill_lines<S>(a.at, false, p.high_a, p.infinite, 1);
  fill_lines<S>(b.at, true, p.high_b, p.infinite, 2);
  fill_lines<S>(d.at, false, 60, 0.3, 3);
  device_strided<T> there_a(ctx, a), there_b(ctx, b), there_c(ctx, c), there_d(ctx, d);
  G g;
  g.m = p.m, g.n = p.n, g.k = p.k;
  g.a = there_a.at.data(), g.sa = there_a.at.strides(), g.b = there_b.at.data(), g.sb = there_b.at.strides();
  g.c = there_c.at.data(), g.sc = there_c.at.strides();
  if (p.source) g.d = there_d.at.data(), g.sd = there_d.at.strides();
  const kernels::cuda::exponent_findings found = run_exponents<plain, Engine>(ctx, g);
  EXPECT_EQ(found.done, p.coded ? 1u : 0u) << "others " << found.others;
  const bool on_wgmma = Engine == exponent_engine::chosen && kernels::cuda::has_exponents_on_wgmma<G, plain>();
  EXPECT_EQ(found.terms, p.coded ? terms_for(p, on_wgmma) : 0);
  strided<T> want = c;
  if (p.coded) {
    G h = g;
    h.a = a.at.data(), h.b = b.at.data(), h.d = p.source ? d.at.data() : nullptr;
    const index_t first = c.at.data() - c.buffer.data();
    h.c = want.buffer.data() + first;
    ASSERT_EQ(kernels::reference::gemm(h), status::ok);
  }
  EXPECT_TRUE(equal(to_host(ctx, there_c.buffer), want.buffer));
}

// The same with a witness, whose code reaches further.
template <class S, exponent_engine Engine = exponent_engine::chosen>
void check_witness(const context& ctx, const exponent_case& p) {
  if (!sampled()) return;
  using T = value_of<S>;
  using G = kernels::gemm_arguments<S>;
  SCOPED_TRACE(testing::Message() << "witness " << name_of<S>() << " " << type_name<T> << " " << p.m << "x" << p.n
                                  << "x" << p.k << " levels " << p.high_a << " and " << p.high_b << " layouts "
                                  << int(p.a) << int(p.b) << int(p.c) << (p.source ? " with D" : ""));
  strided<T> a(p.a, 1, p.m, p.k, T(3)), b(p.b, 1, p.k, p.n, T(3)), c(p.c, 1, p.m, p.n, T(-77)),
      d(p.c, 1, p.m, p.n, T(5));
  strided<std::int32_t> w(p.c, 1, p.m, p.n, -77);
  fill_lines<S>(a.at, false, p.high_a, p.infinite, 1);
  fill_lines<S>(b.at, true, p.high_b, p.infinite, 2);
  fill_lines<S>(d.at, false, 60, 0.3, 3);
  device_strided<T> there_a(ctx, a), there_b(ctx, b), there_c(ctx, c), there_d(ctx, d);
  device_strided<std::int32_t> there_w(ctx, w);
  G g;
  g.m = p.m, g.n = p.n, g.k = p.k;
  g.a = there_a.at.data(), g.sa = there_a.at.strides(), g.b = there_b.at.data(), g.sb = there_b.at.strides();
  g.c = there_c.at.data(), g.sc = there_c.at.strides();
  g.witness = there_w.at.data(), g.switness = there_w.at.strides();
  if (p.source) g.d = there_d.at.data(), g.sd = there_d.at.strides();
  const kernels::cuda::exponent_findings found = run_exponents<keyed, Engine>(ctx, g);
  EXPECT_EQ(found.done, p.coded ? 1u : 0u) << "others " << found.others;
  if (p.coded) {
    G h = g;
    h.a = a.at.data(), h.b = b.at.data(), h.c = c.at.data(), h.witness = w.at.data();
    if (p.source) h.d = d.at.data();
    ASSERT_EQ(kernels::reference::gemm(h), status::ok);
  }
  EXPECT_TRUE(equal(to_host(ctx, there_c.buffer), c.buffer));
  EXPECT_TRUE(equal(to_host(ctx, there_w.buffer), w.buffer)) << "witness";
}

template <class S, exponent_engine Engine = exponent_engine::chosen>
void check_sizes(const context& ctx) {
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{{1, 1, 2},
                                                                             {5, 7, 3},
                                                                             {64, 64, 64},
                                                                             {63, 65, 66},
                                                                             {128, 128, 128},
                                                                             {129, 127, 100},
                                                                             {256, 128, 384},
                                                                             {257, 130, 65},
                                                                             {300, 500, 1000},
                                                                             {2, 3000, 17}}) {
    check<S, Engine>(ctx, {m, n, k, 25, 25});
    check<S, Engine>(ctx, {m, n, k, 37, 13});
    check<S, Engine>(ctx, {m, n, k, 31, 10});  // the limits of sums of 63 products
    check<S, Engine>(ctx, {m, n, k, 32, 9});
    check<S, Engine>(ctx, {m, n, k, 21, 21});
    check<S, Engine>(ctx, {.m = m, .n = n, .k = k, .high_a = 13, .high_b = 37, .source = true});
    check<S, Engine>(ctx, {m, n, k, 26, 25});  // beyond those of 31
    check<S, Engine>(ctx, {m, n, k, 0, 38});
    check<S, Engine>(ctx, {m, n, k, 47, 15});
    check<S, Engine>(ctx, {.m = m, .n = n, .k = k, .high_a = 31, .high_b = 32, .coded = false});
    check<S, Engine>(ctx, {.m = m, .n = n, .k = k, .high_a = 0, .high_b = 48, .coded = false});
  }
}

TEST(exponents_on_cuda, sizes) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_sizes<min_plus<float>>(ctx);
  check_sizes<max_plus<float>>(ctx);
  check_sizes<min_plus<std::int32_t>>(ctx);
  check_sizes<max_plus<std::int64_t>>(ctx);
  check_sizes<min_plus<double>>(ctx);
  check_sizes<min_plus<float>, exponent_engine::mma>(ctx);
  check_sizes<max_plus<std::int32_t>, exponent_engine::mma>(ctx);
}

template <class S, exponent_engine Engine = exponent_engine::chosen>
void check_witness_sizes(const context& ctx) {
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{{1, 1, 2},
                                                                             {5, 7, 15},
                                                                             {63, 65, 16},
                                                                             {128, 128, 60},
                                                                             {129, 127, 61},
                                                                             {257, 1030, 65},
                                                                             {300, 500, 1000},
                                                                             {2, 3000, 31}}) {
    check_witness<S, Engine>(ctx, {m, n, k, 25, 25});
    check_witness<S, Engine>(ctx, {m, n, k, 47, 15});
    check_witness<S, Engine>(ctx, {m, n, k, 15, 47});
    check_witness<S, Engine>(ctx, {m, n, k, 3, 1});  // ties in every sum
    check_witness<S, Engine>(ctx, {.m = m, .n = n, .k = k, .high_a = 31, .high_b = 31, .source = true});
    check_witness<S, Engine>(ctx, {.m = m, .n = n, .k = k, .high_a = 32, .high_b = 31, .coded = false});
    check_witness<S, Engine>(ctx, {.m = m, .n = n, .k = k, .high_a = 48, .high_b = 0, .coded = false});
  }
}

TEST(exponents_on_cuda, witnesses) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_witness_sizes<min_plus<float>>(ctx);
  check_witness_sizes<max_plus<std::int32_t>>(ctx);
  check_witness_sizes<min_plus<double>>(ctx);
  check_witness_sizes<min_plus<float>, exponent_engine::mma>(ctx);
  check_witness_sizes<max_plus<std::int32_t>, exponent_engine::mma>(ctx);
}

TEST(exponents_on_cuda, witnesses_of_layouts_and_infinities) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const layout a : output_layouts)
    for (const layout c : output_layouts)
      check_witness<max_plus<float>>(
          ctx, {.m = 130, .n = 270, .k = 90, .high_a = 5, .high_b = 25, .a = a, .b = a, .c = c, .source = a != c});
  for (const double infinite : {0.5, 0.95, 1.0})
    check_witness<min_plus<float>>(ctx,
                                   {.m = 200, .n = 150, .k = 700, .high_a = 25, .high_b = 25, .infinite = infinite});
}

TEST(exponents_on_cuda, layouts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const layout a : output_layouts)
    for (const layout b : output_layouts)
      for (const layout c : output_layouts) {
        check<min_plus<float>>(ctx, {.m = 130, .n = 70, .k = 90, .high_a = 25, .high_b = 25, .a = a, .b = b, .c = c});
        const exponent_case with_source{
            .m = 70, .n = 200, .k = 64, .high_a = 30, .high_b = 20, .a = a, .b = b, .c = c, .source = true};
        check<max_plus<std::int32_t>>(ctx, with_source);
        check<max_plus<std::int32_t>, exponent_engine::mma>(ctx, with_source);
      }
}

// All that is told apart is in the last of many sums; nothing but infinities; nothing infinite.
TEST(exponents_on_cuda, few_and_many_candidates) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const double infinite : {0.0, 0.5, 0.95, 1.0}) {
    check<min_plus<float>>(ctx, {.m = 200, .n = 150, .k = 700, .high_a = 25, .high_b = 25, .infinite = infinite});
    check<min_plus<float>>(ctx, {.m = 200, .n = 150, .k = 700, .high_a = 20, .high_b = 20, .infinite = infinite});
    check<max_plus<float>>(ctx, {.m = 200, .n = 150, .k = 700, .high_a = 37, .high_b = 13, .infinite = infinite});
    const exponent_case p{.m = 200, .n = 150, .k = 700, .high_a = 25, .high_b = 25, .infinite = infinite};
    check<min_plus<float>, exponent_engine::mma>(ctx, p);
    check_witness<min_plus<float>, exponent_engine::mma>(ctx, p);
  }
}

// Ties of all products of a sum: as many as overflow.
template <exponent_engine Engine>
void check_ties(const context& ctx) {
  for (const auto& [a, b] : {std::pair{0, 0}, {1, 0}, {0, 1}, {1, 1}}) {
    const exponent_case p{.m = 300, .n = 300, .k = 512, .high_a = a, .high_b = b, .infinite = 0};
    check<min_plus<float>, Engine>(ctx, p);
    check_witness<min_plus<float>, Engine>(ctx, p);
  }
}
TEST(exponents_on_cuda, ties) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_ties<exponent_engine::chosen>(ctx);
  check_ties<exponent_engine::mma>(ctx);
}

// Longer than what a block looks at, and with lines that are not a multiple of four.
TEST(exponents_on_cuda, depths_of_several_blocks) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const layout a : output_layouts)
    for (const index_t k : {511, 513, 1600, 2049}) {
      check<min_plus<float>>(ctx, {.m = 140, .n = 261, .k = k, .high_a = 25, .high_b = 25, .a = a, .b = a});
      check<max_plus<double>>(ctx, {.m = 261, .n = 140, .k = k, .high_a = 10, .high_b = 31, .a = a, .b = a});
    }
}

// One matrix of the batch holds small whole numbers, the other does not. (3,000 cubed is where gemm tries.)
TEST(exponents_on_cuda, batches_are_taken_apart) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<f32>;
  const context ctx = context::cuda();
  const index_t n = 3000;
  const auto drawn = [&](std::uint64_t seed) {
    batch<f32> x(2, n, n);
    problems::generator g(seed);
    for (index_t i = 0; i < n * n; ++i) x.data()[i] = static_cast<f32>(g.below(21));
    for (index_t i = n * n; i < 2 * n * n; ++i) x.data()[i] = static_cast<f32>(g.below(1000000)) / 7;
    return x;
  };
  const auto a = to_device(ctx, drawn(1)), b = to_device(ctx, drawn(2));
  device_batch<f32> c(ctx, 2, n, n);
  gemm(ctx, S{}, a, b, c);
  const auto got = to_host(ctx, c);
  for (index_t each = 0; each < 2; ++each) {
    device_matrix<f32> alone(ctx, n, n);
    gemm(ctx, S{}, a.view()[each], b.view()[each], alone);
    const auto want = to_host(ctx, alone);
    EXPECT_TRUE(std::equal(want.data(), want.data() + n * n, got.data() + each * n * n)) << each;
  }
}

// A fraction, a number that is too large, -0 and the infinity of the wrong sign: not coded, nothing written.
TEST(exponents_on_cuda, what_is_not_coded) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using S = min_plus<float>;
  using G = kernels::gemm_arguments<S>;
  const float inf = std::numeric_limits<float>::infinity();
  for (const float odd : {0.5f, 4194305.0f, -0.0f, -inf})
    for (const bool in_a : {true, false}) {
      const index_t n = 100;
      matrix<float> a(n, n, 1.0f), b(n, n, 2.0f);
      (in_a ? a : b)(57, 93) = odd;
      const auto there_a = to_device(ctx, a), there_b = to_device(ctx, b);
      auto c = to_device(ctx, matrix<float>(n, n, -77.0f));
      G g;
      g.m = g.n = g.k = n;
      g.a = there_a.data(), g.b = there_b.data(), g.c = c.data(), g.sa = g.sb = g.sc = {0, n, 1};
      EXPECT_EQ((run_exponents<plain, exponent_engine::chosen>(ctx, g).done), 0u) << odd;
      EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(n, n, -77.0f))) << odd;
    }
}

}  // namespace
}  // namespace kleene::test
