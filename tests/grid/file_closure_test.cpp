// Closures from file to file, in little memory: bit by bit what one in memory gives.

#include "grid/closure_files.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "support/closable.hpp"

#include <cmath>

namespace kleene::test {
namespace {

template <class S>
void expect_like_in_memory(const matrix<value_of<S>>& graph, const file_closure_options& options) {
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " n " + std::to_string(graph.rows()) + " block " +
               std::to_string(options.block));
  const context ctx = context::cpu({.threads = 2});
  const closure_files files;
  io::write_npy(files.from(), graph);
  const closure_info info = closure_of_file(ctx, S{}, files.from(), files.to(), options);
  ASSERT_TRUE(info.exists);
  auto want = graph;
  ASSERT_TRUE(closure(ctx, S{}, want, {.block = info.block}).exists);
  EXPECT_TRUE(same_bits(io::read_npy<value_of<S>>(files.to()), want));
  EXPECT_EQ(files.count(), 2);
  EXPECT_EQ(info.operations, 2 * std::pow(double(graph.rows()), 3));
}

TEST(file_closure, every_idempotent_algebra_equals_the_one_in_memory) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>)
      for (const index_t n : {0, 1, 50, 90}) expect_like_in_memory<S>(closable<S>(n, 0.1, 3 + n), {.block = 16});
  });
}

TEST(file_closure, what_rounds_is_the_same) {
  for (const index_t n : {70, 131})
    for (const index_t block : {24, 64, 100}) {
      auto f = problems::random_matrix<plus_times<float>>(n, n, problems::distribution::uniform, 5);
      matrix<double> d(n, n), logs(n, n);
      for (index_t i = 0; i < f.size(); ++i) {
        logs.data()[i] = -double(f.data()[i]) - std::log(double(4 * n));
        f.data()[i] = (f.data()[i] - 0.3f) / float(2 * n);
        d.data()[i] = double(f.data()[i]) / 3;
      }
      expect_like_in_memory<plus_times<float>>(f, {.block = block});
      expect_like_in_memory<plus_times<double>>(d, {.block = block});
      expect_like_in_memory<log_plus<double>>(logs, {.block = block});
    }
}

// 9 MB of matrix through 2 MB, in strips that do not divide it.
TEST(file_closure, little_memory_changes_nothing) {
  const auto graph = closable<min_plus<float>>(1500, 0.004, 9);
  const auto plan = detail::plan_file_closure(1500, 4, 4, 0, 2e6);
  EXPECT_LE(plan.bytes, 2e6);
  EXPECT_EQ(plan.block, 64);
  EXPECT_LT(plan.strip, 64);
  expect_like_in_memory<min_plus<float>>(graph, {.memory = 2'000'000});
  expect_like_in_memory<min_plus<float>>(graph, {.memory = 20'000'000, .resumable = true});
}

TEST(file_closure, what_does_not_fit_is_said_before_work_starts) {
  const closure_files files;
  io::write_npy(files.from(), matrix<float>(1500, 1500, 1.0f));
  try {
    (void)closure_of_file(context::cpu(), min_plus<float>{}, files.from(), files.to(), {.memory = 1'000'000});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), fault_code::memory);
    // 4 (64 1500 + 64 1500 + 16 64 + 3 16 1500 + 2 64 64) + 4 (64 + 1500 + 128) 64, by hand
    EXPECT_STREQ(e.what(),
                 "a closure of 1500 vertices in blocks of 64 takes at least 1526016 bytes of memory, and the "
                 "limit is 1000000 bytes");
  }
  EXPECT_EQ(files.count(), 1);
  EXPECT_EQ(detail::plan_file_closure(100'000, 4, 4, 0, 16e9).block, 2048);
  EXPECT_EQ(detail::plan_file_closure(100'000, 4, 4, 384, 16e9).block, 384);
  EXPECT_EQ(detail::plan_file_closure(100'000, 4, 4, 0, 16e9).strip, 512);
  EXPECT_LE(detail::plan_file_closure(100'000, 4, 4, 0, 300e6).bytes, 300e6);
}

TEST(file_closure, a_file_may_be_closed_in_its_place) {
  const closure_files files;
  auto graph = closable<max_min<std::int32_t>>(60, 0.1, 5);
  io::write_npy(files.from(), graph);
  const context ctx = context::cpu({.threads = 1});
  ASSERT_TRUE(closure_of_file(ctx, max_min<std::int32_t>{}, files.from(), files.from(), {.block = 16}).exists);
  ASSERT_TRUE(closure(ctx, max_min<std::int32_t>{}, graph, {.block = 16}).exists);
  EXPECT_TRUE(same_bits(io::read_npy<std::int32_t>(files.from()), graph));
  EXPECT_EQ(files.count(), 1);
}

TEST(file_closure, a_negative_cycle_leaves_nothing) {
  const closure_files files;
  auto graph = closable<min_plus<float>>(50, 0.1, 3);
  graph(20, 41) = -10, graph(41, 20) = 4;
  io::write_npy(files.from(), graph);
  const context ctx = context::cpu({.threads = 1});
  const closure_info want = closure(ctx, min_plus<float>{}, graph, {.block = 8});
  for (const bool resumable : {false, true}) {
    const closure_info info =
        closure_of_file(ctx, min_plus<float>{}, files.from(), files.to(), {.block = 8, .resumable = resumable});
    EXPECT_FALSE(info.exists);
    EXPECT_EQ(info.diverging, want.diverging);
    EXPECT_EQ(info.operations, want.operations);
    EXPECT_EQ(files.count(), 1);
  }
}

TEST(file_closure, errors_name_the_file_and_leave_nothing) {
  const closure_files files;
  const context ctx = context::cpu({.threads = 1});
  const auto message = [&](const matrix<float>& graph, auto s, const file_closure_options& options = {.block = 4}) {
    io::write_npy(files.from(), graph);
    std::string what;
    try {
      (void)closure_of_file(ctx, s, files.from(), files.to(), options);
    } catch (const std::exception& e) {
      what = e.what();
    }
    EXPECT_EQ(files.count(), 1);
    return what;
  };
  EXPECT_EQ(message(matrix<float>(4, 5), min_plus<float>{}),
            "a closure needs a square matrix; " + files.from() + " is 4x5");
  matrix<float> bad(9, 9, 0.5f);
  bad(7, 8) = NAN;
  EXPECT_EQ(message(bad, min_plus<float>{}), files.from() + ": A(7, 8) is NaN");
  EXPECT_EQ(message(bad, min_plus<float>{}, {.block = 4, .resumable = true}), files.from() + ": A(7, 8) is NaN");
  bad(7, 8) = -1;
  EXPECT_EQ(message(bad, max_times<float>{}), files.from() + ": A(7, 8) = -1 is outside the domain of max_times");
  EXPECT_EQ(message(bad, min_plus<float>{}, {.block = -1}), "a block of -1 vertices");
  EXPECT_NE(message(bad, min_plus<double>{}).find("elements of type <f4 where <f8 is needed"), std::string::npos);
}

TEST(file_closure, an_overflow_is_an_error) {
  const closure_files files;
  matrix<std::int32_t> path(9, 9, min_plus<std::int32_t>::zero());
  for (index_t i = 0; i < 8; ++i) path(i, i + 1) = 2'000'000'000;
  io::write_npy(files.from(), path);
  for (const bool resumable : {false, true})
    EXPECT_THROW((void)closure_of_file(context::cpu(), min_plus<std::int32_t>{}, files.from(), files.to(),
                                       {.block = 2, .resumable = resumable}),
                 value_error);
  EXPECT_EQ(files.count(), 1);
}

// An algebra that the library has never seen.
struct widest {
  using value_type = float;
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return -INFINITY; }
  static constexpr float one() { return INFINITY; }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return b < a ? b : a; }
};
TEST(file_closure, of_an_algebra_of_ones_own) {
  expect_like_in_memory<widest>(closable<max_min<float>>(45, 0.1, 2), {.block = 8});
}

}  // namespace
}  // namespace kleene::test
