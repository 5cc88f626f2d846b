// Arcs as readers of text collect them: counts that a file promises, and weights that are integers until one of the
// file is none.
#pragma once

#include "io/entry_lines.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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
  in.require_lines(count, shortest, what);
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

// A whole number beyond 64 bits: as a real it would lose digits that were written out.
[[noreturn]] inline void refuse_large_weight(const scanner& in, std::string_view field) {
  in.fail(fmt::format("the weight {} is outside the range of 64-bit integers: write a point behind it, and it is real",
                      shown(field)));
}

class arc_list {
 public:
  // The next field of the line is the weight; integers before the first other number become the reals that their digits
  // would have been read as.
  void add(scanner& in, std::int32_t from, std::int32_t to, bool both_ways) {
    std::int64_t integer = 0;
    if (!real_ && in.read_digits(integer)) {
      both_ways ? add_edge(integers_, from, to, integer) : integers_.add(from, to, integer);
      return;
    }
    const std::string_view field = in.word();
    const std::errc refused = scanner::parse(field, integer);
    if (refused == std::errc::result_out_of_range) refuse_large_weight(in, field);
    const double weight = refused == std::errc{} ? static_cast<double>(integer) : in.to_number<double>(field, "weight");
    if (!std::isfinite(weight)) in.fail(fmt::format("the weight {} is not finite", shown(field)));
    if (refused != std::errc{} && !real_) become_real();
    if (both_ways) real_ ? add_edge(reals_, from, to, weight) : add_edge(integers_, from, to, integer);
    else real_ ? reals_.add(from, to, weight) : integers_.add(from, to, integer);
  }

  bool is_real() const { return real_; }
  void become_real() {
    coo<std::int64_t>& i = integers_;
    reals_ = {i.rows, i.cols, std::move(i.row), std::move(i.col), {i.value.begin(), i.value.end()}};
    real_ = true;
    i = {};
  }
  friend std::size_t size_of(const arc_list& list) {
    return size_of(list.real_ ? list.reals_.row : list.integers_.row);
  }
  friend void reserve(arc_list& list, std::size_t arcs) { reserve(list.integers_, arcs); }
  coo<std::int64_t>& integers() { return integers_; }
  coo<double>& reals() { return reals_; }

 private:
  coo<std::int64_t> integers_;
  coo<double> reals_;
  bool real_ = false;
};

// The arcs of a file; of integers only where no block has another number.
inline std::variant<coo<std::int64_t>, coo<double>> join(std::vector<entry_block<arc_list>>& blocks, index_t vertices,
                                                         int threads) {
  if (std::ranges::none_of(blocks, [](const entry_block<arc_list>& b) { return b.list.is_real(); })) {
    std::vector<coo<std::int64_t>*> lists;
    for (entry_block<arc_list>& b : blocks) lists.push_back(&b.list.integers());
    return join(lists, vertices, vertices, threads);
  }
  std::vector<coo<double>*> lists;
  for (entry_block<arc_list>& b : blocks) {
    if (!b.list.is_real()) b.list.become_real();
    lists.push_back(&b.list.reals());
  }
  return join(lists, vertices, vertices, threads);
}

}  // namespace kleene::io::detail
