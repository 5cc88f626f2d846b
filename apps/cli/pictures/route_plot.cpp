// The route in a terminal: a chain of names and weights, broken into lines at its arcs.
#include "route.hpp"
#include "text.hpp"

namespace kleene::cli {

std::string draw_plot(const route_picture& route, const terminal& to) {
  if (route.stops.empty()) return "no path\n";
  const auto arrow = [&](const std::string& weight) {
    const std::string on_it = weight.empty() ? "" : "[" + weight + "]";
    return (to.utf8 ? "\u2500" + on_it + "\u2192" : "-" + on_it + "->") + " ";
  };
  const std::vector<shown_stop> shown = shown_stops(route);
  std::vector<std::string> pieces;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    std::string piece = shown[k].stop ? plotted(shown[k].stop->name, 24, to)
                                      : fmt::format("({} left out)", grouped(static_cast<index_t>(shown[k].left_out)));
    if (k > 0) {
      const route_stop* before = shown[k - 1].stop;
      const bool known = before && shown[k].stop && !route.broken;
      piece = (route.broken ? "(no path) " : arrow(known ? before->weight : std::string())) + piece;
    }
    pieces.push_back(piece);
  }
  return in_lines(pieces, " ", to);
}

}  // namespace kleene::cli
