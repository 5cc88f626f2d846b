// CUDA contexts: memory that must be within reach, faults that arrive at synchronise(), streams, exhausted memory.
#include "kleene/operations/closure.hpp"
#include "kleene/operations/gemm.hpp"

#include "support/device.hpp"

#include <thread>

namespace kleene::test {
namespace {

using shortest = min_plus<float>;

TEST(context_gpu, says_what_it_is) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::best();
  EXPECT_EQ(ctx.kind(), device_kind::cuda);
  EXPECT_EQ(ctx.describe(), "cuda (0: " + cuda_devices()[0].name + ")");
  EXPECT_NE(ctx.stream(), nullptr);
  (void)refusal<error>(fault_code::device, [] { (void)context::cuda(1000); });
}

TEST(context_gpu, memory_out_of_reach_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu();
  matrix<float> a(3, 3, 1), c(3, 3, 7);
  const device_matrix<float> da = to_device(ctx, a);
  device_matrix<float> dc = to_device(ctx, c);
  EXPECT_EQ(refusal<error>(fault_code::device, [&] { gemm(ctx, shortest{}, a, da, dc); }),
            "A is in host memory, which " + ctx.describe() + " cannot reach: copy it with to_device");
  EXPECT_TRUE(
      contains(refusal<error>(fault_code::device, [&] { gemm(cpu, shortest{}, a, da, c); }), "B is in device memory"));
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { gemm(ctx, shortest{}, da, da, c); }), "C is in host"));
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { gemm(ctx, shortest{}, da, da, dc, {.source = a}); }),
                       "source"));
  EXPECT_TRUE(equal(to_host(ctx, dc), c));
}

TEST(context_gpu, a_value_outside_the_domain_leaves_c_alone) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using S = max_times<float>;
  matrix<float> a(40, 50, 1), b(50, 60, 1), c(40, 60, 7);
  b(31, 17) = -2;
  device_matrix<float> da = to_device(ctx, a), db = to_device(ctx, b), dc = to_device(ctx, c);
  gemm(ctx, S{}, da, db, dc);
  EXPECT_EQ(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }),
            "B(31, 17) = -2 is outside the domain of max_times");
  EXPECT_TRUE(equal(to_host(ctx, dc), c));  // and the fault is gone
  a(3, 49) = -1;
  da = to_device(ctx, a);
  gemm(ctx, S{}, da, db, dc);
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "A(3, 49) = -1 is"));
}

TEST(context_gpu, results_that_do_not_fit_are_reported) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const std::int32_t big = std::numeric_limits<std::int32_t>::max() / 8 - 1;
  const auto da = to_device(ctx, matrix<std::int32_t>(4, 4, big));
  device_matrix<std::int32_t> dc(ctx, 4, 4);
  gemm(ctx, min_plus<std::int32_t>{}, da, da, dc);
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "too large"));
  gemm(ctx, plus_times<std::int32_t>{}, da, da, dc);
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "too large"));
  const auto huge = to_device(ctx, matrix<std::int32_t>(4, 4, std::numeric_limits<std::int32_t>::max()));
  gemm(ctx, plus_times<std::int32_t>{}, huge, huge, dc);
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); }), "64 bits"));
  ctx.synchronise();
}

TEST(context_gpu, copies_between_layouts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const matrix<float> m = problems::random_matrix<shortest>(37, 23, distribution::uniform, 5);
  const auto d = to_device(ctx, m.view().transposed());
  EXPECT_EQ(d.rows(), 23);
  EXPECT_TRUE(equal(to_host(ctx, d).view().transposed(), m.view()));
  device_matrix<float> twice = to_device(ctx, matrix<float>(37, 46));
  copy(ctx, m, view<float, 2, memory::device>(twice.data() + 1, {37, 23}, {46, 2}));
  const matrix<float> back = to_host(ctx, twice);
  for (index_t i = 0; i < 37; ++i)
    for (index_t j = 0; j < 23; ++j) ASSERT_EQ(back(i, 2 * j + 1), m(i, j));
  matrix<float> every(37, 23);
  copy(ctx, view<const float, 2, memory::device>(twice.data() + 1, {37, 23}, {46, 2}), every);
  ctx.synchronise();
  EXPECT_TRUE(equal(every, m));
}

TEST(context_gpu, contexts_are_independent) {
  KLEENE_NEEDS_GPU();
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t)
    team.emplace_back([t] {
      const context ctx = context::cuda();
      for (int round = 0; round < 5; ++round)
        check_on_device<shortest>(ctx, {.m = 150 + t,
                                        .n = 140,
                                        .k = 90 + 50 * round,
                                        .witness = round % 2 == 1,
                                        .seed = std::uint64_t(100 * t + round)});
    });
  for (std::thread& member : team) member.join();
}

TEST(context_gpu, calls_follow_each_other_without_waiting) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  matrix<float> a = problems::random_matrix<shortest>(200, 200, distribution::uniform, 3), want = a;
  device_matrix<float> x = to_device(ctx, a), y(ctx, 200, 200);
  for (int round = 0; round < 4; ++round) {
    gemm(ctx, shortest{}, x, x, y);
    gemm(ctx, shortest{}, y, y, x, {.accumulate = true});
    want = [&] {
      matrix<float> half = multiply(shortest{}, want, want), whole = want;
      gemm(context::cpu(), shortest{}, half, half, whole, {.accumulate = true});
      return whole;
    }();
  }
  EXPECT_TRUE(equal(to_host(ctx, x), want));
}

TEST(context_gpu, multiply_runs_where_its_inputs_are) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const matrix<float> a = problems::random_matrix<shortest>(70, 50, distribution::uniform, 5);
  const matrix<float> b = problems::random_matrix<shortest>(50, 60, distribution::uniform, 6);
  const device_matrix<float> c = multiply(shortest{}, to_device(ctx, a), to_device(ctx, b));
  EXPECT_TRUE(equal(to_host(ctx, c), multiply(shortest{}, a, b)));
}

TEST(context_gpu, memory_that_is_not_there) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  EXPECT_TRUE(contains(refusal<error>(fault_code::memory, [&] { (void)ctx.workspace(std::size_t{1} << 50); }),
                       "1125899906842624 bytes"));
  EXPECT_TRUE(
      contains(refusal<error>(fault_code::memory, [&] { device_matrix<float>(ctx, 1 << 24, 1 << 24); }), "bytes"));
  check_on_device<shortest>(ctx, {.m = 65, .n = 65, .k = 65});  // and it still works
}

TEST(context_gpu, closures_of_host_memory_are_refused_before_anything_runs) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  matrix<float> a{{0, 1}, {shortest::zero(), 0}};
  const matrix<float> before = a;
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { (void)closure(ctx, shortest{}, a); }), "cannot reach"));
  EXPECT_TRUE(equal(a, before));
}

// The old workspace goes back before its queue closes; what was moved from works on the CPU.
TEST(context_gpu, a_context_that_has_worked_is_assigned_to_and_moved_from) {
  KLEENE_NEEDS_GPU();
  context ctx = context::cuda();
  for (int round = 0; round < 3; ++round) {
    check_on_device<shortest>(ctx, {.m = 150, .n = 140, .k = 600, .witness = true});
    (void)ctx.workspace(1 << 20);
    ctx = context::cuda();
  }
  (void)ctx.workspace(1 << 20);
  context moved = std::move(ctx);
  check_on_device<shortest>(moved, {.m = 65, .n = 65, .k = 65});
  EXPECT_EQ(ctx.kind(), device_kind::cpu);  // NOLINT(bugprone-use-after-move)
  const matrix<float> one{{0}};
  matrix<float> c(1, 1);
  gemm(ctx, shortest{}, one, one, c);
  EXPECT_EQ(c(0, 0), 0);
  moved = context::cpu({.threads = 1});
  EXPECT_EQ(moved.stream(), nullptr);
}

TEST(context_gpu, a_stream_of_the_callers) {
  KLEENE_NEEDS_GPU();
  const context owner = context::cuda();
  const context guest = context::cuda(owner.stream());
  EXPECT_EQ(guest.stream(), owner.stream());
  check_on_device<shortest>(guest, {.m = 65, .n = 65, .k = 65});
}

}  // namespace
}  // namespace kleene::test
