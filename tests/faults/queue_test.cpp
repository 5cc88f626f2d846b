// Contexts over a device's queue that is plain memory: what is opened, what is given back, and in which order.
#include "kleene/data/context.hpp"
#include "kleene/data/device_matrix.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <utility>

namespace kleene {

namespace {
int open_queues = 0, blocks = 0, freed_too_late = 0, waits = 0;
bool loses_device = false, captures = false;
device_fault left{};  // by a kernel, for whoever waits
std::set<const void*> queues;
}  // namespace

namespace detail {

struct cuda_queue {
  device_allocator memory;
  void* tagged = nullptr;
  std::size_t tagged_bytes = 0;
};

namespace {

const std::vector<cuda_device>& stand_in() {
  static const std::vector<cuda_device> devices{{0, "a stand-in", 90, 132, 1, 1}};
  return devices;
}
cuda_queue* open_queue(int, const device_allocator& memory) {
  auto* queue = new cuda_queue{memory};
  queues.insert(queue);
  ++open_queues;
  return queue;
}
void* allocate(cuda_queue* queue, std::size_t bytes) {
  if (queue->memory) return queue->memory.allocate(bytes, nullptr);
  ++blocks;
  return std::malloc(bytes);
}
void give_back(cuda_queue* queue, void* p, std::size_t bytes) noexcept {
  freed_too_late += queues.count(queue) == 0;
  if (queue->memory) return queue->memory.deallocate(p, bytes, nullptr);
  --blocks;
  std::free(p);
}
void release_tagged(cuda_queue* queue) noexcept {
  if (queue->tagged) give_back(queue, queue->tagged, queue->tagged_bytes);
  queue->tagged = nullptr;
  queue->tagged_bytes = 0;
}
void close_queue(cuda_queue* queue) noexcept {
  release_tagged(queue);
  --open_queues;
  queues.erase(queue);
  delete queue;
}
device_fault synchronise(cuda_queue*) {
  ++waits;
  if (loses_device) throw error(fault_code::device, "the device is lost" + suspected_calls());
  return std::exchange(left, {});
}
tagged_memory tagged(cuda_queue* queue, std::size_t bytes) {
  if (bytes > queue->tagged_bytes) {
    release_tagged(queue);
    queue->tagged = allocate(queue, bytes);
    queue->tagged_bytes = bytes;
  }
  return {queue->tagged, 1};
}

}  // namespace

// The runtime's side of CUDA, in place of the library's own.
constinit const cuda_backend backend{
    .is_compiled = true,
    .architectures = "none",
    .devices = stand_in,
    .open = open_queue,
    .close = close_queue,
    .stream = [](const cuda_queue*) -> cuda_stream { return nullptr; },
    .side_stream = [](cuda_queue*, int) -> cuda_stream { return nullptr; },
    .device_of = [](const cuda_queue*) { return &stand_in()[0]; },
    .faults = [](const cuda_queue*) -> device_fault* { return nullptr; },
    .synchronise = synchronise,
    .captures = [](const cuda_queue*) { return captures; },
    .allocate = allocate,
    .free = give_back,
    .has_allocator = [](const cuda_queue* queue) { return bool(queue->memory); },
    .tagged = tagged,
    .tagged_bytes = [](const cuda_queue* queue) { return queue->tagged_bytes; },
    .release_tagged = release_tagged,
    .available = [](cuda_queue*) -> std::size_t { return 0; },
    .copy = [](const context&, const copy_request&) {},
};

}  // namespace detail

namespace test {
namespace {

TEST(queue, a_context_that_has_worked_gives_its_workspace_back_before_its_queue_closes) {
  {
    context ctx = context::cuda();
    (void)ctx.workspace(1 << 20);
    ctx = context::cuda();
    EXPECT_EQ(open_queues, 1);
    EXPECT_EQ(blocks, 0);
    (void)ctx.workspace(100);
    context other = context::cuda();
    (void)other.workspace(200);
    ctx = std::move(other);
    EXPECT_EQ(open_queues, 1);
    EXPECT_EQ(blocks, 1);
    ctx = context::cpu({.threads = 1});
    EXPECT_EQ(open_queues, 0);
    EXPECT_EQ(blocks, 0);
    ASSERT_NE(ctx.workspace(100), nullptr);
    ctx = context::cuda();
    (void)ctx.workspace(100);
  }
  EXPECT_EQ(open_queues, 0);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(freed_too_late, 0);
}

TEST(queue, what_is_left_of_a_context_that_was_moved_from_works_on_the_cpu) {
  {
    context from = context::cuda();
    (void)from.workspace(100);
    const context to = std::move(from);
    EXPECT_EQ(to.kind(), device_kind::cuda);
    EXPECT_EQ(from.kind(), device_kind::cpu);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(from.device(), nullptr);
    EXPECT_FALSE(from.reaches(memory::device));
    ASSERT_NE(from.workspace(100), nullptr);
    EXPECT_EQ(blocks, 1);
    from.synchronise();
  }
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(freed_too_late, 0);
}

// Counts, as a resource of RMM's does: bytes that are out, and calls.
struct counting_resource {
  std::size_t out = 0;
  int calls = 0;
  void* allocate(std::size_t bytes, cuda_stream) {
    ++calls;
    out += bytes;
    return std::malloc(bytes);
  }
  void deallocate(void* p, std::size_t bytes, cuda_stream) {
    out -= bytes;
    std::free(p);
  }
};

TEST(queue, an_allocator_of_the_callers_gives_all_memory_and_gets_it_back) {
  counting_resource resource;
  {
    device_matrix<float> survivor;
    {
      const context ctx = context::cuda(0, resource);
      (void)ctx.workspace(1000);
      EXPECT_EQ(resource.out, 1000u);
      const auto more = ctx.temporary(24);
      survivor = device_matrix<float>(ctx, 4, 5);
      EXPECT_EQ(resource.out, 1104u);
    }
    EXPECT_EQ(open_queues, 1);  // for its owner
    EXPECT_EQ(resource.out, 80u);
  }
  EXPECT_EQ(resource.out, 0u);
  EXPECT_EQ(open_queues, 0);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(freed_too_late, 0);
}

// With the stream in front.
struct turned_resource {
  counting_resource inner;
  void* allocate(cuda_stream stream, std::size_t bytes) { return inner.allocate(bytes, stream); }
  void deallocate(cuda_stream stream, void* p, std::size_t bytes) { inner.deallocate(p, bytes, stream); }
};

TEST(queue, an_allocator_may_take_the_stream_first) {
  turned_resource resource;
  {
    const context ctx = context::cuda(0, resource);
    (void)ctx.workspace(1000);
    EXPECT_EQ(resource.inner.out, 1000u);
  }
  EXPECT_EQ(resource.inner.out, 0u);
}

TEST(queue, what_is_reserved_is_not_allocated_again) {
  counting_resource resource;
  const context first = context::cuda(0, resource), second = context::cuda(0, resource);
  (void)first.workspace(3000);
  (void)first.tagged(512);
  EXPECT_EQ(first.workspace_bytes(), (memory_needs{3000, 512}));
  second.reserve(first.workspace_bytes());
  const int calls = resource.calls;
  (void)second.workspace(2999);
  EXPECT_EQ(resource.calls, calls);
  EXPECT_EQ(second.workspace_bytes(), (memory_needs{3000, 512}));
  second.reserve({10, 10});  // less changes nothing
  EXPECT_EQ(second.workspace_bytes(), (memory_needs{3000, 512}));
  EXPECT_EQ(resource.out, 2 * (3000u + 512u));  // what they say is what they took
  second.release_workspace();
  EXPECT_EQ(second.workspace_bytes(), memory_needs{});
  EXPECT_EQ(resource.out, 3000u + 512u);
}

std::string said_by(const auto& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

// A call of that name, as operations make them.
void call(const context& ctx, const char* name) {
  detail::run_as_call(ctx, {name}, [] {});
}

TEST(queue, a_lost_device_names_the_calls_since_it_was_last_seen_done) {
  set_sync(false);
  const context ctx = context::cuda(), other = context::cuda();
  const auto lose = [&] {
    loses_device = true;
    const std::string said = said_by([&] { ctx.synchronise(); });
    loses_device = false;
    return said;
  };
  call(ctx, "gemm");
  ctx.synchronise();
  EXPECT_EQ(lose(), "the device is lost");
  call(ctx, "merge");
  copy(ctx, device_matrix<float>(), device_matrix<float>());  // empty: nothing is done
  copy(ctx, matrix<float>(1, 1), matrix_view<float, memory::device>(nullptr, {1, 1}));
  call(other, "scan");
  EXPECT_EQ(lose(),
            "the device is lost; of this context's calls it may be merge, copy (with KLEENE_SYNC=1 each waits, and "
            "throws itself)");
}

TEST(queue, with_sync_each_call_waits_and_throws_what_is_its_own) {
  const context ctx = context::cuda();
  set_sync(true);
  waits = 0;
  call(ctx, "gemm");
  EXPECT_EQ(waits, 1);
  detail::run_as_call(ctx, {"closure"}, [&] { call(ctx, "gemm"); });
  EXPECT_EQ(waits, 2);  // once for both
  EXPECT_EQ(detail::run_as_call(ctx, {"reduce"}, [] { return 7; }), 7);
  EXPECT_EQ(waits, 3);
  captures = true;
  call(ctx, "gemm");
  EXPECT_EQ(waits, 3);  // what is captured cannot be waited for
  captures = false;
  ctx.synchronise();
  left = {device_fault::domain, "max_times", "A", 3, 4, -1};
  EXPECT_EQ(said_by([&] { call(ctx, "gemm"); }), "A(3, 4) = -1 is outside the domain of max_times");
  loses_device = true;
  EXPECT_EQ(said_by([&] { call(ctx, "merge"); }), "the device is lost; of this context's calls it may be merge");
  loses_device = false;
  detail::run_as_call(context::cpu({.threads = 1}), {"gemm"}, [] {});
  set_sync(false);
  call(ctx, "gemm");
  EXPECT_EQ(waits, 6);
}

}  // namespace
}  // namespace test
}  // namespace kleene
