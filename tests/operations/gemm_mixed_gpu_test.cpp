// Products of 8 and 16 bits on a CUDA device against the reference, on values whose sums are exact: tile edges, every
// order of the operands in memory, what TMA reads as it is and what needs a copy first, split-K,
// batches, options.
#include "kleene/algebra/catalog.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

#include <array>

namespace kleene::test {
namespace {

// Small enough for sums of bytes to fit a byte again, where C is one.
template <class S, class Out>
constexpr distribution exact() {
  return std::is_same_v<Out, i8> ? distribution::negative_zeros : distribution::signed_integers;
}

TEST(gemm_mixed_on_cuda, sizes_around_tile_edges) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr std::array<index_t, 3> sizes[] = {{1, 1, 1},      {1, 1, 0},        {5, 7, 3},       {64, 64, 64},
                                              {63, 65, 63},   {65, 63, 65},     {128, 64, 128},  {127, 129, 33},
                                              {129, 257, 72}, {256, 256, 192},  {255, 511, 200}, {257, 264, 136},
                                              {384, 520, 64}, {1, 300, 64},     {300, 1, 80},    {17, 1000, 264},
                                              {640, 640, 64}, {1280, 1024, 32}, {1153, 2056, 8}, {2305, 520, 8}};
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    for (const auto& [m, n, k] : sizes)
      check_on_device<S, Out>(ctx, {.m = m, .n = n, .k = k, .values = exact<S, Out>()});
  });
}

TEST(gemm_mixed_on_cuda, layouts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr layout all[] = {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved};
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    constexpr distribution values = exact<S, Out>();
    for (const layout a : all)
      for (const layout b : all) {
        const layout c = all[(int(a) + int(b)) % 5];
        check_on_device<S, Out>(ctx, {.m = 136, .n = 144, .k = 80, .a = a, .b = b, .c = c, .values = values});
        check_on_device<S, Out>(ctx, {.m = 67, .n = 70, .k = 37, .a = a, .b = b, .c = c, .values = values});
      }
    check_on_device<S, Out>(
        ctx, {.m = 64, .n = 72, .k = 48, .a = layout::broadcast, .b = layout::broadcast, .values = values});
  });
}

TEST(gemm_mixed_on_cuda, split_k) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    for (const index_t k : {4096, 5001})
      for (const index_t n : {24, 130})
        check_on_device<S, Out>(ctx, {.m = 70, .n = n, .k = k, .values = exact<S, Out>()});
  });
}

TEST(gemm_mixed_on_cuda, batches) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    constexpr distribution values = exact<S, Out>();
    check_on_device<S, Out>(ctx, {.m = 72, .n = 88, .k = 48, .batch = 5, .values = values});
    check_on_device<S, Out>(ctx, {.m = 33, .n = 129, .k = 31, .batch = 3, .b = layout::column, .values = values});
    check_on_device<S, Out>(ctx, {.m = 160, .n = 16, .k = 1024, .batch = 2, .values = values, .accumulate = true});
  });
}

TEST(gemm_mixed_on_cuda, options) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    constexpr distribution values = exact<S, Out>();
    for (const layout c : {layout::row, layout::column, layout::padded})
      for (const int part : {0, 1}) {
        product_case<S, Out> p{.m = 72, .n = 40, .k = part ? 2048 : 40, .c = c, .values = values};
        p.accumulate = true;
        check_on_device<S, Out>(ctx, p);
        p.alpha = 2;
        check_on_device<S, Out>(ctx, p);
        p.accumulate = false, p.source = true, p.beta = 3;
        check_on_device<S, Out>(ctx, p);
        p.mask = true;
        check_on_device<S, Out>(ctx, p);
        p.complement = p.replace = true;
        check_on_device<S, Out>(ctx, p);
      }
  });
}

// One matrix for all of a batch, and a C that nobody may touch between its rows.
TEST(gemm_mixed_on_cuda, broadcast_over_a_batch) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const index_t m = 64, n = 72, k = 64, batch = 3;
  matrix<bf16> a(m, k), b(batch * k, n);
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < k; ++j) a(i, j) = bf16(float((i * 7 + j * 3) % 5 - 2));
  for (index_t i = 0; i < batch * k; ++i)
    for (index_t j = 0; j < n; ++j) b(i, j) = bf16(float((i * 5 + j) % 7 - 3));
  const auto da = to_device(ctx, a), db = to_device(ctx, b);
  device_matrix<float> dc(ctx, batch * m, n);
  using shared = view<const bf16, 3, memory::device>;
  gemm(ctx, plus_times<bf16>{}, shared(da.data(), {batch, m, k}, {0, k, 1}),
       shared(db.data(), {batch, k, n}, {k * n, n, 1}),
       view<float, 3, memory::device>(dc.data(), {batch, m, n}, {m * n, n, 1}));
  const matrix<float> c = to_host(ctx, dc);
  for (index_t t = 0; t < batch; ++t)
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < n; ++j) {
        float want = 0;
        for (index_t l = 0; l < k; ++l) want += float(a(i, l)) * float(b(t * k + l, j));
        ASSERT_EQ(c(t * m + i, j), want) << t << " " << i << " " << j;
      }
}

// f32 on the tensor cores: within its stated error of sums in f64, in every order of the operands.
TEST(gemm_mixed_on_cuda, f32_of_lower_precision) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr std::array<index_t, 3> sizes[] = {{1, 1, 1}, {130, 72, 200}, {65, 260, 33}, {128, 16, 5000}};
  for (const auto& [m, n, k] : sizes)
    for (const bool transposed : {false, true}) {
      matrix<float> a(transposed ? k : m, transposed ? m : k), b(transposed ? n : k, transposed ? k : n);
      problems::fill<plus_times<float>>(as_view(a), distribution::uniform, 1);
      problems::fill<plus_times<float>>(as_view(b), distribution::uniform, 2);
      const auto da = to_device(ctx, a), db = to_device(ctx, b);
      using operand_view = view<const float, 2, memory::device>;
      using strides = std::array<index_t, 2>;
      const operand_view va(da.data(), {m, k}, transposed ? strides{1, m} : strides{k, 1});
      const operand_view vb(db.data(), {k, n}, transposed ? strides{1, k} : strides{n, 1});
      for (const auto& [precision, bound] :
           {std::pair{float_precision::tf32, 0x1p-9}, {float_precision::split, 0x1p-20}}) {
        device_matrix<float> dc(ctx, m, n);
        gemm(ctx, plus_times<float>{}, va, vb, dc, {.precision = precision});
        const matrix<float> c = to_host(ctx, dc);
        for (index_t i = 0; i < m; ++i)
          for (index_t j = 0; j < n; ++j) {
            double sum = 0, size = 0;
            for (index_t l = 0; l < k; ++l) {
              const double term = double(transposed ? a(l, i) : a(i, l)) * double(transposed ? b(j, l) : b(l, j));
              sum += term, size += std::abs(term);
            }
            ASSERT_LE(std::abs(c(i, j) - sum), bound * size) << i << " " << j << " of " << m << "x" << n << "x" << k;
          }
      }
    }
}

// Sums are exact, so products of f32 on the other kernels have the bits.
template <class S, class Out>
void check_beside_floats(const context& ctx, index_t m, index_t n, index_t k, index_t batch, bool transposed_a,
                         bool transposed_b) {
  if (!sampled()) return;
  using T = value_of<S>;
  const auto a = problems::random_matrix<S>(batch * m, k, distribution::negative_zeros, 1);
  const auto b = problems::random_matrix<S>(batch * k, n, distribution::negative_zeros, 2);
  const auto as_float = [](const matrix<T>& x) {
    matrix<float> y(x.rows(), x.cols());
    for (index_t e = 0; e < x.size(); ++e) y.data()[e] = float(x.data()[e]);
    return y;
  };
  const auto product = [&](auto semiring, const auto& x, const auto& y, auto& c) {
    using U = value_of<decltype(semiring)>;
    using strides = std::array<index_t, 3>;
    const auto dx = to_device(ctx, x), dy = to_device(ctx, y);
    const strides sx = transposed_a ? strides{m * k, 1, m} : strides{m * k, k, 1};
    const strides sy = transposed_b ? strides{k * n, 1, k} : strides{k * n, n, 1};
    using C = std::remove_pointer_t<decltype(c.data())>;
    gemm(ctx, semiring, view<const U, 3, memory::device>(dx.data(), {batch, m, k}, sx),
         view<const U, 3, memory::device>(dy.data(), {batch, k, n}, sy),
         view<C, 3, memory::device>(c.data(), {batch, m, n}, {m * n, n, 1}));
  };
  device_matrix<Out> got(ctx, batch * m, n);
  device_matrix<float> exact(ctx, batch * m, n);
  product(S{}, a, b, got);
  product(plus_times<float>{}, as_float(a), as_float(b), exact);
  const matrix<Out> found = to_host(ctx, got);
  const matrix<float> want = to_host(ctx, exact);
  for (index_t e = 0; e < found.size(); ++e)
    ASSERT_EQ(float(found.data()[e]), float(static_cast<Out>(want.data()[e])))
        << "element " << e << " of " << m << "x" << n << "x" << k;
}

// Products of few steps, whose consumers take turns (tests/kernels/wgmma_policy_test.cpp): operands in every order, C
// in boxes, ragged, and one product after the other in a batch.
TEST(gemm_mixed_on_cuda, ping_pong_of_consumers) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      check_beside_floats<plus_times<bf16>, bf16>(ctx, 2240, 4400, 520, 1, a, b);
      check_beside_floats<plus_times<f16>, float>(ctx, 2240, 4400, 576, 1, a, b);
      check_beside_floats<plus_times<bf16>, float>(ctx, 2201, 4399, 513, 1, a, b);
      check_beside_floats<plus_times<f16>, f16>(ctx, 120, 250, 1023, 100, a, b);
    }
}

// Tiles of one step and one box each: the next one is there before TMA has fetched the last.
TEST(gemm_mixed_on_cuda, tiles_that_leave_in_one_box) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_beside_floats<plus_times<bf16>, bf16>(ctx, 100000, 64, 8, 1, false, false);
  check_beside_floats<plus_times<f16>, f16>(ctx, 500, 64, 16, 200, false, true);
}

// 200,000 products of bytes can leave 32 bits.
TEST(gemm_mixed_on_cuda, sums_that_could_wrap_are_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  device_matrix<i8> a(ctx, 1, 200000), b(ctx, 200000, 1);
  device_matrix<i32> c(ctx, 1, 1);
  EXPECT_THROW(gemm(ctx, plus_times<i8>{}, a, b, c), value_error);
}

}  // namespace
}  // namespace kleene::test
