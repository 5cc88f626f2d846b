// What a file calls its vertices: names, or numbers from its first one on.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kleene::cli {

class labels {
 public:
  labels() = default;
  // names: of all vertices, or none.
  labels(std::vector<std::string> names, int first) : names_(std::move(names)), first_(first) {}

  bool named() const { return !names_.empty(); }
  const std::vector<std::string>& names() const { return names_; }
  int first() const { return first_; }
  // For people and pictures; bytes of a name that are no UTF-8 as \xNN.
  std::string text(index_t vertex) const;
  // A JSON string, or a number.
  std::string json(index_t vertex) const;
  std::string json(const std::vector<std::int32_t>& vertices) const;
  // 4 -> 8 -> 15; beyond `most` vertices the middle is left out.
  std::string route(const std::vector<std::int32_t>& vertices, std::size_t most) const;
  // As the file has it.
  std::string plain(index_t vertex) const;

  // The vertex that a word of the command line means. error(usage), which names the flag and the file, for none of the
  // `count` vertices; where they have names it says which is nearest.
  std::int32_t find(const std::string& word, const char* flag, const std::string& path, index_t count) const;

 private:
  std::vector<std::string> names_;
  int first_ = 0;
};

}  // namespace kleene::cli
