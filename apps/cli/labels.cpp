#include "labels.hpp"

#include "kleene/data/error.hpp"
#include "kleene/io/names.hpp"
#include "text.hpp"

#include <algorithm>
#include <charconv>

namespace kleene::cli {

std::string labels::plain(index_t vertex) const { return named() ? names_[vertex] : std::to_string(vertex + first_); }
std::string labels::text(index_t vertex) const { return as_utf8(plain(vertex)); }
std::string labels::json(index_t vertex) const { return named() ? json_string(names_[vertex]) : plain(vertex); }

std::string labels::json(const std::vector<std::int32_t>& vertices) const {
  std::string out = "[";
  for (std::int32_t v : vertices) out += (out.size() > 1 ? "," : "") + json(v);
  return out + "]";
}

std::string labels::route(const std::vector<std::int32_t>& vertices, std::size_t most) const {
  std::string out;
  const std::size_t n = vertices.size();
  for (std::size_t at = 0; at < n; ++at) {
    if (n > most && at == most / 2) {
      out += " -> ...";
      at = n - most / 2;
    }
    out += (at ? " -> " : "") + text(vertices[at]);
  }
  return out;
}

std::int32_t labels::find(const std::string& word, const char* flag, const std::string& path, index_t count) const {
  const auto refuse = [&](const std::string& what) {
    throw error(fault_code::usage, fmt::format("{}: {} has no {}", flag, path, what));
  };
  if (count == 0) refuse("vertices");
  if (named()) {
    const auto at = std::ranges::find(names_, word);
    if (at != names_.end()) return static_cast<std::int32_t>(at - names_.begin());
    const long near = io::nearest(word, static_cast<long>(count), [&](long v) { return std::string_view(names_[v]); });
    refuse(fmt::format("vertex '{}'{}", as_utf8(word),
                       near < 0 ? "" : fmt::format("; the nearest name is '{}'", text(near))));
  }
  std::int64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, problem] = std::from_chars(word.data(), end, number);
  if (problem != std::errc{} || stop != end || number < first_ || number >= first_ + count)
    refuse(fmt::format("vertex {} (they are numbered {} to {})", as_utf8(word), first_, first_ + count - 1));
  return static_cast<std::int32_t>(number - first_);
}

}  // namespace kleene::cli
