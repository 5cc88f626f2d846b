// Arrow's exceptions as errors of the house.
#pragma once

#include "kleene/data/error.hpp"

#include <fmt/format.h>
#include <parquet/exception.h>

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kleene::io::detail {

// What Arrow says, on one line.
inline std::string arrow_words(std::string_view what) {
  std::string words(what.substr(0, std::min<std::size_t>(what.find('\n'), 300)));
  for (char& c : words)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return words.empty() ? "Arrow does not say why" : words;
}

// Runs work(); `what` stands before the words of a refusal of Arrow's: "net.parquet: ...".
template <class Work>
auto with_arrow(const std::string& what, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const kleene::error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const parquet::ParquetStatusException& refused) {
    if (refused.status().IsOutOfMemory()) throw std::bad_alloc();
    throw error(fault_code::bad_input, fmt::format("{}: {}", what, arrow_words(refused.status().message())));
  } catch (const std::exception& refused) {
    throw error(fault_code::bad_input, fmt::format("{}: {}", what, arrow_words(refused.what())));
  }
}

}  // namespace kleene::io::detail
