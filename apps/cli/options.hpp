// Kinds of options that several subcommands have: each says what it takes, and refuses the rest.
#pragma once

#include "commands.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
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

// An option that takes one of these words, and puts what stands for it.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& value,
                        const std::vector<std::pair<std::string, T>>& words, const std::string& help) {
  const auto put = [&value, name, words](const std::string& asked) {
    std::string known;
    for (const auto& [word, meaning] : words) {
      if (asked == word) return void(value = meaning);
      known += (known.empty() ? "" : ", ") + word;
    }
    throw CLI::ValidationError(name, fmt::format("takes one of {}, not '{}'", known, asked));
  };
  std::string known;
  for (const auto& [word, meaning] : words) known += (known.empty() ? "{" : ",") + word;
  return app.add_option_function<std::string>(name, put, help)->type_name(known + "}");
}

// --out and what says how it is written.
void add_result(CLI::App& app, output_flags& flags, const std::string& help);

// The flags of an edge list, and --names.
void add_input_flags(CLI::App& app, input_flags& flags);

}  // namespace kleene::cli
