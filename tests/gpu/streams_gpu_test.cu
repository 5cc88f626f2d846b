// Contexts with streams of their own, at work at the same time: each gets what it gets alone.
#include "kleene/streaming/join.cuh"
#include "kleene/streaming/scan.cuh"
#include "kleene/streaming/sets.cuh"
#include "kleene/streaming/sort.cuh"
#include "support/device_place.cuh"
#include "support/sequences.hpp"

#include <future>

namespace kleene {
namespace {

using key = std::int32_t;

// What one round of work leaves.
struct results {
  std::vector<std::int64_t> sums;
  std::vector<key> sorted, either;
  std::vector<index> left, right, counts;
  friend bool operator==(const results&, const results&) = default;
};

// A scan, a sort, a join and a union, of which none waits. Each round works on other items, so that nothing which a
// round before has left passes for its result.
class work {
 public:
  static constexpr int steps = 4, rounds = 6;

  // stream: null for one of the context's own.
  work(index count, std::uint64_t seed, cudaStream_t stream)
      : place_{context::cuda(0, stream)},
        count_(count),
        items_(place_.put(sequences::keys<key>(sequences::shape::random, count + rounds, seed))),
        a_(place_.put(sorted(seed + 1))),
        b_(place_.put(sorted(seed + 2))),
        sums_(place_.room(count, std::int64_t{-7})),
        sorted_(place_.room(count, key{-7})),
        either_(place_.room(2 * count, key{-7})),
        left_(place_.room(capacity(), index{-7})),
        right_(place_.room(capacity(), index{-7})),
        counts_(place_.room(2, index{-7})) {}

  void step(int round, int which) {
    const context& ctx = place_.ctx;
    const key *const items = items_.data() + round, *const a = a_.data() + round, *const b = b_.data() + round;
    switch (which) {
      case 0:
        exclusive_scan(ctx, items, items + count_, sums_.data(), std::int64_t{round});
        break;
      case 1:
        kernels::cuda::require(cudaMemcpyAsync(sorted_.data(), items, static_cast<std::size_t>(count_) * sizeof(key),
                                               cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(ctx.stream())),
                               "copying items");
        merge_sort(ctx, sorted_.data(), sorted_.data() + count_);
        break;
      case 2:
        join_to(ctx, join_kind::inner, a, a + count_, b, b + count_, left_.data(), right_.data(), capacity(),
                counts_.data());
        break;
      default:
        set_union_to(ctx, a, a + count_, b, b + count_, either_.data(), counts_.data() + 1);
    }
  }
  void run() {
    for (int round = 0; round < rounds; ++round)
      for (int which = 0; which < steps; ++which) step(round, which);
  }
  // Of the last round.
  results take() const {
    results r{sums_.take(), sorted_.take(), either_.take(), left_.take(), right_.take(), counts_.take()};
    EXPECT_LE(r.counts[0], capacity());
    r.left.resize(static_cast<std::size_t>(std::min(r.counts[0], capacity())));  // what is behind is an earlier round's
    r.right.resize(r.left.size());
    r.either.resize(static_cast<std::size_t>(r.counts[1]));
    return r;
  }

 private:
  // As many values as items: few matches each.
  std::vector<key> sorted(std::uint64_t seed) const {
    problems::generator g(seed);
    std::vector<key> x(static_cast<std::size_t>(count_ + rounds));
    for (key& item : x) item = static_cast<key>(g.below(static_cast<int>(count_)));
    std::sort(x.begin(), x.end());
    return x;
  }
  index capacity() const { return 2 * count_; }

  device_place place_;
  index count_;
  device_buffer<key> items_, a_, b_;
  device_buffer<std::int64_t> sums_;
  device_buffer<key> sorted_, either_;
  device_buffer<index> left_, right_, counts_;
};

constexpr index large = 1000003, small = 70001;

// Two pieces of work beside each other, one on a stream of the caller's; run(first, second) puts all of it on its way.
template <class Run>
void check_beside(const Run& run) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  const auto alone = [](index count, std::uint64_t seed) {
    work w(count, seed, nullptr);
    w.run();
    return w.take();
  };
  const results first_alone = alone(large, 1), second_alone = alone(small, 2);
  EXPECT_TRUE(std::is_sorted(first_alone.sorted.begin(), first_alone.sorted.end()));
  EXPECT_GT(first_alone.counts[0], large / 2);
  cudaStream_t stream = nullptr;
  kernels::cuda::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  {
    work first(large, 1, nullptr), second(small, 2, stream);
    run(first, second);
    EXPECT_TRUE(first.take() == first_alone);
    EXPECT_TRUE(second.take() == second_alone);
  }
  kernels::cuda::require(cudaStreamDestroy(stream), "destroying a stream");
}

TEST(streams_on_cuda, two_in_one_thread) {
  check_beside([](work& first, work& second) {
    for (int round = 0; round < work::rounds; ++round)
      for (int which = 0; which < work::steps; ++which) {
        first.step(round, which);
        second.step(round, work::steps - 1 - which);
      }
  });
}

TEST(streams_on_cuda, two_threads) {
  check_beside([](work& first, work& second) {
    auto other = std::async(std::launch::async, [&] { second.run(); });
    first.run();
    other.get();
  });
}

}  // namespace
}  // namespace kleene
