// Integers of 8 and 16 bits, which the library is not compiled with: products with a vector, and closures.
#include "kleene/operations/own/closure.inl.hpp"
#include "kleene/operations/own/gemv.inl.hpp"

#include "kleene/kernels/reference/closure.hpp"
#include "operations/widening_graphs.hpp"
#include "support/closable.hpp"
#include "support/matrix_vector.hpp"

namespace kleene::test::narrow_integers_test {
namespace {

// A x and x A, rows of A or columns contiguous, around the sizes of vectors and of what is looked at together.
template <class S>
void check_vectors(distribution values) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for (const auto& [rows, k] : {std::array<index_t, 2>{1, 1}, {3, 40}, {5, 129}, {70, 257}, {300, 31}, {9, 1300}})
      for (const layout l : {layout::row, layout::column})
        for (const bool witness : {false, true}) {
          if (witness && !is_selective<S>) continue;
          check_gemv<S>(ctx, {.m = rows, .n = 1, .k = k, .a = l, .values = values, .witness = witness});
          check_gemv<S>(ctx, {.m = 1, .n = rows, .k = k, .b = l, .values = values, .witness = witness});
        }
  }
}

TEST(narrow_integers, products_with_a_vector) {
  check_vectors<min_plus<u8>>(distribution::small_integers);
  check_vectors<min_plus<u16>>(distribution::infinities);
  check_vectors<min_plus<i16>>(distribution::infinities);
  check_vectors<max_plus<i8>>(distribution::negative_zeros);  // sums of two are below 15
  check_vectors<max_min<u8>>(distribution::small_integers);
  check_vectors<max_times<i16>>(distribution::small_integers);
}

// 3 x 5 (+) 7 x 2 and so on, by hand; what does not fit is an error, not a number.
TEST(narrow_integers, products_with_a_vector_by_hand) {
  const matrix<i16> a{{3, 7}, {100, 1}};
  EXPECT_EQ(multiply(plus_times<i16>{}, a, std::vector<i16>{5, 2}), (std::vector<i16>{29, 502}));
  EXPECT_EQ(multiply(min_plus<i16>{}, a, std::vector<i16>{5, 2}), (std::vector<i16>{8, 3}));
  EXPECT_EQ(multiply(max_min<i16>{}, std::vector<i16>{5, 2}, a), (std::vector<i16>{3, 5}));
  EXPECT_THROW(multiply(plus_times<i16>{}, a, std::vector<i16>{400, 2}), value_error);
  const matrix<u8> b{{40, 127}, {63, 1}};
  EXPECT_EQ(multiply(min_plus<u8>{}, b, std::vector<u8>{23, 0}), (std::vector<u8>{63, 1}));
  EXPECT_THROW(multiply(min_plus<u8>{}, b, std::vector<u8>{24, 127}), value_error);
}

// Weights up to `most`.
template <class S>
void check_closures(index_t n, double density, int most) {
  for (const std::string_view isa : instruction_sets())
    for (const index_t block : {0, 16}) {
      SCOPED_TRACE(name_of<S>() + " n " + std::to_string(n) + " block " + std::to_string(block) + ", " +
                   std::string(isa));
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      auto graph = closable<S>(n, density, 11 + n);
      for (index_t e = 0; e < graph.size(); ++e)
        if (auto& weight = graph.data()[e]; weight != S::zero()) weight = static_cast<value_of<S>>(1 + weight % most);
      auto a = graph, b = graph, want = graph;
      for (index_t i = 0; i < n; ++i) want(i, i) = S::add(value_of<S>(S::one()), want(i, i));
      ASSERT_EQ(kernels::reference::closure<S>(want.view()).state, status::ok);
      ASSERT_TRUE(closure(ctx, S{}, a, {.block = block}).exists);
      EXPECT_TRUE(equal(a, want));
      matrix<std::int32_t> p(n, n, -7);
      ASSERT_TRUE(closure(ctx, S{}, b, p, {.block = block}).exists);
      EXPECT_TRUE(equal(b, want));
      EXPECT_TRUE(reaches_source<S>(graph, b, p));
    }
}

// With predecessors: indices of vertices are wider than the values that they stand beside.
TEST(narrow_integers, closures) {
  for (const index_t n : {5, 64, 200, 300}) {
    check_closures<min_plus<i16>>(n, 8.0 / double(n + 1), 50);
    check_closures<min_plus<u16>>(n, 8.0 / double(n + 1), 50);
    check_closures<max_min<u8>>(n, 8.0 / double(n + 1), 50);
    check_closures<min_plus<u8>>(n, 0.5, 5);
  }
}

// What a call that throws leaves of A: all of it.
template <class S>
void expect_refusal(const matrix<value_of<S>>& graph, const char* message) {
  const index_t n = graph.rows();
  for (const bool predecessors : {false, true}) {
    auto a = graph;
    matrix<std::int32_t> p(n, n, -7);
    const std::string said = refusal<overflow_error>(fault_code::bad_input, [&] {
      if (predecessors) (void)closure(context::cpu({.threads = 2}), S{}, a, p);
      else (void)closure(context::cpu({.threads = 2}), S{}, a);
    });
    EXPECT_EQ(said, message);
    EXPECT_TRUE(equal(a, graph)) << n;
  }
}

// 40 + 30 is more than the 63 that finite bytes go up to.
TEST(narrow_integers, a_path_that_does_not_fit) {
  matrix<u8> a(3, 3, min_plus<u8>::zero());
  a(0, 1) = 40, a(1, 2) = 23;
  ASSERT_TRUE(closure(context::cpu(), min_plus<u8>{}, a).exists);
  EXPECT_EQ(a(0, 2), 63);
  EXPECT_EQ(a(2, 0), 127);
  a(1, 2) = 30, a(0, 2) = min_plus<u8>::zero();
  const char* const message =
      "min_plus: a finite result is too large for the element type; use a wider one (u8 holds lengths up to 63; over "
      "widening<S>, operations/widening.hpp, that happens by itself)";
  expect_refusal<min_plus<u8>>(a, message);
  // Longer than two lengths that fit: infinite on the way, and not unreachable.
  for (const index_t n : {5, 70, 400}) expect_refusal<min_plus<u8>>(chain<min_plus<u8>>(n, 40), message);
  for (const index_t n : {5, 70, 400})
    expect_refusal<min_plus<i16>>(
        chain<min_plus<i16>>(n, -2000),
        "min_plus: a finite result is too large for the element type; use a wider one (i16 holds lengths within 4094 "
        "of 0; over widening<S>, operations/widening.hpp, that happens by itself)");
}

// The walk 0 -> 1 -> 2, of 80 or 126 or more, is met before 0 -> 3 -> 2 is.
TEST(narrow_integers, a_detour_that_does_not_fit) {
  for (const int half : {32, 40, 63}) {
    matrix<u8> a(4, 4, min_plus<u8>::zero());
    a(0, 1) = a(1, 2) = static_cast<u8>(half), a(0, 3) = 1, a(3, 2) = 62;
    auto b = a;
    ASSERT_TRUE(closure(context::cpu(), min_plus<u8>{}, a).exists);
    EXPECT_EQ(a(0, 2), 63);
    EXPECT_EQ(a(1, 0), 127);
    matrix<std::int32_t> p(4, 4);
    ASSERT_TRUE(closure(context::cpu(), min_plus<u8>{}, b, p).exists);
    EXPECT_TRUE(equal(b, a));
    EXPECT_EQ(p(0, 2), 3);
  }
}

// What lies beside A, and A between it, when its rows are not contiguous.
TEST(narrow_integers, a_refusal_leaves_strided_matrices_alone) {
  matrix<u8> parent(80, 90, u8{5});
  const auto a = parent.view().block(3, 4, 70, 70);
  const auto graph = chain<min_plus<u8>>(70, 40);
  for (index_t i = 0; i < 70; ++i)
    for (index_t j = 0; j < 70; ++j) a(i, j) = graph(i, j);
  const auto before = parent;
  EXPECT_THROW((void)closure(context::cpu(), min_plus<u8>{}, a), overflow_error);
  EXPECT_TRUE(equal(parent, before));
}

}  // namespace
}  // namespace kleene::test::narrow_integers_test
