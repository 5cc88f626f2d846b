#include "dispatch.hpp"

#include <initializer_list>

namespace kleene::cli {

namespace {

// The first of these types that the catalog has for the algebra.
std::string first_compiled(const std::string& algebra, std::initializer_list<const char*> types) {
  for (const char* type : types)
    if (is_compiled(algebra, type)) return type;
  return *types.begin();
}

}  // namespace

algebra_facts facts_of(std::string_view algebra) {
  algebra_facts facts;
  bool found = false;  // by its first row: no bool is 3 or 6
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if (found || algebra != S::name) return;
    found = true;
    const auto element = [](int value) { return widen<S>(static_cast<value_of<S>>(value)); };
    facts = {.is_boolean = is_boolean<S>,
             .ignores_weights = ignores_weights<S>,
             .sums_weights = S::mul(element(3), element(3)) == element(6),
             .multiplies_weights = S::mul(element(3), element(3)) == element(9),
             .prefers_less = S::add(element(1), element(2)) == element(1)};
  });
  return facts;
}

std::string type_for_integers(const std::string& algebra, double largest, double factors) {
  const algebra_facts facts = facts_of(algebra);
  if (facts.is_boolean) return "i32";
  constexpr double most = std::numeric_limits<i32>::max();
  double result = largest, limit = most;
  if (facts.sums_weights) result = largest * factors, limit = most / 8;  // see algebra/semirings.hpp
  if (facts.multiplies_weights) result = largest * (factors > 2 ? INFINITY : largest);
  if (result < limit) return first_compiled(algebra, {"i32", "f64"});
  return facts.multiplies_weights ? "f64" : first_compiled(algebra, {"i64", "f64"});
}

}  // namespace kleene::cli
