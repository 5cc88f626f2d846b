// Lengths at the edge of what a float can hold: never a silent infinity.
#include "kleene/operations/detail/shortest_paths_range.inl.hpp"

#include "support/equal.hpp"
#include "support/problems.hpp"

namespace kleene::test::shortest_paths_range_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

template <class S>
struct range_case {
  using T = value_of<S>;
  index_t n;
  coo<T> list{n, n, {}, {}, {}};

  range_case& arc(std::int32_t from, std::int32_t to, T weight) {
    list.add(from, to, weight);
    return *this;
  }
  csr<T> graph() const {
    return make_csr(list, [](T a, T b) { return S::add(a, b); });
  }
  matrix<T> dense() const {
    matrix<T> a(n, n, S::zero());
    for (index_t e = 0; e < list.entries(); ++e) a(list.row[e], list.col[e]) = list.value[e];
    return a;
  }
  // What every way of asking says: a refusal, the same for all.
  std::string refused(std::initializer_list<apsp_method> methods) const {
    std::string said;
    for (const apsp_method method : methods)
      for (const bool sparse : {true, false}) {
        const std::string now = refusal<value_error>(fault_code::bad_input, [&] {
          const context ctx = context::cpu({.threads = 2});
          if (sparse) (void)shortest_paths(ctx, S{}, graph(), {.method = method});
          else (void)shortest_paths(ctx, S{}, dense(), {.method = method});
        });
        EXPECT_TRUE(said.empty() || said == now) << said << " and " << now;
        said = now;
      }
    return said;
  }
  T distance(std::int32_t from, std::int32_t to) const {
    const csr<T> g = graph();
    return shortest_paths(context::cpu(), S{}, g).distances(from, to);
  }
};

constexpr apsp_method searched = apsp_method::dijkstra, eliminated = apsp_method::floyd_warshall;

TEST(shortest_paths_range, sums_beyond_the_largest_float_are_refused) {
  EXPECT_EQ((range_case<min_plus<double>>{3}.arc(0, 1, 1e308).arc(1, 2, 1e308).refused({searched, eliminated})),
            "min_plus: the distance from 0 to 2 (0-based) is finite but too large for f64; use smaller weights");
  EXPECT_EQ(
      (range_case<min_plus<float>>{4}.arc(3, 1, 3e38f).arc(1, 0, 1e38f).arc(0, 2, 1).refused({searched, eliminated})),
      "min_plus: the distance from 3 to 0 (0-based) is finite but too large for f32; use f64 or smaller weights");
  EXPECT_EQ((range_case<min_plus<double>>{3}.arc(0, 1, -1e308).arc(1, 2, -1e308).refused({eliminated})),
            "min_plus: the distance from 0 to 2 (0-based) is finite but too large for f64; use smaller weights");
  for (const double weight : {1e308, -1e308})
    EXPECT_TRUE(contains((range_case<max_plus<double>>{3}.arc(0, 1, weight).arc(1, 2, weight).refused({eliminated})),
                         "from 0 to 2"));
}

TEST(shortest_paths_range, products_beyond_the_largest_float_are_refused) {
  EXPECT_TRUE(contains((range_case<max_times<double>>{3}.arc(0, 1, 1e200).arc(1, 2, 1e200).refused({eliminated})),
                       "max_times: the distance from 0 to 2 (0-based) is finite but too large for f64"));
  EXPECT_TRUE(
      contains((range_case<min_times<float>>{3}.arc(0, 1, 1e20f).arc(1, 2, 1e20f).refused({searched, eliminated})),
               "min_times: the distance from 0 to 2 (0-based) is finite but too large for f32"));
  EXPECT_EQ((range_case<max_times<double>>{3}.arc(0, 1, 1e-200).arc(1, 2, 1e-200).distance(0, 2)), 0);
}

TEST(shortest_paths_range, what_fits_is_not_refused) {
  using S = min_plus<double>;
  EXPECT_EQ((range_case<S>{4}.arc(0, 1, 1e308).arc(2, 1, 1e308).distance(0, 1)), 1e308);
  EXPECT_EQ((range_case<S>{4}.arc(0, 1, 1e308).arc(2, 1, 1e308).distance(0, 3)), inf);
  EXPECT_EQ((range_case<S>{3}.arc(0, 1, 1e308).arc(1, 2, 7e307).distance(0, 2)), 1.7e308);
  EXPECT_EQ((range_case<S>{3}.arc(0, 1, 1e308).arc(1, 2, 1e308).arc(0, 2, 5).distance(0, 2)), 5);
  EXPECT_EQ((range_case<S>{3}.arc(0, 1, 1.7e308).arc(1, 2, -1.7e308).distance(0, 2)), 0);
}

TEST(shortest_paths_range, infinite_weights_are_legal) {
  using S = min_plus<double>;
  EXPECT_EQ((range_case<S>{4}.arc(0, 1, -inf).arc(1, 2, 1e308).arc(2, 3, 1).distance(0, 3)), -inf);
  EXPECT_EQ((range_case<S>{4}.arc(0, 1, inf).arc(1, 2, 1e308).arc(2, 3, 1).distance(0, 3)), inf);
  EXPECT_EQ(
      (range_case<max_times<float>>{3}.arc(0, 1, std::numeric_limits<float>::infinity()).arc(1, 2, 2).distance(0, 2)),
      std::numeric_limits<float>::infinity());
}

// An algebra whose mul is its own says with an infinity what it means to say: here, beyond the budget.
struct within_budget {
  using value_type = double;
  static constexpr const char* name = "within_budget";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr double zero() { return inf; }
  static constexpr double one() { return 0; }
  static constexpr double add(double a, double b) { return b < a ? b : a; }
  static constexpr double mul(double a, double b) { return a + b <= 10 ? a + b : inf; }
};

TEST(shortest_paths_range, another_mul_may_mean_its_infinities) {
  EXPECT_TRUE(detail::can_leave_floats<min_times<float>>);
  EXPECT_FALSE(detail::can_leave_floats<within_budget>);
  EXPECT_FALSE(detail::can_leave_floats<max_min<double>>);
  EXPECT_FALSE(detail::can_leave_floats<min_plus<std::int32_t>>);
}

}  // namespace
}  // namespace kleene::test::shortest_paths_range_test
