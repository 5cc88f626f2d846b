// Where a check runs. The checks of tests/streaming are templates over a place, and touch data through it alone, so
// that the same checks run on the host and, with device_place (device_place.cuh), on a CUDA device.
//
//   place.ctx              the context to work on
//   place.put(vector)      a buffer that holds a copy of it
//   place.room(n, poison)  a buffer of n elements, all poison
//   buffer.data()          a pointer that is valid where the work runs
//   buffer.take()          the elements as a vector
#pragma once

#include "kleene/data/context.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace kleene {

template <class T>
class host_buffer {
 public:
  explicit host_buffer(std::vector<T> items) : items_(std::move(items)) {}
  T* data() { return items_.data(); }
  const std::vector<T>& take() const { return items_; }

 private:
  std::vector<T> items_;
};

struct host_place {
  context ctx;

  template <class T>
  host_buffer<T> put(const std::vector<T>& items) {
    return host_buffer<T>(items);
  }
  template <class T>
  host_buffer<T> room(index_t n, T poison) {
    return host_buffer<T>(std::vector<T>(static_cast<std::size_t>(n), poison));
  }
};

// Runs check(place) on the host with one thread, with two and with an odd number.
template <class Check>
void for_each_host(const Check& check) {
  for (int threads : {1, 2, 5}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    host_place place{context::cpu({.threads = threads})};
    check(place);
  }
}

// Elements that an output has beyond what is to be written, to see that they stay as they are.
inline constexpr index_t slack = 8;

// Whether a buffer holds the expected items and, behind them, nothing but poison.
template <class Buffer, class T>
testing::AssertionResult holds(const Buffer& buffer, std::vector<T> expected, T poison) {
  const auto got = buffer.take();
  const std::size_t count = expected.size();
  if (got.size() < count)
    return testing::AssertionFailure() << got.size() << " elements of room for " << count << " expected";
  expected.resize(got.size(), poison);
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(got[i] == expected[i]))
      return testing::AssertionFailure() << "element " << i << " of " << count << " is "
                                         << testing::PrintToString(got[i]) << ", expected "
                                         << testing::PrintToString(expected[i]);
  return testing::AssertionSuccess();
}

// The same of a buffer without room to spare.
template <class Buffer, class T>
testing::AssertionResult holds(const Buffer& buffer, const std::vector<T>& expected) {
  return holds(buffer, expected, T{});
}

}  // namespace kleene
