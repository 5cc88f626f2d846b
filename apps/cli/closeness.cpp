#include "closeness.hpp"

#include "kleene/io/atomic_file.hpp"
#include "results.hpp"

#include <fmt/format.h>

namespace kleene::cli {

void write_closeness(const std::string& path, const std::vector<closeness_row>& rows, const labels& names) {
  const char separator = path.ends_with(".tsv") ? '\t' : ',';
  io::atomic_file out(path);
  out.write(fmt::format("vertex{0}reached{0}sum{0}closeness\n", separator));
  for (const closeness_row& row : rows)
    out.write(fmt::format("{1}{0}{2}{0}{3}{0}{4}\n", separator, quoted(names.plain(row.vertex), separator), row.reached,
                          row.sum, row.closeness));
  out.commit();
}

}  // namespace kleene::cli
