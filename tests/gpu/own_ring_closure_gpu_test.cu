// Closures over semirings of one's own on a CUDA device, against the CPU.
#include "kleene/operations/closure.inl.cuh"
#pragma nv_diag_suppress 1675
#include "kleene/operations/closure.inl.hpp"
#pragma nv_diag_default 1675

#include "support/closable.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

// Widest paths, in scalar code.
struct my_widest {
  using value_type = float;
  static constexpr const char* name = "my_widest";
  static constexpr bool is_idempotent = true, is_selective = true;
  KLEENE_FUNCTION static constexpr float zero() { return -std::numeric_limits<float>::infinity(); }
  KLEENE_FUNCTION static constexpr float one() { return std::numeric_limits<float>::infinity(); }
  KLEENE_FUNCTION static constexpr float add(float a, float b) { return a < b ? b : a; }
  KLEENE_FUNCTION static constexpr float mul(float a, float b) { return b < a ? b : a; }
};

// The length of the shortest walk and how many there are, over graphs without cycles.
struct walks {
  float length;
  std::int32_t count;
  KLEENE_FUNCTION bool operator==(const walks& other) const { return length == other.length && count == other.count; }
};
struct counted_walks {
  using value_type = walks;
  static constexpr const char* name = "counted_walks";
  KLEENE_FUNCTION static constexpr walks zero() { return {std::numeric_limits<float>::infinity(), 0}; }
  KLEENE_FUNCTION static constexpr walks one() { return {0, 1}; }
  KLEENE_FUNCTION static constexpr walks add(const walks& a, const walks& b) {
    if (a.length == b.length) return {a.length, a.count + b.count};
    return a.length < b.length ? a : b;
  }
  KLEENE_FUNCTION static constexpr walks mul(const walks& a, const walks& b) {
    return {a.length + b.length, a.count * b.count};
  }
  KLEENE_FUNCTION static constexpr bool star_exists(const walks& a) { return a.count == 0; }
  KLEENE_FUNCTION static constexpr walks star(const walks&) { return one(); }
};

TEST(own_ring_closure, a_selective_one_with_predecessors) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda_closure<my_widest>();
  for (const index n : {60, 900}) {
    const matrix<float> graph = closable<max_min<float>>(n, 5.0 / double(n), 8);
    matrix<float> want = graph;
    ASSERT_TRUE(closure(context::cpu(), max_min<float>{}, want).exists);
    auto a = to_device(ctx, graph);
    device_matrix<std::int32_t> p(ctx, n, n);
    ASSERT_TRUE(closure(ctx, my_widest{}, a, p).exists);
    const auto closed = to_host(ctx, a);
    const auto before = to_host(ctx, p);
    EXPECT_TRUE(equal(closed, want));
    EXPECT_TRUE(leads_home<max_min<float>>(graph.view(), closed.view(), before.view()));
  }
}

TEST(own_ring_closure, of_structs) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda_closure<counted_walks>();
  for (const index n : {5, 64, 130, 800}) {
    problems::generator g(n);
    matrix<walks> graph(n, n, counted_walks::zero());
    for (index i = 0; i < n; ++i)
      for (index j = i + 1; j < n; ++j)
        if (g.chance(3.0 / double(n))) graph(i, j) = {float(1 + g.below(3)), 1};
    auto want = graph;
    ASSERT_TRUE(closure(context::cpu(), counted_walks{}, want).exists);
    auto a = to_device(ctx, graph);
    ASSERT_TRUE(closure(ctx, counted_walks{}, a).exists);
    const auto got = to_host(ctx, a);
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j) ASSERT_TRUE(got(i, j) == want(i, j)) << n << " " << i << " " << j;
  }
}

struct unknown_walks : counted_walks {};
TEST(own_ring_closure, without_kernels_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  device_matrix<walks> a(ctx, 2, 2);
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { (void)closure(ctx, unknown_walks{}, a); }),
                       "enable_cuda_closure"));
}

}  // namespace
}  // namespace kleene::test
