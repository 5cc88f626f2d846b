// kleene man: the manual page, from the definitions that --help prints. roff with the macros of man(7).
#include "commands.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace kleene::cli {

namespace {

// Text that roff takes for nothing else: no escapes, and no line that starts with a request.
std::string roff(std::string_view text) {
  std::string out;
  bool starts = true;
  for (const char c : text) {
    if (starts && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    starts = c == '\n';
  }
  return out;
}

// Lines of a footer, each a paragraph; those that are indented a term and what it is.
std::string paragraphs(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t word = line.find_first_not_of(' '), gap = line.find("  ", word == line.npos ? 0 : word);
    if (word == line.npos) continue;
    if (word > 0 && gap != line.npos)
      out += fmt::format(".TP\n{}\n{}\n", roff(line.substr(word, gap - word)),
                         roff(line.substr(line.find_first_not_of(' ', gap))));
    else out += fmt::format(".PP\n{}\n", roff(line));
  }
  return out;
}

std::string option_lines(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    const std::string type = option->get_items_expected() > 0 && !option->get_positional()
                                 ? " \\fI" + roff(option->get_type_name()) + "\\fR"
                                 : "";
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option->get_name(option->get_positional(), true)), type,
                       roff(option->get_description()));
  }
  return out;
}

std::string page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH KLEENE 1 \"\" \"kleene {}\" \"User Commands\"\n.SH NAME\nkleene \\- {}\n"
      ".SH SYNOPSIS\n.B kleene\n.I subcommand\n.RI [ options ]\n.SH DESCRIPTION\n{}.\n",
      KLEENE_VERSION, roff(app.get_description()), roff(app.get_description()));
  std::string common = app.get_footer();
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += fmt::format(
        ".SH \"KLEENE {}\"\n{}\n",
        [&] {
          std::string name = sub->get_name();
          for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
          return name;
        }(),
        roff(sub->get_description()) + ".");
    out += option_lines(*sub);
    std::string own = sub->get_footer();
    if (own.ends_with(common)) own.resize(own.size() - common.size());
    out += paragraphs(own);
  }
  return out + ".SH NOTES\n" + paragraphs(common);
}

}  // namespace

void add_manual(CLI::App& app) {
  app.add_subcommand("man", "The manual page: kleene man | man -l -")->callback([&app] { write_stdout(page(app)); });
}

}  // namespace kleene::cli
