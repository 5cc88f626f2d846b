// A route without coordinates: its vertices from left to right, in as many rows as it takes.
#pragma once

#include "kleene/data/view.hpp"
#include "terminal.hpp"

#include <string>
#include <vector>

namespace kleene::cli {

struct route_stop {
  std::string name;
  std::string weight{}, cost{};       // of the arc to the next stop, and from the start to here; may be empty
  index_t leaving = 0, entering = 0;  // arcs that are not between two neighbours on the route
};

struct route_picture {
  std::vector<route_stop> stops;       // none where no pair has a path
  bool broken = false;                 // two stops, and no path between them
  std::string title, subtitle, facts;  // top to bottom
};

std::string draw_svg(const route_picture& route);
std::string draw_plot(const route_picture& route, const terminal& to);

// Of longer routes the middle is left out.
inline constexpr std::size_t most_stops = 60;

// What is drawn: stops, in their order, and in one place the number of those that are left out.
struct shown_stop {
  const route_stop* stop;  // null: those that are left out
  std::size_t left_out = 0;
};
std::vector<shown_stop> shown_stops(const route_picture& route);

}  // namespace kleene::cli
