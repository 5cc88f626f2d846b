// Contexts, teams of threads, errors.
#include "kleene/data/context.hpp"

#include "kleene/data/device_matrix.hpp"
#include "kleene/data/parallel.hpp"
#include "support/equal.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace kleene::test::context_test {
namespace {

// KLEENE_CPU for the length of a scope.
class forced_cpu {
 public:
  explicit forced_cpu(const char* name) {
    if (const char* before = std::getenv("KLEENE_CPU")) before_ = before, was_set_ = true;
    ::setenv("KLEENE_CPU", name, 1);
  }
  ~forced_cpu() {
    if (was_set_) ::setenv("KLEENE_CPU", before_.c_str(), 1);
    else ::unsetenv("KLEENE_CPU");
  }

 private:
  std::string before_;
  bool was_set_ = false;
};

TEST(context, the_environment_forces_an_instruction_set) {
  {
    const forced_cpu wrong("sse9");
    const std::string said = refusal<error>(fault_code::usage, [] { (void)context::cpu(); });
    EXPECT_TRUE(contains(said, "sse9") && contains(said, "KLEENE_CPU")) << said;
    EXPECT_EQ(context::cpu({.isa = "baseline"}).isa(), instruction_set::baseline) << "options win over the environment";
  }
  {
    const forced_cpu plain("baseline");
    EXPECT_EQ(context::cpu().isa(), instruction_set::baseline);
    EXPECT_EQ(context::best().isa(), instruction_set::baseline);
  }
  const forced_cpu none("");
  EXPECT_EQ(context::cpu().isa(), best_instruction_set());
}

TEST(context, names_instruction_sets) {
  for (const instruction_set isa : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    if (isa <= best_instruction_set()) EXPECT_EQ(instruction_set_from(to_string(isa)), isa);
    else (void)refusal<error>(fault_code::device, [&] { (void)instruction_set_from(to_string(isa)); });
  }
  (void)refusal<error>(fault_code::usage, [] { (void)context::cpu({.isa = "avx1024"}); });
}

TEST(context, says_what_it_is) {
  EXPECT_EQ(context::cpu({.threads = 1, .isa = "baseline"}).describe(), "cpu (baseline, 1 thread)");
  EXPECT_EQ(context::cpu({.threads = 3, .isa = "baseline"}).describe(), "cpu (baseline, 3 threads)");
  EXPECT_GE(context::cpu().threads(), 1);
  EXPECT_EQ(context::best().kind(), device_kind::cpu);
  (void)refusal<error>(fault_code::device, [] { (void)context::cuda(); });
}

TEST(context, workspace_is_aligned_kept_and_grows) {
  const context ctx = context::cpu({.threads = 1});
  void* small = ctx.workspace(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small) % 64, 0u);
  EXPECT_EQ(ctx.workspace(50), small);
  void* large = ctx.workspace(1 << 20);
  std::memset(large, 1, 1 << 20);
  EXPECT_EQ(ctx.workspace(100), large);
  ctx.release_workspace();
  for (const std::size_t below_0 : {1, 40, 64, 4096})
    EXPECT_THROW((void)ctx.workspace(std::numeric_limits<std::size_t>::max() - below_0 + 1), error);
  EXPECT_EQ(ctx.workspace_bytes().workspace, 0u);
  EXPECT_NE(ctx.workspace(100), nullptr);
  EXPECT_GT(available_memory(), std::size_t{1} << 20);
}

TEST(context, copies_no_views_without_data) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> a(2, 2, 1);
  const matrix_view<float> none(nullptr, {2, 2}), empty(nullptr, {0, 2});
  EXPECT_THROW(copy(ctx, none, a), argument_error);
  EXPECT_THROW(copy(ctx, a, none), argument_error);
  copy(ctx, empty, empty);
}

// Over a queue of a device: tests/faults/queue_test.cpp.
TEST(context, what_is_left_of_one_that_was_moved_from_is_a_context_for_the_cpu) {
  context from = context::cpu({.threads = 3, .isa = "baseline"});
  std::memset(from.workspace(100), 1, 100);
  const context to = std::move(from);
  EXPECT_EQ(to.threads(), 3);
  EXPECT_EQ(from.threads(), 1);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(from.kind(), device_kind::cpu);
  ASSERT_NE(from.workspace(100), nullptr);  // not what `to` has now
  EXPECT_NE(from.workspace(100), to.workspace(100));
  std::memset(from.workspace(100), 2, 100);
  EXPECT_EQ(static_cast<const char*>(to.workspace(100))[99], 1);
  from = context::cpu({.threads = 2});
  EXPECT_EQ(from.threads(), 2);
  context& self = from;
  from = std::move(self);
  EXPECT_EQ(from.threads(), 2);
  ASSERT_NE(from.workspace(100), nullptr);
}

TEST(parallel, barriers_hold_everyone_back) {
  for (const int threads : {1, 2, 3, 5}) {
    std::vector<int> arrived(threads, 0);
    std::atomic<int> wrong{0}, members{0};
    run_team(threads, [&](const team_member& member) {
      ++members;
      for (int round = 1; round <= 200; ++round) {
        arrived[member.thread] = round;
        member.barrier();
        for (int t = 0; t < member.threads; ++t) wrong += arrived[t] != round;
        member.barrier();
      }
    });
    EXPECT_EQ(members, threads);
    EXPECT_EQ(wrong, 0);
  }
}

TEST(parallel, tasks_are_handed_out_once) {
  task_queue queue;
  std::vector<std::atomic<int>> taken(1000);
  for (int round = 1; round <= 2; ++round) {
    run_team(3, [&](const team_member&) {
      for (std::int64_t i; (i = queue.next()) < 1000;) ++taken[i];
    });
    for (const auto& count : taken) ASSERT_EQ(count, round);
    queue.reset();
  }
}

TEST(errors, are_what_they_say) {
  const auto code = [](auto&& thrown) { return static_cast<int>(thrown.code()); };
  EXPECT_EQ(code(error(fault_code::memory, "")), 5);
  EXPECT_EQ(code(error(fault_code::device, "")), 4);
  EXPECT_EQ(code(error(fault_code::usage, "")), 2);
  EXPECT_EQ(code(error(fault_code::internal, "")), 70);
  EXPECT_EQ(code(shape_error("")), 3);
  EXPECT_THROW(throw value_error("x"), std::invalid_argument);
  EXPECT_THROW(throw shape_error("x"), argument_error);
  EXPECT_THROW(throw error(fault_code::usage, "x"), std::runtime_error);
  EXPECT_THROW(throw value_error("x"), fault);
}

}  // namespace
}  // namespace kleene::test::context_test
