#include "svg.hpp"

#include "kleene/io/atomic_file.hpp"
#include "text.hpp"

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

svg_document::svg_document(double width, double height, std::string_view background, std::string_view title) {
  add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}")"
      R"( role="img" font-family="Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif">)",
      width, height);
  add("<title>{}</title>", xml_escaped(title));
  add(R"(<rect width="100%" height="100%" fill="{}"/>)", background);
}

void svg_document::text(double x, double y, std::string_view text, const text_style& style) {
  const std::string common =
      fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="{:g}" font-weight="{}" text-anchor="{}")", x, y, style.size,
                  style.weight, style.anchor);
  const std::string words = xml_escaped(text);
  if (!style.halo.empty())
    add(R"({0} fill="{1}" stroke="{1}" stroke-width="5" stroke-linejoin="round">{2}</text>)", common, style.halo,
        words);
  add(R"({} fill="{}">{}</text>)", common, style.colour, words);
}

void svg_document::write(const std::string& path) const {
  io::atomic_file file(path);
  file.write(body_);
  file.write("</svg>\n");
  file.commit();
}

}  // namespace kleene::cli
