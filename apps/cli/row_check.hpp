// One row of distances (and predecessors), checked against the graph: for `kleene verify`.
//
// A row is right where the source is at one() from itself, no arc leads to a better length than the row has, and every
// length is that of a walk: along arcs that are tight, whose lengths add up, its vertex is reached from the source. The
// second says that nothing is too long, the third that nothing is too short, and both that what cannot be reached is
// exactly what the row says (Cormen, Leiserson, Rivest and Stein, "Introduction to algorithms", 24.5). O(arcs) a row.
#pragma once

#include "graph_input.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace kleene::cli {

// The first thing that is wrong, in words.
struct verify_fault {
  std::string kind;
  std::int32_t from = -1, to = -1, over = -1;  // over: the last vertex of the better way, or the predecessor
  std::string found, expected;                 // as JSON
  std::string words;
};

template <class S>
class row_check {
 public:
  using T = value_of<S>;
  using A = accumulator_of<S>;

  row_check(const csr<T>& graph, const labels& names, double tolerance, bool negative)
      : graph_(graph), names_(names), tolerance_(tolerance), negative_(negative) {}

  // d: a length for each vertex; p: a predecessor for each, or null.
  std::optional<verify_fault> fault(std::int32_t source, const T* d, const std::int32_t* p) {
    source_ = source;
    d_ = d;
    size_ = 0;
    if (auto wrong = check_values()) return wrong;
    if (auto wrong = check_arcs()) return wrong;
    return p ? check_predecessors(p) : check_walks();
  }

 private:
  static std::string json(T value) { return number_json(value); }
  static std::string shown(T value) {
    return value == S::zero() ? fmt::format("{} (no path)", text(value)) : text(value);
  }
  static std::string text(T value) {
    if constexpr (std::is_same_v<T, bool>) return value ? "1" : "0";
    else return fmt::format("{}", value);
  }
  std::string way(std::int32_t v) const { return fmt::format("from {} to {}", names_.text(source_), names_.text(v)); }
  bool reached(std::int32_t v) const { return !(d_[v] == S::zero()); }
  T along(std::int32_t u, index_t e) const {
    return normalise<S>(S::mul(widen<S>(d_[u]), widen<S>(static_cast<T>(graph_.values[e]))));
  }

  // Whether two lengths are one but for rounding. Where arcs are negative the sums on the way may have been larger than
  // what is left of them: as large as the largest of the row.
  bool same(T a, T b, T weight) const {
    if (a == b) return true;
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(a) || !std::isfinite(b)) return false;
      double size = std::max(std::abs(static_cast<double>(a)), std::abs(static_cast<double>(b)));
      if (negative_) size = std::max({size, size_, std::abs(static_cast<double>(weight))});
      return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= tolerance_ * size;
    } else {
      return false;
    }
  }
  static bool better(T a, T b) { return normalise<S>(S::add(widen<S>(a), widen<S>(b))) == a && !(a == b); }

  std::optional<verify_fault> check_values() {
    for (std::int32_t v = 0; v < graph_.rows; ++v) {
      const T value = d_[v];
      bool inside = value == value;
      if constexpr (has_domain<S>) inside = inside && S::in_domain(value);
      if (!inside)
        return verify_fault{
            "value",
            source_,
            v,
            -1,
            json(value),
            "null",
            fmt::format("{} the file has {}, which is no length over {}", way(v), text(value), S::name)};
      if constexpr (std::is_floating_point_v<T>)
        if (std::isfinite(value)) size_ = std::max(size_, std::abs(static_cast<double>(value)));
    }
    if (d_[source_] == S::one()) return {};
    return verify_fault{
        "source",
        source_,
        source_,
        -1,
        json(d_[source_]),
        json(S::one()),
        fmt::format("{} the file has {}, and it is {}", way(source_), shown(d_[source_]), text(S::one()))};
  }

  std::optional<verify_fault> check_arcs() const {
    for (std::int32_t u = 0; u < graph_.rows; ++u) {
      if (!reached(u)) continue;
      for (index_t e = graph_.offsets[u]; e < graph_.offsets[u + 1]; ++e) {
        const std::int32_t v = graph_.columns[e];
        const T length = along(u, e);
        if (!better(length, d_[v]) || same(length, d_[v], graph_.values[e])) continue;
        return verify_fault{
            "arc", source_, v, u, json(d_[v]), json(length), disagreement(v, u, length, graph_.values[e])};
      }
    }
    return {};
  }

  // Of two lengths and the arc between them. Which is wrong only the source's own says, which has been checked.
  std::string disagreement(std::int32_t v, std::int32_t u, T length, T weight) const {
    const std::string found = fmt::format("{} the file has {}", way(v), shown(d_[v]));
    if (u == source_) return fmt::format("{}, but an arc of {} leads there", found, text(weight));
    return fmt::format("{}, but {} over {} ({} there, and an arc of {}): one of them is wrong", found, text(length),
                       names_.text(u), text(d_[u]), text(weight));
  }

  // Reaches what it can along tight arcs.
  std::optional<verify_fault> check_walks() {
    found_.assign(static_cast<std::size_t>(graph_.rows), 0);
    open_.assign(1, source_);
    found_[source_] = 1;
    while (!open_.empty()) {
      const std::int32_t u = open_.back();
      open_.pop_back();
      for (index_t e = graph_.offsets[u]; e < graph_.offsets[u + 1]; ++e) {
        const std::int32_t v = graph_.columns[e];
        if (found_[v] || !reached(v) || !same(along(u, e), d_[v], graph_.values[e])) continue;
        found_[v] = 1;
        open_.push_back(v);
      }
    }
    for (std::int32_t v = 0; v < graph_.rows; ++v)
      if (reached(v) && !found_[v]) return no_walk(v);
    return {};
  }

  // What there is instead: the best length over an arc that leads there.
  verify_fault no_walk(std::int32_t v) const {
    T best = S::zero();
    for (std::int32_t u = 0; u < graph_.rows; ++u) {
      if (!reached(u)) continue;
      const auto end = graph_.columns.begin() + graph_.offsets[u + 1];
      const auto at = std::lower_bound(graph_.columns.begin() + graph_.offsets[u], end, v);
      if (at != end && *at == v)
        best = normalise<S>(S::add(widen<S>(best), widen<S>(along(u, at - graph_.columns.begin()))));
    }
    const std::string why = best == S::zero() ? "no vertex with a path has an arc that leads there"
                            : same(best, d_[v], T(0))
                                ? fmt::format("the arcs that make up {} go round in a circle", text(best))
                                : fmt::format("the best over an arc that leads there is {}", text(best));
    return {"walk",
            source_,
            v,
            -1,
            json(d_[v]),
            json(best),
            fmt::format("{} the file has {}, which no path has: {}", way(v), shown(d_[v]), why)};
  }

  std::optional<verify_fault> check_predecessors(const std::int32_t* p) {
    const auto wrong = [&](std::int32_t v, const std::string& expected, const std::string& why) {
      return verify_fault{"predecessor",
                          source_,
                          v,
                          p[v],
                          std::to_string(p[v]),
                          expected,
                          fmt::format("{} the predecessor in the file is {}, {}", way(v), name(p[v]), why)};
    };
    for (std::int32_t v = 0; v < graph_.rows; ++v) {
      if (v == source_ || !reached(v)) {
        if (p[v] != -1)
          return wrong(v, "-1",
                       v == source_ ? "and the first vertex of a path has none (-1)"
                                    : "and where there is no path there is none (-1)");
        continue;
      }
      const std::int32_t u = p[v];
      if (u < 0 || u >= graph_.rows) return wrong(v, "null", fmt::format("and the length is {}", text(d_[v])));
      const auto begin = graph_.columns.begin(), end = begin + graph_.offsets[u + 1];
      const auto at = std::lower_bound(begin + graph_.offsets[u], end, v);
      if (at == end || *at != v || !reached(u)) return wrong(v, "null", "from which no arc leads there");
      const T length = along(u, at - begin);
      if (!same(length, d_[v], graph_.values[at - begin]))
        return wrong(v, "null", fmt::format("which makes {}, and the length is {}", text(length), text(d_[v])));
    }
    return check_chains(p, wrong);
  }

  // Every chain of predecessors ends at the source.
  template <class Wrong>
  std::optional<verify_fault> check_chains(const std::int32_t* p, const Wrong& wrong) {
    found_.assign(static_cast<std::size_t>(graph_.rows), 0);
    found_[source_] = 2;
    for (std::int32_t v = 0; v < graph_.rows; ++v) {
      if (!reached(v)) continue;
      std::int32_t at = v;
      for (; found_[at] == 0; at = p[at]) found_[at] = 1;
      if (found_[at] == 1) return wrong(v, "null", "and its predecessors go round in a circle");
      for (at = v; found_[at] == 1; at = p[at]) found_[at] = 2;
    }
    return {};
  }

  std::string name(std::int32_t v) const {
    return v >= 0 && v < graph_.rows ? names_.text(v) : fmt::format("{} (no vertex)", v);
  }

  const csr<T>& graph_;
  const labels& names_;
  double tolerance_;
  bool negative_;
  std::int32_t source_ = 0;
  const T* d_ = nullptr;
  double size_ = 0;  // of the largest length of the row
  std::vector<char> found_{};
  std::vector<std::int32_t> open_{};
};

}  // namespace kleene::cli
