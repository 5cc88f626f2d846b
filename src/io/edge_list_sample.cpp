#include "io/edge_list_sample.hpp"

#include "io/delimited.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kleene::io::detail {

bool is_time(std::string_view field) {
  const std::size_t first = std::min(field.find_first_not_of("0123456789"), field.size());
  if (first == 0 || first > 3) return false;
  std::string_view rest = field.substr(first);
  for (int parts = 0; !rest.empty(); ++parts, rest.remove_prefix(3))
    if (parts == 2 || rest.size() < 3 || rest[0] != ':' || rest.find_first_not_of("0123456789", 1) < 3) return false;
  return first < field.size();
}

bool is_date(std::string_view field) {
  std::string form;
  for (const char c : field.substr(0, 10)) form += c >= '0' && c <= '9' ? '0' : c;
  return form == "0000-00-00" || form == "0000/00/00" || form == "00.00.0000" || form == "00/00/0000";
}

std::string_view time_in_number(std::string_view field) {
  if (field.empty() || field.find_first_not_of("0123456789") != field.npos) return "";
  if (field.size() == 8) {
    const std::string_view century = field.substr(0, 2), month = field.substr(4, 2), day = field.substr(6, 2);
    const bool is_day =
        (century == "19" || century == "20") && month >= "01" && month <= "12" && day >= "01" && day <= "31";
    return is_day ? "dates" : "";
  }
  if (field[0] != '1') return "";
  return field.size() == 10   ? "seconds since 1970"
         : field.size() == 13 ? "milliseconds since 1970"
         : field.size() == 16 ? "microseconds since 1970"
         : field.size() == 19 ? "nanoseconds since 1970"
                              : "";
}

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 13> words = {"na",   "n/a", "nan", "null", "none",    "k.a.", "\\n",
                                                      "#n/a", "-",   ".",   "?",    "#div/0!", "#n/v"};
  constexpr std::string_view starts = "nNkK\\#-.?";  // a look at all names would cost 13 % of reading numbers
  if (field.empty() || field.size() > 7 || starts.find(field[0]) == starts.npos) return false;
  return std::ranges::find(words, lower_case(field)) != words.end();
}

void refuse_line(std::string_view file, index_t line, const std::string& what) {
  throw error(fault_code::bad_input, fmt::format("{}:{}: {}", file, line, what));
}

std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields;
  delimited_line walk(line, separator);
  std::string room;
  for (std::string_view field; walk.next(field, room);) fields.emplace_back(field);
  if (walk.problem()) fields.clear();
  return fields;
}

const char* problem_of(std::string_view line, char separator) {
  delimited_line walk(line, separator);
  std::string room;
  for (std::string_view field; walk.next(field, room);) continue;
  return walk.problem();
}

bool is_empty_row(std::string_view line, char separator) {
  const char marks[] = {separator, ' ', '\t', '"', '\0'};
  return separator != ' ' && line.find_first_not_of(marks) == line.npos;
}

// One that no double holds ("1e400") is a number, too: what reads it says so.
bool is_number(const std::string& field) {
  double value = 0;
  const std::errc problem = scanner::parse(field, value);
  return problem == std::errc::result_out_of_range || (problem == std::errc{} && std::isfinite(value));
}

bool is_real(const std::string& field) { return field.find_first_of(".eE") != std::string::npos && is_number(field); }

bool resembles_number(const std::string& field) {
  std::size_t at = field.starts_with('-') || field.starts_with('+') ? 1 : 0;
  const std::string word = lower_case(field.substr(at, 8));
  if (word == "nan" || word == "inf" || word == "infinity") return true;
  if (at < field.size() && field[at] == '.') ++at;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (at >= field.size() || !is_digit(field[at])) return false;
  while (at < field.size() && (is_digit(field[at]) || field[at] == '.' || field[at] == ',')) ++at;
  return at == field.size() || (field[at] != '-' && field[at] != ':' && field[at] != '/');
}

namespace {

// "3,5", "1.234,5", "1 234", "5 km", "5km", "20 %".
bool is_grouped_or_measured(std::string_view field) {
  constexpr std::array<std::string_view, 15> units = {"",   "km", "m",  "mi", "min",          "h",  "s", "sec", "%",
                                                      "ms", "kg", "ft", "$",  "\xe2\x82\xac", "EUR"};
  if (field.starts_with('-')) field.remove_prefix(1);
  if (field.empty() || field[0] < '0' || field[0] > '9') return false;
  const std::size_t digits = std::min(field.find_first_not_of("0123456789.,' "), field.size());
  const std::string_view number = field.substr(0, digits), unit = field.substr(digits);
  return (!unit.empty() || number.find_first_of(",' ") != number.npos) && std::ranges::find(units, unit) != units.end();
}

}  // namespace

bool is_marked_number(const std::string& field) {
  if (is_grouped_or_measured(field)) return true;
  constexpr std::array<std::string_view, 4> currencies = {"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};  // euro, ...
  for (const std::string_view sign : currencies)
    if (field.starts_with(sign))
      return resembles_number(field.substr(std::min(field.find_first_not_of(' ', sign.size()), field.size())));
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (field.size() > 4 && field[3] == ' ' && std::ranges::all_of(field.substr(0, 3), is_capital))
    return resembles_number(field.substr(4));
  return is_time(field);
}

}  // namespace kleene::io::detail
