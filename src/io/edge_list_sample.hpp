// The first lines of an edge list, and what a field of them looks like.
#pragma once

#include "kleene/data/view.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kleene::io::detail {

using head_line = std::pair<index_t, std::string_view>;  // its number in the file, and it

struct sample_line {
  index_t number;
  std::vector<std::string> fields;
};

// error(bad_input) "file:line: what".
[[noreturn]] void refuse_line(std::string_view file, index_t line, const std::string& what);

// The fields of a line; nothing where its quotation marks are wrong.
std::vector<std::string> fields_of(std::string_view line, char separator);

// What is wrong with the quotation marks of a line, or null.
const char* problem_of(std::string_view line, char separator);

// Whether a row has nothing but separators; false where those are blanks.
bool is_empty_row(std::string_view line, char separator);

bool is_number(const std::string& field);
// A number that is written with a point or an exponent.
bool is_real(const std::string& field);

// Whether a field was meant as a number, whatever became of it: "91,5", "5x", "50 %", "NaN", "1e999". Dates and times,
// whose digits go on behind other marks, were not.
bool resembles_number(const std::string& field);

// "0:45", "12:30:05".
bool is_time(std::string_view field);

// "2019-01-31", "31.01.2019", with a time behind it or not.
bool is_date(std::string_view field);

// What a whole number seems to be that says when: "seconds since 1970" and finer ones, "dates" (20210105); "": nothing.
std::string_view time_in_number(std::string_view field);

// What people write where nothing is known: "NA", "NULL", "-".
bool is_missing(std::string_view field);

// Whether a field is a number in marks that are not read: "$5", "EUR 5", "0:45", "3,5", "5 km".
bool is_marked_number(const std::string& field);

}  // namespace kleene::io::detail
