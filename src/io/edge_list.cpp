// The reader of edge lists: threads take turns in reading (or inflating) a block of whole lines, and parse their blocks
// at the same time. Vertices stay numbers, and weights integers, until a block has one that is none; what the blocks
// have found is brought together at the end.
#include "kleene/io/edge_list.hpp"

#include "io/arc_list.hpp"
#include "io/delimited.hpp"
#include "io/edge_list_dialect.hpp"
#include "io/edge_list_doubts.hpp"
#include "io/edge_list_graph.hpp"
#include "io/edge_list_sample.hpp"
#include "io/line_blocks.hpp"
#include "io/memory.hpp"
#include "io/skipped_lines.hpp"
#include "kleene/data/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

namespace kleene::io {

namespace detail {

namespace {

// What all threads read by.
struct rules {
  edge_list_dialect dialect;
  vertex_labels vertices;
  std::string_view file;
  real_type reals;

  int last_column() const { return std::max({dialect.from, dialect.to, dialect.weight}); }
};

// Parses blocks, one after another; each thread has one.
class block_parser {
 public:
  block_parser(const rules& how, edge_shard& shard, skipped_lines& skipped)
      : how_(how), shard_(shard), skipped_(skipped) {}

  void parse(const line_blocks::block& block) {
    waits_ = 0;
    scanner in(block.text, how_.file, how_.reals, block.lines_before);
    arcs_ = &shard_.blocks.emplace_back();
    arcs_->sequence = block.sequence;
    arcs_->from.reserve(expected_);
    arcs_->to.reserve(expected_);
    arcs_->integers.reserve(how_.dialect.weight < 0 ? 0 : expected_);
    if (how_.vertices == vertex_labels::names) arcs_->named = true;
    while (in.next_filled_line()) {
      if (!is_comment(in.line())) {
        if (in.line_number() != how_.dialect.header_line) parse_line(in);
      } else if (resembles_row(in.line(), how_.dialect)) {
        skipped_.comments.add(in.line_number());
      }
    }
    number_names();
    expected_ = arcs_->from.size() + arcs_->from.size() / 16;
  }

 private:
  // A line whose vertices are plain numbers, and whose weight is a number, in one pass; false: nothing is taken of it.
  bool parse_numbers(const scanner& in) {
    const edge_list_dialect& d = how_.dialect;
    const char *at = in.line().data(), *const end = at + in.line().size();
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const auto separates = [&](char c) { return d.separator == ' ' ? is_blank(c) : c == d.separator; };
    std::int64_t from = -1, to = -1, integer = 0;
    double real = 0;
    std::string_view point;  // the weight, if it is no whole number
    for (int column = 0; column < d.fields; ++column) {
      if (d.separator == ' ')
        while (at != end && is_blank(*at)) ++at;
      const char* const first = at;
      if (column == d.from || column == d.to || column == d.weight) {
        std::int64_t number = 0;
        while (at != end && static_cast<unsigned char>(*at - '0') < 10 && at - first < 18)
          number = 10 * number + (*at++ - '0');
        if (column != d.weight && (at - first > 10 || (at - first > 1 && *first == '0'))) return false;
        if (column == d.weight && at != end && !separates(*at)) {
          if (at - first == 18) return false;
          const auto [stop, problem] = std::from_chars(first, end, real);
          if (problem != std::errc{} || !std::isfinite(real)) return false;
          point = {first, stop};
          at = stop;
        }
        (column == d.weight ? integer : column == d.from ? from : to) = number;
      } else {
        while (at != end && !separates(*at) && *at != '"') ++at;
      }
      if (at == first || (at != end && !separates(*at)) || (at == end) != (column == d.fields - 1)) return false;
      if (at != end) ++at;
    }
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t least = how_.vertices == vertex_labels::one_based ? 1 : 0;
    if (from < least || to < least || from >= most || to >= most) return false;
    const bool is_real = !point.empty();
    if (is_real && (how_.reals == real_type::f32 || !arcs_->real)) return false;
    if (is_real) arcs_->note_point(point, in.line_number());
    arcs_->from.push_back(static_cast<std::int32_t>(from));
    arcs_->to.push_back(static_cast<std::int32_t>(to));
    if (d.weight < 0) return true;
    if (arcs_->real) arcs_->reals.push_back(is_real ? real : static_cast<double>(integer));
    else arcs_->integers.push_back(integer);
    return true;
  }

  void parse_line(scanner& in) {
    if (!arcs_->named && !how_.dialect.watches_columns() && parse_numbers(in)) return;
    const edge_list_dialect& d = how_.dialect;
    if (is_empty_row(in.line(), d.separator)) return skipped_.empty_rows.add(in.line_number());
    delimited_line walk(in.line(), d.separator);
    std::array<std::string_view, 3> fields;  // from, to, weight
    int column = 0;
    for (std::string_view field; walk.next(field, unquoted_); ++column) {
      if (column == d.from) fields[0] = keep(field, 0);
      else if (column == d.to) fields[1] = keep(field, 1);
      else if (column == d.weight) fields[2] = keep(field, 2);
      else if (d.watches_columns()) look_at(in, field, column);
    }
    if (walk.problem()) in.fail(walk.problem());
    if (column != d.fields)
      in.fail(fmt::format("{} field{}, where {} has {} ({}){}", column, column == 1 ? "" : "s",
                          !d.header_line                        ? "the first line"
                          : d.untitled != untitled_fields::none ? "the first row"
                                                                : "the header",
                          d.fields, d.separated(), d.ragged_hint));
    add_vertex(in, fields[0], d.from, arcs_->from);
    add_vertex(in, fields[1], d.to, arcs_->to);
    if (d.weight >= 0) add_weight(in, fields[2]);
  }

  // What is neither an end nor the weight.
  void look_at(const scanner& in, std::string_view field, int column) const {
    for (const auto& [at, words] : how_.dialect.direction_columns)
      if (at == column && !says_one_way(*words, field)) in.fail(how_.dialect.direction_refusal(column, field));
    if (!field.empty()) require_label(in, field, column);
  }
  // A column that was empty where the columns were chosen may hold labels below, if it has a title, and no numbers.
  void require_label(const scanner& in, std::string_view field, int column) const {
    const edge_list_dialect& d = how_.dialect;
    if (std::ranges::find(d.empty_columns, column) == d.empty_columns.end()) return;
    if (const std::string text(field); d.has_title(column) && !is_number(text) && !is_marked_number(text)) return;
    const std::string what = fmt::format("{} holds {}, and nothing in the first rows: ", d.title(column), shown(field));
    const std::string ends = fmt::format("--columns {},{}", d.from + 1, d.to + 1);
    in.fail(what + (d.weight < 0
                        ? fmt::format("is it the weight ({},{}), or is there none ({})?", ends, column + 1, ends)
                        : fmt::format("if it is not used, say which columns are from, to and weight ({},{})", ends,
                                      d.weight + 1)));
  }

  // The field; in a room of its own where it is not in the line as it is.
  std::string_view keep(std::string_view field, int role) {
    if (field.data() != unquoted_.data()) return field;
    return kept_[role].assign(field);
  }

  void add_vertex(const scanner& in, std::string_view label, int column, std::vector<std::int32_t>& to) {
    const std::size_t end = 2 * arcs_->from.size() - (&to == &arcs_->to ? 1 : 0);  // of all ends of arcs in the block
    std::int32_t number = 0;
    const auto fail = [&](const std::string& what) { in.fail(what); };
    if (!arcs_->named) {
      if (take_number(label, how_.vertices, how_.dialect, column, number, fail)) return to.push_back(number);
      name_numbers(*arcs_, shard_.names);
    }
    check_name(label, how_.dialect, column, fail);
    if (!arcs_->has_word) arcs_->note_word(label, in.line_number(), to.size());
    to.push_back(-1);
    waiting_[waits_] = {name_table::hash(label), 0, label, end};
    shard_.names.fetch_slot(waiting_[waits_].hash);
    const bool stays = label.data() != kept_[0].data() && label.data() != kept_[1].data();
    if (++waits_ == waiting_.size() || !stays) number_names();
  }

  // Names are looked up some at a time, when the table's memory has arrived that was asked for.
  void number_names() {
    for (std::size_t w = 0; w < waits_; ++w) waiting_[w].guess = shard_.names.fetch_record(waiting_[w].hash);
    for (std::size_t w = 0; w < waits_; ++w) {
      const waiting_name& next = waiting_[w];
      (next.end % 2 == 0 ? arcs_->from : arcs_->to)[next.end / 2] =
          shard_.names.number(next.hash, next.name, position_in_file(arcs_->sequence, next.end), next.guess);
    }
    waits_ = 0;
  }

  void add_weight(const scanner& in, std::string_view field) {
    if (field.empty())
      in.fail(fmt::format("the weight is missing: {} is empty", how_.dialect.title(how_.dialect.weight)));
    std::int64_t integer = 0;
    const std::errc refused = scanner::parse(field, integer);
    if (refused == std::errc{} && !arcs_->real) {
      arcs_->integers.push_back(integer);
      return;
    }
    if (refused == std::errc::result_out_of_range) refuse_large_weight(in, field);
    if (refused != std::errc{} && !is_number(std::string(field)) && is_marked_number(std::string(field)))
      in.fail(
          fmt::format("the weight {} is not a number: write it with a point, and without a unit or marks between "
                      "thousands",
                      shown(field)));
    const double weight = refused == std::errc{} ? static_cast<double>(integer) : in.to_number<double>(field, "weight");
    if (!std::isfinite(weight)) in.fail(fmt::format("the weight {} is not finite", shown(field)));
    arcs_->make_real();
    arcs_->reals.push_back(weight);
    if (refused != std::errc{}) arcs_->note_point(field, in.line_number());
  }

  const rules& how_;
  edge_shard& shard_;
  skipped_lines& skipped_;
  arcs_of_block* arcs_ = nullptr;
  std::size_t expected_ = 0;  // arcs of a block: as many as of the one before, and some
  std::string unquoted_;      // the field that the walk is at
  std::array<std::string, 3> kept_;
  struct waiting_name {
    std::uint32_t hash = 0, guess = 0;
    std::string_view name{};
    std::size_t end = 0;  // of all ends of arcs in the block
  };
  std::array<waiting_name, 32> waiting_;
  std::size_t waits_ = 0;
};

// Whether `first_row`, which says two numbers of at least 1, may be counts, of vertices first: all other rows have
// numbers that are none larger; and smaller ones where vertices are counted from 0 and the second number is no vertex.
bool may_count_vertices(const edge_list_file& list, const std::array<index_t, 3>& first_row) {
  std::vector<index_t> numbers(list.names.size());
  for (std::size_t v = 0; v < numbers.size(); ++v) {
    std::int32_t number = 0;
    if (!parse_vertex(list.names[v], number)) return false;
    numbers[v] = number;
  }
  const auto number_of = [&](index_t v) { return numbers.empty() ? v + list.first_vertex : numbers[v]; };
  const index_t vertices = first_row[0], second = first_row[1];  // clang 14 takes no bindings into a lambda
  return std::visit(
      [&](const auto& edges) {
        index_t zeros = 0, last = 0, beyond = 0;  // ends that are 0, `vertices` and larger
        for (const auto* ends : {&edges.row, &edges.col})
          for (const auto v : *ends) {
            const index_t number = number_of(v);
            zeros += number == 0, last += number == vertices, beyond += number > vertices;
          }
        if (second <= vertices) return beyond == 0;
        const index_t own = list.directed ? 1 : 2;  // of the first row, each of its ends
        return vertices > 0 && beyond == own && (zeros == 0 || last == own);
      },
      list.edges);
}

// "3 2" above two arcs between vertices up to 3, as in programming contests, "3 2 1", as in OR-Library, and "3 3 2", as
// in Matrix Market.
void refuse_counts(std::string_view file, const edge_list_dialect& d, const edge_list_file& list, index_t lines) {
  const auto& [vertices, second, third] = d.first_row;
  // A vertex that would be the largest, and stands there alone, is a sign by itself.
  const bool counts = (d.may_be_counts || (second > vertices && !d.comment_names_columns)) && second == lines - 1;
  const bool sizes = third == lines - 1 && second == vertices;
  if (lines < 2 || vertices < 0 || (!counts && !sizes) || !may_count_vertices(list, d.first_row)) return;
  const index_t arcs = lines - 1;
  refuse_line(
      file, d.first_line,
      fmt::format("{} vertices and {} {}, it seems, as {} {}: delete the line, or say that it is an arc "
                  "(--no-header){}{}",
                  vertices, arcs, arcs == 1 ? "arc" : "arcs", arcs, arcs == 1 ? "line follows" : "lines follow",
                  d.separator == ' ' && arcs == vertices ? "; if this is METIS, say so (--input-format metis)" : "",
                  sizes ? "; above it Matrix Market has a line %%MatrixMarket, which may have been lost" : ""));
}

// Of the lines that all threads have skipped, and of the last comment in front.
std::string doubt_of(const std::vector<skipped_lines>& parts, const edge_list_comments& comments, const rules& how) {
  skipped_lines all;
  for (const skipped_lines& part : parts) all.empty_rows.add(part.empty_rows), all.comments.add(part.comments);
  const bool may_be_arc = !how.dialect.comment_names_columns && how.dialect.weight >= 0;
  if (may_be_arc && resembles_row(comments.last, how.dialect)) all.comments.add(comments.last_line);
  return all.doubt(how.file);
}

edge_list_file read_blocks(scanner& in, const edge_list_options& options) {
  // However long the comments are, what is found out of the list is found out of its first lines.
  const edge_list_comments comments = read_first_comments(in);
  line_blocks source(in, line_blocks::from_this_line);
  line_blocks::block head;
  source.next(head);
  const rules how{find_dialect(head.text, head.lines_before + 1, in.file(), comments, options), options.vertices,
                  in.file(), in.reals()};
  const int threads = options.threads > 0 ? options.threads : default_threads();
  edge_shards shards(threads);
  std::vector<skipped_lines> skipped(threads);
  first_refusal refusal;
  parse_blocks(source, std::move(head), threads, refusal, [&](const team_member& member) {
    return [parser = block_parser(how, shards.of_thread[member.thread], skipped[member.thread])](
               const line_blocks::block& block) mutable { parser.parse(block); };
  });
  if (refusal.what) std::rethrow_exception(refusal.what);
  index_t lines = 0;
  for (const edge_shard& shard : shards.of_thread)
    for (const arcs_of_block& arcs : shard.blocks) lines += std::ssize(arcs.from);
  const std::string left_out = doubt_of(skipped, comments, how);
  if (lines == 0)
    refuse_line(in.file(), how.dialect.header_line,
                "nothing follows the header" + (left_out.empty() ? "" : " (" + left_out + ")"));
  const std::vector<arcs_of_block*> blocks = blocks_of(shards);
  const auto place_of = [&](index_t line) { return fmt::format("{}:{}", in.file(), line); };
  if (options.columns.empty()) ask_about_thousands(blocks, how.dialect, place_of);
  const std::string late = options.vertices == vertex_labels::automatic ? doubt_of_late_word(blocks, place_of) : "";
  edge_list_file file = assemble(shards, how.dialect, how.dialect.description(), options.vertices, threads);
  refuse_counts(in.file(), how.dialect, file, lines);
  file.doubt = comments.doubt(in.file(), lines);
  const std::string one_way = options.directed ? "" : comments.doubt_of_direction(in.file());
  for (const std::string& doubt : {left_out, late, one_way})
    if (!doubt.empty()) file.doubt += (file.doubt.empty() ? "" : "; ") + doubt;
  if (file.doubt.empty()) file.doubt = doubt_of_names(file.names, in.file(), threads);
  return file;
}

}  // namespace

}  // namespace detail

edge_list_file parse_edge_list(scanner& in, const edge_list_options& options) {
  return detail::with_memory_of(in.file(), [&] { return detail::read_blocks(in, options); });
}
edge_list_file parse_edge_list(std::string_view text, std::string_view file, const edge_list_options& options,
                               real_type reals) {
  scanner in(text, file, reals);
  return parse_edge_list(in, options);
}
edge_list_file read_edge_list(const std::string& path, const edge_list_options& options, real_type reals) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file, reals);
    return parse_edge_list(in, options);
  });
}

}  // namespace kleene::io
