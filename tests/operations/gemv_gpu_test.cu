// The CUDA product of a matrix and a vector against the reference: every algebra of the catalog, shapes around loads,
// warps and blocks, layouts, values, options, witnesses; then the contract on a device, and rings of one's own.
#include "kleene/operations/own/gemv.inl.cuh"

#include "support/device.hpp"
#include "support/matrix_vector.hpp"
#include "support/sample.hpp"

#include <array>

namespace kleene::test {
namespace {

template <class S, class Out = value_of<S>>
void check_on_device_both(const context& ctx, index_t rows, index_t k, product_case<S, Out> p) {
  const auto check = [&] {
    if (!sampled()) return;
    product_operands<S, Out> got(p), want(p);
    device_strided<value_of<S>> a(ctx, got.a), b(ctx, got.b);
    device_strided<Out> c(ctx, got.c), d(ctx, got.d);
    device_strided<bool> mask(ctx, got.mask);
    device_strided<std::int32_t> witness(ctx, got.witness);
    ASSERT_EQ(want.run_reference(), status::ok) << p;
    ASSERT_NO_THROW((run_gemv<S, Out>(ctx, p, a.at, b.at, c.at, d.at, witness.at, mask.at))) << p;
    const auto y = to_host(ctx, c.buffer);
    const double bound = bound_of<S>(k);
    EXPECT_TRUE(bound > 0 ? close(y, want.c.buffer, bound) : equal(y, want.c.buffer)) << p;
    EXPECT_TRUE(equal(to_host(ctx, witness.buffer), want.witness.buffer)) << "witness: " << p;
  };
  p.m = rows, p.n = 1, p.k = k;
  check();
  p.m = 1, p.n = rows, std::swap(p.a, p.b);
  check();
}

TEST(gemv_on_cuda, shapes) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    constexpr std::array<index_t, 2> shapes[] = {{1, 1},     {1, 0},    {3, 5},    {4, 8},    {7, 31},
                                                 {33, 64},   {64, 100}, {65, 33},  {128, 16}, {129, 512},
                                                 {300, 257}, {1, 5000}, {5, 4096}, {4096, 3}};
    for (const auto& [rows, k] : shapes)
      for (const layout l : {layout::row, layout::column}) {
        check_on_device_both<S>(ctx, rows, k, {.a = l, .values = distribution::small_integers});
        if constexpr (is_selective<S>)
          check_on_device_both<S>(ctx, rows, k, {.a = l, .values = distribution::small_integers, .witness = true});
      }
  });
}

TEST(gemv_on_cuda, layouts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const layout a :
         {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved, layout::broadcast}) {
      const layout x = static_cast<layout>((int(a) + 2) % 6), y = output_layouts[int(a) % 5];
      check_on_device_both<S>(ctx, 68, 76, {.a = a, .b = x, .c = y, .accumulate = true});
      check_on_device_both<S>(ctx, 68, 76, {.a = a, .c = y});
      if constexpr (is_selective<S>) check_on_device_both<S>(ctx, 68, 76, {.a = a, .b = x, .c = y, .witness = true});
    }
  });
}

TEST(gemv_on_cuda, values) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (is_selective<S>)
      for (const distribution d : problems::all_distributions)
        for (const layout l : {layout::row, layout::column, layout::interleaved})
          for (const bool witness : {false, true})
            check_on_device_both<S>(ctx, 70, 132, {.a = l, .values = d, .witness = witness, .seed = 3});
  });
}

TEST(gemv_on_cuda, options) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    const std::optional<T> one = T(S::one()), none;
    for (const layout l : {layout::row, layout::column})
      for (const bool mask : {false, true})
        for (const bool scaled : {false, true}) {
          const auto factor = scaled ? one : none;
          check_on_device_both<S>(ctx, 68, 36, {.a = l, .mask = mask, .complement = mask, .alpha = factor});
          check_on_device_both<S>(ctx, 68, 36,
                                  {.a = l, .accumulate = true, .mask = mask, .alpha = factor, .beta = factor});
          check_on_device_both<S>(ctx, 68, 36, {.a = l, .source = true, .mask = mask, .replace = mask, .beta = factor});
          if constexpr (is_selective<S>)
            check_on_device_both<S>(
                ctx, 68, 36,
                {.a = l, .source = scaled, .mask = mask, .replace = mask, .witness = true, .alpha = factor});
        }
  });
}

// Several ranges of k for every element, and many tiles.
TEST(gemv_on_cuda, large_shapes) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto check_all = [&](auto s) {
    using S = decltype(s);
    for (const auto& [rows, k] :
         {std::array<index_t, 2>{3, 300000}, {200000, 7}, {200004, 8}, {2048, 2048}, {1031, 1033}, {4100, 600}})
      for (const layout l : {layout::row, layout::column}) {
        check_on_device_both<S>(ctx, rows, k, {.a = l, .values = distribution::small_integers});
        if constexpr (is_selective<S>)
          check_on_device_both<S>(ctx, rows, k, {.a = l, .values = distribution::small_integers, .witness = true});
      }
  };
  check_all(min_plus<float>{});
  check_all(min_plus<std::int32_t>{});
  check_all(plus_times<std::int32_t>{});
  check_all(max_min<double>{});
}

TEST(gemv_on_cuda, mixed_types) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_mixed([&](auto s, auto out) {
    using Out = typename decltype(out)::type;
    if constexpr (!std::is_same_v<Out, i8>)  // sums of the case do not fit 8 bits
      for (const layout l : {layout::row, layout::column, layout::interleaved})
        check_on_device_both<decltype(s), Out>(ctx, 72, 144, {.a = l, .values = distribution::small_integers});
  });
}

template <class T>
void check_bytes(const context& ctx, index_t rows, index_t k) {
  for (const bool by_columns : {false, true}) {
    const product_of_bytes<T> want(rows, k, by_columns);
    const auto a = to_device(ctx, want.a), x = to_device(ctx, want.x);
    device_vector<std::int32_t> y(ctx, rows);
    using matrix = matrix_view<const T, memory::device>;
    if (by_columns) gemv(ctx, plus_times<T>{}, x, matrix(a.data(), {k, rows}), y);
    else gemv(ctx, plus_times<T>{}, matrix(a.data(), {rows, k}), x, y);
    EXPECT_EQ(to_host(ctx, y), want.y) << rows << " x " << k << (by_columns ? ", by columns" : "");
  }
}
TEST(gemv_on_cuda, bytes_of_any_value) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const auto& [rows, k] : {std::array<index_t, 2>{70, 129}, {64, 256}, {5, 4096}, {4096, 16}})
    check_bytes<i8>(ctx, rows, k), check_bytes<u8>(ctx, rows, k);
}

// Bits by words of four, and their sums in lanes, warps and ranges of k: 0 or 1, and now and then the only 1.
template <class S>
void check_bits(const context& ctx, index_t rows, index_t k) {
  for (const index_t every : {2, 300}) {
    matrix<bool> a(rows, k), x(1, k);
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < k; ++j) a(i, j) = ((i * k + j) * 2654435761u >> 7) % every == 0;
    for (index_t j = 0; j < k; ++j) x(0, j) = j * 2654435761u >> 9 & 1;
    const auto da = to_device(ctx, a), dx = to_device(ctx, x);
    device_matrix<bool> y(ctx, 1, rows);
    gemv(ctx, S{}, da, dx.view().row(0), y.view().row(0));
    const matrix<bool> got = to_host(ctx, y);
    for (index_t i = 0; i < rows; ++i) {
      int ones = 0;
      for (index_t j = 0; j < k; ++j) ones += a(i, j) && x(0, j);
      const bool want = is_selective<S> ? ones > 0 : ones % 2 == 1;
      ASSERT_EQ(got(0, i), want) << i << " of " << rows << " x " << k;
    }
  }
}
TEST(gemv_on_cuda, bits_by_words) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const auto& [rows, k] : {std::array<index_t, 2>{3, 16}, {70, 1008}, {1, 65536}, {4096, 256}})
    check_bits<or_and<bool>>(ctx, rows, k), check_bits<xor_and<bool>>(ctx, rows, k);
}

TEST(gemv_on_cuda, every_float_of_16_bits) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto check = [&]<class T>(T) {
    const std::vector<T> values = every_pattern<T>(65536), ones(1, T(1));
    const auto a = to_device(ctx, values), x = to_device(ctx, ones);
    device_vector<float> y(ctx, 65536);
    gemv(ctx, plus_times<T>{}, x, matrix_view<const T, memory::device>(a.data(), {1, 65536}), y);
    const std::vector<float> got = to_host(ctx, y);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const float want = values[i];
      ASSERT_TRUE(got[i] == want || (got[i] != got[i] && want != want)) << i << ": " << got[i];
    }
  };
  check(f16{}), check(bf16{});
}

// Sums that round do so in one order, every time.
TEST(gemv_on_cuda, sums_repeat) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using S = plus_times<float>;
  for (const auto& [rows, k] : {std::array<index_t, 2>{5, 200000}, {3000, 3000}}) {
    const auto a = to_device(ctx, problems::random_matrix<S>(rows, k, distribution::uniform, 1));
    const auto x = to_device(ctx, problems::random_matrix<S>(1, k, distribution::uniform, 2));
    const auto z = to_device(ctx, problems::random_matrix<S>(1, rows, distribution::uniform, 3));
    device_vector<float> y(ctx, rows), w(ctx, k);
    std::vector<float> first, second;
    for (int round = 0; round < 3; ++round) {
      gemv(ctx, S{}, a, x.view().row(0), y);
      gemv(ctx, S{}, z.view().row(0), a, w);
      const std::vector<float> by_rows = to_host(ctx, y), by_columns = to_host(ctx, w);
      if (round == 0) first = by_rows, second = by_columns;
      EXPECT_EQ(first, by_rows);
      EXPECT_EQ(second, by_columns);
    }
  }
}

TEST(gemv_on_cuda, vectors_and_numbers_of_the_device) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const device_matrix<float> a = to_device(ctx, matrix<float>{{1, 2, 3}, {4, 5, 6}});
  const device_vector<float> x = to_device(ctx, std::vector<float>{1, 2, 3}),
                             z = to_device(ctx, std::vector<float>{1, 2});
  EXPECT_EQ(to_host(ctx, multiply(plus_times<float>{}, a, x)), (std::vector<float>{14, 32}));
  EXPECT_EQ(to_host(ctx, multiply(min_plus<float>{}, z, a)), (std::vector<float>{2, 3, 4}));
  std::vector<float> y(2);
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { gemv(ctx, min_plus<float>{}, a, x, y); }),
                       "y is in host memory"));
}

TEST(gemv_on_cuda, values_outside_the_domain) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using S = max_times<float>;
  for (const bool by_columns : {false, true}) {
    matrix<float> host(300, 300, 1.0f);
    host(299, 299) = -1;
    (by_columns ? host(77, 123) : host(123, 77)) = -2;
    const auto a = to_device(ctx, host);
    const auto view = by_columns ? a.view().transposed() : a.view();
    const auto x = to_device(ctx, std::vector<float>(300, 1.0f));
    auto y = to_device(ctx, std::vector<float>(300, 7.0f));
    gemv(ctx, S{}, view, x, y);
    EXPECT_EQ(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }),
              "A(123, 77) = -2 is outside the domain of max_times");
    EXPECT_EQ(to_host(ctx, y), std::vector<float>(300, 7.0f));
    gemv(ctx, S{}, view, x, y, {.check_domain = false});
    EXPECT_EQ(to_host(ctx, y), std::vector<float>(300, 1.0f));
    const auto bad = to_device(ctx, std::vector<float>{1, -3, 1});
    auto z = to_device(ctx, std::vector<float>{7, 7});
    const auto good = to_device(ctx, matrix<float>(2, 3, 1.0f));
    gemv(ctx, S{}, good, bad, z);
    EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "x(1, 0) = -3"));
    EXPECT_EQ(to_host(ctx, z), (std::vector<float>{7, 7}));
    gemv(ctx, S{}, z, good, to_device(ctx, std::vector<float>(3)), {.source = bad});
    EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "the source(0, 1)"));
  }
}

TEST(gemv_on_cuda, integers_that_do_not_fit) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using S = plus_times<std::int32_t>;
  constexpr std::int32_t large = 1 << 30, most = std::numeric_limits<std::int32_t>::max();
  const auto x = to_device(ctx, std::vector<std::int32_t>(500, 4));
  auto y = to_device(ctx, std::vector<std::int32_t>(3, 7));
  matrix<std::int32_t> host(3, 500, 0);
  host(1, 444) = large;
  gemv(ctx, S{}, to_device(ctx, host), x, y);
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "too large"));
  y = to_device(ctx, std::vector<std::int32_t>(3, 7));
  const auto sums = to_device(ctx, matrix<std::int32_t>(3, 500, most));
  gemv(ctx, S{}, sums, to_device(ctx, std::vector<std::int32_t>(500, most)), y);
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "can leave 64 bits"));
  EXPECT_EQ(to_host(ctx, y), std::vector<std::int32_t>(3, 7));
}

// Affine maps t -> a t + b under composition, the one with the smaller b: a struct, and a product whose order matters.
struct affine {
  float a, b;
  bool operator==(const affine&) const = default;
};
struct least_affine {
  using value_type = affine;
  static constexpr const char* name = "least_affine";
  static constexpr bool is_selective = true;
  KLEENE_FUNCTION static affine zero() { return {0, std::numeric_limits<float>::infinity()}; }
  KLEENE_FUNCTION static affine add(const affine& x, const affine& y) { return y.b < x.b ? y : x; }
  KLEENE_FUNCTION static affine mul(const affine& f, const affine& g) { return {f.a * g.a, f.a * g.b + f.b}; }
};

TEST(gemv_on_cuda, a_ring_of_ones_own) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda_gemv<least_affine>();
  for (const auto& [m, k] : {std::array<index_t, 2>{3, 4}, {70, 64}, {9, 3000}}) {
    matrix<affine> a(m, k);
    std::vector<affine> x(k), z(m);
    problems::generator g(7);
    const auto draw = [&] { return affine{float(1 + g.below(3)), float(g.below(1000))}; };
    for (index_t e = 0; e < a.size(); ++e) a.data()[e] = draw();
    for (affine& e : x) e = draw();
    for (affine& e : z) e = draw();
    const auto da = to_device(ctx, a);
    const auto dx = to_device(ctx, x), dz = to_device(ctx, z);
    device_vector<affine> dy(ctx, m), dw(ctx, k);
    gemv(ctx, least_affine{}, da, dx, dy);
    gemv(ctx, least_affine{}, dz, da, dw);
    const std::vector<affine> y = to_host(ctx, dy), w = to_host(ctx, dw);
    for (index_t i = 0; i < m; ++i) {
      affine want = least_affine::zero();
      for (index_t l = 0; l < k; ++l) want = least_affine::add(want, least_affine::mul(a(i, l), x[l]));
      ASSERT_EQ(y[i].b, want.b) << i;
    }
    for (index_t j = 0; j < k; ++j) {
      affine want = least_affine::zero();
      for (index_t l = 0; l < m; ++l) want = least_affine::add(want, least_affine::mul(z[l], a(l, j)));
      ASSERT_EQ(w[j].b, want.b) << j;
    }
  }
}

struct nobody : least_affine {};
TEST(gemv_on_cuda, without_kernels_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  device_matrix<affine> a(ctx, 2, 2);
  device_vector<affine> x(ctx, 2), y(ctx, 2);
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { gemv(ctx, nobody{}, a, x, y); }), "enable_cuda"));
}

}  // namespace
}  // namespace kleene::test
