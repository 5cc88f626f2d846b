#include "kleene/io/problems/uai.hpp"

#include "io/memory.hpp"
#include "kleene/io/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kleene::io {

namespace {

constexpr index_t most_values = std::numeric_limits<std::int32_t>::max();
constexpr index_t most_elements = index_t{1} << 40;  // of a table: 8 TiB
constexpr std::size_t most_axes = 64;                // as a tensor has
constexpr index_t believed = 1 << 16;                // how much is made room for before it is seen

class uai_reader {
 public:
  explicit uai_reader(scanner& in) : in_(in) {}

  uai_file read() {
    const std::string_view kind = word("preamble, MARKOV or BAYES");
    if (kind != "MARKOV" && kind != "BAYES")
      in_.fail(fmt::format("the preamble is {}, not MARKOV or BAYES", shown(kind)));
    uai_file file;
    file.is_bayes = kind == "BAYES";
    const index_t variables = count("number of variables", 0, most_values);
    file.values.reserve(static_cast<std::size_t>(std::min(variables, believed)));
    for (index_t v = 0; v < variables; ++v)
      file.values.push_back(count("number of values of a variable", 1, most_values));
    const index_t factors = count("number of factors", 0, most_values);
    for (index_t f = 0; f < factors; ++f) file.factors.push_back({scope(variables), {}});
    for (uai_factor& f : file.factors) read_table(file, f);
    if (const std::string_view more = next_word(); !more.empty())
      in_.fail(fmt::format("{} behind the last table", shown(more)));
    return file;
  }

 private:
  // The next word of the file; empty at its end.
  std::string_view next_word() {
    if (!has_line_) {
      if (!in_.next_filled_line()) return {};
      has_line_ = true;
    }
    for (;;) {
      if (const std::string_view found = in_.word(); !found.empty()) return found;
      if (!in_.next_filled_line()) return {};
    }
  }
  std::string_view word(const char* what) {
    const std::string_view found = next_word();
    if (found.empty()) in_.fail(fmt::format("the file ends where the {} belongs", what));
    return found;
  }
  index_t count(const char* what, index_t least, index_t most) {
    const auto n = in_.to_number<index_t>(word(what), what);
    if (n < least || n > most) in_.fail(fmt::format("the {}, {}, is outside {} .. {}", what, n, least, most));
    return n;
  }

  std::vector<int> scope(index_t variables) {
    const index_t size = count("number of variables of a factor", 0, most_axes);
    std::vector<int> scope;
    for (index_t k = 0; k < size; ++k) {
      const auto v = in_.to_number<index_t>(word("variable of a factor"), "variable of a factor");
      if (v < 0 || v >= variables) in_.fail(fmt::format("variable {} is outside 0 .. {}", v, variables - 1));
      if (std::ranges::find(scope, static_cast<int>(v)) != scope.end())
        in_.fail(fmt::format("variable {} is twice in a factor", v));
      scope.push_back(static_cast<int>(v));
    }
    return scope;
  }

  void read_table(const uai_file& file, uai_factor& f) {
    const auto size = in_.to_number<index_t>(word("size of a table"), "size of a table");
    index_t wanted = 1;
    for (const int v : f.variables) {
      wanted *= file.values[static_cast<std::size_t>(v)];
      if (wanted > most_elements) in_.fail(fmt::format("a table of more than {} elements", most_elements));
    }
    if (size != wanted) in_.fail(fmt::format("a table of {} elements, of variables that have {}", size, wanted));
    f.table.reserve(static_cast<std::size_t>(std::min(size, believed)));
    for (index_t e = 0; e < size; ++e) {
      const std::string_view field = word("element of a table");
      const auto value = in_.to_number<double>(field, "element");
      if (!(value >= 0) || !std::isfinite(value))
        in_.fail(fmt::format("the element {} is {}", shown(field), value < 0 ? "below 0" : "not finite"));
      f.table.push_back(value);
    }
  }

  scanner& in_;
  bool has_line_ = false;
};

}  // namespace

uai_file parse_uai(scanner& in) {
  return detail::with_memory_of(in.file(), [&] { return uai_reader(in).read(); });
}
uai_file parse_uai(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse_uai(in);
}
uai_file read_uai(const std::string& path) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file);
    return parse_uai(in);
  });
}

}  // namespace kleene::io
