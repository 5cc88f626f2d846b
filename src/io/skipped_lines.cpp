#include "io/skipped_lines.hpp"

#include "io/edge_list_sample.hpp"

#include <fmt/format.h>

namespace kleene::io::detail {

bool resembles_row(std::string_view comment, const edge_list_dialect& dialect) {
  comment.remove_prefix(std::min(comment.find_first_not_of(" \t"), comment.size()));
  if (comment.size() < 2 || std::string_view(" \t#%,;|").find(comment[1]) != std::string_view::npos) return false;
  const std::vector<std::string> fields = fields_of(comment, dialect.separator);
  return static_cast<int>(fields.size()) == dialect.fields && (dialect.weight < 0 || is_number(fields[dialect.weight]));
}

void skipped_lines::kind::add(index_t line) { add({1, line}); }
void skipped_lines::kind::add(const kind& others) {
  if (others.count > 0 && (count == 0 || others.first < first)) first = others.first;
  count += others.count;
}

std::string skipped_lines::doubt(std::string_view file) const {
  std::string text;
  if (empty_rows.count > 0)
    text = fmt::format("{}:{}: {} of nothing but separators {} left out", file, empty_rows.first,
                       empty_rows.count == 1 ? "a row" : fmt::format("{} rows", empty_rows.count),
                       empty_rows.count == 1 ? "is" : "are");
  if (comments.count > 0)
    text += fmt::format(
        "{}{}:{}: {} with as many fields as an arc {} left out: if the first one is a name, put it in "
        "quotation marks",
        text.empty() ? "" : "; ", file, comments.first,
        comments.count == 1 ? "a comment" : fmt::format("{} comments", comments.count),
        comments.count == 1 ? "is" : "are");
  return text;
}

}  // namespace kleene::io::detail
