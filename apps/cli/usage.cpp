// What is wrong with a command line, in words that name what was typed and say where help is.
#include "kleene/io/names.hpp"
#include "kleene/io/text.hpp"
#include "options.hpp"

#include <algorithm>

namespace kleene::cli {

namespace {

// The subcommand that was asked for, or the program.
const CLI::App& asked_of(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

std::string command_of(const CLI::App& app, const CLI::App& sub) {
  return &app == &sub ? app.get_name() : app.get_name() + " " + sub.get_name();
}

// All names of flags, as they are typed.
std::vector<std::string> flags_of(const CLI::App& sub) {
  std::vector<std::string> all;
  for (const CLI::Option* option : sub.get_options()) {
    for (const std::string& name : option->get_lnames()) all.push_back("--" + name);
    for (const std::string& name : option->get_fnames()) all.push_back("--" + name);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// What may be meant by a flag that there is not.
std::string hint(const CLI::App& sub, const std::string& word) {
  if (sub.get_name() == "path" && (word == "--from" || word == "--to"))
    return ": FROM and TO are given without flags, path FILE FROM TO";
  const std::vector<std::string> known = flags_of(sub);
  const std::string asked = word == "--sep" || word == "--delimiter" || word == "-d" ? "--separator" : word;
  // Two hyphens make no flags alike.
  const auto bare = [](std::string_view flag) {
    return flag.substr(std::min<std::size_t>(flag.find_first_not_of('-'), flag.size()));
  };
  const long near = meant_word(bare(asked), static_cast<long>(known.size()), [&](long k) { return bare(known[k]); });
  return near < 0 ? "" : fmt::format(": did you mean {}?", known[near]);
}

// Of words that are left over: a flag that there is not, else one argument too many.
std::string unexpected(const CLI::App& app, const CLI::App& sub) {
  const std::vector<std::string> left = app.remaining(true);
  const std::string command = command_of(app, sub);
  const auto flag = std::ranges::find_if(left, [](const std::string& word) { return word.starts_with('-'); });
  if (flag == left.end())
    return fmt::format("{} is one argument too many ({} --help)", left.empty() ? "this" : io::shown(left.front()),
                       command);
  const std::string word = flag->substr(0, flag->find('='));
  if (&sub != &app && sub.get_option_no_throw(word))
    return fmt::format("{} goes after its subcommand: {} {}", word, command, word);
  return fmt::format("{} has no flag {}{} ({} --help)", command, io::shown(word), hint(sub, word), command);
}

}  // namespace

long meant_word(std::string_view asked, long count, const std::function<std::string_view(long)>& word) {
  const auto only_start = [&](std::string_view start) {
    long found = -1, all = 0;
    for (long k = 0; k < count; ++k)
      if (word(k).starts_with(start)) found = k, ++all;
    return all == 1 ? found : -1;
  };
  if (const long found = only_start(asked); found >= 0 && asked.size() > 1) return found;
  if (const long near = io::nearest(asked, count, word); near >= 0) return near;
  // --algo: half of it, three letters at least, is how a word starts.
  for (std::size_t letters = asked.size(); letters >= std::max<std::size_t>(3, (asked.size() + 1) / 2); --letters)
    if (const long found = only_start(asked.substr(0, letters)); found >= 0) return found;
  return -1;
}

std::string words_of(const CLI::ParseError& wrong, const CLI::App& app) {
  const CLI::App& sub = asked_of(app);
  // Of a flag that there is not, the value may have been taken for a file more, or the subcommand be missed.
  const bool has_flag = std::ranges::any_of(
      app.remaining(true), [](const std::string& word) { return word.size() > 1 && word.starts_with('-'); });
  if (dynamic_cast<const CLI::ExtrasError*>(&wrong) || has_flag) return unexpected(app, sub);
  std::string words = wrong.what();
  const std::string name = words.substr(0, words.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) && name.starts_with('-'))
    words = words.ends_with(" missing") ? name + " takes a value, and none was given" : name + " is given twice";
  // "FILES: At Most 2 required but received 3"
  if (const std::size_t most = words.find("At Most "), got = words.rfind(' '); most != words.npos)
    words = fmt::format("{}: at most {}, and {} are given", name,
                        words.substr(most + 8, words.find(' ', most + 8) - most - 8), words.substr(got + 1));
  if (sub.get_name() == "gemm" && words.find("At least 2 required") != words.npos)
    words = "gemm takes two files, A and B";
  if (dynamic_cast<const CLI::RequiredError*>(&wrong) && &sub == &app) words = "which subcommand?";
  return fmt::format("{} ({} --help)", words, command_of(app, sub));
}

}  // namespace kleene::cli
