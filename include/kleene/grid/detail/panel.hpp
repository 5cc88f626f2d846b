// A panel as it goes from worker to worker: whether the step's diagonal block had a closure, values, and predecessors
// where there are any, in one message.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/matrix.hpp"

#include <cstddef>
#include <cstdint>

namespace kleene::detail {

template <class T>
class panel {
 public:
  panel() = default;
  // For up to rows x cols elements.
  panel(index_t rows, index_t cols, bool with_predecessors) : with_predecessors_(with_predecessors) {
    shape(rows, cols);
    memory_ = matrix<std::byte>(1, static_cast<index_t>(bytes()), uninitialised{});
  }

  // From here on it has so many elements.
  void shape(index_t rows, index_t cols) { rows_ = rows, cols_ = cols; }

  void* data() { return memory_.data(); }
  std::size_t bytes() const {
    const std::size_t elements = static_cast<std::size_t>(rows_ * cols_);
    return from_offset() + (with_predecessors_ ? elements * sizeof(std::int32_t) : 0);
  }
  // The vertex whose star has no value, or -1.
  std::int64_t& diverging() { return *reinterpret_cast<std::int64_t*>(memory_.data()); }
  matrix_view<T> values() { return {reinterpret_cast<T*>(memory_.data() + line), {rows_, cols_}}; }
  matrix_view<std::int32_t> from() {
    if (!with_predecessors_) return {};
    return {reinterpret_cast<std::int32_t*>(memory_.data() + from_offset()), {rows_, cols_}};
  }

 private:
  static constexpr std::size_t line = 64;
  std::size_t from_offset() const { return line + round_up(static_cast<std::size_t>(rows_ * cols_) * sizeof(T), line); }

  bool with_predecessors_ = false;
  index_t rows_ = 0, cols_ = 0;
  matrix<std::byte> memory_;
};

}  // namespace kleene::detail
