// Lines of an edge list that are skipped, and might have been meant otherwise.
#pragma once

#include "io/edge_list_dialect.hpp"
#include "kleene/data/view.hpp"

#include <string>
#include <string_view>

namespace kleene::io::detail {

// Whether a comment has the fields of an arc: its mark may start the name of a vertex.
bool resembles_row(std::string_view comment, const edge_list_dialect& dialect);

struct skipped_lines {
  struct kind {
    index_t count = 0, first = 0;  // the first: the number of its line

    void add(index_t line);
    void add(const kind& others);
  };
  kind empty_rows{}, comments{};  // the latter: those that resemble rows

  // What is to be said of them; empty: nothing.
  std::string doubt(std::string_view file) const;
};

}  // namespace kleene::io::detail
