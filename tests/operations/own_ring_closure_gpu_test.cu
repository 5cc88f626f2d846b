// Closures over semirings of one's own on a CUDA device, against the CPU.
#include "kleene/kernels/reference/closure.hpp"
#include "kleene/operations/own/closure.inl.cuh"
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
  for (const index_t n : {60, 900}) {
    const matrix<float> graph = closable<max_min<float>>(n, 5.0 / double(n), 8);
    matrix<float> want = graph;
    ASSERT_TRUE(closure(context::cpu(), max_min<float>{}, want).exists);
    auto a = to_device(ctx, graph);
    device_matrix<std::int32_t> p(ctx, n, n);
    ASSERT_TRUE(closure(ctx, my_widest{}, a, p).exists);
    const auto closed = to_host(ctx, a);
    const auto before = to_host(ctx, p);
    EXPECT_TRUE(equal(closed, want));
    EXPECT_TRUE(reaches_source<max_min<float>>(graph.view(), closed.view(), before.view()));
  }
}

TEST(own_ring_closure, of_structs) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda_closure<counted_walks>();
  for (const index_t n : {5, 64, 130, 800}) {
    problems::generator g(n);
    matrix<walks> graph(n, n, counted_walks::zero());
    for (index_t i = 0; i < n; ++i)
      for (index_t j = i + 1; j < n; ++j)
        if (g.chance(3.0 / double(n))) graph(i, j) = {float(1 + g.below(3)), 1};
    auto want = graph;
    ASSERT_TRUE(closure(context::cpu(), counted_walks{}, want).exists);
    auto a = to_device(ctx, graph);
    ASSERT_TRUE(closure(ctx, counted_walks{}, a).exists);
    const auto got = to_host(ctx, a);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) ASSERT_TRUE(got(i, j) == want(i, j)) << n << " " << i << " " << j;
  }
}

// Idempotent algebras whose loops add something, each with its star. The two best distinct lengths:
struct two_lengths {
  float best, second;
  KLEENE_FUNCTION bool operator==(const two_lengths& other) const {
    return best == other.best && second == other.second;
  }
};
struct two_best {
  using value_type = two_lengths;
  static constexpr const char* name = "two_best";
  static constexpr bool is_idempotent = true;
  static constexpr float never = std::numeric_limits<float>::infinity();
  KLEENE_FUNCTION static constexpr two_lengths zero() { return {never, never}; }
  KLEENE_FUNCTION static constexpr two_lengths one() { return {0, never}; }
  KLEENE_FUNCTION static constexpr two_lengths add(const two_lengths& a, const two_lengths& b) {
    const float best = a.best < b.best ? a.best : b.best, c = a.best < b.best ? b.best : a.best;
    const float d = a.second < b.second ? a.second : b.second;
    return {best, c > best && c < d ? c : d};
  }
  KLEENE_FUNCTION static constexpr two_lengths mul(const two_lengths& a, const two_lengths& b) {
    const float c = a.best + b.second, d = a.second + b.best;
    return {a.best + b.best, c < d ? c : d};
  }
  KLEENE_FUNCTION static constexpr two_lengths star(const two_lengths& a) { return add(one(), a); }
};

// The remainders, modulo 32, of the lengths of walks, as bits.
struct remainders {
  using value_type = std::uint32_t;
  static constexpr const char* name = "remainders";
  static constexpr bool is_idempotent = true;
  KLEENE_FUNCTION static constexpr std::uint32_t zero() { return 0; }
  KLEENE_FUNCTION static constexpr std::uint32_t one() { return 1; }
  KLEENE_FUNCTION static constexpr std::uint32_t add(std::uint32_t a, std::uint32_t b) { return a | b; }
  KLEENE_FUNCTION static constexpr std::uint32_t mul(std::uint32_t a, std::uint32_t b) {
    std::uint32_t sums = 0;
    for (int length = 0; length < 32; ++length)
      if (a >> length & 1) sums |= b << length | (length > 0 ? b >> (32 - length) : 0);
    return sums;
  }
  KLEENE_FUNCTION static constexpr std::uint32_t star(std::uint32_t a) {
    std::uint32_t all = one();
    for (std::uint32_t more = all | a; more != all; more = all | mul(all, a)) all = more;
    return all;
  }
};

template <class S>
struct without_claims : S {
  static constexpr bool is_idempotent = false;
};

// Against the reference over the same algebra that claims nothing: by blocks, and many small ones at once.
template <class S, class Weight>
void expect_loops_to_count(const Weight& weight) {
  using T = value_of<S>;
  static_assert(is_idempotent<S> && !has_unit_star<S>);
  const context ctx = context::cuda();
  enable_cuda_closure<S>();
  for (const index_t n : {1, 2, 5, 30, 64, 130, 300})
    for (const index_t block : {0, 128}) {
      problems::generator g(n);
      matrix<T> graph(n, n, S::zero());
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j)
          if (g.chance(3.0 / double(n))) graph(i, j) = weight(g);
      matrix<T> want = graph;
      ASSERT_EQ(kernels::reference::closure<without_claims<S>>(want.view()).diverging, -1);
      batch<T> several({3, n, n}, S::zero());
      for (index_t b = 0; b < 3; ++b)
        for (index_t i = 0; i < n; ++i)
          for (index_t j = 0; j < n; ++j) several(b, i, j) = graph(i, j);
      auto a = to_device(ctx, graph);
      auto all = to_device(ctx, several);
      ASSERT_TRUE(closure(ctx, S{}, a, {.block = block}).exists);
      ASSERT_TRUE(closure(ctx, S{}, all).exists);
      const auto got = to_host(ctx, a);
      const auto of_batch = to_host(ctx, all);
      index_t wrong = 0, wrong_in_batch = 0;
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) {
          wrong += !(got(i, j) == want(i, j));
          for (index_t b = 0; b < 3; ++b) wrong_in_batch += !(of_batch(b, i, j) == want(i, j));
        }
      EXPECT_EQ(wrong, 0) << name_of<S>() << " n " << n << " block " << block;
      EXPECT_EQ(wrong_in_batch, 0) << name_of<S>() << " n " << n;
    }
}

TEST(own_ring_closure, loops_of_the_two_best_lengths_count) {
  KLEENE_NEEDS_GPU();
  expect_loops_to_count<two_best>([](auto& g) { return two_lengths{float(g.below(9)), two_best::never}; });
}
TEST(own_ring_closure, loops_of_sets_count) {
  KLEENE_NEEDS_GPU();
  expect_loops_to_count<remainders>([](auto& g) { return 1u << (2 * g.below(8)); });
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
