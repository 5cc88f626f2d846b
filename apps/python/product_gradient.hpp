// What each element of a selective product passes on to the factors of its term, on a CUDA device.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"

#include <cstdint>

namespace kleene::python {

// How much of an element's gradient one factor of its term gets, by mul; of two equal ones the left factor gets it.
enum class gradient_share : int { plus, times, min_left, min_right, max_left, max_right };

// For each row i of each matrix: to(i, k) += the sum over those j whose witness is k of g(i, j) times the share of
// own(i, k) beside other(k, j). g and the witness are m x n, own and `to` m x k, other k x n. Elements of `to` have
// addresses of their own.
template <class T>
struct row_gradients {
  batch_view<const T, memory::device> g, own, other;
  batch_view<const std::int32_t, memory::device> witness;
  batch_view<T, memory::device> to;
};

// Enqueues that on the context's stream. Gradients repeat to the last bit: each row is one block's, which sorts the
// elements by witness and adds up each segment in a fixed order. error(device): this build has no CUDA.
template <class T>
void launch_row_gradients(const context& ctx, gradient_share share, const row_gradients<T>& arguments);

// Sets memory of the context's device to zero, in the order of its stream.
void clear(const context& ctx, void* memory, std::size_t bytes);

}  // namespace kleene::python
