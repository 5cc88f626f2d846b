#include "kleene/io/problems/cnf.hpp"

#include "data/counted.hpp"
#include "io/memory.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace kleene::io {

namespace {

bool has_suffix(std::string_view path, std::string_view suffix) {
  for (const std::string_view packed : compression_suffixes)
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  return path.ends_with(suffix);
}

// A literal is an int32: one variable fewer than their largest, so that v + 1 is one, too.
constexpr index_t most_variables = std::numeric_limits<std::int32_t>::max() - 1;

class cnf_reader {
 public:
  explicit cnf_reader(scanner& in) : in_(in) {}

  cnf_file read() {
    while (in_.next_filled_line()) {
      const std::string_view word = in_.word();
      if (word.starts_with('c')) continue;
      if (word.starts_with('%')) break;
      if (word == "p") read_problem();
      else read_words(word);
    }
    end();
    return std::move(file_);
  }

 private:
  enum class kind { unsaid, cnf, old_weighted, new_weighted };

  void read_problem() {
    if (kind_ == kind::new_weighted) in_.fail("a p line behind clauses");
    if (kind_ != kind::unsaid) in_.fail("a second p line");
    const std::string_view word = in_.word();
    if (word != "cnf" && word != "wcnf")
      in_.fail(fmt::format("the p line has {} where 'cnf' or 'wcnf' belongs", shown(word)));
    kind_ = word == "cnf" ? kind::cnf : kind::old_weighted;
    file_.is_weighted = kind_ == kind::old_weighted;
    file_.variables = count("variables", most_variables);
    promised_ = count("clauses", std::numeric_limits<index_t>::max());
    in_.require_lines(promised_, 2, "clauses");  // "0\n"
    if (file_.is_weighted && !in_.at_end_of_line()) top_ = weight(in_.word(), "top");
    in_.end_of_line();
  }

  index_t count(const char* what, index_t most) {
    const index_t n = in_.number<index_t>(fmt::format("number of {}", what).c_str());
    if (n < 0 || n > most) in_.fail(fmt::format("{} {} are outside 0 .. {}", n, what, most));
    return n;
  }
  std::int64_t weight(std::string_view word, const char* what) const {
    const auto value = in_.to_number<std::int64_t>(word, what);
    if (value < 1) in_.fail(fmt::format("the {} {} is below 1", what, value));
    return value;
  }

  // A line of clauses, whose first word is read.
  void read_words(std::string_view word) {
    if (kind_ == kind::unsaid) {
      if (word != "h" && !has_suffix(in_.file(), ".wcnf")) in_.fail("a clause before the p line");
      kind_ = kind::new_weighted;
      file_.is_weighted = true;
    }
    for (; !word.empty(); word = in_.word()) is_open_ ? add_literal(word) : begin(word);
    if (kind_ == kind::new_weighted && is_open_) in_.fail("the clause has no 0 at its end");
  }

  void begin(std::string_view word) {
    if (kind_ != kind::new_weighted && std::ssize(file_.clauses) == promised_)
      in_.fail(fmt::format("a clause beyond the {} that the p line promises", promised_));
    file_.clauses.emplace_back();
    is_open_ = true;
    if (kind_ == kind::cnf) return add_literal(word);
    cnf_clause& clause = file_.clauses.back();
    clause.is_hard = kind_ == kind::new_weighted && word == "h";
    if (clause.is_hard) return;
    clause.weight = weight(word, "weight");
    clause.is_hard = top_ > 0 && clause.weight >= top_;
    if (clause.is_hard) clause.weight = 1;
  }

  void add_literal(std::string_view word) {
    const auto literal = in_.to_number<std::int64_t>(word, "literal");
    if (literal == 0) {
      is_open_ = false;
      return;
    }
    const bool has_count = kind_ != kind::new_weighted;
    const index_t last = has_count ? file_.variables : most_variables;
    if (literal < -last || literal > last)
      in_.fail(fmt::format("the literal {} is of none of {}", literal,
                           kleene::detail::counted(last, "variable", "variables")));
    file_.clauses.back().literals.push_back(static_cast<std::int32_t>(literal));
    if (!has_count) file_.variables = std::max<index_t>(file_.variables, literal < 0 ? -literal : literal);
  }

  void end() {
    if (kind_ == kind::unsaid)
      in_.fail(has_suffix(in_.file(), ".wcnf") ? "there is neither a p line nor a clause" : "there is no p line");
    if (is_open_) in_.fail("the last clause has no 0 at its end");
    if (kind_ != kind::new_weighted && std::ssize(file_.clauses) < promised_)
      in_.fail(fmt::format("the file ends after {} of {}", file_.clauses.size(),
                           kleene::detail::counted(promised_, "clause", "clauses")));
  }

  scanner& in_;
  cnf_file file_;
  kind kind_ = kind::unsaid;
  index_t promised_ = 0;
  std::int64_t top_ = 0;  // 0: none
  bool is_open_ = false;  // the last clause goes on
};

}  // namespace

cnf_file parse_cnf(scanner& in) {
  return detail::with_memory_of(in.file(), [&] { return cnf_reader(in).read(); });
}
cnf_file parse_cnf(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse_cnf(in);
}
cnf_file read_cnf(const std::string& path) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file);
    return parse_cnf(in);
  });
}

}  // namespace kleene::io
