// Figures of projects that do not run in our suites (quoted.def).
#pragma once

#include <stdexcept>
#include <string_view>

namespace kleene::bench {

struct quoted_figure {
  std::string_view work;  // empty: there is none
  const char* peer = "";
  double rate = 0;  // in the unit of the row
};

inline constexpr quoted_figure quoted_figures[] = {
#define KLEENE_QUOTED(work, peer, rate) {work, peer, rate},
#include "peers/quoted.def"
#undef KLEENE_QUOTED
};

constexpr quoted_figure quoted_for(std::string_view work) {
  for (const quoted_figure& figure : quoted_figures)
    if (figure.work == work) return figure;
  return {};
}

// The one that must be there.
consteval quoted_figure quoted(std::string_view work) {
  const quoted_figure figure = quoted_for(work);
  if (figure.work.empty()) throw std::invalid_argument("bench/peers/quoted.def has no such row");
  return figure;
}

}  // namespace kleene::bench
