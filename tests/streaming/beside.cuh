// Contexts with streams of their own, at work at the same time: each gets what it gets alone. And work that is captured
// in a graph, which gets what it would get now whenever it is launched.
#pragma once

#include "kleene/gpu/host/runtime.cuh"
#include "support/device_place.cuh"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <functional>
#include <future>
#include <memory>

namespace kleene {

// Work in steps of which none waits, and what the last round of them leaves. Each round works on other items, one place
// further on in the inputs, so that nothing which a round before has left passes for its result.
class work {
 public:
  static constexpr int rounds = 6;

  // stream: null for one of the context's own.
  work(index_t count, std::uint64_t seed, cudaStream_t stream)
      : place_{stream ? context::cuda(stream) : context::cuda()}, count_(count), seed_(seed) {}

  const context& ctx() const { return place_.ctx; }
  index_t count() const { return count_; }

  // What every round reads one place further on.
  template <class T>
  T* input(const std::vector<T>& items) {
    T* const at = fixed(items);
    advances_.push_back([=, rest = items]() mutable {
      rest.erase(rest.begin());
      gpu::require(cudaMemcpy(at, rest.data(), rest.size() * sizeof(T), cudaMemcpyHostToDevice), "moving an input");
    });
    return at;
  }
  template <class T>
  T* fixed(const std::vector<T>& items) {
    return own(place_.put(items)).data();
  }
  template <class T>
  T* output(index_t items) {
    auto& buffer = own(place_.room(items, T{-7}));
    outputs_.push_back([&buffer] {
      const std::vector<T> got = buffer.take();
      return std::vector<std::int64_t>(got.begin(), got.end());
    });
    return buffer.data();
  }
  void step(std::function<void(int round)> what) { steps_.push_back(std::move(what)); }

  int steps() const { return static_cast<int>(steps_.size()); }
  void run(int round, int which) { steps_[static_cast<std::size_t>(which)](round); }
  void run() {
    for (int round = 0; round < rounds; ++round) run_round(round);
  }
  void run_round(int round) {
    for (int which = 0; which < steps(); ++which) run(round, which);
  }
  // Moves the inputs, so that what read them for a round reads what the next one would have read.
  void advance() {
    ctx().synchronise();
    for (const auto& move : advances_) move();
  }
  std::vector<std::vector<std::int64_t>> take() const {
    std::vector<std::vector<std::int64_t>> all;
    for (const auto& output : outputs_) all.push_back(output());
    return all;
  }

  // count + rounds keys: random ones; ascending ones, about as many values as items: few matches each.
  std::vector<std::int32_t> keys() {
    return sequences::keys<std::int32_t>(sequences::shape::random, count_ + rounds, seed_++);
  }
  std::vector<std::int32_t> ascending() {
    problems::generator g(seed_++);
    std::vector<std::int32_t> x(static_cast<std::size_t>(count_ + rounds));
    for (auto& item : x) item = static_cast<std::int32_t>(g.below(count_));
    std::sort(x.begin(), x.end());
    return x;
  }

 private:
  template <class Buffer>
  Buffer& own(Buffer buffer) {
    auto kept = std::make_shared<Buffer>(std::move(buffer));
    owned_.push_back(kept);
    return *kept;
  }

  device_place place_;
  index_t count_;
  std::uint64_t seed_;
  std::vector<std::shared_ptr<void>> owned_;
  std::vector<std::function<std::vector<std::int64_t>()>> outputs_;
  std::vector<std::function<void(int)>> steps_;
  std::vector<std::function<void()>> advances_;
};

// Two pieces of work beside each other, one on a stream of the caller's: prepare(work) says what there is to do,
// run(first, second) enqueues all of it.
template <class Prepare, class Run>
void check_beside(const Prepare& prepare, const Run& run) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  const index_t large = test::sampled_items(1000003), small = test::sampled_items(70001);
  const auto alone = [&](index_t count, std::uint64_t seed) {
    work w(count, seed, nullptr);
    prepare(w);
    w.run();
    return w.take();
  };
  const auto first_alone = alone(large, 1), second_alone = alone(small, 100);
  for (const auto& output : first_alone) EXPECT_NE(output.front(), -7);  // something was done
  cudaStream_t stream = nullptr;
  gpu::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  {
    work first(large, 1, nullptr), second(small, 100, stream);
    prepare(first);
    prepare(second);
    run(first, second);
    const auto first_beside = first.take(), second_beside = second.take();
    for (std::size_t output = 0; output < first_alone.size(); ++output) {
      EXPECT_TRUE(first_beside[output] == first_alone[output]) << "output " << output;
      EXPECT_TRUE(second_beside[output] == second_alone[output]) << "output " << output;
    }
  }
  gpu::require(cudaStreamDestroy(stream), "destroying a stream");
}

// Their steps by turns, in opposite orders; then a thread for each.
template <class Prepare>
void check_beside_in_one_thread(const Prepare& prepare) {
  check_beside(prepare, [](work& first, work& second) {
    for (int round = 0; round < work::rounds; ++round)
      for (int which = 0; which < first.steps(); ++which) {
        first.run(round, which);
        second.run(round, second.steps() - 1 - which);
      }
  });
}
template <class Prepare>
void check_beside_in_two_threads(const Prepare& prepare) {
  check_beside(prepare, [](work& first, work& second) {
    auto other = std::async(std::launch::async, [&] { second.run(); });
    first.run();
    other.get();
  });
}

// A round in a graph, launched again when the inputs have changed: what the context's memory holds from the launch
// before must not pass for what this one leaves. A context that has to grow refuses to be captured.
template <class Prepare>
void check_captured(const Prepare& prepare) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  const index_t count = test::sampled_items(300007);
  work eager(count, 1, nullptr), captured(count, 1, nullptr);
  prepare(eager);
  prepare(captured);
  const auto stream = static_cast<cudaStream_t>(captured.ctx().stream());
  cudaGraph_t graph = nullptr;
  gpu::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
  EXPECT_THROW(captured.run_round(0), error);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  gpu::require(cudaGraphDestroy(graph), "destroying a graph");

  captured.run_round(0);
  captured.ctx().synchronise();
  gpu::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
  captured.run_round(0);
  gpu::require(cudaStreamEndCapture(stream, &graph), "ending a capture");
  cudaGraphExec_t launchable = nullptr;
  gpu::require(cudaGraphInstantiate(&launchable, graph, 0), "instantiating a graph");
  for (int round = 0; round < 3; ++round, captured.advance()) {
    eager.run_round(round);
    const auto expected = eager.take();
    gpu::require(cudaGraphLaunch(launchable, stream), "launching a graph");
    const auto got = captured.take();
    for (std::size_t output = 0; output < expected.size(); ++output)
      EXPECT_TRUE(got[output] == expected[output]) << "round " << round << ", output " << output;
  }
  gpu::require(cudaGraphExecDestroy(launchable), "destroying a graph");
  gpu::require(cudaGraphDestroy(graph), "destroying a graph");
}

}  // namespace kleene
