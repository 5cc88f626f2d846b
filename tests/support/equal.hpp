// What "equal" means in Kleene: the same value under ==, so that -0 equals +0, and NaN exactly where the other has NaN.
#pragma once

#include "kleene/data/matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace kleene::test {

template <class T>
bool same(const T& a, const T& b) {
  return a == b || (!(a == a) && !(b == b));
}

// got and want, element by element; the first difference is named.
template <class T, class U, class Agree>
testing::AssertionResult agree(const view<T, 2>& got, const view<U, 2>& want, const Agree& good) {
  if (got.extents() != want.extents()) return testing::AssertionFailure() << "the extents differ";
  for (index_t i = 0; i < got.rows(); ++i)
    for (index_t j = 0; j < got.cols(); ++j)
      if (!good(i, j, got(i, j), want(i, j)))
        return testing::AssertionFailure()
               << "(" << i << ", " << j << ") of " << got.rows() << "x" << got.cols() << " is "
               << testing::PrintToString(got(i, j)) << ", not " << testing::PrintToString(want(i, j));
  return testing::AssertionSuccess();
}
// Of matrices or views of them.
template <class Got, class Want>
testing::AssertionResult equal(const Got& got, const Want& want) {
  return agree(as_view(got), as_view(want), [](index_t, index_t, const auto& a, const auto& b) { return same(a, b); });
}
// Within `bound` relative to the larger of 1 and the wanted magnitude; infinities must be the same.
template <class Got, class Want>
testing::AssertionResult close(const Got& got, const Want& want, double bound) {
  return agree(as_view(got), as_view(want), [bound](index_t, index_t, double a, double b) {
    return same(a, b) || std::abs(a - b) <= bound * std::max(1.0, std::abs(b));
  });
}

// The message of the exception that call() throws, which must be an E with that code.
template <class E, class Call>
std::string refusal(fault_code code, Call&& call) {
  try {
    call();
  } catch (const E& e) {
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(code)) << e.what();
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace kleene::test
