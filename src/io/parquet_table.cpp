// The reader of Parquet: threads take a group of rows each, of which they decode the columns that are asked for, and
// make of them the blocks of an edge list.
#include "io/parquet_table.hpp"

#include "io/column_titles.hpp"
#include "io/edge_list_doubts.hpp"
#include "io/edge_list_graph.hpp"
#include "io/line_blocks.hpp"
#include "io/parquet_arrow.hpp"
#include "kleene/data/parallel.hpp"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include <atomic>
#include <cmath>

namespace kleene::io::detail {

namespace {

// The leaf of the schema that a column is, and what it holds.
struct leaf {
  enum class kind { integers, naturals, reals, texts, truths, other };
  kind holds = kind::other;
  int number = 0;  // of all leaves
  std::string type;

  bool is_whole() const { return holds == kind::integers || holds == kind::naturals; }
  bool is_number() const { return is_whole() || holds == kind::reals; }
};

leaf::kind kind_of(const parquet::ColumnDescriptor& column) {
  const std::shared_ptr<const parquet::LogicalType>& meant = column.logical_type();
  const bool plain = !meant || meant->is_none();
  switch (column.physical_type()) {
    case parquet::Type::INT32:
    case parquet::Type::INT64:
      if (plain) return leaf::kind::integers;
      if (!meant->is_int()) return leaf::kind::other;
      return static_cast<const parquet::IntLogicalType&>(*meant).is_signed() ? leaf::kind::integers
                                                                             : leaf::kind::naturals;
    case parquet::Type::FLOAT:
    case parquet::Type::DOUBLE:
      return plain ? leaf::kind::reals : leaf::kind::other;
    case parquet::Type::BYTE_ARRAY:
      return meant && meant->is_string() ? leaf::kind::texts : leaf::kind::other;
    case parquet::Type::BOOLEAN:
      return leaf::kind::truths;
    default:
      return leaf::kind::other;
  }
}

// The columns of a table: those below its root. A nested one is of another kind, and stands for its leaves.
std::vector<leaf> leaves_of(const parquet::SchemaDescriptor& schema, std::vector<std::string>& titles) {
  const parquet::schema::GroupNode& root = *schema.group_node();
  std::vector<leaf> leaves(static_cast<std::size_t>(root.field_count()));
  for (int f = 0; f < root.field_count(); ++f) {
    titles.push_back(root.field(f)->name());
    leaves[f].type = "nested values";
  }
  for (int c = 0; c < schema.num_columns(); ++c) {
    const parquet::ColumnDescriptor& column = *schema.Column(c);
    const parquet::schema::Node* const node = schema.GetColumnRoot(c);
    if (!node->is_primitive() || column.max_repetition_level() > 0 || column.max_definition_level() > 1) continue;
    leaf& found = leaves[root.FieldIndex(*node)];
    found = {kind_of(column), c, parquet::TypeToString(column.physical_type())};
    if (column.logical_type() && !column.logical_type()->is_none()) found.type = column.logical_type()->ToString();
  }
  return leaves;
}

// A table, and what all threads read it by.
struct table {
  std::unique_ptr<parquet::ParquetFileReader> reader;
  std::string file;
  real_type reals;
  vertex_labels vertices;
  edge_columns columns{};
  std::vector<leaf> leaves{};  // of the columns
  std::vector<direction_column> direction_columns{};
  std::vector<index_t> first_row{0};  // of each group; behind the last one all rows

  int groups() const { return static_cast<int>(first_row.size()) - 1; }
  [[noreturn]] void fail(const std::string& what) const {
    throw error(fault_code::bad_input, fmt::format("{}: {}", file, what));
  }
  [[noreturn]] void fail_at(index_t row, const std::string& what) const { fail(fmt::format("row {}: {}", row, what)); }
};

void find_rows(table& t) {
  constexpr index_t most = index_t{1} << 40;  // a limit that no sum of two of them overflows
  const parquet::FileMetaData& about = *t.reader->metadata();
  for (int g = 0; g < about.num_row_groups(); ++g) {
    const index_t rows = about.RowGroup(g)->num_rows();
    if (rows < 0 || rows > most || t.first_row.back() > most)
      t.fail(fmt::format("group {} of rows says that it has {}", g, rows));
    t.first_row.push_back(t.first_row.back() + rows);
  }
  const index_t rows = t.first_row.back();
  if (rows == 0) t.fail("the table has no rows");
  // Two vertices and a weight, as they are read, and in the list that they become.
  require_memory(t.file, static_cast<double>(rows) * 32);
}

// Those that say of each row whether it is one way.
void find_directions(table& t) {
  const edge_columns& c = t.columns;
  for (int column = 0; column < c.fields; ++column) {
    const direction_words* const words = directions_under(c.titles[column]);
    if (!words || column == c.from || column == c.to || column == c.weight) continue;
    const leaf& l = t.leaves[column];
    if (l.holds != leaf::kind::other) t.direction_columns.push_back({column, words});
    else if (tells_direction(*words, "")) t.fail(c.direction_refusal(column, l.type));
  }
}

void find_columns_of(table& t, const edge_list_options& options) {
  const parquet::FileMetaData& about = *t.reader->metadata();
  t.leaves = leaves_of(*about.schema(), t.columns.titles);
  t.columns.fields = static_cast<int>(t.leaves.size());
  if (t.columns.fields < 2) t.fail("a table of arcs has two columns at least, from and to");
  if (options.separator || options.header)
    throw error(fault_code::usage,
                fmt::format("{}: --separator, --header and --no-header are for text, and this is Parquet", t.file));
  if (options.columns.empty()) {
    std::vector<column_facts> facts;
    for (const leaf& l : t.leaves)
      facts.push_back({.numbers = l.is_number(), .words = l.holds == leaf::kind::texts, .weights = l.is_number()});
    find_ends(t.columns, facts, t.file);
    ask_about_others(t.columns, facts, t.file, 1);
    find_weight(t.columns, facts, t.file);
    ask_about_others(t.columns, facts, t.file);
  } else {
    take_columns(t.columns, options.columns, t.file);
  }
  const auto& footer = about.key_value_metadata();
  const int said = footer ? footer->FindKey("kleene.undirected") : -1;
  t.columns.directed = options.directed.value_or(said < 0 || footer->value(said) != "true");
  if (!options.directed && said < 0) find_directions(t);
  for (const int end : {t.columns.from, t.columns.to}) {
    const leaf& l = t.leaves[end];
    if (!l.is_whole() && l.holds != leaf::kind::texts)
      t.fail(fmt::format("{} ({}) holds {}, and vertices are integers or strings",
                         end == t.columns.from ? "from" : "to", t.columns.title(end), l.type));
  }
  if (t.columns.weight >= 0 && !t.leaves[t.columns.weight].is_number())
    t.fail(fmt::format("the weight ({}) holds {}, and weights are integers, float or double",
                       t.columns.title(t.columns.weight), t.leaves[t.columns.weight].type));
}

// A column of a group of rows.
struct column_part {
  std::shared_ptr<parquet::ColumnReader> reader{};
  int column = 0;
};

// Calls each(value, row), or null(row), for the next `rows` values of a column; the first is in `row`.
template <class Type, class Each, class Null>
void for_values(const table& t, const column_part& part, index_t row, index_t rows, const Each& each,
                const Null& null) {
  constexpr index_t some = 1024;
  typename Type::c_type values[some];
  std::int16_t defined[some];
  auto& reader = static_cast<parquet::TypedColumnReader<Type>&>(*part.reader);
  const bool nullable = reader.descr()->max_definition_level() > 0;
  for (index_t left = rows; left > 0;) {
    std::int64_t got = 0;
    const index_t seen =
        reader.HasNext() ? reader.ReadBatch(std::min(left, some), nullable ? defined : nullptr, nullptr, values, &got)
                         : 0;
    if (seen <= 0 || seen > left || got > seen || (!nullable && got != seen))
      t.fail_at(row, fmt::format("{} ends, and the table has more rows", t.columns.title(part.column)));
    std::int64_t next = 0;
    for (index_t v = 0; v < seen; ++v) {
      if (nullable && defined[v] == 0) {
        null(row + v);
        continue;
      }
      if (next >= got) t.fail_at(row + v, fmt::format("{} has no value", t.columns.title(part.column)));
      each(values[next++], row + v);
    }
    row += seen;
    left -= seen;
  }
}

// The same of a column in which a null is refused.
template <class Type, class Each>
void for_values(const table& t, const column_part& part, index_t row, index_t rows, const Each& each) {
  for_values<Type>(t, part, row, rows, each,
                   [&](index_t at) { t.fail_at(at, fmt::format("{} is null", t.columns.title(part.column))); });
}

// The same of integers of any width, each(value, is_natural, row): where is_natural they are without a sign.
template <class Each, class... Null>
void for_integers(const table& t, const column_part& part, index_t row, index_t rows, const Each& each,
                  const Null&... null) {
  const bool natural = t.leaves[part.column].holds == leaf::kind::naturals;
  const auto from_64 = [&](std::int64_t value, index_t at) { each(value, natural, at); };
  const auto from_32 = [&](std::int32_t value, index_t at) {
    each(natural ? std::int64_t{static_cast<std::uint32_t>(value)} : std::int64_t{value}, natural, at);
  };
  if (part.reader->type() == parquet::Type::INT64) for_values<parquet::Int64Type>(t, part, row, rows, from_64, null...);
  else for_values<parquet::Int32Type>(t, part, row, rows, from_32, null...);
}

// The same of any column as the text that a CSV file would have there, each(text, row); of a null an empty one.
template <class Each>
void for_texts(const table& t, const column_part& part, index_t row, index_t rows, const Each& each) {
  const auto null = [&](index_t at) { each(std::string_view(), at); };
  const auto real = [&](double value, index_t at) { each(fmt::format("{}", value), at); };
  switch (t.leaves[part.column].holds) {
    case leaf::kind::truths:
      return for_values<parquet::BooleanType>(
          t, part, row, rows, [&](bool value, index_t at) { each(value ? "true" : "false", at); }, null);
    case leaf::kind::texts:
      return for_values<parquet::ByteArrayType>(
          t, part, row, rows,
          [&](const parquet::ByteArray& text, index_t at) {
            each(std::string_view(reinterpret_cast<const char*>(text.ptr), text.len), at);
          },
          null);
    case leaf::kind::reals:
      if (part.reader->type() == parquet::Type::DOUBLE)
        return for_values<parquet::DoubleType>(t, part, row, rows, real, null);
      return for_values<parquet::FloatType>(t, part, row, rows, real, null);
    default:
      return for_integers(
          t, part, row, rows, [&](std::int64_t value, bool, index_t at) { each(std::to_string(value), at); }, null);
  }
}

// Parses groups of rows, one after another; each thread has one.
class group_parser {
 public:
  static constexpr index_t rows_of_block = 1 << 16;

  group_parser(const table& t, edge_shard& shard) : t_(t), shard_(shard) {}

  void parse(int group, index_t first_block) {
    const auto rows = t_.reader->RowGroup(group);
    const edge_columns& c = t_.columns;
    const auto part = [&](int column) {
      return column < 0 ? column_part{} : column_part{rows->Column(t_.leaves[column].number), column};
    };
    const column_part from = part(c.from), to = part(c.to), weight = part(c.weight);
    std::vector<column_part> directions;
    for (const direction_column& direction : t_.direction_columns) directions.push_back(part(direction.column));
    for (index_t row = t_.first_row[group]; row < t_.first_row[group + 1]; row += rows_of_block) {
      const index_t count = std::min(rows_of_block, t_.first_row[group + 1] - row);
      arcs_ = &shard_.blocks.emplace_back();
      arcs_->sequence = first_block++;
      arcs_->named = t_.vertices == vertex_labels::names;
      add_ends(from, arcs_->from, row + 1, count);
      add_ends(to, arcs_->to, row + 1, count);
      if (weight.reader) add_weights(weight, row + 1, count);
      for (std::size_t d = 0; d < directions.size(); ++d)
        require_one_way(directions[d], *t_.direction_columns[d].words, row + 1, count);
    }
    for (const column_part& p : {from, to, weight})
      if (p.reader && p.reader->HasNext())
        t_.fail(fmt::format("group {} of rows has more values of {} than rows", group, c.title(p.column)));
  }

 private:
  void add_ends(const column_part& part, std::vector<std::int32_t>& ends, index_t row, index_t count) {
    ends.reserve(static_cast<std::size_t>(count));
    if (t_.leaves[part.column].holds == leaf::kind::texts)
      for_values<parquet::ByteArrayType>(t_, part, row, count, [&](const parquet::ByteArray& text, index_t at) {
        add_label({reinterpret_cast<const char*>(text.ptr), text.len}, part.column, ends, at);
      });
    else
      for_integers(t_, part, row, count, [&](std::int64_t value, bool natural, index_t at) {
        const std::int64_t least = t_.vertices == vertex_labels::one_based ? 1 : 0;
        if (!arcs_->named && value >= least && value < std::numeric_limits<std::int32_t>::max())
          return ends.push_back(static_cast<std::int32_t>(value));
        char digits[24];
        const char* const end = natural ? std::to_chars(digits, digits + 24, static_cast<std::uint64_t>(value)).ptr
                                        : std::to_chars(digits, digits + 24, value).ptr;
        add_label({digits, end}, part.column, ends, at);
      });
  }

  void add_label(std::string_view label, int column, std::vector<std::int32_t>& ends, index_t row) {
    const auto fail = [&](const std::string& what) { t_.fail_at(row, what); };
    std::int32_t number = 0;
    if (!arcs_->named) {
      if (take_number(label, t_.vertices, t_.columns, column, number, fail)) return ends.push_back(number);
      name_numbers(*arcs_, shard_.names);
    }
    check_name(label, t_.columns, column, fail);
    if (!arcs_->has_word) arcs_->note_word(label, row, ends.size());
    const std::size_t end = 2 * ends.size() + (&ends == &arcs_->to ? 1 : 0);  // of all ends of arcs in the block
    ends.push_back(shard_.names.number(name_table::hash(label), label, position_in_file(arcs_->sequence, end)));
  }

  void add_weights(const column_part& part, index_t row, index_t count) {
    if (t_.leaves[part.column].holds != leaf::kind::reals) {
      arcs_->integers.reserve(static_cast<std::size_t>(count));
      return for_integers(t_, part, row, count, [&](std::int64_t value, bool natural, index_t at) {
        if (natural && value < 0)
          t_.fail_at(at, fmt::format("the weight {} is outside the range of 64-bit integers",
                                     static_cast<std::uint64_t>(value)));
        arcs_->integers.push_back(value);
      });
    }
    arcs_->real = true;
    arcs_->reals.reserve(static_cast<std::size_t>(count));
    const auto add = [&](double value, index_t at) {
      if (!std::isfinite(value)) t_.fail_at(at, fmt::format("the weight {} is not finite", value));
      if (t_.reals == real_type::f32 && !scanner::fits_f32(value))
        t_.fail_at(at, scanner::words_of_f32("weight", fmt::format("{}", value)));
      arcs_->reals.push_back(value);
    };
    if (part.reader->type() == parquet::Type::DOUBLE) for_values<parquet::DoubleType>(t_, part, row, count, add);
    else for_values<parquet::FloatType>(t_, part, row, count, add);
  }

  void require_one_way(const column_part& part, const direction_words& words, index_t row, index_t count) const {
    for_texts(t_, part, row, count, [&](std::string_view field, index_t at) {
      if (tells_direction(words, field) && !says_one_way(words, field))
        t_.fail_at(at, t_.columns.direction_refusal(part.column, field));
    });
  }

  const table& t_;
  edge_shard& shard_;
  arcs_of_block* arcs_ = nullptr;
};

void read_groups(const table& t, int threads, edge_shards& shards) {
  std::vector<index_t> first_block(1, 0);
  for (int g = 0; g < t.groups(); ++g) {
    const index_t rows = t.first_row[g + 1] - t.first_row[g];
    first_block.push_back(first_block.back() + (rows + group_parser::rows_of_block - 1) / group_parser::rows_of_block);
  }
  first_refusal refusal;
  std::atomic<bool> refused{false};
  task_queue queue;
  run_team(std::min(threads, t.groups()), [&](const team_member& member) {
    group_parser parser(t, shards.of_thread[member.thread]);
    // Groups are taken in ascending order: when one is refused, all before it have been taken, and are read.
    for (std::int64_t g; !refused && (g = queue.next()) < t.groups();) {
      try {
        with_arrow(t.file, [&] { parser.parse(static_cast<int>(g), first_block[g]); });
      } catch (...) {
        refusal.note(g);
        refused = true;
      }
    }
  });
  if (refusal.what) std::rethrow_exception(refusal.what);
}

std::unique_ptr<parquet::ParquetFileReader> open_table(std::string_view bytes) {
  const auto content = std::make_shared<arrow::Buffer>(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                       static_cast<std::int64_t>(bytes.size()));
  parquet::ReaderProperties how;
  how.set_page_checksum_verification(true);
  return parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(content), how);
}

}  // namespace

std::vector<std::string> read_parquet_titles(std::string_view bytes, const std::string& file) {
  std::vector<std::string> titles;
  with_arrow(file, [&] { (void)leaves_of(*open_table(bytes)->metadata()->schema(), titles); });
  return titles;
}

edge_list_file read_parquet_table(std::string_view bytes, const std::string& file, const edge_list_options& options,
                                  real_type reals) {
  table t{.reader = nullptr, .file = file, .reals = reals, .vertices = options.vertices};
  with_arrow(file, [&] {
    t.reader = open_table(bytes);
    find_columns_of(t, options);
    find_rows(t);
  });
  const int threads = options.threads > 0 ? options.threads : default_threads();
  edge_shards shards(threads);
  read_groups(t, threads, shards);
  const auto place_of = [&](index_t row) { return fmt::format("{}: row {}", file, row); };
  const std::string late =
      options.vertices == vertex_labels::automatic ? doubt_of_late_word(blocks_of(shards), place_of) : "";
  edge_list_file list = assemble(shards, t.columns, t.columns.words(), options.vertices, threads);
  list.doubt = late.empty() ? doubt_of_names(list.names, file, threads) : late;
  return list;
}

}  // namespace kleene::io::detail
