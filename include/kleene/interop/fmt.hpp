// fmt formatters for numbers and matrices, with the text of data/print.hpp. fmt 8 or newer, which you bring and link.
//
//   fmt::print("{}\n", a);        fmt::format("{:.3f}", a)       each element by the format of its type
//   fmt::format("{:>8}", x)       a number as its value, infinities as inf and -inf
//   fmt::format("{}", f16(0.5f))  narrow floats (f16, bf16, f8_e4m3, f8_e5m2) as floats
//
// Numbers over integers take alignment, fill and width (their infinities are words); all others what their value's
// format takes.
#pragma once

#include "kleene/data/print.hpp"

#include <fmt/format.h>

namespace kleene {
struct f8_e4m3;
struct f8_e5m2;

namespace detail {

// What of fmt writes a number: its value, or words where the value is an integer.
template <class S, class T = decltype(printable(std::declval<value_of<S>>()))>
using number_formatter = fmt::formatter<std::conditional_t<std::is_integral_v<T>, fmt::string_view, T>>;

template <class T>
struct narrow_formatter : fmt::formatter<float> {
  template <class Context>
  auto format(T x, Context& ctx) const {
    return fmt::formatter<float>::format(static_cast<float>(x), ctx);
  }
};

// Formatters of matrices take the format of an element.
template <class View, class T = typename View::value_type>
struct matrix_formatter : fmt::formatter<decltype(printable(std::declval<T>()))> {
  using element = fmt::formatter<decltype(printable(std::declval<T>()))>;

  template <class Context>
  auto format(const View& a, Context& ctx) const {
    const std::string text = matrix_text<T>(a, [&](const T& x) {
      fmt::basic_memory_buffer<char> cell;
      fmt::format_context inner(fmt::appender(cell), {}, ctx.locale());
      element::format(printable(x), inner);
      return fmt::to_string(cell);
    });
    return std::copy(text.begin(), text.end(), ctx.out());
  }
};

}  // namespace detail
}  // namespace kleene

// Narrow floats as the floats that they are: from fmt 10 on it no longer converts what it formats.
template <>
struct fmt::formatter<kleene::f16> : kleene::detail::narrow_formatter<kleene::f16> {};
template <>
struct fmt::formatter<kleene::bf16> : kleene::detail::narrow_formatter<kleene::bf16> {};
template <>
struct fmt::formatter<kleene::f8_e4m3> : kleene::detail::narrow_formatter<kleene::f8_e4m3> {};
template <>
struct fmt::formatter<kleene::f8_e5m2> : kleene::detail::narrow_formatter<kleene::f8_e5m2> {};

template <class S>
struct fmt::formatter<kleene::number<S>> : kleene::detail::number_formatter<S> {
  template <class Context>
  auto format(const kleene::number<S>& x, Context& ctx) const {
    using base = kleene::detail::number_formatter<S>;
    const auto value = kleene::detail::printable(x.value);
    if constexpr (std::is_same_v<base, fmt::formatter<fmt::string_view>>) {
      const char* infinity = kleene::detail::infinity_text<S>(x.value);
      return base::format(fmt::string_view(infinity ? infinity : fmt::format("{:d}", value)), ctx);
    } else {
      return base::format(value, ctx);
    }
  }
};

template <class T, int Rank, kleene::memory Space>
requires(Space != kleene::memory::device)
struct fmt::formatter<kleene::view<T, Rank, Space>>
    : kleene::detail::matrix_formatter<kleene::view<const std::remove_const_t<T>, Rank>> {
  template <class Context>
  auto format(const kleene::view<T, Rank, Space>& a, Context& ctx) const {
    using base = kleene::detail::matrix_formatter<kleene::view<const std::remove_const_t<T>, Rank>>;
    return base::format({a.data(), a.extents(), a.strides()}, ctx);
  }
};

template <class T, int Rank>
struct fmt::formatter<kleene::array<T, Rank>> : kleene::detail::matrix_formatter<kleene::view<const T, Rank>> {
  template <class Context>
  auto format(const kleene::array<T, Rank>& a, Context& ctx) const {
    return kleene::detail::matrix_formatter<kleene::view<const T, Rank>>::format(a.view(), ctx);
  }
};
