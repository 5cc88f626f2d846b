#include "io/shared_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace kleene::io::detail {

namespace {

using names = std::set<std::string_view>;

std::size_t count_common(const names& a, const names& b) {
  return static_cast<std::size_t>(std::ranges::count_if(a, [&](std::string_view name) { return b.contains(name); }));
}

}  // namespace

std::array<int, 2> columns_of_shared_names(const std::vector<sample_line>& sample, const std::vector<int>& columns) {
  std::array<int, 2> found = {-1, -1};
  std::vector<names> held(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (const auto& [number, fields] : sample)
      if (columns[c] < static_cast<int>(fields.size()) && !fields[columns[c]].empty())
        held[c].insert(fields[columns[c]]);
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      const std::size_t common = count_common(held[a], held[b]);
      if (common == 0) continue;
      if (found[0] >= 0 || 4 * common < std::max(held[a].size(), held[b].size())) return {-1, -1};
      found = {columns[a], columns[b]};
    }
  return found;
}

}  // namespace kleene::io::detail
