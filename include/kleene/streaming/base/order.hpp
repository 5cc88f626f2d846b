// Orders and equivalences as functors for host and device (lambdas of device code need compiler flags; std::less is no
// device function), and an iterator that counts.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"

#include <cstddef>
#include <iterator>

namespace kleene {

namespace ops {

// Each compares two values of possibly different types.
struct less {
  template <class A, class B>
  KLEENE_FUNCTION constexpr bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};

struct greater {
  template <class A, class B>
  KLEENE_FUNCTION constexpr bool operator()(const A& a, const B& b) const {
    return b < a;
  }
};

struct equal {
  template <class A, class B>
  KLEENE_FUNCTION constexpr bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};

// The map that changes nothing.
struct identity {
  template <class V>
  KLEENE_FUNCTION constexpr V operator()(const V& v) const {
    return v;
  }
};

}  // namespace ops

// A random access iterator over first, first + 1, first + 2, ...; T is an integer type that holds all of them: nothing
// starts again from its least. Holds no memory.
template <class T>
class counting_iterator {
 public:
  using value_type = T;
  using reference = T;
  using pointer = const T*;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  counting_iterator() = default;
  KLEENE_FUNCTION constexpr explicit counting_iterator(T first) : value_(first) {}

  KLEENE_FUNCTION constexpr T operator*() const { return value_; }
  KLEENE_FUNCTION constexpr T operator[](difference_type n) const { return static_cast<T>(value_ + static_cast<T>(n)); }

  KLEENE_FUNCTION constexpr counting_iterator& operator+=(difference_type n) {
    value_ = static_cast<T>(value_ + static_cast<T>(n));
    return *this;
  }
  KLEENE_FUNCTION constexpr counting_iterator& operator-=(difference_type n) { return *this += -n; }
  KLEENE_FUNCTION constexpr counting_iterator& operator++() { return *this += 1; }
  KLEENE_FUNCTION constexpr counting_iterator& operator--() { return *this -= 1; }
  KLEENE_FUNCTION constexpr counting_iterator operator++(int) {
    const counting_iterator before = *this;
    *this += 1;
    return before;
  }
  KLEENE_FUNCTION constexpr counting_iterator operator--(int) {
    const counting_iterator before = *this;
    *this -= 1;
    return before;
  }

  KLEENE_FUNCTION friend constexpr counting_iterator operator+(counting_iterator it, difference_type n) {
    return it += n;
  }
  KLEENE_FUNCTION friend constexpr counting_iterator operator+(difference_type n, counting_iterator it) {
    return it += n;
  }
  KLEENE_FUNCTION friend constexpr counting_iterator operator-(counting_iterator it, difference_type n) {
    return it -= n;
  }
  KLEENE_FUNCTION friend constexpr difference_type operator-(counting_iterator a, counting_iterator b) {
    return static_cast<difference_type>(a.value_) - static_cast<difference_type>(b.value_);
  }
  KLEENE_FUNCTION friend constexpr bool operator==(counting_iterator a, counting_iterator b) {
    return a.value_ == b.value_;
  }
  KLEENE_FUNCTION friend constexpr bool operator!=(counting_iterator a, counting_iterator b) {
    return a.value_ != b.value_;
  }
  KLEENE_FUNCTION friend constexpr bool operator<(counting_iterator a, counting_iterator b) {
    return a.value_ < b.value_;
  }
  KLEENE_FUNCTION friend constexpr bool operator>(counting_iterator a, counting_iterator b) { return b < a; }
  KLEENE_FUNCTION friend constexpr bool operator<=(counting_iterator a, counting_iterator b) { return !(b < a); }
  KLEENE_FUNCTION friend constexpr bool operator>=(counting_iterator a, counting_iterator b) { return !(a < b); }

 private:
  T value_{};
};

}  // namespace kleene
