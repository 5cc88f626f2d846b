#include "io/edge_list_dialect.hpp"

#include "io/comment_titles.hpp"
#include "io/first_line.hpp"
#include "io/no_edge_list.hpp"
#include "io/odd_rows.hpp"
#include "io/shared_names.hpp"
#include "io/short_header.hpp"
#include "io/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kleene::io {

namespace detail {

namespace {

// What is read of the head: its first lines that are no comments, and what comments say.
class head_reader {
 public:
  head_reader(std::string_view head, index_t number, std::string_view file, const edge_list_comments& comments,
              const edge_list_options& options)
      : file_(file), first_(number), options_(options), comments_(comments) {
    scanner in(head, file, real_type::f64, number - 1);
    while (lines_.size() < most_lines && in.next_filled_line()) {
      if (is_comment(in.line())) comments_.read(in.line(), in.line_number());
      else lines_.push_back({in.line_number(), in.line()});
    }
  }

  edge_list_dialect dialect() {
    if (comments_.bipartite)
      refuse_line(file_, 1, "a bipartite graph of KONECT: its two sides use the same numbers for other vertices");
    if (comments_.dynamic && options_.columns.empty())
      refuse_line(file_, 1,
                  "a dynamic network of KONECT, in which -1 takes an edge away: say which columns are read, if all "
                  "lines are arcs (--columns 1,2)");
    refuse_other_texts(file_, first_, lines_);
    refuse_title_rows(file_, lines_);
    edge_list_dialect d;
    d.separator = options_.separator ? options_.separator : separator();
    drop_empty_rows(d.separator);
    for (const auto& [number, line] : lines_) sample_.push_back({number, fields_of(line, d.separator)});
    if (sample_[0].fields.empty()) refuse_marks(d.separator);
    d.fields = static_cast<int>(sample_[0].fields.size());
    if (d.fields < 2)
      refuse_line(file_, sample_[0].number,
                  fmt::format("a line has at least two fields, from and to, and this one has {} alone",
                              shown(sample_[0].fields[0])));
    refuse_second_table(file_, sample_);
    d.directed = options_.directed.value_or(comments_.directed);
    if (!options_.separator) {
      refuse_decimal_commas(file_, lines_, d.separator);
      refuse_numbers_apart(file_, sample_, d.separator);
    }
    if (options_.header ? *options_.header : has_header()) {
      d.header_line = sample_[0].number;
      d.titles = sample_[0].fields;
      sample_.erase(sample_.begin());
      if (sample_.empty()) return d;  // nothing follows, or a line that is too long: its reader says which
      fit_titles(file_, std::span(lines_).subspan(1), sample_, !options_.columns.empty(), d);
    }
    const bool chosen = !options_.columns.empty(), untitled = !d.header_line;
    if (untitled && options_.header.value_or(true)) {
      d.titles = titles_of_comment(comments_.last, sample_, d.separator);
      d.comment_names_columns = !d.titles.empty();
    }
    const bool unsaid = !options_.header && d.titles.empty();
    const std::string place = fmt::format("{}:{}", file_,
                                          d.header_line             ? d.header_line
                                          : d.comment_names_columns ? comments_.last_line
                                                                    : sample_[0].number);
    if (!chosen) refuse_matrix(file_, sample_, d);
    if (unsaid && !chosen) refuse_brackets(file_, sample_, d);
    if (unsaid) ask_about_numbers_in_front(file_, sample_, chosen, d.separator);
    if (chosen) {
      take_columns(d, options_.columns, place);
      if (unsaid) ask_about_numbers_above_names(file_, sample_, d);
    } else {
      std::vector<column_facts> facts = find_facts(d.fields);
      if (d.untitled == untitled_fields::row_names) facts[0].filled = false;
      const std::array<int, 2> sharing = sharing_columns(d, facts);
      ask_about_titles(d, facts, sharing);
      find_ends(d, facts, place, sharing);
      d.ends_called |= d.titles.empty() && comments_.is_konect;  // which has from, to, weight and time
      ask_about_rows(d, facts);
      ask_about_others(d, facts, place, 1);
      note_weights(d, facts);
      find_weight(d, facts, place);
      refuse_unread_weights(file_, sample_, d);
      refuse_empty_weights(file_, sample_, d);
      ask_about_others(d, facts, place);
      note_empty_columns(d);
    }
    refuse_brackets(file_, sample_, d);
    if (options_.vertices != vertex_labels::names) ask_about_lists(file_, sample_, d);
    if (unsaid && !chosen) ask_about_list_titles(file_, sample_);
    if (options_.vertices == vertex_labels::automatic) refuse_odd_ends(file_, sample_, d, chosen);
    if (!options_.directed) note_directions(d);
    d.may_be_counts = unsaid && !comments_.says_rows_are_arcs();
    if (untitled && !options_.header)
      d.first_row = {number_of(sample_[0], d.from), number_of(sample_[0], d.to), number_of(sample_[0], d.weight)};
    d.first_line = sample_[0].number;
    if (!d.header_line && d.separator == ' ')
      d.ragged_hint = hint_for_ragged_rows(sample_, sample_.size() < most_lines);
    d.may_have_header = unsaid && (first_line_stands_alone(d) || may_count_columns(d));
    return d;
  }

 private:
  static constexpr std::size_t most_lines = 100;

  static index_t number_of(const sample_line& line, int column) {
    index_t number = -1;
    return column >= 0 && column < static_cast<int>(line.fields.size()) &&
                   scanner::parse(line.fields[column], number) == std::errc{}
               ? number
               : -1;
  }

  void drop_empty_rows(char separator) {
    const std::size_t rows = lines_.size();
    std::erase_if(lines_, [separator](const head_line& line) { return is_empty_row(line.second, separator); });
    if (lines_.empty()) refuse_line(file_, first_, fmt::format("nothing follows but {} rows of separators", rows));
  }

  std::array<int, 2> sharing_columns(const edge_list_dialect& d, const std::vector<column_facts>& facts) const {
    return d.titles.empty() ? columns_of_shared_names(sample_, columns_of_names(d, facts)) : std::array<int, 2>{-1, -1};
  }

  // Whether tabs stand between two numbers or words and a number, and blanks between those: "1 2<tab>5".
  bool mixes_tabs_and_blanks(std::size_t looked_at) const {
    for (std::size_t l = 0; l < looked_at; ++l) {
      const auto by_tabs = fields_of(lines_[l].second, '\t'), by_blanks = fields_of(lines_[l].second, ' ');
      if (by_tabs.size() != 2 || by_blanks.size() != 3 || !is_number(by_blanks[2])) return false;
    }
    return true;
  }

  char separator() const {
    const std::size_t looked_at = std::min<std::size_t>(lines_.size(), 10);
    if (mixes_tabs_and_blanks(looked_at)) return ' ';
    for (const char candidate : {'\t', ';', ',', '|'}) {
      const std::size_t fields = fields_of(lines_[0].second, candidate).size();
      bool same = fields >= 2;
      for (std::size_t l = 1; l < looked_at; ++l) same &= fields_of(lines_[l].second, candidate).size() == fields;
      if (same) return candidate;
    }
    // A line that differs is refused later, and by its number.
    for (const char candidate : {',', ';', '\t'})
      if (lines_[0].second.find(candidate) != std::string_view::npos) return candidate;
    return ' ';
  }

  [[noreturn]] void refuse_marks(char separator) const {
    const char* const problem = problem_of(lines_[0].second, separator);
    refuse_line(file_, lines_[0].first, problem ? problem : "the line has no fields");
  }

  // Whether a line of the sample has a number in the column; `all`: every line has.
  bool numbers_in(int column, bool all, std::size_t first = 0) const {
    for (std::size_t l = first; l < sample_.size(); ++l) {
      const auto& fields = sample_[l].fields;
      const bool number = column < static_cast<int>(fields.size()) && is_number(fields[column]);
      if (number != all) return number;
    }
    return all && first < sample_.size();
  }

  // Whether all lines below the first hold what was meant as a number.
  bool meant_below(int column) const {
    return sample_.size() > 1 && std::all_of(sample_.begin() + 1, sample_.end(), [column](const sample_line& line) {
             return column < static_cast<int>(line.fields.size()) && resembles_number(line.fields[column]);
           });
  }

  // Titles are no numbers, and are not what stands below them. error(bad_input) where they may be either.
  bool has_header() const {
    const auto& first = sample_[0].fields;
    if (starts_with_ends(sample_)) return true;
    if (std::ranges::any_of(first, is_number) || std::ranges::any_of(first, is_missing)) return false;
    for (const std::string& column : options_.columns)
      if (!is_number(column) && std::ranges::find(first, column) != first.end()) return true;
    if (std::ranges::any_of(first, resembles_number)) return false;
    for (int c = 0; c < static_cast<int>(first.size()); ++c)
      if (!first[c].empty() && numbers_in(c, true, 1)) return true;
    const auto named = named_ends(first);
    if (named[0] >= 0 && (occurs_below(first[named[0]]) || occurs_below(first[named[1]])))
      refuse_line(file_, sample_[0].number,
                  fmt::format("{} and {} may be titles of columns, and occur below, too: does this line name the "
                              "columns (--header), or is it an arc (--no-header)?",
                              shown(first[named[0]]), shown(first[named[1]])));
    if (sample_.size() > 1)
      for (std::size_t c = 0; c < std::min(first.size(), sample_[1].fields.size()); ++c)
        if (!first[c].empty() && first[c] == sample_[1].fields[c]) return false;
    if (named[0] >= 0 || (sample_.size() > 1 && std::ranges::all_of(first, describes_vertex))) return true;
    if (const auto numbered = numbered_ends(first); numbered[0] >= 0 && !starts_below(first[numbered[0]])) return true;
    for (int c = 0; c < static_cast<int>(first.size()); ++c)
      if (!first[c].empty() && meant_below(c)) return true;
    return false;
  }

  // Whether the ends in the first line are words that do not occur below: names of columns look like that.
  bool first_line_stands_alone(const edge_list_dialect& d) const {
    const std::string &from = sample_[0].fields[d.from], &to = sample_[0].fields[d.to];
    if (is_number(from) || is_number(to)) return false;
    for (std::size_t l = 1; l < sample_.size(); ++l) {
      const auto& fields = sample_[l].fields;
      for (const int end : {d.from, d.to})
        if (end < static_cast<int>(fields.size()) && (fields[end] == from || fields[end] == to)) return false;
    }
    return sample_.size() > 1;
  }

  // 0,1,2 above whole numbers: titles of pandas, or an arc, as lists of blanks or with comments in front start.
  bool may_count_columns(const edge_list_dialect& d) const {
    return d.separator != ' ' && comments_.last.empty() && sample_.size() > 1 && counts_from_zero(sample_[0].fields);
  }

  bool occurs_below(const std::string& word) const {
    return std::any_of(sample_.begin() + 1, sample_.end(), [&](const sample_line& line) {
      return std::ranges::find(line.fields, word) != line.fields.end();
    });
  }

  // Whether words below start as a title does: "node1" above "node7", which is then a vertex itself.
  bool starts_below(const std::string& title) const {
    const std::string stem = title.substr(0, title.size() - 1);
    const char last = title.back();
    const bool is_title = stem.size() > 1 && (last < '!' || last > '/') && last != ']' && last != '>';
    return !is_title || std::any_of(sample_.begin() + 1, sample_.end(), [&](const sample_line& line) {
      return std::ranges::any_of(line.fields, [&](const std::string& f) { return f.starts_with(stem); });
    });
  }

  // What stands in the first line alone, or in a column that would be an end.
  void ask_about_rows(const edge_list_dialect& d, const std::vector<column_facts>& facts) const {
    if (options_.header || !d.titles.empty()) return;
    ask_about_numbers_above_names(file_, sample_, d);
    if (!comments_.says_rows_are_arcs()) ask_about_row_numbers(file_, sample_, d, facts);
  }

  // Words above three columns of names or more that occur nowhere below: titles that call no ends look so, and arcs
  // between vertices of which there are many. An arc between two titles is seen by nobody.
  void ask_about_titles(const edge_list_dialect& d, const std::vector<column_facts>& facts,
                        const std::array<int, 2>& sharing) const {
    const std::vector<int> names = columns_of_names(d, facts);
    if (options_.header || !d.titles.empty() || sample_.size() < 2 || names.size() < 3) return;
    const auto& first = sample_[0].fields;
    const auto is_no_title = [&](const std::string& word) {
      return resembles_number(word) || is_time(word) || is_date(word) ||
             (!word.empty() && (occurs_below(word) || std::ranges::count(first, word) > 1));
    };
    if (std::ranges::any_of(first, is_no_title)) return;
    const std::array<int, 2> ends = sharing[0] >= 0 ? sharing : std::array<int, 2>{names[0], names[1]};
    const std::string columns = fmt::format("--columns {},{}", ends[0] + 1, ends[1] + 1);
    refuse_line(file_, sample_[0].number,
                fmt::format("columns {}, {} and {} hold names, and no word of this line occurs below: does it name the "
                            "columns (--header {}), or is it an arc (--no-header {})?",
                            names[0] + 1, names[1] + 1, names[2] + 1, columns, columns));
  }

  std::vector<column_facts> find_facts(int fields) const {
    std::vector<column_facts> facts(fields);
    for (int c = 0; c < fields; ++c) {
      bool words = false, numbers = false, moments = false, marked = false, counts = sample_.size() > 2;
      std::string_view times;
      for (std::size_t l = 0; l < sample_.size(); ++l) {
        const std::string field = c < static_cast<int>(sample_[l].fields.size()) ? sample_[l].fields[c] : std::string();
        counts = counts && (field == std::to_string(l) || field == std::to_string(l + 1)) &&
                 (l == 0 || field != sample_[l - 1].fields[c]);
        const std::string_view time = time_in_number(field);
        times = l == 0 || time == times ? time : "";
        if (field.empty() || field == "{}") continue;  // {}: NetworkX's arcs without data
        if (is_number(field)) numbers = true;
        else if (is_time(field) || is_date(field)) moments = true;
        else if (!is_marked_number(field)) words = true;
        else marked = true;
      }
      facts[c] = {.numbers = numbers && !words,
                  .words = words && !numbers,
                  .counts_rows = counts,
                  .times = times,
                  .filled = words || numbers || moments || marked,
                  .moments = moments && !words && !numbers};
    }
    return facts;
  }

  // Which columns hold a number in any line of the sample, or should: the one that is called weight, unless it is
  // empty; and where none but the ends does, but one holds what was meant as numbers, that one. Its first line without
  // a number is refused, and not left out.
  void note_weights(const edge_list_dialect& d, std::vector<column_facts>& facts) const {
    std::vector<bool> meant;
    int found = 0, resembling = 0;
    for (int c = 0; c < d.fields; ++c) {
      const bool is_end = c == d.from || c == d.to;
      facts[c].weights = numbers_in(c, false);
      meant.push_back(!is_end && sample_[0].fields.size() == static_cast<std::size_t>(d.fields) &&
                      resembles_number(sample_[0].fields[c]));
      found += !is_end && facts[c].weights, resembling += meant.back();
    }
    const auto is_weight = [&](int c) { return !d.titles.empty() && is_weight_title(d.titles[c]) && holds_text(c); };
    bool has_weight = false;
    for (int c = 0; c < d.fields; ++c) has_weight |= is_weight(c) && facts[c].weights;
    for (int c = 0; c < d.fields; ++c)
      if (found == 0 && resembling == 1) facts[c].weights = meant[c];
      else if (!has_weight && is_weight(c)) facts[c].weights = true;
  }
  void note_empty_columns(edge_list_dialect& d) const {
    for (int c = 0; c < d.fields; ++c)
      if (c != d.from && c != d.to && c != d.weight && !holds_text(c) &&
          (!d.has_title(c) || (d.weight < 0 && !numbers_rows(d.titles[c]))))
        d.empty_columns.push_back(c);
  }
  void note_directions(edge_list_dialect& d) const {
    for (int c = 0; c < static_cast<int>(d.titles.size()); ++c) {
      const direction_words* const words = directions_under(d.titles[c]);
      if (!words || c == d.from || c == d.to || c == d.weight) continue;
      if (std::ranges::any_of(sample_, [&](const sample_line& line) {
            return c < static_cast<int>(line.fields.size()) && tells_direction(*words, line.fields[c]);
          }))
        d.direction_columns.push_back({c, words});
    }
  }
  bool holds_text(int column) const {
    return std::ranges::any_of(sample_, [column](const sample_line& line) {
      return column < static_cast<int>(line.fields.size()) && !line.fields[column].empty();
    });
  }

  std::string_view file_;
  index_t first_;  // line
  const edge_list_options& options_;
  edge_list_comments comments_;
  std::vector<head_line> lines_;
  std::vector<sample_line> sample_;
};

}  // namespace

const char* edge_list_dialect::separated() const {
  return separator == ','    ? "comma-separated"
         : separator == ';'  ? "semicolon-separated"
         : separator == '\t' ? "tab-separated"
         : separator == '|'  ? "bar-separated"
                             : "blank-separated";
}

std::string edge_list_dialect::description() const {
  return fmt::format("{} {} a header{}, {}", separated(), header_line || comment_names_columns ? "with" : "without",
                     may_have_header                          ? " (line 1 is an arc; --header if it names the columns)"
                     : comment_names_columns                  ? " in a comment"
                     : untitled == untitled_fields::row_names ? " and R's row names in column 1"
                                                              : "",
                     edge_columns::words());
}

edge_list_comments read_first_comments(scanner& in) {
  const std::string_view start = in.ahead();
  if (is_utf16(start)) refuse_line(in.file(), 1, utf16_words);
  char mark[4];
  in.take(mark, byte_order_mark(start));
  edge_list_comments said;
  while (in.next_filled_line()) {
    if (!is_comment(in.line())) return said;
    said.read(in.line(), in.line_number());
    said.last = in.line();
    said.last_line = in.line_number();
  }
  if (in.line_number() == 0) refuse_line(in.file(), 1, "the file is empty");
  refuse_line(in.file(), in.line_number(), "the file has no lines but comments and empty ones");
}

edge_list_dialect find_dialect(std::string_view head, index_t number, std::string_view file,
                               const edge_list_comments& comments, const edge_list_options& options) {
  return head_reader(head, number, file, comments, options).dialect();
}

}  // namespace detail

bool looks_like_edge_list(std::string_view text) {
  text.remove_prefix(detail::byte_order_mark(text));
  if (!detail::is_text(text)) return false;
  scanner in(text, "");
  bool comments = false;
  while (in.next_filled_line()) {
    comments = detail::is_comment(in.line());
    if (!comments)
      return in.word() != "p" && in.line().find_first_of(" \t,;|") != std::string_view::npos;  // p: DIMACS of some kind
  }
  return comments;
}

}  // namespace kleene::io
