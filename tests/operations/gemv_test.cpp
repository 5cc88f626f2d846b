// The contract of gemv: what it takes, what it refuses and with which words; answers worked out by hand.
#include "kleene/operations/own/gemv.inl.hpp"

#include "support/matrix_vector.hpp"

#include <array>

namespace kleene::test::gemv_test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
using shortest = min_plus<float>;
using floats = std::vector<float>;
using ints = std::vector<std::int32_t>;

// A = 1 2 3
//     4 5 6
const matrix<float> A{{1, 2, 3}, {4, 5, 6}};

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

TEST(gemv_contract, by_hand) {
  const floats x{1, 2, 3}, z{1, 2};
  EXPECT_EQ(multiply(min_plus<float>{}, A, x), (floats{2, 5}));
  EXPECT_EQ(multiply(max_plus<float>{}, A, x), (floats{6, 9}));
  EXPECT_EQ(multiply(min_times<float>{}, A, x), (floats{1, 4}));
  EXPECT_EQ(multiply(max_times<float>{}, A, x), (floats{9, 18}));
  EXPECT_EQ(multiply(min_max<float>{}, A, x), (floats{1, 4}));
  EXPECT_EQ(multiply(max_min<float>{}, A, x), (floats{3, 3}));
  EXPECT_EQ(multiply(plus_times<float>{}, A, x), (floats{14, 32}));
  EXPECT_EQ(multiply(plus_min<float>{}, A, x), (floats{6, 6}));
  EXPECT_EQ(multiply(plus_times<float>{}, z, A), (floats{9, 12, 15}));
  EXPECT_EQ(multiply(min_plus<float>{}, z, A), (floats{2, 3, 4}));
  EXPECT_EQ(multiply(max_plus<float>{}, z, A), (floats{6, 7, 8}));
}

TEST(gemv_contract, ties_and_values_that_are_no_candidates) {
  const matrix<float> a{{3, 1, 1, nan}, {inf, nan, inf, inf}, {-inf, 0, -inf, 0}, {-0.0f, 0, 5, 0}};
  const floats x{0, 2, 2, 1};
  floats y(4);
  ints w(4);
  for (const layout l : {layout::row, layout::column}) {
    strided<float> at(l, 1, 4, 4, 9);
    for (index_t i = 0; i < 4; ++i)
      for (index_t j = 0; j < 4; ++j) at.at(0, i, j) = a(i, j);
    gemv(context::cpu(), shortest{}, at.at[0], x, y, w);
    EXPECT_EQ(y, (floats{3, inf, -inf, 0}));
    EXPECT_EQ(w, (ints{0, -1, 0, 0}));
  }
}

// Whatever can be read as a vector.
struct mdspan_like {
  float* data;
  index_t n, step;
  float* data_handle() { return data; }
  static constexpr std::size_t rank() { return 1; }
  index_t extent(int) const { return n; }
  index_t stride(int) const { return step; }
};

TEST(gemv_contract, whatever_looks_like_a_vector) {
  const context ctx = context::cpu({.threads = 1});
  std::array<float, 3> x{1, 2, 3};
  float raw[3] = {1, 2, 3};
  floats y(2);
  const auto is_right = [&] {
    const bool right = y == floats{14, 32};
    y = {0, 0};
    return right;
  };
  const plus_times<float> s;
  gemv(ctx, s, A, x, y);
  EXPECT_TRUE(is_right());
  gemv(ctx, s, A, raw, y);
  EXPECT_TRUE(is_right());
  gemv(ctx, s, A, std::span<const float>(x), std::span(y));
  EXPECT_TRUE(is_right());
  gemv(ctx, s, A, vector_view<const float>(x.data(), {3}), vector_view<float>(y.data(), {2}));
  EXPECT_TRUE(is_right());
  floats backwards{3, 0, 2, 0, 1};
  gemv(ctx, s, A, vector_view<float>(backwards.data() + 4, {3}, {-2}), y);
  EXPECT_TRUE(is_right());
  mdspan_like every_other{backwards.data(), 3, 2};
  gemv(ctx, s, A, every_other, y);  // 3 2 1
  EXPECT_EQ(y, (floats{10, 28}));
  matrix<float> columns{{1, 7}, {2, 7}, {3, 7}}, out(2, 2, 7.0f);
  gemv(ctx, s, A, columns.view().column(0), out.view().column(1));
  EXPECT_TRUE(equal(out, matrix<float>{{7, 14}, {7, 32}}));
  gemv(ctx, s, A.view().row(0), columns, y);  // 1 2 3 times the columns
  EXPECT_EQ(y, (floats{14, 42}));
  gemv(ctx, s, column_major(A.data(), 3, 2).transposed(), x, y);  // the same memory, read otherwise
  EXPECT_TRUE(is_right());
}

TEST(gemv_contract, numbers) {
  const matrix<tropical<float>> a{{1, 2}, {3, 4}};
  const std::vector<tropical<float>> x{5, 1};
  EXPECT_EQ(multiply(a, x), (std::vector<tropical<float>>{3, 5}));
  EXPECT_EQ(multiply(x, a), (std::vector<tropical<float>>{4, 5}));
  floats plain(2);
  gemv(context::cpu(), shortest{}, a, x, plain);
  EXPECT_EQ(plain, (floats{3, 5}));
}

TEST(gemv_contract, options_by_hand) {
  const context ctx = context::cpu({.threads = 1});
  const floats x{1, 2, 3}, d{100, 1};
  floats y{50, 50};
  gemv(ctx, plus_times<float>{}, A, x, y, {.accumulate = true, .alpha = 2.0f, .beta = 3.0f});
  EXPECT_EQ(y, (floats{178, 214}));
  gemv(ctx, plus_times<float>{}, A, x, y, {.source = d});
  EXPECT_EQ(y, (floats{114, 33}));
  const bool keep[] = {true, false};
  y = {7, 7};
  gemv(ctx, plus_times<float>{}, A, x, y, {.mask = keep});
  EXPECT_EQ(y, (floats{14, 7}));
  floats z{7, 7, 7};
  const bool keep_last[] = {false, false, true};
  gemv(ctx, plus_times<float>{}, floats{1, 2}, A, z, {.source = x, .mask = keep_last, .replace = true});
  EXPECT_EQ(z, (floats{0, 0, 18}));
  ints w{9, 9};
  floats better{2, 100};
  gemv(ctx, shortest{}, A, x, better, w, {.accumulate = true});  // 2 is no improvement on 2
  EXPECT_EQ(better, (floats{2, 5}));
  EXPECT_EQ(w, (ints{-1, 0}));
}

TEST(gemv_contract, shapes_that_do_not_fit) {
  const context ctx = context::cpu({.threads = 1});
  floats y(2, 7.0f);
  EXPECT_EQ(refused([&] { gemv(ctx, shortest{}, A, floats(4), y); }),
            "A is 2x3, x is 4x1: inner extents 3 and 4 differ");
  EXPECT_EQ(refused([&] { gemv(ctx, shortest{}, floats(3), A, y); }),
            "x is 1x3, A is 2x3: inner extents 3 and 2 differ");
  EXPECT_EQ(refused([&] { gemv(ctx, shortest{}, floats(2), A, y); }), "x is 1x2, A is 2x3: y is 1x2, not 1x3");
  EXPECT_EQ(refused([&] { gemv(ctx, shortest{}, A, floats(3), y, {.source = floats(3)}); }),
            "the source is 3x1 where 2x1 is needed");
  ints w(1);
  EXPECT_EQ(refused([&] { gemv(ctx, shortest{}, A, floats(3), y, w); }), "the witness is 1x1 where 2x1 is needed");
  EXPECT_EQ(y, floats(2, 7.0f));
}

TEST(gemv_contract, overlaps_are_refused) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> all(4, 4, 1.0f);
  const auto at = all.view();
  EXPECT_TRUE(contains(refused([&] { gemv(ctx, shortest{}, at, floats(4), at.row(2)); }), "A overlaps y"));
  floats x(8);
  EXPECT_TRUE(contains(refused([&] { gemv(ctx, shortest{}, at, std::span(x).first(4), std::span(x).subspan(3, 4)); }),
                       "x overlaps y"));
  gemv(ctx, shortest{}, at, std::span(x).first(4), std::span(x).subspan(4));  // neighbours
  gemv(ctx, shortest{}, at.block(0, 0, 4, 3), floats(3), at.column(3));
  const vector_view<float> one(x.data(), {4}, {0});
  EXPECT_TRUE(contains(refused([&] { gemv(ctx, shortest{}, at, floats(4), one); }), "stride 0"));
}

TEST(gemv_contract, memory_out_of_reach_is_refused) {
  const context ctx = context::cpu({.threads = 1});
  floats x(3), y(2, 7.0f);
  const vector_view<const float, memory::device> elsewhere(x.data(), {3});
  EXPECT_EQ(refusal<error>(fault_code::device, [&] { gemv(ctx, shortest{}, A, elsewhere, y); }),
            "x is in device memory, which " + ctx.describe() + " cannot reach: copy it with to_host");
  EXPECT_EQ(y, floats(2, 7.0f));
}

TEST(gemv_contract, values_outside_the_domain) {
  using S = max_times<float>;
  for (const layout l : {layout::row, layout::column, layout::interleaved})
    for (const int threads : {1, 2}) {
      const context ctx = context::cpu({.threads = threads});
      strided<float> a(l, 1, 1500, 1400, 1);
      for (index_t i = 0; i < 1500; ++i)
        for (index_t j = 0; j < 1400; ++j) a.at(0, i, j) = 1;
      a.at(0, 1499, 1399) = -1, a.at(0, 1234, 777) = -2;
      floats x(1400, 1.0f), y(1500, 7.0f);
      EXPECT_EQ(refused([&] { gemv(ctx, S{}, a.at[0], x, y); }),
                "A(1234, 777) = -2 is outside the domain of max_times");
      EXPECT_EQ(y, floats(1500, 7.0f));
      gemv(ctx, S{}, a.at[0], x, y, {.check_domain = false});
      EXPECT_EQ(y, floats(1500, 1.0f));
      x[3] = nan;
      EXPECT_TRUE(contains(refused([&] { gemv(ctx, S{}, a.at[0], x, y); }), "x(3, 0) = nan is outside"));
      x[3] = 1;
      EXPECT_TRUE(
          contains(refused([&] { gemv(ctx, S{}, floats(1500, -4.0f), a.at[0], x); }), "x(0, 0) = -4 is outside"));
      floats d(1500, 1.0f);
      d[2] = -3;
      EXPECT_TRUE(contains(refused([&] { gemv(ctx, S{}, a.at[0], x, y, {.source = d}); }), "the source(2, 0) = -3"));
    }
}

TEST(gemv_contract, integers_that_do_not_fit) {
  const context ctx = context::cpu({.threads = 2});
  constexpr std::int32_t large = 1 << 30;
  matrix<std::int32_t> a(3, 700, 1);
  a(1, 5) = large;
  ints x(700, 0), y(3, 7);
  x[5] = 4;
  EXPECT_TRUE(contains(refused([&] { gemv(ctx, plus_times<std::int32_t>{}, a, x, y); }), "too large"));
  x[5] = 1;
  gemv(ctx, plus_times<std::int32_t>{}, a, x, y);
  EXPECT_EQ(y, (ints{1, large, 1}));
  // Sums that could leave 64 bits are refused before y is touched.
  a = matrix<std::int32_t>(3, 700, std::numeric_limits<std::int32_t>::max());
  x.assign(700, std::numeric_limits<std::int32_t>::lowest());
  EXPECT_EQ(refused([&] { gemv(ctx, plus_times<std::int32_t>{}, a, x, y); }),
            "plus_times: 700 products of magnitudes up to 2147483647 and 2147483648 can leave 64 bits");
  EXPECT_EQ(y, (ints{1, large, 1}));
  const matrix<std::int32_t> one(1, 1, std::numeric_limits<std::int32_t>::max());
  ints single(1, 7);
  EXPECT_EQ(refused([&] { gemv(ctx, plus_times<std::int32_t>{}, one, ints{1 << 30}, single, {.alpha = 8}); }),
            "plus_times: 1 product of magnitudes up to 2147483647 and 1073741824, times alpha, can leave 64 bits");
  EXPECT_EQ(single, ints{7});
  // min_plus: infinity stays, what lies beyond the finite range is refused.
  using S = min_plus<std::int32_t>;
  matrix<std::int32_t> b(2, 2, S::zero());
  b(1, 0) = 3;
  y.resize(2);
  gemv(ctx, S{}, b, ints{4, 5}, y);
  EXPECT_EQ(y, (ints{S::zero(), 7}));
  b(0, 1) = 1 << 29;
  EXPECT_TRUE(contains(refused([&] { gemv(ctx, S{}, b, ints{4, 5}, y); }), "A(0, 1) = 536870912 is outside"));
}

// One element that is not as it should be, wherever it is: elements are looked at in blocks, a block before they are
// added. All others are `good`; x is zero but for its first element, `first`.
template <class S>
void finds_it_anywhere(value_of<S> good, value_of<S> bad, value_of<S> zero, value_of<S> first, const char* words) {
  using T = value_of<S>;
  constexpr index_t rows = 7, k = 700;
  std::vector<T> x(k, zero), y(rows), untouched(rows, T(7));
  x[0] = first;
  for (const std::string_view isa : instruction_sets())
    for (const layout l : {layout::row, layout::column}) {
      const context ctx = context::cpu({.threads = 1, .isa = isa});
      strided<T> a(l, 1, rows, k, T(0)), b(l, 1, k, rows, T(0));
      for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < k; ++j) a.at(0, i, j) = b.at(0, j, i) = good;
      gemv(ctx, S{}, a.at[0], x, y);
      for (const index_t i : {0, 3, 4, 6})
        for (const index_t j : {0, 1, 63, 64, 127, 128, 255, 256, 511, 512, 513, 639, 640, 688, 698, 699}) {
          a.at(0, i, j) = b.at(0, j, i) = bad;
          y = untouched;
          EXPECT_TRUE(contains(refused([&] { gemv(ctx, S{}, a.at[0], x, y); }), words))
              << i << ", " << j << ", " << isa;
          EXPECT_TRUE(contains(refused([&] { gemv(ctx, S{}, x, b.at[0], y); }), words))
              << j << ", " << i << ", " << isa;
          EXPECT_EQ(y, untouched);
          a.at(0, i, j) = b.at(0, j, i) = good;
        }
    }
}
TEST(gemv_contract, one_bad_element_anywhere) {
  finds_it_anywhere<max_times<float>>(1, -1, 0, 1, " = -1 is outside the domain of max_times");
  finds_it_anywhere<min_plus<std::int32_t>>(5, -(1 << 30), 0, 1, " = -1073741824 is outside the domain of min_plus");
  finds_it_anywhere<min_plus<std::uint8_t>>(5, 64, 0, 1, " = 64 is outside the domain of min_plus");
  // 700 products of magnitudes up to 2^31 and 6,135,000 are below 9.2e18.
  finds_it_anywhere<plus_times<std::int32_t>>(0, 6'200'000, 0, std::numeric_limits<std::int32_t>::lowest(),
                                              "700 products of magnitudes up to ");
}

// Pairs under a product whose order matters, in scalar code: affine maps t -> a t + b, the one with the smaller b.
struct affine {
  float a, b;
  bool operator==(const affine&) const = default;
};
struct least_affine {
  using value_type = affine;
  static constexpr bool is_selective = true;
  static affine zero() { return {0, inf}; }
  static affine add(const affine& x, const affine& y) { return y.b < x.b ? y : x; }
  static affine mul(const affine& f, const affine& g) { return {f.a * g.a, f.a * g.b + f.b}; }  // f after g
};

TEST(gemv_contract, the_order_of_a_product_is_kept) {
  const matrix<affine> a{{{2, 1}, {1, 5}}, {{3, 0}, {1, 1}}};
  const std::vector<affine> x{{1, 10}, {4, 3}};
  // A x: (2 t + 1)(t + 10) = 2 t + 21, (t + 5)(4 t + 3) = 4 t + 8;
  //      (3 t)(t + 10) = 3 t + 30, (t + 1)(4 t + 3) = 4 t + 4.
  EXPECT_EQ(multiply(least_affine{}, a, x), (std::vector<affine>{{4, 8}, {4, 4}}));
  // x A: (t + 10)(2 t + 1) = 2 t + 11, (4 t + 3)(3 t) = 12 t + 3; (t + 10)(t + 5) = t + 15, (4 t + 3)(t + 1) = 4 t + 7.
  EXPECT_EQ(multiply(least_affine{}, x, a), (std::vector<affine>{{12, 3}, {4, 7}}));
  std::vector<affine> y(2);
  ints w(2);
  gemv(context::cpu(), least_affine{}, x, a, y, w);
  EXPECT_EQ(w, (ints{1, 1}));
}

// A scalar ring of one's own against the same built-in one.
struct my_shortest {
  using value_type = float;
  static constexpr bool is_selective = true, is_commutative = true;
  static constexpr float zero() { return inf; }
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};
TEST(gemv_contract, a_ring_of_ones_own) {
  for (const index_t n : {5, 64, 777}) {
    const matrix<float> a = problems::random_matrix<shortest>(n, n + 3, distribution::uniform, 1);
    const matrix<float> x = problems::random_matrix<shortest>(1, n + 3, distribution::uniform, 2);
    EXPECT_EQ(multiply(my_shortest{}, a, x.view().row(0)), multiply(shortest{}, a, x.view().row(0)));
  }
}

}  // namespace
}  // namespace kleene::test::gemv_test
