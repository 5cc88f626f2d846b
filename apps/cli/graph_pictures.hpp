// What apsp and path draw of a graph: which picture the flags ask for, and its data.
#pragma once

#include "graph_input.hpp"
#include "pictures/heat_map.hpp"
#include "pictures/histogram.hpp"
#include "pictures/map.hpp"
#include "pictures/route.hpp"
#include "pictures/svg.hpp"
#include "session.hpp"

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace kleene::cli {

// error(usage) for flags that do not go together.
void require_picture(const shared_flags& shared, const picture_flags& flags);

// What a picture says beside what it shows.
struct picture_words {
  std::string title, subtitle, facts;
};

// Writes the picture, if there is --svg.
template <class Picture>
void write_svg(const picture_flags& flags, const Picture& picture) {
  if (!flags.svg.empty()) write_picture(flags.svg, draw_svg(picture));
}
// The picture in characters, to be printed below the answer; empty without --plot.
template <class Picture>
std::string plot_text(const picture_flags& flags, const Picture& picture) {
  return flags.plot ? "\n" + draw_plot(picture, answer_terminal()) : "";
}

// The stops of a route, with what arcs lead away from it.
template <class S>
std::vector<route_stop> stops_of(const labels& names, const csr<value_of<S>>& graph,
                                 const std::vector<std::int32_t>& route) {
  std::vector<route_stop> stops;
  std::vector<std::int32_t> place(graph.rows, -1);
  for (const std::int32_t v : route) {
    place[v] = static_cast<std::int32_t>(stops.size());
    stops.push_back({.name = names.text(v)});
  }
  auto cost = widen<S>(S::one());
  for (std::size_t k = 0; k < stops.size() && !ignores_weights<S>; ++k) {
    // Before the first arc a narrowest one is as wide as numbers go.
    const auto so_far = normalise<S>(cost);
    using limits = std::numeric_limits<std::remove_const_t<decltype(so_far)>>;
    const bool is_limit = so_far == limits::max() || so_far == limits::lowest() || so_far - so_far != 0;
    if (k > 0 || !is_limit) stops[k].cost = number_text(so_far);
    if (k + 1 == stops.size()) break;
    const auto weight = weight_of(graph, route[k], route[k + 1]);
    stops[k].weight = number_text(weight);
    cost = S::mul(cost, widen<S>(weight));
  }
  for (std::int32_t u = 0; u < graph.rows; ++u)
    for (auto e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
      const std::int32_t v = graph.columns[e], from = place[u], to = place[v];
      const bool along = from >= 0 && to >= 0 && std::abs(from - to) <= 1;
      if (along) continue;
      if (from >= 0) ++stops[from].leaving;
      if (to >= 0) ++stops[to].entering;
    }
  return stops;
}

// An empty route: from and to (-1: nobody asked for two) without a path.
template <class S>
route_picture make_route(const labels& names, const csr<value_of<S>>& graph, const std::vector<std::int32_t>& route,
                         std::int32_t from, std::int32_t to, picture_words words) {
  route_picture picture{.stops = {}, .title = words.title, .subtitle = words.subtitle, .facts = words.facts};
  picture.stops = stops_of<S>(names, graph, route);
  picture.broken = route.empty();
  if (picture.broken && from >= 0 && to >= 0) picture.stops = {{.name = names.text(from)}, {.name = names.text(to)}};
  return picture;
}

template <class T>
network_map make_map(const labels& names, const csr<T>& graph, const std::vector<std::int32_t>& route,
                     matrix<double> coordinates, picture_words words) {
  return {std::move(coordinates), segments_of(graph), route, [&names](index_t v) { return names.text(v); }, words.title,
          words.subtitle,         words.facts};
}

// Distances as a heat map, or as a histogram: --svg is written, the text is the plot.
template <class S>
std::string draw_distances(const labels& names, const picture_flags& flags, const matrix_view<value_of<S>>& distances,
                           const std::vector<std::int32_t>& rows, const picture_words& words,
                           const algebra_facts& facts) {
  const auto heat = [&](index_t most) {
    heat_map map = make_heat_map(distances, S::zero(), rows, most);
    map.name = [&names](index_t v) { return names.text(v); };
    map.title = words.title, map.subtitle = words.subtitle, map.facts = words.facts, map.unit = flags.unit;
    map.only_reaches = facts.ignores_weights;
    return map;
  };
  const auto counts = [&](index_t most) {
    require_memory(static_cast<double>(distances.rows() * distances.cols()) * sizeof(value_of<S>),
                   "the histogram of the distances");
    histogram h = make_histogram(distances, S::zero(), rows, most);
    h.title = words.title, h.subtitle = words.subtitle, h.facts = words.facts, h.unit = flags.unit;
    h.quantity = !facts.sums_weights ? "value" : facts.prefers_less ? "distance" : "length";
    h.most_word = facts.sums_weights ? "longest" : "largest";
    return h;
  };
  const bool asked = flags.kind == picture_kind::histogram;
  if (!flags.svg.empty()) asked ? write_svg(flags, counts(most_svg_bars)) : write_svg(flags, heat(256));
  if (!flags.plot) return {};
  // What is not asked for is what can be read: cells that are vertices, else counts.
  const index_t fits = plot_size(answer_terminal());
  const bool large = flags.kind == picture_kind::unsaid && std::max(distances.rows(), distances.cols()) > fits;
  return asked || large ? plot_text(flags, counts(most_plot_bars)) : plot_text(flags, heat(fits));
}

}  // namespace kleene::cli
