// Questions to a factor graph, answered exactly by contraction.
//
//   const auto best = optimum(ctx, p.factors, direction::maximise);     best.value, best.assignment
//   const auto best = optimum(ctx, p);                                  of a problem, by its goal
//   count_optima(ctx, p)          how many assignments are as good: a number of any size, in decimal
//   count_solutions(ctx, g)       how many assignments no factor forbids
//   several_best(ctx, p, 10)      the ten best values, each as often as there are assignments that have it
//   partition(ctx, g)             the sum over all assignments of the product of all factors
//   log_partition(ctx, g)         the same of logarithms
//
// Contract
//   factors    sums of costs, where infinities of either sign forbid in both directions (networks/factor_graph.hpp);
//              of partition products of weights. A NaN in a table is no candidate. The graph without factors has one
//              value: that of an empty sum.
//   value      is_feasible is false, and there is no assignment, where every assignment is forbidden.
//   assignment evaluated again by the factor graph before it is given: over integers its cost is the value, over floats
//              within the rounding of the sum. Anything else is error(internal). `value` is that cost.
//   counts     exact. Values are equal under ==, over f32 of sums in f64: floats that are no whole numbers may make one
//              value two.
//   order      options.order says how long to look for one; unless it says how large tensors may grow, memory does, and
//              where their workspace does not fit, they are sliced further. options.found, an order of g.to_network(),
//              serves all questions to g: no other is looked for, and its slices are chosen anew. argument_error where
//              it is no such order.
//   memory     all that a question may take, tables aside; 0: what the context has. error(memory) with the bytes.
//   range      no finite sum wraps, or is taken for a forbidden one. A value that is asked for, and that T does not
//              hold, or has as an infinity, is a value_error; one that is not asked for is none.
//                integers: a value_error, too, are a cost of magnitude max/8 (algebra/semirings.hpp) or more, and a
//                partial optimum, the best sum of some of the factors, that reaches it, even if the whole would fit.
//                count_optima and several_best of int32 add in f64 instead, and refuse costs that could add up to more
//                than 2^53.
//                floats: sums on the way may leave T. Where they could, those of float are formed in double, and those
//                of double from costs made smaller by 2^64. A cost that this would round, below 2^-958 in magnitude, is
//                a value_error then.
//   errors     argument_error: several_best of fewer than 1 or more than 16; a count beyond the primes, 2^991.
//
// Method: factors whose variables another has, too, are multiplied into it. What is left is contracted over max_plus
// (of costs negated to minimise), counting<max_plus>, k_best<max_plus>, plus_times or log_plus. Counts are summed in
// f64 first: below 2^53 that is exact, and beyond it tells how many primes a second time takes (networks/residues.hpp).
// On processors f32 comes before it where all sums of entries are integers below 2^24: exact if the count is, too.
// partition and log_partition take pairs of variables as one where clustered() would (networks/clusters.hpp), unless
// there is options.found; for other questions whoever asks makes the problem one of pairs.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/networks/contract_options.hpp"
#include "kleene/networks/factor_graph.hpp"
#include "kleene/networks/order.hpp"
#include "kleene/networks/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kleene {

struct solve_options {
  order_options order;
  const contraction_order* found = nullptr;
  std::size_t memory = 0;
  bool assignment = true;          // of optimum(): one, besides the value
  bool small_on_processor = true;  // as contract_options has it
};

struct solve_report {
  int tensors = 0;        // that were contracted, of as many factors or fewer
  contraction_cost cost;  // of the order
  index_t slices = 1;
  std::string method;  // which search found the order
  double order_seconds = 0;
  double contract_seconds = 0;  // of all contractions together
  int contractions = 0;
  int launched = 0;       // as of contraction_report, in the last one
  std::size_t bytes = 0;  // of workspace, at the peak
};

template <class T>
struct optimum_result {
  T value;
  bool is_feasible = false;
  std::vector<std::int32_t> assignment;  // a value for each variable, 0 of those in no factor
  solve_report report;
};

template <class T>
struct count_result {
  T value;  // that so many assignments have
  bool is_feasible = false;
  std::string count;  // in decimal
  double about = 0;   // the count, rounded
  solve_report report;
};

template <class T>
struct several_result {
  std::vector<T> values;  // the best first; fewer than asked for where there are fewer assignments
  solve_report report;
};

struct partition_result {
  double value;
  solve_report report;
};

template <class T>
optimum_result<T> optimum(const context& ctx, const factor_graph<T>& g, direction goal,
                          const solve_options& options = {});
template <class T>
count_result<T> count_optima(const context& ctx, const factor_graph<T>& g, direction goal,
                             const solve_options& options = {});
template <class T>
several_result<T> several_best(const context& ctx, const factor_graph<T>& g, direction goal, int count,
                               const solve_options& options = {});
// The value is 0.
template <class T>
count_result<T> count_solutions(const context& ctx, const factor_graph<T>& g, const solve_options& options = {});

partition_result partition(const context& ctx, const factor_graph<double>& weights, const solve_options& options = {});
partition_result log_partition(const context& ctx, const factor_graph<double>& logarithms,
                               const solve_options& options = {});

template <class T>
optimum_result<T> optimum(const context& ctx, const problem<T>& p, const solve_options& options = {}) {
  return optimum(ctx, p.factors, p.goal, options);
}
template <class T>
count_result<T> count_optima(const context& ctx, const problem<T>& p, const solve_options& options = {}) {
  return count_optima(ctx, p.factors, p.goal, options);
}
template <class T>
several_result<T> several_best(const context& ctx, const problem<T>& p, int count, const solve_options& options = {}) {
  return several_best(ctx, p.factors, p.goal, count, options);
}

#define KLEENE_SOLVE_ROW(T, result, question, ...)                                                      \
  extern template result<T> question(const context&, const factor_graph<T>& __VA_OPT__(, ) __VA_ARGS__, \
                                     const solve_options&);
#include "kleene/networks/detail/solve_rows.def"
#undef KLEENE_SOLVE_ROW

}  // namespace kleene
