#include "io/comment_titles.hpp"

#include "io/column_titles.hpp"
#include "io/words.hpp"

#include <algorithm>
#include <array>

namespace kleene::io::detail {

namespace {

// Words that stand in sentences, "# weight in km", and call no column.
bool is_of_prose(const std::string& word) {
  constexpr std::array<std::string_view, 16> words = {"of",  "in",   "is", "are", "per", "and",  "the",  "by",
                                                      "for", "with", "on", "as",  "an",  "each", "this", "no"};
  return std::ranges::find(words, lower_case(word)) != words.end();
}

bool occurs_in(const std::vector<sample_line>& sample, const std::string& word) {
  return std::ranges::any_of(
      sample, [&](const sample_line& line) { return std::ranges::find(line.fields, word) != line.fields.end(); });
}

bool holds_numbers(const std::vector<sample_line>& sample, std::size_t column) {
  return std::ranges::all_of(sample, [column](const sample_line& line) {
    return column < line.fields.size() && is_number(line.fields[column]);
  });
}

// "weight node1 node2": nothing but a pair and what is known.
bool pairs_by_number(const std::vector<std::string>& titles, const std::vector<sample_line>& sample) {
  const std::array<int, 2> pair = numbered_ends(titles);
  if (pair[0] < 0) return false;
  for (std::size_t c = 0; c < titles.size(); ++c)
    if (static_cast<int>(c) != pair[0] && static_cast<int>(c) != pair[1] && !is_measure_title(titles[c]) &&
        !numbers_rows(titles[c]) && !is_time_title(titles[c]))
      return false;
  // An arc from B to A may have been turned into a comment: vertices are called so, too.
  return std::ranges::none_of(titles, [&](const std::string& title) { return occurs_in(sample, title); });
}

// "vertex weight neighbor": a weight where rows without titles have an end.
bool moves_weight(const std::vector<std::string>& titles, const std::vector<sample_line>& sample) {
  if (titles.size() < 3 || std::ranges::any_of(titles, is_of_prose)) return false;
  const auto weight = std::ranges::find_if(titles, [](const std::string& title) { return is_weight_title(title); });
  const auto calls_vertex = [](const std::string& title) {
    return describes_vertex(title) || calls_start(title) || calls_end(title);
  };
  return weight < titles.begin() + 2 && std::ranges::any_of(titles, calls_vertex) &&
         holds_numbers(sample, static_cast<std::size_t>(weight - titles.begin()));
}

}  // namespace

std::vector<std::string> titles_of_comment(std::string_view comment, const std::vector<sample_line>& sample,
                                           char separator) {
  comment.remove_prefix(std::min(comment.find_first_not_of(" \t"), comment.size()));
  if (comment.empty()) return {};
  comment.remove_prefix(std::min(comment.find_first_not_of("#%"), comment.size()));
  if (const std::size_t colon = comment.find(':');
      colon != comment.npos && fields_of(comment.substr(0, colon), ' ').size() == 1)
    comment.remove_prefix(colon + 1);  // "Format: to from weight"
  // By blanks as well: "# from to km" above "1,2,3".
  if (std::vector<std::string> words = fields_of(comment, ' ');
      separator != ' ' && words.size() == sample[0].fields.size() && named_ends(words)[0] >= 0)
    return words;
  std::vector<std::string> titles = fields_of(comment, separator);
  // "#,km,from,to" above three columns: the mark stands in a field of its own.
  if (titles.size() == sample[0].fields.size() + 1 && titles[0].empty()) titles.erase(titles.begin());
  if (titles.size() != sample[0].fields.size() || std::ranges::any_of(titles, is_number)) return {};
  const bool by_marks = separator != ' ' && (numbered_ends(titles)[0] >= 0 || titles[0].empty());
  if (by_marks || named_ends(titles)[0] >= 0 || pairs_by_number(titles, sample) || moves_weight(titles, sample))
    return titles;
  return {};
}

}  // namespace kleene::io::detail
