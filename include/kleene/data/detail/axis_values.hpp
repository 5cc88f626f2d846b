// A number for each axis of a tensor: its extents, or its strides. At most 64, in place.
#pragma once

#include "kleene/data/view.hpp"

#include <array>
#include <initializer_list>
#include <span>

namespace kleene {

// The most axes of a tensor. One of more has 2^64 elements, or axes of extent 1, which may be left out.
inline constexpr int most_axes = 64;

namespace detail {
[[noreturn]] void refuse_rank(std::size_t rank);
}

// Made of braces, spans, vectors and arrays. shape_error for more than 64.
class axis_values {
 public:
  axis_values() {}
  axis_values(std::span<const index_t> values) : count_(static_cast<int>(values.size())) {
    if (values.size() > most_axes) detail::refuse_rank(values.size());
    for (int r = 0; r < count_; ++r) values_[r] = values[static_cast<std::size_t>(r)];
  }
  axis_values(std::initializer_list<index_t> values)
      : axis_values(std::span<const index_t>(values.begin(), values.size())) {}
  template <class Values>
  requires std::is_convertible_v<const Values&, std::span<const index_t>>
  axis_values(const Values& values) : axis_values(std::span<const index_t>(values)) {}
  axis_values(const axis_values& other) : axis_values(std::span<const index_t>(other)) {}
  axis_values& operator=(const axis_values& other) {
    count_ = other.count_;
    for (int r = 0; r < count_; ++r) values_[r] = other.values_[r];
    return *this;
  }

  int size() const { return count_; }
  index_t operator[](int r) const { return values_[r]; }
  index_t& operator[](int r) { return values_[r]; }
  void push_back(index_t value) {
    if (count_ == most_axes) detail::refuse_rank(most_axes + 1);
    values_[count_++] = value;
  }
  const index_t* begin() const { return values_; }
  const index_t* end() const { return values_ + count_; }
  operator std::span<const index_t>() const { return {values_, static_cast<std::size_t>(count_)}; }
  friend bool operator==(const axis_values& x, const axis_values& y) {
    if (x.count_ != y.count_) return false;
    for (int r = 0; r < x.count_; ++r)
      if (x.values_[r] != y.values_[r]) return false;
    return true;
  }

 private:
  index_t values_[most_axes];  // the first `count_` have a value: half a kilobyte is not worth clearing for a matrix
  int count_ = 0;
};

}  // namespace kleene
