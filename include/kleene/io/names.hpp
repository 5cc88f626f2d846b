// Names of vertices: a file of them, a list of them in a word of the command line, and the one that was meant.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io {

// The names of vertices 0, 1, ...: one a line, plain or gzip; in quotation marks (RFC 4180) if it has some in it or
// starts or ends in blanks. error(bad_input) "file:line: what" for an empty line, control characters, more than a name,
// and a name that an earlier line has.
std::vector<std::string> read_names(const std::string& path);
std::vector<std::string> parse_names(std::string_view text, std::string_view file);

// What stands between the commas of a text, quoted as in CSV: Fulda,"Halle, Westf.". error(usage), which starts with
// `what`, where a piece is empty, or for quotation marks that RFC 4180 does not have.
std::vector<std::string> split_list(std::string_view text, std::string_view what);

// Whichever of `count` words, word(0), word(1), ..., takes the fewest changes to become `asked` (letters added, left
// out, replaced or swapped with their neighbour; case does not count): at most a third of its letters and one, and none
// where either has one letter or two. -1 where none is so near. O(count) comparisons.
long nearest(std::string_view asked, long count, const std::function<std::string_view(long)>& word);

}  // namespace kleene::io
