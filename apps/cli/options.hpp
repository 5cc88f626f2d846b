// Kinds of options that several subcommands have: each says what it takes, and refuses the rest.
#pragma once

#include "commands.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kleene::cli {

// CLI::Range says "not in range" of what is no number at all.
inline CLI::Validator whole_number(std::int64_t first, std::int64_t last = INT64_MAX) {
  const bool open = last == INT64_MAX;
  const std::string wanted = open ? fmt::format("a whole number of at least {}", first)
                                  : fmt::format("a whole number from {} to {}", first, last);
  return CLI::Validator(
      [=](const std::string& text) {
        std::int64_t value = 0;
        const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool fits = wrong != std::errc::result_out_of_range && CLI::detail::lexical_cast(text, value) &&
                          first <= value && value <= last;
        return fits ? std::string() : fmt::format("takes {}, not '{}'", wanted, text);
      },
      open ? fmt::format("{} ..", first) : fmt::format("{} .. {}", first, last));
}

// A seed: a whole number of 64 bits.
inline CLI::Validator a_seed() {
  return CLI::Validator(
      [](const std::string& text) {
        std::uint64_t seed = 0;
        const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), seed);
        const bool fits = !text.empty() && stop == text.data() + text.size() && wrong == std::errc{};
        return fits ? std::string() : fmt::format("takes a whole number from 0 to {}, not '{}'", UINT64_MAX, text);
      },
      "0 ..");
}

// A number that may be in any element type.
inline CLI::Validator a_number(bool not_negative = false) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = !text.empty() && stop == text.data() + text.size() && wrong == std::errc{};
        if (whole && !std::isnan(value) && !(not_negative && value < 0)) return std::string();
        if (wrong == std::errc::result_out_of_range)
          return fmt::format("'{}' is outside the range of double precision", text);
        return fmt::format("takes a number{}, not '{}'", not_negative ? " of at least 0" : "", text);
      },
      "");
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

inline CLI::Option* add_words(CLI::App& app, const std::string& name, std::string& value,
                              const std::vector<std::string>& words, const std::string& help) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& word : words) choices.emplace_back(word, word);
  return add_choice<std::string>(app, name, value, choices, help);
}

// Whichever of `count` words may be meant by one that there is not: the only one that starts so (--dir: --directed),
// else the nearest (io::nearest), else the only one with the same start (--algo: --algebra); -1: none.
long meant_word(std::string_view asked, long count, const std::function<std::string_view(long)>& word);

// One line for an error of the parser, which says what to do.
std::string words_of(const CLI::ParseError& wrong, const CLI::App& app);

// --out and what says how it is written.
void add_result(CLI::App& app, output_flags& flags, const std::string& help);

// The flags of an edge list, and --names.
void add_input_flags(CLI::App& app, input_flags& flags);

}  // namespace kleene::cli
