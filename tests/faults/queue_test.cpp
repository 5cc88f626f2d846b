// Contexts over a device's queue that is plain memory: what is opened, what is given back, and in which order.
#include "kleene/data/context.hpp"
#include "kleene/data/device_matrix.hpp"
#include "gpu/cuda.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace kleene {

namespace {
int open_queues = 0, blocks = 0, freed_too_late = 0;
std::set<const void*> queues;
}  // namespace

// The runtime's side of CUDA, in place of the library's own.
bool has_cuda() { return true; }
std::string cuda_architectures() { return "none"; }
const std::vector<cuda_device>& cuda_devices() {
  static const std::vector<cuda_device> devices{{0, "a stand-in", 90, 132, 1, 1}};
  return devices;
}

namespace detail {

struct cuda_queue {
  bool captured = false;
};
cuda_queue* cuda_open(int, void*) {
  auto* queue = new cuda_queue;
  queues.insert(queue);
  ++open_queues;
  return queue;
}
void cuda_close::operator()(cuda_queue* queue) const noexcept {
  --open_queues;
  queues.erase(queue);
  delete queue;
}
void register_cuda_kernels() {}
void* cuda_stream(const cuda_queue*) { return nullptr; }
void* cuda_side_stream(cuda_queue*, int) { return nullptr; }
const cuda_device* cuda_device_of(const cuda_queue*) { return &cuda_devices()[0]; }
std::size_t cuda_available(cuda_queue*) { return 0; }
device_fault* cuda_faults(const cuda_queue*) { return nullptr; }
device_fault cuda_synchronise(cuda_queue*) { return {}; }
void* cuda_allocate(cuda_queue*, std::size_t bytes) {
  ++blocks;
  return std::malloc(bytes);
}
void cuda_free(cuda_queue* queue, void* p) noexcept {
  freed_too_late += queues.count(queue) == 0;
  --blocks;
  std::free(p);
}
bool cuda_captures(const cuda_queue*) { return false; }
tagged_memory cuda_tagged(cuda_queue*, std::size_t) { return {}; }

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
