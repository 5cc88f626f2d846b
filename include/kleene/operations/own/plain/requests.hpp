// What plain functions are asked for and answer: structs of numbers and addresses alone.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>

namespace kleene::plain {

// An array of three dimensions, in elements; null: not given.
struct array {
  void* data;
  std::int64_t extents[3], strides[3];

  template <class E>
  batch_view<E> view() const {
    if (!data) return {};
    return {static_cast<E*>(data), {extents[0], extents[1], extents[2]}, {strides[0], strides[1], strides[2]}};
  }
};

// A product of batches; of the options that are null there are none. alpha and beta point to elements.
struct product {
  array a, b, c, witness{}, source{}, mask{};
  const void *alpha = nullptr, *beta = nullptr;
  int mask_complement = 0, replace = 0, check_domain = 1, threads = 0;
};

// Closures of a batch; sizes, of as many matrices, may be null. diverging: for each matrix a vertex whose star has no
// value, or -1.
struct closures {
  array a, predecessors{};
  const std::int32_t* sizes = nullptr;
  std::int32_t* diverging = nullptr;
  std::int64_t block = 0;
  int check_domain = 1, threads = 0;
};

enum answer : int { done, wrong_value, no_memory, failed };

// Room for a message; of a longer one its beginning.
struct message {
  char text[1024];
};

}  // namespace kleene::plain
