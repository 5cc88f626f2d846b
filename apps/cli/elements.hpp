// The entries of a file as elements of an algebra. What reading asks of the algebra is a value, so that conversions are
// compiled once an element type and not once an algebra.
#pragma once

#include "dispatch.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"
#include "refused_line.hpp"

#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace kleene::cli {

template <class T>
struct element_rules {
  const char* algebra;
  T zero;
  bool ignores_weights;           // each entry is an arc, whatever its value
  bool zero_is_a_number;          // a number of T stands for "no path", and is refused as a weight
  std::optional<T> no_limit;      // the number of the path of no arcs, which no arc may have as its weight
  bool (*in_domain)(T);           // null: every value is
  std::string (*domain_words)();  // what a refusal of a value outside the domain says
  T (*add)(T earlier, T later);   // the better of two duplicates
  bool (*sum_overflows)(T, T);    // null: no sum of duplicates does
};

// Whether the path of no arcs has the greatest or the least number of an integer type: over max_min and min_max.
template <class S>
inline constexpr bool one_is_an_extreme =
    std::is_integral_v<value_of<S>> && !std::is_same_v<value_of<S>, bool> &&
    (S::one() == std::numeric_limits<value_of<S>>::max() || S::one() == std::numeric_limits<value_of<S>>::min());

template <class S>
element_rules<value_of<S>> rules_of() {
  using T = value_of<S>;
  element_rules<T> rules{};
  rules.algebra = S::name;
  rules.zero = S::zero();
  rules.ignores_weights = ignores_weights<S>;
  rules.zero_is_a_number = std::is_integral_v<T> && !ignores_weights<S> && S::zero() != T(0);
  if constexpr (one_is_an_extreme<S>) rules.no_limit = S::one();
  if constexpr (has_domain<S>) {
    rules.in_domain = [](T value) { return S::in_domain(value); };
    rules.domain_words = domain_words<S>;
  }
  rules.add = [](T earlier, T later) { return normalise<S>(S::add(widen<S>(earlier), widen<S>(later))); };
  if constexpr (can_overflow<S>)
    rules.sum_overflows = [](T earlier, T later) {
      return earlier != S::zero() && S::overflows(S::add(widen<S>(earlier), widen<S>(later)));
    };
  return rules;
}

// A value as a double. The path of no arcs has no limit: over integers max_min has the greatest number of the type for
// it and min_max the least, which are infinity and -infinity here.
template <class S>
double as_number(value_of<S> value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if constexpr (one_is_an_extreme<S>)
    if (value == S::one()) return value > 0 ? infinity : -infinity;
  return static_cast<double>(value);
}

// What a refusal by `converted` says of the type.
template <class To>
constexpr const char* range_hint = std::is_same_v<To, f32>   ? " (1.4e-45 to 3.4e38, and 0): use --dtype f64"
                                   : std::is_same_v<To, f64> ? " exactly (whole numbers to 2^53)"
                                                             : "";

// The entries of a file in the algebra's element type; value_error, which says its line, for one that the type cannot
// hold.
template <class T, class From>
sparse_values<T> values_as(const element_rules<T>& rules, const coo<From>& entries, const entry_source& source,
                           bool as_arcs) {
  sparse_values<T> values;
  values.reserve(entries.value.size());
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    const std::optional<T> value = rules.ignores_weights ? T(1) : converted<T>(entries.value[e]);
    // Asked here, of each entry: duplicates are combined next, and spread out over zero, to which a value outside the
    // domain may lose.
    const auto refuse = [&](const std::string& why) {
      const From as_read = entries.value[e];
      const std::string i = source.names.text(entries.row[e]), j = source.names.text(entries.col[e]);
      const std::string place = place_of(source, entries.row[e], entries.col[e], static_cast<double>(as_read));
      throw value_error(as_arcs ? fmt::format("{}: arc {} -> {} has weight {}, {}", place, i, j, as_read, why)
                                : fmt::format("{}: entry ({}, {}) is {}, {}", place, i, j, as_read, why));
    };
    if (!value) refuse(fmt::format("which {} cannot hold{}", type_name<T>, range_hint<T>));
    if (!(*value == *value)) refuse("which is no number");
    if (rules.in_domain && !rules.ignores_weights && !rules.in_domain(*value)) refuse(rules.domain_words());
    if (rules.zero_is_a_number && *value == rules.zero)
      refuse(fmt::format("which stands for \"no path\" in {} on {}{}", rules.algebra, type_name<T>, range_hint<T>));
    if (as_arcs && value == rules.no_limit && entries.row[e] != entries.col[e])  // a loop may be the path of no arcs
      refuse(fmt::format("which stands for \"no limit\" in {} on {}", rules.algebra, type_name<T>));
    values.push_back(*value);
  }
  return values;
}

// The same spread out over the algebra's zero, duplicates combined; value_error where the type cannot hold their sum.
template <class T, class From>
matrix<T> spread_out(const element_rules<T>& rules, const coo<From>& list, const entry_source& source, bool as_arcs) {
  const sparse_values<T> entries = values_as(rules, list, source, as_arcs);
  matrix<T> m(list.rows, list.cols, rules.zero);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    T& element = m(list.row[e], list.col[e]);
    if (rules.sum_overflows && rules.sum_overflows(element, entries[e]))
      throw value_error(fmt::format("{}: the sum of the entries at ({}, {}) does not fit {}", source.path,
                                    source.names.text(list.row[e]), source.names.text(list.col[e]), type_name<T>));
    element = rules.add(element, entries[e]);
  }
  return m;
}

}  // namespace kleene::cli
