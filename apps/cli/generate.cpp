// Compiled without contraction of a * b + c (CMakeLists.txt): a machine that has it as one instruction would round
// once, and others twice. Nothing else here depends on the machine: + - * / and sqrt are exact by IEEE 754, and no
// distribution of the standard library is used, each of which has its own for the same seed.
#include "generate.hpp"

#include "kleene/data/error.hpp"
#include "kleene/data/splitmix64.hpp"
#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace kleene::cli {

namespace {

using arc = std::pair<std::int32_t, std::int32_t>;

// From 0 to count - 1, all equally likely (Lemire, "Fast random integer generation in an interval", 2019).
std::uint64_t below(splitmix64& draw, std::uint64_t count) {
  for (;;) {
    const unsigned __int128 product = static_cast<unsigned __int128>(draw()) * count;
    const auto low = static_cast<std::uint64_t>(product);
    if (low >= count || low >= -count % count) return static_cast<std::uint64_t>(product >> 64);
  }
}
std::int32_t vertex_below(splitmix64& draw, index_t count) {
  return static_cast<std::int32_t>(below(draw, static_cast<std::uint64_t>(count)));
}
// From 0 to 1, without 1: 53 bits.
double unit(splitmix64& draw) { return static_cast<double>(draw() >> 11) * 0x1p-53; }

std::uint64_t key(std::int32_t u, std::int32_t v) {
  return static_cast<std::uint64_t>(u) << 32 | static_cast<std::uint32_t>(v);
}
arc arc_of(std::uint64_t key) { return {static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key)}; }

void sort_once(std::vector<std::uint64_t>& keys) {
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// --- the models: arcs as keys, ascending; where arcs lead both ways, those with u < v --------------------------------

std::vector<std::uint64_t> draw_rmat(const generate_options& options, splitmix64& draw) {
  constexpr std::uint64_t percent = ~std::uint64_t{0} / 100;
  const auto draws = static_cast<index_t>(std::llround(options.degree * static_cast<double>(options.vertices)));
  std::vector<std::uint64_t> keys;
  keys.reserve(static_cast<std::size_t>(draws));
  for (index_t a = 0; a < draws; ++a) {
    std::int32_t u = 0, v = 0;
    for (index_t half = options.vertices / 2; half > 0; half /= 2) {
      const std::uint64_t quarter = draw();
      if (quarter >= 76 * percent) u += static_cast<std::int32_t>(half);
      if ((quarter >= 57 * percent && quarter < 76 * percent) || quarter >= 95 * percent)
        v += static_cast<std::int32_t>(half);
    }
    if (u != v) keys.push_back(key(u, v));
  }
  sort_once(keys);
  return keys;
}

std::vector<std::uint64_t> draw_grid(index_t vertices, matrix<double>& places) {
  index_t rows = static_cast<index_t>(std::sqrt(static_cast<double>(vertices)));
  while (rows > 1 && vertices % rows != 0) --rows;
  const index_t cols = vertices / std::max<index_t>(rows, 1);
  places = matrix<double>(vertices, 2);
  std::vector<std::uint64_t> keys;
  for (index_t r = 0; r < rows; ++r)
    for (index_t c = 0; c < cols; ++c) {
      const auto v = static_cast<std::int32_t>(r * cols + c);
      places(v, 0) = static_cast<double>(c);
      places(v, 1) = static_cast<double>(r);
      if (c + 1 < cols) keys.push_back(key(v, v + 1));
      if (r + 1 < rows) keys.push_back(key(v, static_cast<std::int32_t>(v + cols)));
    }
  return keys;
}

// Points of 26 bits a coordinate, whose squared distances are exact.
constexpr int point_bits = 26;
struct point {
  std::int64_t x, y;
};
std::uint64_t squared_distance(const point& a, const point& b) {
  const std::int64_t dx = a.x - b.x, dy = a.y - b.y;
  return static_cast<std::uint64_t>(dx * dx + dy * dy);
}

// Cells no narrower than the radius: who is near lies in a neighbouring one.
class point_cells {
 public:
  point_cells(const std::vector<point>& points, std::uint64_t radius_squared) {
    const double side = std::min(std::sqrt(0x1p52 / std::max(1.0, static_cast<double>(radius_squared))),
                                 std::sqrt(static_cast<double>(points.size())));
    side_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(side));
    while (side_ > 1 && static_cast<std::uint64_t>(side_ * side_) > (std::uint64_t{1} << 52) / radius_squared) --side_;
    start_.assign(static_cast<std::size_t>(side_ * side_) + 1, 0);
    for (const point& p : points) ++start_[cell(p.x) * side_ + cell(p.y) + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    members_.resize(points.size());
    std::vector<index_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t v = 0; v < points.size(); ++v)
      members_[next[cell(points[v].x) * side_ + cell(points[v].y)]++] = static_cast<std::int32_t>(v);
  }
  template <class Visit>
  void for_each_near(const point& p, const Visit& visit) const {
    for (std::int64_t i = std::max<std::int64_t>(0, cell(p.x) - 1); i <= std::min(side_ - 1, cell(p.x) + 1); ++i)
      for (std::int64_t j = std::max<std::int64_t>(0, cell(p.y) - 1); j <= std::min(side_ - 1, cell(p.y) + 1); ++j)
        for (index_t at = start_[i * side_ + j]; at < start_[i * side_ + j + 1]; ++at) visit(members_[at]);
  }

 private:
  std::int64_t cell(std::int64_t coordinate) const { return coordinate * side_ >> point_bits; }

  std::int64_t side_ = 1;
  std::vector<index_t> start_;
  std::vector<std::int32_t> members_;
};

std::vector<std::uint64_t> draw_geometric(const generate_options& options, splitmix64& draw, matrix<double>& places,
                                          std::vector<double>& lengths) {
  const index_t n = options.vertices;
  std::vector<point> points(static_cast<std::size_t>(n));
  places = matrix<double>(n, 2);
  for (index_t v = 0; v < n; ++v) {
    points[v].x = static_cast<std::int64_t>(draw() >> (64 - point_bits));
    points[v].y = static_cast<std::int64_t>(draw() >> (64 - point_bits));
    places(v, 0) = std::ldexp(static_cast<double>(points[v].x), -point_bits);
    places(v, 1) = std::ldexp(static_cast<double>(points[v].y), -point_bits);
  }
  // A vertex has (n - 1) pi r^2 neighbours on average, fewer at the border.
  const double others = static_cast<double>(std::max<index_t>(n - 1, 1));
  const double area = options.degree / (others * std::numbers::pi);
  const auto radius_squared = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(area, 2.0) * 0x1p52));
  const point_cells cells(points, radius_squared);
  std::vector<std::uint64_t> keys;
  for (index_t u = 0; u < n; ++u)
    cells.for_each_near(points[u], [&](std::int32_t v) {
      if (v > u && squared_distance(points[u], points[v]) <= radius_squared)
        keys.push_back(key(static_cast<std::int32_t>(u), v));
    });
  std::ranges::sort(keys);
  for (const std::uint64_t k : keys) {
    const auto [u, v] = arc_of(k);
    lengths.push_back(std::ldexp(std::sqrt(static_cast<double>(squared_distance(points[u], points[v]))), -point_bits));
  }
  return keys;
}

// Pairs up the free ends of vertices at random, again those that did not fit, until none is left or none can fit.
bool pair_ends(std::int32_t n, std::int32_t degree, splitmix64& draw, std::unordered_set<std::uint64_t>& edges) {
  edges.clear();
  std::vector<std::int32_t> ends;
  for (std::int32_t d = 0; d < degree; ++d)
    for (std::int32_t v = 0; v < n; ++v) ends.push_back(v);
  while (!ends.empty()) {
    for (std::size_t at = ends.size(); at > 1; --at) std::swap(ends[at - 1], ends[below(draw, at)]);
    std::vector<std::int32_t> left;
    for (std::size_t at = 0; at < ends.size(); at += 2) {
      const auto [u, v] = std::minmax(ends[at], ends[at + 1]);
      if (u != v && edges.insert(key(u, v)).second) continue;
      left.push_back(u);
      left.push_back(v);
    }
    ends = std::move(left);
    std::vector<std::int32_t> free = ends;
    std::ranges::sort(free);
    free.erase(std::unique(free.begin(), free.end()), free.end());
    bool fits = free.empty();
    for (std::size_t a = 0; a < free.size() && !fits; ++a)
      for (std::size_t b = a + 1; b < free.size() && !fits; ++b) fits = !edges.contains(key(free[a], free[b]));
    if (!fits) return false;
  }
  return true;
}

std::vector<std::uint64_t> draw_regular(const generate_options& options, splitmix64& draw) {
  const auto n = static_cast<std::int32_t>(options.vertices);
  const auto degree = static_cast<std::int32_t>(options.degree);
  // Of a graph with most pairs joined, those that are not: there pairing up would fail again and again.
  const bool dense = degree > (n - 1) / 2;
  std::unordered_set<std::uint64_t> edges;
  while (!pair_ends(n, dense ? n - 1 - degree : degree, draw, edges)) {
  }
  std::vector<std::uint64_t> keys;
  if (dense) {
    for (std::int32_t u = 0; u < n; ++u)
      for (std::int32_t v = u + 1; v < n; ++v)
        if (!edges.contains(key(u, v))) keys.push_back(key(u, v));
  } else {
    keys.assign(edges.begin(), edges.end());
    std::ranges::sort(keys);
  }
  return keys;
}

std::vector<std::uint64_t> draw_planted(const generate_options& options, splitmix64& draw,
                                        std::vector<std::int32_t>& cycle) {
  const index_t n = options.vertices;
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (index_t at = 0; at < options.cycle; ++at) std::swap(order[at], order[at + below(draw, n - at)]);
  cycle.assign(order.begin(), order.begin() + options.cycle);
  std::unordered_set<std::uint64_t> arcs;
  for (index_t at = 0; at < options.cycle; ++at) arcs.insert(key(cycle[at], cycle[(at + 1) % options.cycle]));
  const auto wanted = static_cast<std::size_t>(options.cycle + std::llround(options.degree * static_cast<double>(n)));
  while (arcs.size() < wanted) {
    const std::int32_t u = vertex_below(draw, n), v = vertex_below(draw, n);
    if (u != v) arcs.insert(key(u, v));
  }
  std::vector<std::uint64_t> keys(arcs.begin(), arcs.end());
  std::ranges::sort(keys);
  return keys;
}

// --- weights ---------------------------------------------------------------------------------------------------------

class weight_source {
 public:
  weight_source(const weight_range& range, std::uint64_t seed) : range_(range), draw_{seed} {}

  double next() {
    if (range_.none) return 1;
    if (!range_.reals)
      return range_.low + static_cast<double>(below(draw_, static_cast<std::uint64_t>(range_.high - range_.low) + 1));
    return std::min(range_.high, range_.low + (range_.high - range_.low) * unit(draw_));
  }

 private:
  weight_range range_;
  splitmix64 draw_;
};

// Multiples of 2^-20, so that sums of weights and potentials are exact.
double dyadic(double value) { return std::floor(value * 0x1p20) * 0x1p-20; }

std::vector<double> planted_weights(const generate_options& options, const std::vector<std::uint64_t>& keys,
                                    const std::vector<std::int32_t>& cycle) {
  weight_source source(options.weights, options.weight_seed);
  std::vector<double> potential(static_cast<std::size_t>(options.vertices)), weights;
  for (double& p : potential) p = dyadic(source.next());
  std::vector<std::int32_t> next(potential.size(), -1);
  for (std::size_t at = 0; at < cycle.size(); ++at) next[cycle[at]] = cycle[(at + 1) % cycle.size()];
  for (const std::uint64_t k : keys) {
    const auto [u, v] = arc_of(k);
    const double drawn = dyadic(source.next());
    const bool planted = next[u] == v, closes = planted && u == cycle.back();
    weights.push_back((closes ? -1 : planted ? 0 : drawn) + (potential[v] - potential[u]));
  }
  return weights;
}

template <class T>
coo<T> arcs_with(const std::vector<std::uint64_t>& keys, const std::vector<double>& weights, index_t vertices,
                 bool symmetric) {
  coo<T> arcs{vertices, vertices, {}, {}, {}};
  for (std::size_t e = 0; e < keys.size(); ++e) {
    const auto [u, v] = arc_of(keys[e]);
    arcs.add(u, v, static_cast<T>(weights[e]));
    if (symmetric) arcs.add(v, u, static_cast<T>(weights[e]));
  }
  return arcs;
}

void require_possible(const generate_options& options) {
  const double n = static_cast<double>(options.vertices);
  const auto refuse = [](const std::string& why) { throw value_error(why); };
  switch (options.model) {
    case graph_model::rmat:
      if (options.vertices < 1 || (options.vertices & (options.vertices - 1)) != 0)
        refuse(fmt::format("rmat takes a power of two of vertices, and {} is none (--scale 10 stands for 1024)",
                           options.vertices));
      break;
    case graph_model::regular:
      if (options.degree != std::floor(options.degree) || options.degree > std::max(n - 1, 0.0))
        refuse(fmt::format("regular: {} cannot have {} neighbours each",
                           counted(options.vertices, "vertex", "vertices"), options.degree));
      if (std::fmod(options.degree * n, 2) != 0)
        refuse(fmt::format("regular: {} vertices of {} neighbours each need an even product, as an edge has two ends",
                           options.vertices, options.degree));
      break;
    case graph_model::planted_cycle:
      if (options.cycle < 1 || options.cycle > options.vertices)
        refuse(fmt::format("planted-cycle: a cycle of {} does not fit into {}", options.cycle,
                           counted(options.vertices, "vertex", "vertices")));
      if (options.degree * n + static_cast<double>(options.cycle) > n * (n - 1) / 2 + 1)
        refuse(fmt::format(
            "planted-cycle: {} vertices have room for {:.0f} arcs beside the cycle, not for {:.0f}", options.vertices,
            std::max(0.0, std::floor(n * (n - 1) / 2 + 1 - static_cast<double>(options.cycle))), options.degree * n));
      if (!options.weights.none && options.weights.low < 1)
        refuse(fmt::format("planted-cycle: weights start at 1 or above, not at {}, so that no other cycle is negative",
                           options.weights.low));
      break;
    default:
      break;
  }
}

}  // namespace

generated_graph generate(const generate_options& options) {
  require_possible(options);
  const double arcs = options.model == graph_model::grid ? 4 * static_cast<double>(options.vertices)
                                                         : options.degree * static_cast<double>(options.vertices);
  require_memory(arcs * 80 + static_cast<double>(options.vertices) * 48,
                 fmt::format("a graph of {} and {:.0f} arcs", counted(options.vertices, "vertex", "vertices"), arcs));
  generated_graph made;
  splitmix64 draw{options.seed};
  std::vector<std::uint64_t> keys;
  std::vector<double> weights;
  const bool symmetric = options.model != graph_model::rmat && options.model != graph_model::planted_cycle;
  bool reals = options.weights.reals;
  switch (options.model) {
    case graph_model::rmat:
      keys = draw_rmat(options, draw);
      break;
    case graph_model::grid:
      keys = draw_grid(options.vertices, made.places);
      break;
    case graph_model::geometric:
      keys = draw_geometric(options, draw, made.places, weights);
      if (options.weights.drawn) weights.clear();
      else reals = true;
      break;
    case graph_model::regular:
      keys = draw_regular(options, draw);
      break;
    case graph_model::planted_cycle:
      keys = draw_planted(options, draw, made.cycle);
      weights = planted_weights(options, keys, made.cycle);
      break;
  }
  weight_source source(options.weights, options.weight_seed);
  while (weights.size() < keys.size()) weights.push_back(source.next());
  io::graph_file& graph = made.graph;
  if (reals) graph.edges = arcs_with<double>(keys, weights, options.vertices, symmetric);
  else graph.edges = arcs_with<std::int64_t>(keys, weights, options.vertices, symmetric);
  graph.vertices = options.vertices;
  graph.arcs = static_cast<index_t>(keys.size()) * (symmetric ? 2 : 1);
  graph.pattern = options.weights.none;
  graph.symmetric = symmetric;
  return made;
}

}  // namespace kleene::cli
