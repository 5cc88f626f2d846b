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

std::string type_for_integers(const std::string& algebra, double largest, double factors) {
  if (algebra == "or_and" || algebra == "xor_and") return "i32";
  constexpr double most = std::numeric_limits<i32>::max();
  double result = largest, limit = most;
  if (algebra.ends_with("_plus")) result = largest * factors, limit = most / 8;  // see algebra/semirings.hpp
  if (algebra.ends_with("_times")) result = largest * (factors > 2 ? INFINITY : largest);
  if (result < limit) return first_compiled(algebra, {"i32", "f64"});
  return algebra.ends_with("_times") ? "f64" : first_compiled(algebra, {"i64", "f64"});
}

}  // namespace kleene::cli
