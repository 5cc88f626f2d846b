// kleene completion: what a shell completes, from the definitions that --help prints.
#include "options.hpp"
#include "text.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kleene::cli {

namespace {

struct option_words {
  std::vector<std::string> names;  // --out, -h
  std::string help;
  bool takes_value = false;
  std::vector<std::string> values;  // those that it takes; empty: anything, such as a file
};

// The words of "{f32,f64}", or of "takes one of" help texts such as "pairs: ...": only the first kind is a list.
std::vector<std::string> listed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> words;
  if (open == type.npos || close == type.npos) return words;
  for (std::size_t at = open + 1; at <= close;) {
    const std::size_t end = type.find_first_of(",}", at);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<option_words> options_of(const CLI::App& app) {
  std::vector<option_words> all;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    option_words words{.names = {},
                       .help = option->get_description(),
                       .takes_value = option->get_items_expected() > 0,
                       .values = listed_values(*option)};
    for (const std::string& name : option->get_lnames()) words.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.names.push_back("-" + name);
    all.push_back(std::move(words));
  }
  return all;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// For between single quotes of a shell.
std::string in_quotes(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 4) text.replace(at, 1, "'\\''");
  return text;
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// What the first word after a subcommand can be, besides a file.
std::vector<std::string> first_words(const CLI::App& sub) {
  for (const CLI::Option* option : sub.get_options())
    if (option->get_positional()) return listed_values(*option);
  return {};
}

std::string bash_script(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* sub : subcommands(app)) {
    names += (names.empty() ? "" : " ") + sub->get_name();
    std::string flags, values;
    for (const option_words& option : options_of(*sub)) {
      flags += (flags.empty() ? "" : " ") + joined(option.names);
      if (!option.takes_value) continue;
      values += fmt::format("        {}) {} ;;\n", fmt::join(option.names, "|"),
                            option.values.empty() ? "kind=file" : fmt::format("words='{}'", joined(option.values)));
    }
    const std::vector<std::string> first = first_words(*sub);
    cases += fmt::format("    {})\n      flags='{}'\n      first='{}'\n      case $before in\n{}      esac ;;\n",
                         sub->get_name(), flags, joined(first), values);
  }
  return fmt::format(R"(# bash completion for kleene: source this file, or put it where bash-completion looks, such as
# ~/.local/share/bash-completion/completions/kleene
_kleene() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} flags= first= words= kind=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $kind != file && -z $words ]]; then
    if [[ $word == -* ]]; then words=$flags
    elif ((COMP_CWORD == 2)); then words=$first; fi
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _kleene kleene
)",
                     names, cases);
}

// The text of a specification of _arguments: of brackets and colons only those in the text are to be escaped.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return in_quotes(out);
}

std::string zsh_script(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* sub : subcommands(app)) {
    names += fmt::format("    '{}:{}'\n", sub->get_name(), zsh_text(sub->get_description()));
    std::string flags;
    for (const option_words& option : options_of(*sub))
      for (const std::string& name : option.names)
        flags += fmt::format("        '{}[{}]{}' \\\n", name, zsh_text(option.help),
                             !option.takes_value     ? ""
                             : option.values.empty() ? ":value:_files"
                                                     : fmt::format(":value:({})", joined(option.values)));
    const std::vector<std::string> first = first_words(*sub);
    if (!first.empty()) flags += fmt::format("        '1:what:({})' \\\n", joined(first));
    cases += fmt::format("    {})\n      _arguments \\\n{}        '*:file:_files' ;;\n", sub->get_name(), flags);
  }
  return fmt::format(R"(#compdef kleene
# zsh completion for kleene: put it as _kleene into a folder of $fpath, or source it after compinit.
_kleene() {{
  local -a subcommands=(
{})
  if ((CURRENT == 2)); then
    _describe subcommand subcommands
    return
  fi
  local subcommand=$words[2]
  shift words
  ((CURRENT--))
  case $subcommand in
{}  esac
}}
if [[ $funcstack[1] == _kleene ]]; then _kleene "$@"; else compdef _kleene kleene; fi
)",
                     names, cases);
}

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("completion", "What bash or zsh needs to complete subcommands and flags");
  const auto shell = std::make_shared<std::string>();
  add_words(*sub, "SHELL", *shell, {"bash", "zsh"}, "bash or zsh: source <(kleene completion bash)")->required();
  sub->callback([&app, shell] { write_stdout(*shell == "bash" ? bash_script(app) : zsh_script(app)); });
}

}  // namespace kleene::cli
