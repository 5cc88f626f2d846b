// Arcs as readers of text collect them: counts that a file promises, and weights that are integers until one is none.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

namespace kleene::io::detail {

// A count of vertices that a file promises, and one of lines of at least `shortest` bytes (scanner::require_lines).
inline index_t vertex_count(scanner& in) {
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  const index_t n = in.number<index_t>("number of vertices");
  if (n < 0 || n > most) in.fail(fmt::format("{} vertices are outside 0 .. {}", n, most));
  return n;
}
inline index_t line_count(scanner& in, const char* what, index_t shortest) {
  const index_t count = in.number<index_t>(fmt::format("number of {}", what).c_str());
  if (count < 0) in.fail(fmt::format("{} {} are promised", count, what));
  in.require_lines(count, shortest);
  return count;
}

template <class T>
void make_room(coo<T>& list, index_t n, index_t entries) {
  list.rows = list.cols = n;
  list.row.reserve(static_cast<std::size_t>(entries));
  list.col.reserve(static_cast<std::size_t>(entries));
  list.value.reserve(static_cast<std::size_t>(entries));
}
// An edge of an undirected graph: both ways, a loop once.
template <class T>
void add_edge(coo<T>& list, std::int32_t u, std::int32_t v, T weight) {
  list.add(u, v, weight);
  if (u != v) list.add(v, u, weight);
}

class arc_list {
 public:
  void make_room(index_t n, index_t arcs) { detail::make_room(integers_, n, arcs); }

  // The next field of the line is the weight; integers before the first other number become the reals that their digits
  // would have been read as.
  void add(scanner& in, std::int32_t from, std::int32_t to, bool both_ways) {
    const std::string_view field = in.word();
    std::int64_t integer = 0;
    const std::errc refused = scanner::parse(field, integer);
    if (refused == std::errc::result_out_of_range) integer = in.to_number<std::int64_t>(field, "weight");
    const double weight = refused == std::errc{} ? static_cast<double>(integer) : in.to_number<double>(field, "weight");
    if (!std::isfinite(weight)) in.fail(fmt::format("the weight {} is not finite", shown(field)));
    if (refused != std::errc{} && !real_) become_real();
    if (both_ways) real_ ? add_edge(reals_, from, to, weight) : add_edge(integers_, from, to, integer);
    else real_ ? reals_.add(from, to, weight) : integers_.add(from, to, integer);
  }

  std::variant<coo<std::int64_t>, coo<double>> take() {
    if (real_) return std::move(reals_);
    return std::move(integers_);
  }

 private:
  void become_real() {
    coo<std::int64_t>& i = integers_;
    reals_ = {i.rows, i.cols, std::move(i.row), std::move(i.col), {i.value.begin(), i.value.end()}};
    real_ = true;
    i = {};
  }

  coo<std::int64_t> integers_;
  coo<double> reals_;
  bool real_ = false;
};

}  // namespace kleene::io::detail
