#include "terminal.hpp"

#include "text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace kleene::cli {

namespace {

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    std::string locale = value;
    std::ranges::transform(locale, locale.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

int width_of(int stream) {
  if (const char* said = std::getenv("COLUMNS"); said != nullptr && std::atoi(said) > 0) return std::atoi(said);
  winsize size{};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

terminal answer_terminal() {
  const int stream = answers_go_to_stderr() ? STDERR_FILENO : STDOUT_FILENO;
  return {.columns = std::clamp(width_of(stream), 40, 400), .utf8 = locale_is_utf8()};
}

std::string plotted(std::string_view name, std::size_t most, const terminal& to) {
  std::string plain;
  for (const char c : as_utf8(name)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool follows = (byte & 0xc0) == 0x80;  // not the first byte of its character
    if (byte < 0x20 || byte == 0x7f) plain += '?';
    else if (to.utf8 || byte < 0x80) plain += c;
    else if (!follows) plain += '?';
  }
  if (to.utf8 || columns(plain) <= most) return shortened(plain, most);
  return plain.substr(0, most - 1) + "~";
}

std::string in_lines(const std::vector<std::string>& pieces, std::string_view between, const terminal& to) {
  std::string out, line;
  for (const std::string& piece : pieces) {
    const bool starts = line.empty();
    if (!starts && columns(line) + between.size() + columns(piece) > static_cast<std::size_t>(to.columns)) {
      out += line + '\n';
      line = "  " + piece;
    } else {
      line += (starts ? "" : std::string(between)) + piece;
    }
  }
  return out + line + '\n';
}

std::string plotted_right(std::string_view name, std::size_t width, const terminal& to) {
  const std::string text = plotted(name, width, to);
  return std::string(width - columns(text), ' ') + text;
}

}  // namespace kleene::cli
