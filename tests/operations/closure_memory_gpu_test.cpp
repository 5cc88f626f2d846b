// Closures with predecessors on a device that is short of memory: refused before anything is written, and where there
// are more best arcs than room for them, found in strips.
#include "kleene/operations/bits.hpp"
#include "kleene/operations/closure.hpp"

#include "support/closable.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

namespace kleene::test {
namespace {

// Takes the memory of the context's device, but for about `left` bytes, while it lives.
class hog {
 public:
  hog(const context& ctx, std::size_t left) {
    for (std::size_t piece = std::size_t{1} << 36; piece >= std::size_t{1} << 20; piece /= 2) {
      try {
        while (ctx.available() > left + piece) pieces_.emplace_back(ctx, 1, static_cast<index_t>(piece));
      } catch (const error&) {  // in no one piece: smaller ones
      }
    }
  }

 private:
  std::vector<device_matrix<char>> pieces_;
};

// Nine of ten arcs are best arcs.
template <class T>
matrix<T> two_weights(index_t n) {
  matrix<T> a(n, n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) a(i, j) = i == j ? T(0) : (i * 7 + j) % 10 == 0 ? T(3) : T(1);
  return a;
}

TEST(closure_memory_on_cuda, a_full_device_is_refused_before_anything_is_written) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  constexpr index_t n = 6000;
  const auto graph = two_weights<float>(n);
  const matrix<std::int32_t> unwritten(n, n, 286331153);
  int refused = 0;
  for (const std::size_t mebibytes : {1, 8, 24, 40, 64, 90, 120, 200, 600}) {
    SCOPED_TRACE(mebibytes);
    const context ctx = context::cuda();
    auto a = to_device(ctx, graph);
    auto p = to_device(ctx, unwritten);
    bool done = false;
    {
      const hog rest(ctx, mebibytes << 20);
      try {
        done = closure(ctx, S{}, a, p).exists;
      } catch (const error& e) {
        ++refused;
        EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(fault_code::memory)) << e.what();
        EXPECT_NE(std::string(e.what()).find_first_of("0123456789"), std::string::npos) << e.what();
      }
    }
    if (!done) {
      EXPECT_TRUE(equal(to_host(ctx, a), graph));
      EXPECT_TRUE(equal(to_host(ctx, p), unwritten));
    }
  }
  EXPECT_GE(refused, 2);
  EXPECT_LE(refused, 8) << "600 MiB are enough";
}

TEST(closure_memory_on_cuda, a_full_device_leaves_bits_alone) {
  KLEENE_NEEDS_GPU();
  constexpr index_t n = 20000;
  bit_matrix graph(n, n);
  problems::generator g(3);
  for (index_t arc = 0; arc < 2 * n; ++arc) graph.set(g.below(n), g.below(n), true);
  const auto words = [](const bit_matrix& m) {
    const auto v = m.view();
    return matrix_view<const bit_word>(v.row(0), {v.rows(), v.stride()});
  };
  int refused = 0;
  for (const std::size_t mebibytes : {1, 8, 24, 40, 64, 600})
    for (const bool condense : {false, true}) {
      SCOPED_TRACE(mebibytes);
      const context ctx = context::cuda();
      device_bit_matrix a = to_device(ctx, graph);
      bool done = false;
      {
        const hog rest(ctx, mebibytes << 20);
        try {
          closure(ctx, or_and<bit>{}, a, {.condense = condense});
          ctx.synchronise();
          done = true;
        } catch (const error& e) {
          ++refused;
          EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(fault_code::memory)) << e.what();
        }
      }
      const bit_matrix after = to_host(ctx, a);
      if (!done) {
        EXPECT_TRUE(equal(words(after), words(graph)));
      }
    }
  EXPECT_GE(refused, 2);
  EXPECT_LE(refused, 10) << "600 MiB are enough";
}

template <class S>
void expect_predecessors(const matrix<value_of<S>>& graph) {
  if (!sampled()) return;
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>>);
  const context ctx = context::cuda();
  auto want = to_device(ctx, graph), a = to_device(ctx, graph);
  device_matrix<std::int32_t> p(ctx, graph.rows(), graph.cols());
  ASSERT_TRUE(closure(ctx, S{}, want).exists);
  ASSERT_TRUE(closure(ctx, S{}, a, p).exists);
  const auto closed = to_host(ctx, a);
  const auto before = to_host(ctx, p);
  EXPECT_TRUE(equal(closed, to_host(ctx, want)));
  EXPECT_TRUE(reaches_source<S>(graph.view(), closed.view(), before.view()));
}

// 2100 vertices have room for 2^20 best arcs; these have two to four times as many, with ties all over.
TEST(closure_memory_on_cuda, more_best_arcs_than_room) {
  KLEENE_NEEDS_GPU();
  constexpr index_t n = 2100;
  expect_predecessors<min_plus<float>>(two_weights<float>(n));
  expect_predecessors<min_plus<double>>(two_weights<double>(n));
  expect_predecessors<min_plus<std::int64_t>>(two_weights<std::int64_t>(n));
  problems::generator g(1);
  matrix<std::int32_t> zeros(n, n, min_plus<std::int32_t>::zero());
  matrix<float> reach(n, n, 0.0f), widths(n, n, max_min<float>::zero());
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      if (!g.chance(0.9)) continue;
      zeros(i, j) = static_cast<std::int32_t>(g.below(2));
      widths(i, j) = static_cast<float>(1 + g.below(2));
      reach(i, j) = 1;
    }
  expect_predecessors<min_plus<std::int32_t>>(zeros);
  expect_predecessors<max_min<float>>(widths);
  expect_predecessors<or_and<float>>(reach);
}

// The caller's own layout, in strips.
TEST(closure_memory_on_cuda, more_best_arcs_than_room_in_any_layout) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  constexpr index_t n = 1501, pitch = 1510;
  const context ctx = context::cuda();
  const auto graph = two_weights<float>(n);
  device_matrix<float> a_memory(ctx, pitch, pitch);
  device_matrix<std::int32_t> p_memory(ctx, pitch, pitch);
  const view<float, 2, memory::device> a(a_memory.data() + 3, {n, n}, {1, pitch});
  const view<std::int32_t, 2, memory::device> p(p_memory.data() + 1, {n, n}, {pitch, 1});
  copy(ctx, graph, a);
  ASSERT_TRUE(closure(ctx, S{}, a, p).exists);
  const auto closed = to_host(ctx, a);
  const auto before = to_host(ctx, p);
  EXPECT_TRUE(reaches_source<S>(graph.view(), closed.view(), before.view()));
}

}  // namespace
}  // namespace kleene::test
