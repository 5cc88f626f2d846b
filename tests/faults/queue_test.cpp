// Contexts over a device's queue that is plain memory: what is opened, what is given back, and in which order.
#include "kleene/data/context.hpp"
#include "kleene/data/device_matrix.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace kleene {

namespace {
int open_queues = 0, blocks = 0, freed_too_late = 0;
std::set<const void*> queues;
}  // namespace

namespace detail {

struct cuda_queue {
  bool captured = false;
};

namespace {

const std::vector<cuda_device>& stand_in() {
  static const std::vector<cuda_device> devices{{0, "a stand-in", 90, 132, 1, 1}};
  return devices;
}
cuda_queue* open_queue(int, void*) {
  auto* queue = new cuda_queue;
  queues.insert(queue);
  ++open_queues;
  return queue;
}
void close_queue(cuda_queue* queue) noexcept {
  --open_queues;
  queues.erase(queue);
  delete queue;
}
void* allocate(cuda_queue*, std::size_t bytes) {
  ++blocks;
  return std::malloc(bytes);
}
void give_back(cuda_queue* queue, void* p) noexcept {
  freed_too_late += queues.count(queue) == 0;
  --blocks;
  std::free(p);
}

}  // namespace

// The runtime's side of CUDA, in place of the library's own.
constinit const cuda_backend backend{
    .is_compiled = true,
    .architectures = "none",
    .devices = stand_in,
    .register_kernels = [] {},
    .open = open_queue,
    .close = close_queue,
    .stream = [](const cuda_queue*) -> void* { return nullptr; },
    .side_stream = [](cuda_queue*, int) -> void* { return nullptr; },
    .device_of = [](const cuda_queue*) { return &stand_in()[0]; },
    .faults = [](const cuda_queue*) -> device_fault* { return nullptr; },
    .synchronise = [](cuda_queue*) { return device_fault{}; },
    .captures = [](const cuda_queue*) { return false; },
    .allocate = allocate,
    .free = give_back,
    .tagged = [](cuda_queue*, std::size_t) { return tagged_memory{}; },
    .available = [](cuda_queue*) -> std::size_t { return 0; },
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

}  // namespace
}  // namespace test
}  // namespace kleene
