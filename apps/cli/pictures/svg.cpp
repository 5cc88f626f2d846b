#include "svg.hpp"

#include "kleene/io/atomic_file.hpp"
#include "kleene/io/text.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>

namespace kleene::cli {

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (char c : as_utf8(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return out;
}

namespace {

// Of a character of DejaVu Sans in em, rounded up by kinds: most fonts are narrower.
double letter_width(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter.front());
  if (first >= 0xe1) return 1.05;  // from U+1000 on: among them all that are square
  if (first >= 0x80) return 0.7;
  if (std::string_view("mwMW%@").find(letter) != std::string_view::npos) return 1;
  if (std::string_view(" !'(),./:;I[]fijlrt|").find(letter) != std::string_view::npos) return 0.41;
  return first >= 'A' && first <= 'Z' ? 0.75 : 0.64;
}

// How many bytes of the text go into the width; the width of those is left in `used`.
std::size_t bytes_within(std::string_view text, double width, double em, double& used) {
  std::size_t at = 0;
  for (used = 0; at < text.size();) {
    const std::size_t bytes = std::max<std::size_t>(io::utf8_character(text.substr(at)), 1);
    const double next = used + em * letter_width(text.substr(at, bytes));
    if (next > width) break;
    used = next, at += bytes;
  }
  return at;
}

double em_of(double size, int weight) { return weight < 600 ? size : 1.12 * size; }

}  // namespace

double text_width(std::string_view text, double size, int weight) {
  double used = 0;
  bytes_within(text, INFINITY, em_of(size, weight), used);
  return used;
}

std::string spoken(std::string_view title, std::string_view subtitle) {
  return fmt::format("{}{}{}", title, subtitle.empty() ? "" : ", ", subtitle);
}

std::string fitted(std::string_view text, double width, double size, int weight) {
  const double em = em_of(size, weight);
  double used = 0;
  if (bytes_within(text, width, em, used) == text.size()) return std::string(text);
  return std::string(text.substr(0, bytes_within(text, width - em, em, used))) + "\u2026";
}

svg_document::svg_document(double width, double height, std::string_view title) : width_(width), height_(height) {
  add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}")"
      R"( role="img" font-family="Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif">)",
      width, height);
  add("<title>{}</title>", xml_escaped(title));
  add(R"(<rect width="100%" height="100%" fill="{}"/>)", paper);
}

void svg_document::text(double x, double y, std::string_view text, const text_style& style) {
  if (text.empty()) return;
  std::string common = fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="{:g}" font-weight="{}" text-anchor="{}")",
                                   x, y, style.size, style.weight, style.anchor);
  if (!style.upright) common += fmt::format(R"svg( transform="rotate(-90 {:.1f} {:.1f})")svg", x, y);
  const std::string words = xml_escaped(text);
  if (!style.whole.empty()) add("<g><title>{}</title>", xml_escaped(style.whole));
  if (!style.halo.empty())
    add(R"({0} fill="{1}" stroke="{1}" stroke-width="5" stroke-linejoin="round">{2}</text>)", common, style.halo,
        words);
  add(R"({} fill="{}">{}</text>)", common, style.colour, words);
  if (!style.whole.empty()) add("</g>");
}

void svg_document::text_within(double width, double x, double y, std::string_view text, text_style style) {
  const std::string cut = fitted(text, width, style.size, style.weight);
  if (cut != text) style.whole = text;
  this->text(x, y, cut, style);
}

void svg_document::heading(double margin, std::string_view title, std::string_view subtitle, std::string_view facts) {
  const double width = width_ - 2 * margin;
  text_within(width, margin, 54, title, {.size = 29, .weight = 700});
  if (!subtitle.empty()) text_within(width, margin, 86, subtitle, {.size = 19});
  if (!facts.empty()) text_within(width, margin, subtitle.empty() ? 83 : 111, facts, {.size = 15, .colour = quiet_ink});
}

void svg_document::signature(double margin) {
  text(width_ - margin, height_ - 24, "kleene", {.size = 14, .colour = faint, .anchor = "end"});
}

void write_picture(const std::string& path, const std::string& svg) {
  io::atomic_file file(path);
  file.write(svg);
  file.commit();
}

}  // namespace kleene::cli
