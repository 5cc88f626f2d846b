// Values in messages.
#pragma once

#include <charconv>
#include <string>
#include <type_traits>

namespace kleene::detail {

// A number in as many digits as give it back.
template <class T>
std::string to_text(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    return "(a value)";
  }
}

}  // namespace kleene::detail
