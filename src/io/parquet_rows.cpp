// The writer of Parquet: rows go to an atomic file in groups, as Arrow has encoded them.
#include "io/edge_list_graph.hpp"
#include "io/memory.hpp"
#include "io/parquet_arrow.hpp"
#include "io/parquet_table.hpp"

#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <exception>
#include <span>

namespace kleene::io::detail {

namespace {

// An atomic file as Arrow writes into one. What it throws waits here, since Arrow hands on a status.
class file_stream final : public arrow::io::OutputStream {
 public:
  explicit file_stream(const std::string& path) : file_(path) {}
  arrow::Status Write(const void* data, std::int64_t bytes) override {
    try {
      if (!refusal_) file_.write(data, static_cast<std::size_t>(bytes));
    } catch (...) {
      refusal_ = std::current_exception();
    }
    written_ += bytes;
    return refusal_ ? arrow::Status::IOError("it could not be written") : arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return written_; }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }

  void rethrow() const {
    if (refusal_) std::rethrow_exception(refusal_);
  }
  void commit() { file_.commit(); }

 private:
  atomic_file file_;
  std::int64_t written_ = 0;
  std::exception_ptr refusal_;
};

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::PrimitiveNode;

class rows_of_arrow final : public parquet_rows {
 public:
  rows_of_arrow(const std::string& path, const std::vector<std::string>& names, int first_vertex,
                const parquet_titles& titles)
      : parquet_rows(titles.values), path_(path), names_(names), first_vertex_(first_vertex) {
    numbered_ = std::ranges::all_of(names, [](const std::string& n) { return n.size() <= 18 && is_plain_number(n); });
    stream_ = std::make_shared<file_stream>(path);
    guarded([&] {
      parquet::schema::NodeVector columns = {end_column("from"), end_column("to")};
      if (values_ != parquet_values::none)
        columns.push_back(PrimitiveNode::Make(titles.value, Repetition::OPTIONAL, LogicalType::None(), value_type()));
      const auto root = parquet::schema::GroupNode::Make("schema", Repetition::REQUIRED, columns);
      parquet::WriterProperties::Builder how;
      how.enable_page_checksum();
      if (arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY)) how.compression(arrow::Compression::SNAPPY);
      const auto footer = std::make_shared<arrow::KeyValueMetadata>();
      if (titles.undirected) footer->Append("kleene.undirected", "true");
      writer_ = parquet::ParquetFileWriter::Open(stream_, std::static_pointer_cast<parquet::schema::GroupNode>(root),
                                                 how.build(), footer);
    });
  }

  void write_group() override {
    if (from_.empty()) return;
    guarded([&] {
      parquet::RowGroupWriter& group = *writer_->AppendRowGroup();
      write_ends(group, from_);
      write_ends(group, to_);
      if (values_ == parquet_values::i64) write_values<parquet::Int64Writer, std::int64_t>(group, integers_);
      else if (values_ == parquet_values::f64) write_values<parquet::DoubleWriter, double>(group, reals_);
      else if (values_ == parquet_values::f32) write_values<parquet::FloatWriter, float>(group, reals_);
      group.Close();
    });
    from_.clear(), to_.clear(), valid_.clear(), integers_.clear(), reals_.clear();
  }
  void commit() override {
    write_group();
    guarded([&] { writer_->Close(); });
    stream_->commit();
  }

 private:
  static constexpr std::size_t some = 4096;

  parquet::schema::NodePtr end_column(const char* title) const {
    return numbered_
               ? PrimitiveNode::Make(title, Repetition::REQUIRED, LogicalType::None(), parquet::Type::INT64)
               : PrimitiveNode::Make(title, Repetition::REQUIRED, LogicalType::String(), parquet::Type::BYTE_ARRAY);
  }
  parquet::Type::type value_type() const {
    return values_ == parquet_values::i64   ? parquet::Type::INT64
           : values_ == parquet_values::f64 ? parquet::Type::DOUBLE
                                            : parquet::Type::FLOAT;
  }

  void write_ends(parquet::RowGroupWriter& group, const std::vector<std::int32_t>& ends) const {
    if (numbered_)
      write_column<parquet::Int64Writer, std::int64_t>(group, ends, [&](std::int32_t v) { return number_of(v); });
    else
      write_column<parquet::ByteArrayWriter, parquet::ByteArray>(group, ends, [&](std::int32_t v) {
        return parquet::ByteArray(static_cast<std::uint32_t>(names_[v].size()),
                                  reinterpret_cast<const std::uint8_t*>(names_[v].data()));
      });
  }
  std::int64_t number_of(std::int32_t v) const {
    if (names_.empty()) return std::int64_t{v} + first_vertex_;
    std::int64_t number = 0;
    for (const char c : names_[v]) number = 10 * number + (c - '0');
    return number;
  }

  // A column without nulls.
  template <class Writer, class Out, class T, class Map>
  static void write_column(parquet::RowGroupWriter& group, const std::vector<T>& from, const Map& map) {
    auto& column = static_cast<Writer&>(*group.NextColumn());
    Out values[some];
    for (std::size_t at = 0; at < from.size(); at += some) {
      const std::size_t count = std::min(some, from.size() - at);
      std::transform(from.begin() + at, from.begin() + at + count, values, map);
      column.WriteBatch(static_cast<std::int64_t>(count), nullptr, nullptr, values);
    }
    column.Close();
  }
  template <class Writer, class Out, class T>
  void write_values(parquet::RowGroupWriter& group, const std::vector<T>& from) const {
    auto& column = static_cast<Writer&>(*group.NextColumn());
    Out values[some];
    std::size_t next = 0;
    for (std::size_t at = 0; at < valid_.size(); at += some) {
      const std::size_t rows = std::min(some, valid_.size() - at);
      std::size_t count = 0;
      for (std::size_t r = 0; r < rows; ++r)
        if (valid_[at + r]) values[count++] = static_cast<Out>(from[next++]);
      column.WriteBatch(static_cast<std::int64_t>(rows), valid_.data() + at, nullptr, values);
    }
    column.Close();
  }

  template <class Work>
  void guarded(const Work& work) const {
    try {
      with_memory_of(path_, [&] { with_arrow(fmt::format("cannot write {}", path_), work); });
    } catch (...) {
      stream_->rethrow();
      throw;
    }
  }

  std::string path_;
  const std::vector<std::string>& names_;
  int first_vertex_;
  bool numbered_ = false;
  std::shared_ptr<file_stream> stream_;
  std::unique_ptr<parquet::ParquetFileWriter> writer_;
};

}  // namespace

std::unique_ptr<parquet_rows> make_parquet_rows(const std::string& path, const std::vector<std::string>& names,
                                                int first_vertex, const parquet_titles& titles) {
  return std::make_unique<rows_of_arrow>(path, names, first_vertex, titles);
}

}  // namespace kleene::io::detail
