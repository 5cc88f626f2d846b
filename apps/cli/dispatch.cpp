#include "dispatch.hpp"

#include "kleene/io/names.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace kleene::cli {

namespace {

// A row of catalog.def, or of mixed.def (products alone), and which needs it meets.
struct algebra_row {
  std::string_view algebra, type;
  bool meets[4] = {};

  bool meets_need(algebra_need need) const { return meets[static_cast<int>(need)]; }
};

const std::vector<algebra_row>& algebra_rows() {
  static const std::vector<algebra_row> rows = [] {
    std::vector<algebra_row> all;
    for_each_algebra([&]<class S>(S) {
      all.push_back({S::name,
                     type_name<value_of<S>>,
                     {path_algebras::accepts<S>, closed_algebras::accepts<S>, product_algebras::accepts<S>,
                      witness_algebras::accepts<S>}});
    });
    for_each_narrow([&]<class S>(S) { all.push_back({S::name, type_name<value_of<S>>, {false, false, true, false}}); });
    return all;
  }();
  return rows;
}

const char* words_of_need(algebra_need need) {
  switch (need) {
    case algebra_need::paths:
      return "paths need an algebra that selects one of them";
    case algebra_need::closure:
      return "a closure needs a semiring";
    case algebra_need::witness:
      return "a witness needs an algebra that selects one term";
    default:
      return "";
  }
}

void append(std::string& list, std::string_view word) {
  if (!list.empty()) list += ", ";
  list += word;
}

// The first of these types that the catalog has for the algebra.
std::string first_compiled(const std::string& algebra, std::initializer_list<const char*> types) {
  for (const char* type : types)
    if (is_compiled(algebra, type)) return type;
  return *types.begin();
}

}  // namespace

bool is_compiled(std::string_view algebra, std::string_view dtype) {
  return with_algebra(algebra, dtype, [](auto) {});
}

std::string wider_types(std::string_view algebra, std::string_view dtype) {
  std::string types;
  for (const std::string_view type : {"i64", "f64"})
    if (type != dtype && is_compiled(algebra, type)) types += (types.empty() ? "" : " or ") + std::string(type);
  return types.empty() ? "no wider type is compiled" : "say --dtype " + types;
}

void refuse_algebra(algebra_need need, const std::string& algebra, const std::string& dtype) {
  std::vector<std::string_view> names;
  std::string types;
  bool known = false;
  for (const algebra_row& row : algebra_rows()) {
    known |= row.algebra == algebra;
    if (!row.meets_need(need)) continue;
    if (row.algebra == algebra) append(types, row.type);
    if (std::ranges::find(names, row.algebra) == names.end()) names.push_back(row.algebra);
  }
  std::string all;
  for (const std::string_view name : names) append(all, name);
  if (!known) {
    const long near = io::nearest(algebra, static_cast<long>(names.size()), [&](long k) { return names[k]; });
    throw error(fault_code::usage, "unknown algebra '" + algebra + "'" +
                                       (near < 0 ? "" : ": did you mean " + std::string(names[near]) + "?") +
                                       " (--algebra takes " + all + ")");
  }
  if (types.empty()) throw error(fault_code::usage, algebra + ": " + words_of_need(need) + " (" + all + ")");
  throw error(fault_code::usage, algebra + " is not compiled for " + dtype + ", but for " + types);
}

void require_algebra(algebra_need need, const std::string& algebra, const std::string& dtype) {
  const bool found = std::ranges::any_of(algebra_rows(), [&](const algebra_row& row) {
    return row.meets_need(need) && row.algebra == algebra && (dtype.empty() || row.type == dtype);
  });
  if (!found) refuse_algebra(need, algebra, dtype);
}

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
