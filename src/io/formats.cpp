#include "kleene/io/formats.hpp"

#include "kleene/io/edge_list.hpp"
#include "kleene/io/graphml.hpp"
#include "kleene/io/gset.hpp"
#include "kleene/io/parquet.hpp"
#include "kleene/io/text.hpp"

namespace kleene::io {

namespace {

file_format format_by_content(std::string_view text) {
  if (const file_format found = format_at_start(text); found != file_format::unknown) return found;
  if (looks_like_graphml(text)) return file_format::graphml;
  scanner in(text, "");
  while (in.next_filled_line()) {
    const std::string word(in.word());
    if (word == "p") {
      const std::string sign = word + " " + std::string(in.word());
      for (const format_row& row : format_table)
        if (!row.starts && sign == row.sign) return row.format;
      return file_format::unknown;
    }
    if (!word.starts_with('c')) {  // no comment
      // The binary form of .clq starts with the length of a preamble, and then has a text's comments and its p line.
      const bool length = word.find_first_not_of("0123456789") == word.npos && in.word().empty();
      if (length && in.next_line() && (in.line().starts_with("c ") || in.line().starts_with("p ")))
        return file_format::dimacs_edges;
      break;
    }
  }
  return file_format::unknown;
}

}  // namespace

const format_row* row_of_name(std::string_view path) {
  for (const std::string_view suffix : compression_suffixes)
    if (path.ends_with(suffix)) {
      path.remove_suffix(suffix.size());
      break;
    }
  for (const format_row& row : format_table)
    if (path.ends_with(row.suffix)) return &row;
  return nullptr;
}

bool is_built_in(file_format format) {
  if (format == file_format::graphml) return reads_graphml();
  return format != file_format::parquet || has_parquet();
}

std::string written_suffixes() {
  std::string all;
  for (const format_row& row : format_table)
    if (row.written && is_built_in(row.format)) all.append(all.empty() ? "" : ", ").append(row.suffix);
  return all;
}

file_format format_of(std::string_view text, std::string_view path, file_format meant) {
  if (const file_format found = format_by_content(text); found != file_format::unknown) return found;
  if (meant != file_format::unknown) return meant;
  const format_row* const named = row_of_name(path);
  // Two numbers above three are no edge list, whatever the name: G-sets are passed on as .txt.
  const bool may_be_gset = !named || named->format == file_format::edge_list;
  if (may_be_gset && looks_like_gset(text)) return file_format::gset;
  if (named) return named->format;
  return looks_like_edge_list(text) ? file_format::edge_list : file_format::unknown;
}

std::string suffixes_of(unsigned content, std::string_view between) {
  std::string all;
  for (const format_row& row : format_table)
    if ((row.content & content) && is_built_in(row.format) &&
        row_of_name(row.suffix) == &row)  // once, of formats that share it
      all.append(all.empty() ? "" : between).append(row.suffix);
  return all;
}

std::string neither_of(file_content content) {
  std::string all;
  std::string_view last;
  for (const format_row& row : format_table)
    if ((row.content & content) && is_built_in(row.format) && row.name != last) {
      last = row.name;
      all.append(all.empty() ? "neither " : " nor ").append(row.name);
      const std::string_view sign = row.sign.empty() ? row.suffix : row.sign;
      if (row.sign == row.shown) all.append(" (").append(sign).append(")");  // what is no text stays unsaid
    }
  return all;
}

}  // namespace kleene::io
