// A small SVG 1.1 writer: shapes are appended, the text of the whole is what comes out.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kleene::cli {

// What all pictures are painted with. Told apart by colour-blind eyes, and in grey, by their lightness.
inline constexpr std::string_view paper = "#fbfaf7", ink = "#1f2733", quiet_ink = "#5c6675", faint = "#9aa7b5",
                                  road = "#d1243f";

std::string xml_escaped(std::string_view text);

// The text cut so that it takes about `width` pixels at most at this size of letters.
std::string fitted(std::string_view text, double width, double size, int weight = 400);
// About how wide a text is, in pixels.
double text_width(std::string_view text, double size, int weight = 400);

// The lines on top of a picture as a title of it: the second may be empty.
std::string spoken(std::string_view title, std::string_view subtitle);

struct text_style {
  double size = 16;
  std::string_view colour = ink;
  std::string_view anchor = "start";  // start, middle, end
  int weight = 400;
  std::string_view halo = "";  // a colour: drawn behind the letters, so that they read on top of lines
  bool upright = true;         // else the text runs from bottom to top
  std::string whole = "";      // what a pointer over the text shows: the text before it was cut
};

class svg_document {
 public:
  // Units are pixels, y points down; `title` is what a screen reader says.
  svg_document(double width, double height, std::string_view title);

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
    body_ += '\n';
  }
  // The text is escaped here; none is drawn where it is empty.
  void text(double x, double y, std::string_view text, const text_style& style);
  // The text, or its first characters and an ellipsis, in `width` pixels; cut text is given whole to the pointer.
  void text_within(double width, double x, double y, std::string_view text, text_style style);
  // The lines on top of every picture, cut to its width; empty ones are left out.
  void heading(double margin, std::string_view title, std::string_view subtitle, std::string_view facts);
  // Who drew it, at the bottom right.
  void signature(double margin);

  std::string str() const { return body_ + "</svg>\n"; }

 private:
  double width_, height_;
  std::string body_;
};

// Writes the picture whole or not at all; error(bad_input) with the path when it cannot be written.
void write_picture(const std::string& path, const std::string& svg);

}  // namespace kleene::cli
