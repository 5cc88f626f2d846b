// What the threads have found in the blocks of an edge list, and the graph that it becomes.
#pragma once

#include "io/edge_columns.hpp"
#include "io/name_table.hpp"
#include "io/words.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/io/edge_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// Whether a label is a whole number without leading zeros.
inline bool is_plain_number(std::string_view label) {
  if (label.empty() || (label.size() > 1 && label.front() == '0')) return false;
  for (const char c : label)
    if (c < '0' || c > '9') return false;
  return true;
}
// Whether a number is written as one with a point between its thousands is: "1.234", "12.345".
inline bool may_group_thousands(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  if (number.size() < 5 || number.size() > 7 || number[0] == '0' || number[number.size() - 4] != '.') return false;
  return number.find_first_not_of("0123456789", number.size() - 3) == number.npos;
}

struct arcs_of_block {
  index_t sequence = 0;
  bool named = false;  // from and to are numbers of a name_table, not those of the file
  bool real = false;   // the weights are in reals, not in integers
  std::vector<std::int32_t> from{}, to{};
  std::vector<std::int64_t> integers{};
  std::vector<double> reals{};

  // The first vertex that is no whole number, with its row, and how many rows of the block stand above it.
  bool has_word = false;
  std::string word{};
  index_t word_row = 0, rows_above_word = 0;
  // Weights that are not written as whole numbers; those of them that may have a point between thousands, and the row
  // of the first of those.
  index_t points = 0, grouped = 0, grouped_row = 0;

  void make_real() {
    if (real) return;
    reals.assign(integers.begin(), integers.end());
    integers = {};
    real = true;
  }
  // Where all labels before it were numbers.
  void note_word(std::string_view label, index_t row, std::size_t rows_above) {
    if (is_plain_number(label)) return;
    has_word = true;
    word = label, word_row = row, rows_above_word = static_cast<index_t>(rows_above);
  }
  void note_point(std::string_view weight, index_t row) {
    ++points;
    if (may_group_thousands(weight) && grouped++ == 0) grouped_row = row;
  }
};

// One thread's blocks, in ascending order, and what finds their names.
struct edge_shard {
  std::vector<arcs_of_block> blocks{};
  name_finder names;

  explicit edge_shard(name_table& table) : names(table) {}
};
// Those of all threads, and the names that they share.
struct edge_shards {
  name_table names{};
  std::vector<edge_shard> of_thread{};

  explicit edge_shards(int threads) {
    of_thread.reserve(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) of_thread.emplace_back(names);
  }
};

// Where the n-th end of an arc of a block is: positions ascend through the file.
inline std::uint64_t position_in_file(index_t block, std::size_t end) {
  return static_cast<std::uint64_t>(block) << 32 | static_cast<std::uint64_t>(end);
}

// The number, if it is one that vertices can have: below 2^31 - 1.
inline bool parse_vertex(std::string_view label, std::int32_t& number) {
  if (label.size() > 10 || !is_plain_number(label)) return false;
  std::int64_t value = 0;
  for (const char c : label) value = 10 * value + (c - '0');
  number = static_cast<std::int32_t>(value);
  return value < std::numeric_limits<std::int32_t>::max();
}

// A label as the number of a vertex, or fail(what); false: it is a name.
template <class Fail>
bool take_number(std::string_view label, vertex_labels vertices, const edge_columns& columns, int column,
                 std::int32_t& number, const Fail& fail) {
  if (parse_vertex(label, number)) {
    if (vertices == vertex_labels::one_based && number == 0)
      fail("vertex 0 in a file whose vertices are numbered from 1");
    return true;
  }
  if (vertices != vertex_labels::automatic)
    fail(fmt::format("the vertex {} ({}) is {}", shown(label), columns.title(column),
                     is_plain_number(label) ? "larger than 2147483646" : "no number"));
  return false;
}
// fail(what) for a label that no vertex can have as its name.
template <class Fail>
void check_name(std::string_view label, const edge_columns& columns, int column, const Fail& fail) {
  if (label.empty()) fail(fmt::format("a vertex has no name: {} is empty", columns.title(column)));
  if (has_control(label)) fail(fmt::format("the name {} has control characters in it", shown(label)));
}

// The blocks of all threads, in the order of the file.
std::vector<arcs_of_block*> blocks_of(edge_shards& shards);

// Calls work(t) for t = 0 .. count - 1, in parallel.
template <class Work>
void in_parallel(std::size_t count, int threads, const Work& work) {
  task_queue queue;
  run_team(static_cast<int>(std::min<std::size_t>(count, threads)), [&](const team_member&) {
    for (std::int64_t t; (t = queue.next()) < static_cast<std::int64_t>(count);) work(static_cast<std::size_t>(t));
  });
}

// Gives the vertices of a block, so far numbers, names: their digits.
void name_numbers(arcs_of_block& arcs, name_finder& names);

// Takes the arcs out of the shards. `read_as` says how they were read.
edge_list_file assemble(edge_shards& shards, const edge_columns& columns, const std::string& read_as,
                        vertex_labels vertices, int threads);

}  // namespace kleene::io::detail
