// A problem over discrete variables: factors, each a table over a few variables. Over an algebra its value is
// (+) over all assignments of (x) over all factors: the least sum of costs over min_plus, the greatest over max_plus,
// the number of solutions over plus_times, whether there is any over or_and.
//
//   factor_graph<double> p;
//   const int x = p.add_variable(2), y = p.add_variable(3);   // how many values each takes
//   p.add_factor({x, y}, {0, 1, 2, 3, 4, 5});                 // the table, row-major: the last variable fastest
//   p.cost(assignment)                                        // (x) of all factors: the sum, for sums of costs
//
// A factor of no variables is a constant: a table of one element. A combination that is forbidden has infinity in a
// table: zero() of min_plus, or of max_plus (of integers +-max/2, algebra/semirings.hpp). Either forbids, whether costs
// are minimised or maximised: minus infinity is never the best of all.
//
// argument_error: a variable that there is not, twice in a factor, more than 64 in one; shape_error: a table of another
// size, a domain below 1, more than 2^31 - 1 variables; error(memory).
#pragma once

#include "kleene/networks/network.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace kleene {

template <class T>
class factor_graph {
 public:
  using value_type = T;
  struct factor {
    std::vector<int> variables;
    std::vector<T> table;
  };

  // Variables in the order of their numbers, from 0.
  int add_variable(index_t values);
  void add_factor(std::vector<int> variables, std::vector<T> table);

  int variables() const { return static_cast<int>(values_.size()); }
  index_t values(int variable) const { return values_[static_cast<std::size_t>(variable)]; }
  const std::vector<factor>& factors() const { return factors_; }

  // What factor f has for the assignment, which is in range.
  T entry(const factor& f, std::span<const std::int32_t> assignment) const;
  // The sum of what every factor has for the assignment (one value a variable): independent of any contraction. An
  // infinity makes it that infinity. shape_error: an assignment of another length; value_error: a value outside its
  // variable's domain, infinities of both signs, a finite sum that T does not hold, or has as an infinity. Floats are
  // added in double, which sums on the way may leave.
  T cost(std::span<const std::int32_t> assignment) const;

  // The network: a tensor a factor, an index a variable, nothing open. Variables in no factor are indices in no tensor,
  // over which no contraction sums: where the sum counts, it is to be multiplied by how many values they have.
  network to_network() const;

 private:
  std::vector<index_t> values_;
  std::vector<factor> factors_;
};

// Whether a table's element is forbidden: an infinity of Kleene's, of either sign.
template <class T>
bool is_forbidden(T value);

extern template class factor_graph<std::int32_t>;
extern template class factor_graph<std::int64_t>;
extern template class factor_graph<float>;
extern template class factor_graph<double>;
extern template bool is_forbidden(std::int32_t);
extern template bool is_forbidden(std::int64_t);
extern template bool is_forbidden(float);
extern template bool is_forbidden(double);

}  // namespace kleene
