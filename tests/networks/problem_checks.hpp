// Problems asked about every answer: what the factors say beside what the problem says.
#pragma once

#include "kleene/networks/problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace kleene::test {

using answer = std::vector<std::int32_t>;

// Calls visit(values) for all values of variables that take so many each.
inline void for_all(const std::vector<index_t>& sizes, const std::function<void(const answer&)>& visit) {
  answer at(sizes.size(), 0);
  for (;;) {
    visit(at);
    std::size_t v = sizes.size();
    for (; v > 0 && ++at[v - 1] == sizes[v - 1]; --v) at[v - 1] = 0;
    if (v == 0) return;
  }
}

template <class T>
std::vector<index_t> sizes_of(const problem<T>& p) {
  std::vector<index_t> sizes;
  for (const int v : p.own) sizes.push_back(p.factors.values(v));
  return sizes;
}

// The assignments of all variables that hold an answer and that no factor forbids: auxiliary variables are tried in
// their order, each as soon as the tables that end with it allow.
template <class T>
class extensions {
 public:
  extensions(const problem<T>& p) : p_(p), ending_(static_cast<std::size_t>(p.factors.variables()) + 1) {
    for (const auto& f : p.factors.factors()) {
      const int last = f.variables.empty() ? -1 : *std::max_element(f.variables.begin(), f.variables.end());
      ending_[static_cast<std::size_t>(last + 1)].push_back(&f);
    }
  }
  std::vector<answer> of(const answer& own) const {
    std::vector<answer> found;
    answer at(static_cast<std::size_t>(p_.factors.variables()), 0);
    std::copy(own.begin(), own.end(), at.begin());
    for (std::size_t v = 0; v <= own.size(); ++v)
      if (!allows(v, at)) return found;
    extend(static_cast<int>(own.size()), at, found);
    return found;
  }

 private:
  bool allows(std::size_t end, const answer& at) const {
    return std::none_of(ending_[end].begin(), ending_[end].end(),
                        [&](const auto* f) { return p_.factors.entry(*f, at) == p_.forbidden(); });
  }
  void extend(int v, answer& at, std::vector<answer>& found) const {
    if (v == p_.factors.variables()) return found.push_back(at);
    for (std::int32_t value = 0; value < p_.factors.values(v); ++value) {
      at[static_cast<std::size_t>(v)] = value;
      if (allows(static_cast<std::size_t>(v) + 1, at)) extend(v + 1, at, found);
    }
  }

  const problem<T>& p_;
  std::vector<std::vector<const typename factor_graph<T>::factor*>> ending_;
};

template <class T>
struct summary {
  bool is_feasible = false;
  T best = 0;
  int count = 0;     // of answers as good
  int feasible = 0;  // answers
  friend bool operator==(const summary&, const summary&) = default;
};
template <class T>
std::ostream& operator<<(std::ostream& out, const summary<T>& s) {
  return out << (s.is_feasible ? "best " : "none ") << s.best << ", " << s.count << " of " << s.feasible;
}

// Every answer: allowed by exactly one extension, or by none, as check() says, which is worth what check() says.
template <class T>
summary<T> check_all(const problem<T>& p) {
  summary<T> all;
  const extensions<T> tables(p);
  for (std::size_t i = 0; i < p.own.size(); ++i) EXPECT_EQ(p.own[i], static_cast<int>(i));
  for_all(sizes_of(p), [&](const answer& own) {
    const verdict<T> v = p.check(own);
    const std::vector<answer> found = tables.of(own);
    EXPECT_EQ(found.size(), v.is_feasible ? 1u : 0u) << p.name << ": " << testing::PrintToString(own) << v.why;
    EXPECT_EQ(v.is_feasible, v.why.empty());
    if (found.size() != 1 || !v.is_feasible) return;
    EXPECT_EQ(p.factors.cost(found[0]), v.value) << p.name << ": " << testing::PrintToString(own);
    EXPECT_EQ(p.own_values(found[0]), own);
    ++all.feasible;
    if (all.is_feasible && v.value == all.best) ++all.count;
    if (!all.is_feasible || p.is_better(v.value, all.best)) all.is_feasible = true, all.best = v.value, all.count = 1;
  });
  return all;
}

// The sum over all assignments, auxiliary variables included, of the product of solutions().
template <class T>
std::int64_t counted_solutions(const problem<T>& p) {
  const factor_graph<std::int64_t> g = solutions<std::int64_t>(p);
  std::vector<index_t> sizes;
  for (int v = 0; v < g.variables(); ++v) sizes.push_back(g.values(v));
  std::int64_t sum = 0;
  for_all(sizes, [&](const answer& at) {
    std::int64_t product = 1;
    for (const auto& f : g.factors()) product *= g.entry(f, at);
    sum += product;
  });
  return sum;
}

}  // namespace kleene::test
