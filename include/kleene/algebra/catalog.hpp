// The catalog as C++: element types by name, and visitors over the rows of catalog.def and mixed.def.
#pragma once

#include "kleene/algebra/f8.hpp"
#include "kleene/algebra/semirings.hpp"

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace kleene {

using f32 = float;
using f64 = double;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// clang-format off
template <class T> inline constexpr const char* type_name = "unknown";
template <> inline constexpr const char* type_name<f32>  = "f32";
template <> inline constexpr const char* type_name<f64>  = "f64";
template <> inline constexpr const char* type_name<f16>  = "f16";
template <> inline constexpr const char* type_name<bf16> = "bf16";
template <> inline constexpr const char* type_name<f8_e4m3> = "f8_e4m3";
template <> inline constexpr const char* type_name<f8_e5m2> = "f8_e5m2";
template <> inline constexpr const char* type_name<i8>   = "i8";
template <> inline constexpr const char* type_name<u8>   = "u8";
template <> inline constexpr const char* type_name<i16>  = "i16";
template <> inline constexpr const char* type_name<u16>  = "u16";
template <> inline constexpr const char* type_name<i32>  = "i32";
template <> inline constexpr const char* type_name<i64>  = "i64";
template <> inline constexpr const char* type_name<bool> = "bool";
// clang-format on

// Whether S is a row of the catalog: then its operations are compiled into the library.
template <class S>
inline constexpr bool is_in_catalog = false;
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  inline constexpr bool is_in_catalog<algebra<type>> = true;
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

// Calls visit(algebra{}) for each row of the catalog, in order: visit is a generic lambda.
template <class Visit>
void for_each_algebra(Visit&& visit) {
#define KLEENE_ROW(algebra, type) visit(algebra<type>{});
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
}

// Calls visit(algebra{}, std::type_identity<element of C>{}) for each row of mixed.def, in order.
template <class Visit>
void for_each_mixed(Visit&& visit) {
#define KLEENE_MIXED(algebra, type, out) visit(algebra<type>{}, std::type_identity<out>{});
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED
}

// Calls visit(algebra{}) for the row of that name and type; false when there is none.
template <class Visit>
bool with_algebra(std::string_view name, std::string_view type, Visit&& visit) {
  bool found = false;
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if (!found && name == S::name && type == type_name<value_of<S>>) {
      found = true;
      visit(s);
    }
  });
  return found;
}

}  // namespace kleene
