// Nodes that have names and may be mentioned before they are listed: numbers by mention, and later by the list.
#pragma once

#include "io/edge_list_graph.hpp"
#include "io/name_table.hpp"
#include "kleene/data/view.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

class node_list {
 public:
  // The number of a node by mention; `line` is where.
  std::int32_t mention(std::string_view name, index_t line) {
    const std::int32_t number = finder_.number(name_table::hash(name), name, static_cast<std::uint64_t>(line));
    if (static_cast<std::size_t>(number) == order_.size()) order_.push_back(-1);
    return number;
  }
  // Puts it behind the others in the list; false if it is there already.
  bool list(std::int32_t number) {
    if (order_[number] >= 0) return false;
    order_[number] = listed_++;
    return true;
  }
  std::int32_t listed() const { return listed_; }
  // The first that is mentioned and not listed; -1: none.
  std::int32_t missing() const {
    const auto found = std::ranges::find(order_, -1);
    return found == order_.end() ? -1 : static_cast<std::int32_t>(found - order_.begin());
  }
  std::string_view name(std::int32_t number) const { return finder_.added(number).name(); }
  index_t first_line(std::int32_t number) const { return static_cast<index_t>(finder_.added(number).first); }

  // The place in the list of what was mentioned. All are listed.
  std::int32_t place(std::int32_t number) const { return order_[number]; }
  // The names in the order of the list; none where they are whole numbers that count up from `first`.
  std::vector<std::string> names(std::int32_t& first) const {
    std::vector<std::string> all(order_.size());
    for (std::size_t number = 0; number < order_.size(); ++number)
      all[order_[number]] = name(static_cast<std::int32_t>(number));
    std::int32_t start = 0, number = 0;
    bool counted = all.empty() || parse_vertex(all.front(), start);
    for (std::size_t v = 0; counted && v < all.size(); ++v)
      counted = parse_vertex(all[v], number) && number - start == static_cast<index_t>(v);
    first = counted ? start : 0;
    return counted ? std::vector<std::string>() : all;
  }

 private:
  name_table names_;
  name_finder finder_{names_};
  std::vector<std::int32_t> order_;  // of each name: its place in the list; -1: none yet
  std::int32_t listed_ = 0;
};

}  // namespace kleene::io::detail
