// Kinds of options that several subcommands have: each says what it takes, and refuses the rest.
#pragma once

#include "text.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kleene::cli {

// CLI::Range says "not in range" of what is no number at all.
inline CLI::Validator whole_number(int first, int last) {
  const std::string wanted = fmt::format("a whole number from {} to {}", first, last);
  return CLI::Validator(
      [=](const std::string& text) {
        int value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && first <= value && value <= last;
        return fits ? std::string() : fmt::format("takes {}, not '{}'", wanted, text);
      },
      fmt::format("{} .. {}", first, last));
}

// A word that must not be empty, such as that of a script's variable that is not set.
inline CLI::Validator some(const std::string& what) {
  return CLI::Validator(
      [=](const std::string& text) {
        return text.empty() ? fmt::format("takes {}, and none was given", what) : std::string();
      },
      "");
}

// Options that name files. "-" is standard output, or standard input.
inline CLI::Option* add_output(CLI::App& app, const std::string& name, std::string& path, const std::string& help) {
  return app.add_option(name, path, help)->check(some("the name of a file"))->transform([](const std::string& given) {
    return given == "-" ? std::string("/dev/stdout") : given;
  });
}
template <class Paths>
CLI::Option* add_input(CLI::App& app, const std::string& name, Paths& path, const std::string& help) {
  return app.add_option(name, path, help)->check(some("the name of a file"))->transform([](const std::string& given) {
    return given == "-" ? std::string("/dev/stdin") : given;
  });
}

// Whole numbers with commas between them. CLI11 would drop those that are empty.
inline CLI::Option* add_numbers(CLI::App& app, const std::string& name, std::vector<std::int64_t>& numbers,
                                const std::string& help) {
  const auto read = [&numbers, name](const std::string& text) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const std::string piece = text.substr(at, end - at);
      std::int64_t number = 0;
      if (piece.empty() || !CLI::detail::lexical_cast(piece, number))
        throw CLI::ValidationError(name, fmt::format("takes whole numbers such as 1,5,9, not '{}'", text));
      numbers.push_back(number);
      at = end + 1;
    }
  };
  return app.add_option_function<std::string>(name, read, help)->type_name("INT,...");
}

}  // namespace kleene::cli
