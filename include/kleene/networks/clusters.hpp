// Two variables as one, where one forbids values of the other: fewer values, so that a tensor over both is smaller.
//
//   const auto p = clustered(independent_set(undirected(graph)));   // asked as any problem is
//   p.own_values(best.assignment), p.check(answer)                  // of the vertices, as before
//
// Of two neighbours in an independent set at most one is chosen: three values in place of two times two. A frontier of
// 28 vertices in a row has 2^28 assignments, and 3^14 = 2^22.2 that such pairs allow.
//
// Contract
//   clustered  the same problem: name, goal, answers, their values and how many there are. It takes pairs of variables
//              whose common factors (of up to six variables) allow at most three quarters of their values together,
//              each variable once, in the order of their numbers; factors stay as many, in their order.
//   when       clustering::where_it_pays: p itself where there are more than 20,000 factors, where tables would have
//              more than four times as many elements, where p takes fewer than 2^26 operations (of traffic 16 each), or
//              clusters more than half of what it takes: by the better of two orders, min-fill's and that of the
//              variables' numbers. So the result hangs on no clock. always: whatever that says, for tables that fit.
//   variables  of its factors are clusters: own[i] holds vertex i, alone or beside another, and readings say how.
//              A problem that has readings already is given back.
//   forbidden  is an infinity of either sign, or NaN.
//   error      (memory) where there is no room.
//
// Method: clustering of variables (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988, section 4.4.1), of two.
#pragma once

#include "kleene/networks/problem.hpp"

namespace kleene {

enum class clustering { where_it_pays, always };

template <class T>
problem<T> clustered(problem<T> p, clustering when = clustering::where_it_pays);

extern template problem<std::int32_t> clustered(problem<std::int32_t>, clustering);
extern template problem<std::int64_t> clustered(problem<std::int64_t>, clustering);
extern template problem<float> clustered(problem<float>, clustering);
extern template problem<double> clustered(problem<double>, clustering);

}  // namespace kleene
