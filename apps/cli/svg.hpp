// A small SVG 1.1 writer: shapes are appended, the file is written whole (temporary + rename).
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kleene::cli {

std::string xml_escaped(std::string_view text);

struct text_style {
  double size = 16;
  std::string_view colour = "#1f2733";
  std::string_view anchor = "start";  // start, middle, end
  int weight = 400;
  std::string_view halo = "";  // a colour: drawn behind the letters, so that they read on top of lines
};

class svg_document {
 public:
  // Units are pixels, y points down; `title` is what a screen reader says.
  svg_document(double width, double height, std::string_view background, std::string_view title);

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
    body_ += '\n';
  }
  // The text is escaped here.
  void text(double x, double y, std::string_view text, const text_style& style);

  // error(bad_input) with the path when it cannot be written.
  void write(const std::string& path) const;

 private:
  std::string body_;
};

}  // namespace kleene::cli
