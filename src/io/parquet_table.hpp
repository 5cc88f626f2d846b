// What reads and writes Parquet by Arrow, which a build may lack; io/parquet.hpp has the contract.
#pragma once

#include "kleene/io/atomic_file.hpp"
#include "kleene/io/parquet.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

edge_list_file read_parquet_table(std::string_view bytes, const std::string& file, const edge_list_options& options,
                                  real_type reals);
std::vector<std::string> read_parquet_titles(std::string_view bytes, const std::string& file);

// Rows as they come, and the file that they go to in groups.
class parquet_rows {
 public:
  virtual ~parquet_rows() = default;
  void add(std::int32_t from, std::int32_t to, bool is_null, std::int64_t integer, double real) {
    from_.push_back(from);
    to_.push_back(to);
    if (values_ != parquet_values::none) valid_.push_back(!is_null);
    if (values_ == parquet_values::i64 && !is_null) integers_.push_back(integer);
    if ((values_ == parquet_values::f64 || values_ == parquet_values::f32) && !is_null) reals_.push_back(real);
    if (from_.size() == most) write_group();
  }
  virtual void write_group() = 0;
  virtual void commit() = 0;

 protected:
  static constexpr std::size_t most = std::size_t{1} << 20;
  explicit parquet_rows(parquet_values values) : values_(values) {}

  parquet_values values_;
  std::vector<std::int32_t> from_, to_;
  std::vector<std::int16_t> valid_;
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
};
std::unique_ptr<parquet_rows> make_parquet_rows(const std::string& path, const std::vector<std::string>& names,
                                                int first_vertex, const parquet_titles& titles);

}  // namespace kleene::io::detail
