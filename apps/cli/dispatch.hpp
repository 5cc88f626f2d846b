// From the names in the flags to a compiled algebra, and exact conversion of file values to its element type.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kleene::cli {

// What a subcommand needs of an algebra, as a predicate on types and as a value.
enum class algebra_need { paths, closure, product, witness };
struct path_algebras {
  static constexpr auto need = algebra_need::paths;
  template <class S>
  static constexpr bool accepts = full_semiring<S> && is_selective<S>;
};
struct closed_algebras {
  static constexpr auto need = algebra_need::closure;
  template <class S>
  static constexpr bool accepts = closed_semiring<S>;
};
struct product_algebras {  // and those of mixed.def
  static constexpr auto need = algebra_need::product;
  template <class S>
  static constexpr bool accepts = true;
};
struct witness_algebras {
  static constexpr auto need = algebra_need::witness;
  template <class S>
  static constexpr bool accepts = is_selective<S>;
};

// The elements are 0 and 1.
template <class S>
constexpr bool is_boolean = [] {
  using T = value_of<S>;
  if constexpr (std::is_same_v<T, bool>) return true;
  else if constexpr (has_domain<S>) return S::in_domain(T(0)) && S::in_domain(T(1)) && !S::in_domain(T(2));
  else return false;
}();
// Whether there is a path is all that is asked: a stored entry is an arc, whatever its weight.
template <class S>
constexpr bool ignores_weights = is_boolean<S> && is_selective<S>;

// What the command line asks of an algebra before it has chosen the element type.
struct algebra_facts {
  bool is_boolean = false, ignores_weights = false;
  // What mul makes of weights along a path.
  bool sums_weights = false, multiplies_weights = false;
  bool prefers_less = false;
};
// All false for an algebra that the catalog does not have.
algebra_facts facts_of(std::string_view algebra);

// Calls visit(S{}) for each algebra over operands of 8 and 16 bits, whose products come in the type of their sums.
template <class Visit>
void for_each_narrow(Visit&& visit) {
  for_each_mixed([&]<class S, class Out>(S s, std::type_identity<Out>) {
    if constexpr (std::is_same_v<Out, accumulator_of<S>>) visit(s);
  });
}

// Whether the catalog has this row.
bool is_compiled(std::string_view algebra, std::string_view dtype);

// What to say where a length is too large for an integer type: "say --dtype i64 or f64" of those that the catalog has
// and that are wider.
std::string wider_types(std::string_view algebra, std::string_view dtype);

// Throws error(usage): unknown algebra, or known but not with this type or for this work; says what there is.
[[noreturn]] void refuse_algebra(algebra_need need, const std::string& algebra, const std::string& dtype);

// Refuses, before any file is read, an algebra that does not meet the need, or has no such type (empty: any will do).
void require_algebra(algebra_need need, const std::string& algebra, const std::string& dtype);

// Calls visit(S{}) for the compiled algebra of that name and type, if it meets the Need.
template <class Need, class Visit>
void dispatch(const std::string& algebra, const std::string& dtype, Visit&& visit) {
  bool found = false;
  with_algebra(algebra, dtype, [&](auto s) {
    if constexpr (Need::template accepts<decltype(s)>) {
      found = true;
      visit(s);
    }
  });
  if constexpr (std::is_same_v<Need, product_algebras>)
    for_each_narrow([&]<class S>(S s) {
      if (algebra == S::name && dtype == type_name<value_of<S>>) found = true, visit(s);
    });
  if (!found) refuse_algebra(Need::need, algebra, dtype);
}

// The element type for integer input of magnitudes up to `largest`, of which a product has up to `factors`: i32, or the
// next wider compiled type where a result could leave its range. Products over integers leave every range soon: more
// than two factors are f64.
std::string type_for_integers(const std::string& algebra, double largest, double factors);

// The value in another element type; nothing when an integer type cannot hold it exactly, nor f64 a whole number, when
// a float makes a finite value infinite, or when f32 makes 0 of another number: an element would turn into another kind
// of thing, such as no arc. Floats round otherwise; those of 16 bits, which only products take, round small values to 0
// as well.
template <class To, class From>
std::optional<To> converted(From value) {
  if constexpr (std::same_as<To, bool>) {
    if (value != From(0) && value != From(1)) return {};
  } else if constexpr (std::integral<To> && std::integral<From>) {
    if (!std::in_range<To>(value)) return {};
  } else if constexpr (std::integral<To>) {
    constexpr double end = 2.0 * (std::numeric_limits<To>::max() / 2 + 1);  // 2^31 or 2^63, exact
    constexpr double begin = std::numeric_limits<To>::lowest();
    if (!(value >= begin && value < end) || std::trunc(value) != value) return {};
  } else if constexpr (sizeof(To) <= sizeof(float)) {
    const auto narrow = static_cast<float>(static_cast<To>(value));
    const auto wide = static_cast<double>(value);
    if (std::isinf(narrow) && std::isfinite(wide)) return {};
    if (sizeof(To) == sizeof(float) && narrow == 0 && wide != 0) return {};
  } else if constexpr (std::integral<From>) {
    const auto wide = static_cast<To>(value);
    if (std::abs(wide) >= 0x1p53 && (wide >= 0x1p63 || static_cast<From>(wide) != value)) return {};
  }
  return static_cast<To>(value);
}

// What a refusal of a value outside the domain says: the bounds, and what means that there is no path.
template <class S>
std::string domain_words() {
  using T = value_of<S>;
  if constexpr (is_boolean<S>) return fmt::format("outside the domain of {}, whose elements are 0 and 1", S::name);
  else if constexpr (S::in_domain(T(-1)))
    return fmt::format("outside the domain of {} on {}: numbers go from -{} to {}, and {} means no path", S::name,
                       type_name<T>, S::range::limit - 1, S::range::limit - 1, S::zero());
  else
    return fmt::format("outside the domain of {} on {}: numbers are not negative, and {} means no path", S::name,
                       type_name<T>, S::zero());
}

}  // namespace kleene::cli
