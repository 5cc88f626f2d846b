// Sign classes: what the signs of all products of an A and a B can be, and so whether their bits order like integers.
//
// Two float bit patterns compare like integers unless both are negative. A product of matrices may use that order when,
// of all its terms a (x) b, at most one bit pattern is negative (max_plus and max_min: -inf, their zero), or all but +0
// are (max_plus of log-probabilities: then unsigned integers have the reverse order). -0 would break the first, so the
// packer makes every zero +0; NaN operands become the algebra's zero, as everywhere.
#pragma once

#include "kleene/algebra/semirings.hpp"

namespace kleene {

enum class sign_class : int { any, non_negative, non_positive };

// What a pass over one operand finds: bounds of its elements, NaN and the algebra's zero() left out.
struct operand_bounds {
  float low, high;
};

// The class of all products. Specialised per algebra; any is always right.
template <class S>
KLEENE_FUNCTION constexpr sign_class classify([[maybe_unused]] operand_bounds a, [[maybe_unused]] operand_bounds b) {
  if constexpr (std::is_same_v<S, arithmetic_of<S>>) return sign_class::any;
  else return classify<arithmetic_of<S>>(a, b);
}
// clang-format off
template <> KLEENE_FUNCTION constexpr sign_class classify<min_plus<float>>(operand_bounds a, operand_bounds b) {
  return a.low + b.low >= 0 ? sign_class::non_negative : sign_class::any;
}
// inf - inf would be a NaN, whose bits are the largest of all: without +inf there is none.
template <> KLEENE_FUNCTION constexpr sign_class classify<max_plus<float>>(operand_bounds a, operand_bounds b) {
  if (a.high == detail::top<float>() || b.high == detail::top<float>()) return sign_class::any;
  if (a.low + b.low >= 0) return sign_class::non_negative;
  return a.high <= 0 && b.high <= 0 ? sign_class::non_positive : sign_class::any;  // x - x is +0: both must be <= 0
}
// inf * 0 is a NaN; its bits lose every minimum and win every maximum.
template <> KLEENE_FUNCTION constexpr sign_class classify<min_times<float>>(operand_bounds a, operand_bounds b) {
  return a.low >= 0 && b.low >= 0 ? sign_class::non_negative : sign_class::any;
}
template <> KLEENE_FUNCTION constexpr sign_class classify<max_times<float>>(operand_bounds a, operand_bounds b) {
  const bool finite = a.high < detail::top<float>() && b.high < detail::top<float>();
  return finite && a.low >= 0 && b.low >= 0 ? sign_class::non_negative : sign_class::any;
}
template <> KLEENE_FUNCTION constexpr sign_class classify<min_max<float>>(operand_bounds a, operand_bounds b) {
  return a.low >= 0 && b.low >= 0 ? sign_class::non_negative : sign_class::any;
}
template <> KLEENE_FUNCTION constexpr sign_class classify<max_min<float>>(operand_bounds a, operand_bounds b) {
  return a.low >= 0 && b.low >= 0 ? sign_class::non_negative : sign_class::any;
}
// clang-format on

}  // namespace kleene
