#include "kleene/io/parquet.hpp"

#include "io/memory.hpp"
#include "io/parquet_table.hpp"

#include <fmt/format.h>

// CMake says whether Arrow is there.
#ifndef KLEENE_HAS_PARQUET
#define KLEENE_HAS_PARQUET 0
#endif

namespace kleene::io {

bool has_parquet() { return KLEENE_HAS_PARQUET; }

edge_list_file parse_parquet(std::string_view bytes, std::string_view file, const edge_list_options& options,
                             real_type reals) {
  return detail::with_memory_of(file, [&]() -> edge_list_file {
#if KLEENE_HAS_PARQUET
    return detail::read_parquet_table(bytes, std::string(file), options, reals);
#else
    (void)bytes, (void)options, (void)reals;
    throw error(fault_code::bad_input,
                fmt::format("{} is Parquet, and this build of Kleene has no Apache Arrow to read it", file));
#endif
  });
}
edge_list_file read_parquet(input& in, const edge_list_options& options, real_type reals) {
  return detail::with_memory_of(in.path(), [&] {
    const std::string bytes = has_parquet() ? read_whole(in) : "";
    return parse_parquet(bytes, in.path(), options, reals);
  });
}
edge_list_file read_parquet(const std::string& path, const edge_list_options& options, real_type reals) {
  return detail::with_memory_of(path, [&] {
    input in(path);
    return read_parquet(in, options, reals);
  });
}

std::vector<std::string> parquet_columns(std::string_view bytes, std::string_view file) {
  return detail::with_memory_of(file, [&]() -> std::vector<std::string> {
#if KLEENE_HAS_PARQUET
    return detail::read_parquet_titles(bytes, std::string(file));
#else
    (void)bytes;
    throw error(fault_code::bad_input,
                fmt::format("{} is Parquet, and this build of Kleene has no Apache Arrow to read it", file));
#endif
  });
}

parquet_output::parquet_output(const std::string& path, const std::vector<std::string>& names, int first_vertex,
                               const parquet_titles& titles) {
#if KLEENE_HAS_PARQUET
  rows_ = detail::with_memory_of(path, [&] { return detail::make_parquet_rows(path, names, first_vertex, titles); });
#else
  (void)names, (void)first_vertex, (void)titles;
  throw error(fault_code::bad_input,
              fmt::format("cannot write {}: this build of Kleene has no Apache Arrow to write Parquet", path));
#endif
}
parquet_output::~parquet_output() = default;

void parquet_output::add(std::int32_t from, std::int32_t to) { rows_->add(from, to, true, 0, 0); }
void parquet_output::add_integer(std::int32_t from, std::int32_t to, std::int64_t value) {
  rows_->add(from, to, false, value, 0);
}
void parquet_output::add_real(std::int32_t from, std::int32_t to, double value) {
  rows_->add(from, to, false, 0, value);
}
void parquet_output::commit() { rows_->commit(); }

}  // namespace kleene::io
