// kleene solve: in which numbers weights are added up, so that no rounding parts two answers of one value.
#pragma once

#include "solve_input.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kleene::cli {

// Whole numbers are added up as such; so are decimals of up to nine places, as whole numbers of their last place.
// Multiples of one power of two are exact in f64 as long as 53 bits hold their sum; logarithms of powers of two are, in
// base two. Any others are rounded.
struct solve_numbers {
  enum class type { i32, i64, f64 };
  type computed = type::i32;
  int decimals = 0;      // a weight is so many places more than an integer
  bool is_log2 = false;  // of factors: their logarithms are those in base two
  bool is_exact = true;

  const char* dtype() const { return computed == type::f64 ? "f64" : computed == type::i64 ? "i64" : "i32"; }
  double scale() const { return std::pow(10.0, decimals); }
};

// The double that is read as the sum of two decimals of up to nine places: 0.1 and 0.2 are 0.3. Of others a + b.
double sum_as_read(double a, double b);

// error(bad_input), with the file that has the weights, where their magnitudes add up to more than any type holds.
solve_numbers numbers_of(const solve_input& input, const solve_flags& flags);

template <class T>
std::vector<T> numbers_as(const number_list& list, const solve_numbers& numbers) {
  return std::visit(
      [&](const auto& all) {
        std::vector<T> scaled;
        scaled.reserve(all.size());
        for (const auto n : all) {
          if constexpr (std::is_floating_point_v<T>) scaled.push_back(static_cast<T>(n));
          else scaled.push_back(static_cast<T>(std::llround(static_cast<long double>(n) * numbers.scale())));
        }
        return scaled;
      },
      list);
}

// A value as JSON, and for people: in the decimals and the logarithm that were asked for.
struct solve_value {
  std::string json, shown;
};
solve_value value_of_number(std::int64_t value, const solve_numbers& numbers);
solve_value value_of_number(double value, const solve_numbers& numbers);
inline solve_value value_of_number(std::int32_t value, const solve_numbers& numbers) {
  return value_of_number(std::int64_t{value}, numbers);
}

}  // namespace kleene::cli
