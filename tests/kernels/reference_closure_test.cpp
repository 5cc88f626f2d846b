// The reference closure on graphs of two and three vertices, with answers worked out by hand.
#include "kleene/kernels/reference/closure.hpp"

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/matrix.hpp"
#include "support/equal.hpp"

#include <cmath>
#include <limits>

namespace kleene::kernels::reference_closure_test {
namespace {

using test::equal;
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::int32_t far = 1073741823;
using vertices = matrix<std::int32_t>;

template <class S>
matrix<value_of<S>> closed(matrix<value_of<S>> a) {
  EXPECT_EQ(reference::closure<S>(a.view()).state, status::ok);
  return a;
}
template <class S>
index_t diverging(matrix<value_of<S>> a) {
  const auto done = reference::closure<S>(a.view());
  EXPECT_EQ(done.state, status::diverges);
  return done.diverging;
}

// 0 -> 1 (3), 1 -> 2 (4), 0 -> 2 (9), 2 -> 0 (1)
TEST(reference_closure, shortest_paths_by_hand) {
  EXPECT_TRUE(equal(closed<min_plus<float>>({{0, 3, 9}, {inf, 0, 4}, {1, inf, 0}}),
                    matrix<float>{{0, 3, 7}, {5, 0, 4}, {1, 4, 0}}));
  EXPECT_TRUE(equal(closed<min_plus<std::int32_t>>({{0, 3, 9}, {far, 0, 4}, {1, far, 0}}),
                    vertices{{0, 3, 7}, {5, 0, 4}, {1, 4, 0}}));
  EXPECT_TRUE(equal(closed<min_plus<float>>({{0, 3}, {inf, 0}}), matrix<float>{{0, 3}, {inf, 0}}));
}

TEST(reference_closure, negative_arcs_and_unreachable_vertices) {
  EXPECT_TRUE(equal(closed<min_plus<float>>({{0, 5, 2}, {inf, 0, inf}, {inf, -4, 0}}),
                    matrix<float>{{0, -2, 2}, {inf, 0, inf}, {inf, -4, 0}}));
  EXPECT_TRUE(equal(closed<min_plus<std::int32_t>>({{0, -5, far}, {far, 0, far}, {far, -7, 0}}),
                    vertices{{0, -5, far}, {far, 0, far}, {far, -7, 0}}));
}

TEST(reference_closure, longest_paths_of_an_acyclic_graph) {
  EXPECT_TRUE(equal(closed<max_plus<float>>({{0, 3, 5}, {-inf, 0, 4}, {-inf, -inf, 0}}),
                    matrix<float>{{0, 3, 7}, {-inf, 0, 4}, {-inf, -inf, 0}}));
}

TEST(reference_closure, products_of_factors) {
  EXPECT_TRUE(equal(closed<max_times<float>>({{1, 0.5f, 0.125f}, {0, 1, 0.5f}, {0.25f, 0, 1}}),
                    matrix<float>{{1, 0.5f, 0.25f}, {0.125f, 1, 0.5f}, {0.25f, 0.125f, 1}}));
  EXPECT_TRUE(equal(closed<min_times<float>>({{1, 2, 9}, {inf, 1, 4}, {inf, inf, 1}}),
                    matrix<float>{{1, 2, 8}, {inf, 1, 4}, {inf, inf, 1}}));
}

TEST(reference_closure, bottlenecks) {
  // widest: 0 -> 1 (5), 1 -> 2 (3), 0 -> 2 (2)
  EXPECT_TRUE(equal(closed<max_min<float>>({{inf, 5, 2}, {-inf, inf, 3}, {-inf, -inf, inf}}),
                    matrix<float>{{inf, 5, 3}, {-inf, inf, 3}, {-inf, -inf, inf}}));
  // minimax: 0 -> 1 (5), 1 -> 2 (3), 0 -> 2 (7)
  EXPECT_TRUE(equal(closed<min_max<float>>({{-inf, 5, 7}, {inf, -inf, 3}, {inf, inf, -inf}}),
                    matrix<float>{{-inf, 5, 5}, {inf, -inf, 3}, {inf, inf, -inf}}));
}

TEST(reference_closure, reachability_and_parity) {
  EXPECT_TRUE(
      equal(closed<or_and<float>>({{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}), matrix<float>{{1, 1, 1}, {0, 1, 1}, {0, 0, 1}}));
  // Two paths from 0 to 2 cancel: 0 -> 2 and 0 -> 1 -> 2.
  EXPECT_TRUE(
      equal(closed<xor_and<float>>({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}), matrix<float>{{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}));
}

TEST(reference_closure, inverse_of_one_minus_a) {
  // (I - A)^-1 for A = {1/2 1/4; 0 1/2}: {2 1; 0 2}
  EXPECT_TRUE(equal(closed<plus_times<double>>({{0.5, 0.25}, {0, 0.5}}), matrix<double>{{2, 1}, {0, 2}}));
  // A = {0 1/2; 1/2 0}: 4/3 {1 1/2; 1/2 1}
  EXPECT_TRUE(test::close(closed<plus_times<double>>({{0, 0.5}, {0.5, 0}}),
                          matrix<double>{{4.0 / 3, 2.0 / 3}, {2.0 / 3, 4.0 / 3}}, 1e-15));
  // Paths counted: 0 -> 1 twice, 1 -> 2 three times, 0 -> 2 once.
  EXPECT_TRUE(equal(closed<plus_times<std::int32_t>>({{0, 2, 1}, {0, 0, 3}, {0, 0, 0}}),
                    vertices{{1, 2, 7}, {0, 1, 3}, {0, 0, 1}}));
  const double none = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(test::close(closed<log_plus<double>>({{std::log(0.5), std::log(0.25)}, {none, std::log(0.5)}}),
                          matrix<double>{{std::log(2), 0}, {none, std::log(2)}}, 1e-15));
}

TEST(reference_closure, divergence_names_a_vertex) {
  EXPECT_EQ(diverging<min_plus<float>>({{0, 1}, {-2, 0}}), 1);
  EXPECT_EQ(diverging<min_plus<float>>({{-1, inf}, {inf, 0}}), 0);
  EXPECT_EQ(diverging<max_plus<float>>({{0, 1}, {1, 0}}), 1);
  EXPECT_EQ(diverging<max_times<float>>({{1, 2}, {1, 1}}), 1);
  EXPECT_EQ(diverging<plus_times<double>>({{1}}), 0);
  EXPECT_EQ(diverging<plus_times<std::int32_t>>({{0, 1}, {1, 0}}), 1);
  EXPECT_EQ(diverging<xor_and<float>>({{0, 1}, {1, 0}}), 1);
  EXPECT_EQ(diverging<log_plus<double>>({{0}}), 0);
}

TEST(reference_closure, predecessors_are_the_last_vertex_before) {
  matrix<float> a{{0, 3, 9}, {inf, 0, 4}, {1, inf, 0}};
  vertices p{{-1, 0, 0}, {-1, -1, 1}, {2, -1, -1}};
  EXPECT_EQ(reference::closure<min_plus<float>>(a.view(), p.view()).state, status::ok);
  EXPECT_TRUE(equal(p, vertices{{-1, 0, 1}, {2, -1, 1}, {2, 0, -1}}));
}

TEST(reference_closure, overflow_is_reported) {
  matrix<std::int32_t> a{{0, 200000000, far}, {far, 0, 200000000}, {far, far, 0}};
  EXPECT_EQ(reference::closure<min_plus<std::int32_t>>(a.view()).state, status::overflow);
}

TEST(reference_closure, empty_and_one) {
  EXPECT_EQ(reference::closure<min_plus<float>>(matrix<float>().view()).state, status::ok);
  EXPECT_TRUE(equal(closed<min_plus<float>>({{0}}), matrix<float>{{0}}));
  EXPECT_TRUE(equal(closed<plus_times<double>>({{0.5}}), matrix<double>{{2}}));
}

}  // namespace
}  // namespace kleene::kernels::reference_closure_test
