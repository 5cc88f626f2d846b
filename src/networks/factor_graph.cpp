// Factor graphs: what they refuse, and what an assignment costs.
#include "kleene/networks/factor_graph.hpp"

#include "data/counted.hpp"
#include "kleene/algebra/semirings.hpp"
#include "kleene/data/detail/axis_values.hpp"
#include "kleene/data/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace kleene {

namespace {

constexpr index_t most_values = index_t{1} << 31;  // that an assignment's int32 can number

// Sums of at most 2^63 elements of T without a rounding that T itself would not have.
template <class T>
using sum_of = std::conditional_t<std::is_floating_point_v<T>, double, __int128>;

// A sum that leaves double on the way, or is NaN: of costs made smaller by 2^64, which do not leave it.
template <class T>
double sum_of_large(const factor_graph<T>& g, std::span<const std::int32_t> assignment) {
  double sum = 0;
  for (const auto& f : g.factors()) sum += static_cast<double>(g.entry(f, assignment)) * 0x1p-64;
  return sum / 0x1p-64;
}

std::string factor_text(std::size_t number) { return "factor " + std::to_string(number); }

}  // namespace

template <class T>
bool is_forbidden(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isinf(value);
  else return value == min_plus<T>::zero() || value == max_plus<T>::zero();
}

template <class T>
int factor_graph<T>::add_variable(index_t values) {
  if (values < 1)
    throw shape_error("variable " + std::to_string(values_.size()) + " has " + std::to_string(values) +
                      " values; a variable takes at least one");
  if (values > most_values)
    throw shape_error("variable " + std::to_string(values_.size()) + " has " + std::to_string(values) +
                      " values; assignments hold at most 2147483648");
  if (values_.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw shape_error("a factor graph has at most 2147483647 variables");
  detail::with_memory("a factor graph", static_cast<double>(values_.size() + 1) * sizeof(index_t),
                      [&] { values_.push_back(values); });
  return variables() - 1;
}

template <class T>
void factor_graph<T>::add_factor(std::vector<int> variables, std::vector<T> table) {
  const auto refuse = [&](const std::string& why) { throw argument_error(factor_text(factors_.size()) + why); };
  if (variables.size() > most_axes)
    refuse(" has " + std::to_string(variables.size()) + " variables; at most 64 can be the axes of a tensor");
  // At most 2^31 values each: a product that is beyond the table's size stops the loop before it can wrap.
  unsigned __int128 size = 1;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (variables[v] < 0 || variables[v] >= this->variables())
      refuse(" has variable " + std::to_string(variables[v]) + "; there are " + std::to_string(this->variables()));
    if (std::find(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(v), variables[v]) !=
        variables.begin() + static_cast<std::ptrdiff_t>(v))
      refuse(" has variable " + std::to_string(variables[v]) + " twice");
    if (size <= table.size()) size *= static_cast<unsigned __int128>(values(variables[v]));
  }
  if (size != table.size()) {
    std::string values_text;
    for (const int v : variables) values_text += (values_text.empty() ? "" : " x ") + std::to_string(values(v));
    throw shape_error(factor_text(factors_.size()) + " has a table of " + std::to_string(table.size()) +
                      " elements; its variables have " + (variables.empty() ? "1" : values_text) + " combinations");
  }
  detail::with_memory("a factor graph", static_cast<double>(factors_.size() + 1) * sizeof(factor),
                      [&] { factors_.push_back({std::move(variables), std::move(table)}); });
}

template <class T>
T factor_graph<T>::entry(const factor& f, std::span<const std::int32_t> assignment) const {
  index_t at = 0;
  for (const int v : f.variables) at = at * values(v) + assignment[static_cast<std::size_t>(v)];
  return f.table[static_cast<std::size_t>(at)];
}

template <class T>
T factor_graph<T>::cost(std::span<const std::int32_t> assignment) const {
  if (assignment.size() != values_.size())
    throw shape_error("an assignment has " + detail::counted(std::ssize(assignment), "value", "values") + ", of " +
                      detail::counted(std::ssize(values_), "variable", "variables"));
  for (std::size_t v = 0; v < assignment.size(); ++v)
    if (assignment[v] < 0 || assignment[v] >= values_[v])
      throw value_error("variable " + std::to_string(v) + " is " + std::to_string(assignment[v]) + ", of " +
                        std::to_string(values_[v]) + " values from 0");
  sum_of<T> sum = 0;
  T infinity = 0;
  for (const factor& f : factors_) {
    const T value = entry(f, assignment);
    if (!is_forbidden(value)) {
      sum += value;
    } else if (infinity == 0 || infinity == value) {
      infinity = value;
    } else {
      throw value_error("the assignment has infinities of both signs; factor " + std::to_string(&f - factors_.data()) +
                        " the second");
    }
  }
  if (infinity != 0) return infinity;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(sum)) sum = sum_of_large(*this, assignment);
    if (std::isinf(static_cast<T>(sum)))
      throw value_error("the cost of the assignment is finite but too large for its floats" +
                        std::string(std::is_same_v<T, double> ? "" : "; use a wider type"));
  } else if (sum > std::numeric_limits<T>::max() || sum < std::numeric_limits<T>::lowest() ||
             is_forbidden(static_cast<T>(sum))) {
    throw value_error("the cost of the assignment, about " + std::to_string(static_cast<double>(sum)) +
                      ", does not fit its integers; use a wider type");
  }
  return static_cast<T>(sum);
}

template <class T>
network factor_graph<T>::to_network() const {
  return detail::with_memory("a network", static_cast<double>(factors_.size()) * sizeof(std::vector<int>), [&] {
    network n;
    n.extents = values_;
    n.tensors.reserve(factors_.size());
    for (const factor& f : factors_) n.tensors.push_back(f.variables);
    return n;
  });
}

template class factor_graph<std::int32_t>;
template class factor_graph<std::int64_t>;
template class factor_graph<float>;
template class factor_graph<double>;
template bool is_forbidden(std::int32_t);
template bool is_forbidden(std::int64_t);
template bool is_forbidden(float);
template bool is_forbidden(double);

}  // namespace kleene
