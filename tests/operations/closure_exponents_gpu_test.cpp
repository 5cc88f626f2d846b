// Closures that are large enough for exponents on the tensor cores, through the public call, beside the ordinary ones:
// a block size of the caller's asks for those.
#include "kleene/operations/closure.hpp"

#include "support/closable.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

template <class S>
matrix<value_of<S>> draw_graph(index_t n, index_t degree, int high) {
  using T = value_of<S>;
  problems::generator g(7);
  matrix<T> graph(n, n, S::zero());
  for (index_t i = 0; i < n; ++i)
    for (index_t d = 0; d < degree; ++d) graph(i, g.below(n)) = T(1 + g.below(high));
  return graph;
}

template <class S>
void check(index_t n, index_t degree, int high) {
  SCOPED_TRACE(testing::Message() << n << " of degree " << degree << " to " << high);
  const context ctx = context::cuda();
  const auto graph = draw_graph<S>(n, degree, high);
  auto got = to_device(ctx, graph), want = to_device(ctx, graph);
  EXPECT_TRUE(closure(ctx, S{}, got).exists);
  EXPECT_TRUE(closure(ctx, S{}, want, {.block = closure_block}).exists);
  EXPECT_TRUE(equal(to_host(ctx, got), to_host(ctx, want)));
}

TEST(closure_exponents_choice_on_cuda, like_the_ordinary_one) {
  KLEENE_NEEDS_GPU();
  check<min_plus<float>>(8192, 16, 1);
  check<min_plus<float>>(8195, 6, 3);         // in a padded copy
  check<min_plus<float>>(8200, 40, 30);       // too far
  check<min_plus<std::int32_t>>(8192, 3, 1);  // too few arcs
}

TEST(closure_exponents_choice_on_cuda, predecessors) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  const matrix<float> graph = draw_graph<S>(8192, 8, 2);
  auto a = to_device(ctx, graph);
  device_matrix<std::int32_t> before(ctx, 8192, 8192);
  EXPECT_TRUE(closure(ctx, S{}, a, before).exists);
  const matrix<float> closed = to_host(ctx, a);
  const matrix<std::int32_t> p = to_host(ctx, before);
  EXPECT_TRUE(reaches_source<S>(graph.view(), closed.view(), p.view()));
}

}  // namespace
}  // namespace kleene::test
