// XML 1.0 with namespaces as a sequence of events, by a library that a build may lack. Declarations of a file's own are
// refused, entities among them; how deep elements nest and how long a tag is has a bound.
#pragma once

#include "kleene/io/text.hpp"

#include <span>
#include <string_view>

namespace kleene::io::detail {

struct xml_attribute {
  std::string_view name, value;  // those of a namespace have it before the name, with a '|' between
};

// What is told of a file, with the line that it starts on. Views are valid during the call; it may throw.
class xml_handler {
 public:
  virtual ~xml_handler() = default;
  // Names are without their namespace.
  virtual void start(std::string_view name, std::span<const xml_attribute> attributes, index_t line) = 0;
  virtual void end() = 0;
  virtual void text(std::string_view piece) = 0;
};

inline constexpr int most_xml_depth = 64;
inline constexpr std::size_t most_xml_token = std::size_t{1} << 20;  // bytes without an event

// All that follows in `in`, of which no line was asked. error(bad_input), "file:line: what".
void parse_xml(scanner& in, xml_handler& handler);

}  // namespace kleene::io::detail
