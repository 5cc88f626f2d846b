#include "io/edge_list_graph.hpp"

#include "data/counted.hpp"
#include "io/memory.hpp"
#include "io/name_ranks.hpp"
#include "kleene/data/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace kleene::io::detail {

namespace {

// The vertices of a graph, once all blocks have them.
struct vertex_set {
  index_t count = 0;
  int first = 0;
  std::vector<std::string> names{};
  std::string words{};
  std::function<void(arcs_of_block&)> renumber{};  // makes them of what a block has; none where it has them
};
template <class Map>
std::function<void(arcs_of_block&)> renumber_by(Map&& map) {
  return [map = std::forward<Map>(map)](arcs_of_block& arcs) {
    for (std::int32_t& v : arcs.from) v = map(v);
    for (std::int32_t& v : arcs.to) v = map(v);
  };
}

struct number_range {
  std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = 0;
  index_t ends = 0;  // of arcs
};
number_range range_of(const std::vector<arcs_of_block*>& blocks, int threads) {
  std::vector<number_range> ranges(blocks.size());
  in_parallel(blocks.size(), threads, [&](std::size_t b) {
    number_range& r = ranges[b];
    for (const auto* ends : {&blocks[b]->from, &blocks[b]->to})
      for (const std::int32_t v : *ends) r.least = std::min(r.least, v), r.most = std::max(r.most, v);
    r.ends = static_cast<index_t>(2 * blocks[b]->from.size());
  });
  number_range all;
  for (const number_range& r : ranges)
    all = {std::min(all.least, r.least), std::max(all.most, r.most), all.ends + r.ends};
  return all;
}

// A bit for each number from `least`, and how many are set before each word of 64.
struct number_ranks {
  std::int32_t least;
  std::vector<std::uint64_t> bits{};
  std::vector<std::int32_t> before{};

  number_ranks(const std::vector<arcs_of_block*>& blocks, const number_range& range) : least(range.least) {
    bits.assign(static_cast<std::size_t>((index_t{range.most} - least) / 64 + 1), 0);
    for (const arcs_of_block* arcs : blocks)
      for (const auto* ends : {&arcs->from, &arcs->to})
        for (const std::int32_t v : *ends) bits[(v - least) / 64] |= std::uint64_t{1} << (v - least) % 64;
    std::int32_t count = 0;
    for (const std::uint64_t word : bits) before.push_back(count), count += std::popcount(word);
    before.push_back(count);
  }
  index_t count() const { return before.back(); }
  std::int32_t operator()(std::int32_t v) const {
    const std::uint64_t below = (std::uint64_t{1} << (v - least) % 64) - 1;
    return before[(v - least) / 64] + std::popcount(bits[(v - least) / 64] & below);
  }
};

// Vertices that are all numbered: those from `first` on, or those that occur. Nothing where their numbers lie so far
// apart that they are better kept as names.
bool number_vertices(const std::vector<arcs_of_block*>& blocks, vertex_labels labels, int threads, vertex_set& set) {
  const number_range range = range_of(blocks, threads);
  if (labels != vertex_labels::automatic) {
    set.first = labels == vertex_labels::one_based ? 1 : 0;
    set.count = index_t{range.most} - set.first + 1;
  } else {
    if (index_t{range.most} - range.least > 64 * range.ends) return false;
    number_ranks ranks(blocks, range);
    set.count = ranks.count();
    if (set.count == index_t{range.most} - range.least + 1) {
      set.first = range.least;
    } else {
      for (std::size_t w = 0; w < ranks.bits.size(); ++w)
        for (std::uint64_t word = ranks.bits[w]; word != 0; word &= word - 1)
          set.names.push_back(std::to_string(range.least + index_t(w) * 64 + std::countr_zero(word)));
      set.renumber = renumber_by(std::move(ranks));
      set.words = fmt::format("{} by number, {} to {}", kleene::detail::counted(set.count, "vertex", "vertices"),
                              range.least, range.most);
      return true;
    }
  }
  if (set.first != 0) set.renumber = renumber_by([first = set.first](std::int32_t v) { return v - first; });
  set.words = fmt::format("vertices numbered from {}", set.first);
  return true;
}

void name_vertices(edge_shards& shards, int threads, vertex_set& set) {
  in_parallel(shards.of_thread.size(), threads, [&](std::size_t s) {
    for (arcs_of_block& arcs : shards.of_thread[s].blocks)
      if (!arcs.named) name_numbers(arcs, shards.of_thread[s].names);
  });
  ranked_names all = rank_names(shards, threads);
  set.names = std::move(all.names);
  set.renumber = renumber_by([ranks = std::move(all.ranks)](std::int32_t v) { return ranks[v]; });
  set.count = static_cast<index_t>(set.names.size());
  set.words =
      fmt::format("{} by {}", kleene::detail::counted(set.count, "vertex", "vertices"),
                  all.are_numbers ? fmt::format("number, {} to {}", set.names.front(), set.names.back()) : "name");
}

// The arcs of one block, at their place in the list; undirected ones twice.
template <class T>
void put_arcs(const arcs_of_block& arcs, const std::vector<T>& weights, bool directed, coo<T>& list, index_t at) {
  for (std::size_t e = 0; e < arcs.from.size(); ++e) {
    const T weight = weights.empty() ? T{1} : weights[e];
    list.row[at] = arcs.from[e], list.col[at] = arcs.to[e], list.value[at++] = weight;
    if (directed || arcs.from[e] == arcs.to[e]) continue;
    list.row[at] = arcs.to[e], list.col[at] = arcs.from[e], list.value[at++] = weight;
  }
}

template <class T>
coo<T> list_of(const std::vector<arcs_of_block*>& blocks, const vertex_set& vertices, bool directed, int threads,
               std::vector<T> arcs_of_block::* weights) {
  std::vector<index_t> start(blocks.size() + 1, 0);
  in_parallel(blocks.size(), threads, [&](std::size_t b) {
    const arcs_of_block& arcs = *blocks[b];
    index_t count = static_cast<index_t>(arcs.from.size());
    for (std::size_t e = 0; e < (directed ? 0 : arcs.from.size()); ++e) count += arcs.from[e] != arcs.to[e];
    start[b + 1] = count;
  });
  std::partial_sum(start.begin(), start.end(), start.begin());
  coo<T> list;
  list.rows = list.cols = vertices.count;
  resize_list(list, static_cast<std::size_t>(start.back()), threads);
  in_parallel(blocks.size(), threads, [&](std::size_t b) {
    if (vertices.renumber) vertices.renumber(*blocks[b]);  // here, while it is at hand
    put_arcs(*blocks[b], blocks[b]->*weights, directed, list, start[b]);
    *blocks[b] = {};
  });
  return list;
}

}  // namespace

std::vector<arcs_of_block*> blocks_of(edge_shards& shards) {
  std::vector<arcs_of_block*> blocks;
  for (edge_shard& shard : shards.of_thread)
    for (arcs_of_block& arcs : shard.blocks) blocks.push_back(&arcs);
  std::ranges::sort(blocks, {}, &arcs_of_block::sequence);
  return blocks;
}

void name_numbers(arcs_of_block& arcs, name_finder& names) {
  const auto name = [&](std::vector<std::int32_t>& ends, std::size_t second) {
    char digits[16];
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const char* const end = std::to_chars(digits, digits + sizeof digits, ends[e]).ptr;
      const std::string_view label(digits, end);
      ends[e] = names.number(name_table::hash(label), label, position_in_file(arcs.sequence, 2 * e + second));
    }
  };
  name(arcs.from, 0);
  name(arcs.to, 1);
  arcs.named = true;
}

edge_list_file assemble(edge_shards& shards, const edge_columns& columns, const std::string& read_as,
                        vertex_labels vertices, int threads) {
  const std::vector<arcs_of_block*> blocks = blocks_of(shards);
  vertex_set set;
  const bool named = std::ranges::any_of(blocks, &arcs_of_block::named);
  if (named || !number_vertices(blocks, vertices, threads, set)) name_vertices(shards, threads, set);
  edge_list_file file;
  file.weighted = columns.weight >= 0;
  file.directed = columns.directed;
  if (std::ranges::any_of(blocks, &arcs_of_block::real)) {
    for (arcs_of_block* arcs : blocks) arcs->make_real();
    file.edges = list_of(blocks, set, columns.directed, threads, &arcs_of_block::reals);
  } else {
    file.edges = list_of(blocks, set, columns.directed, threads, &arcs_of_block::integers);
  }
  file.names = std::move(set.names);
  file.first_vertex = set.first;
  file.description = read_as + ", " + set.words;
  return file;
}

}  // namespace kleene::io::detail
