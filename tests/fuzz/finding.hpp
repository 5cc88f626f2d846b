// How a fuzz target reports what must not be: it ends the process, so that libFuzzer keeps the input.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/io/text.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

namespace kleene::fuzz {

[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}
inline void require(bool holds, const std::string& what) {
  if (!holds) finding(what);
}

// Calls read(), which may refuse: by error(bad_input) or error(memory), in one printable line, or by error(usage) where
// options may not fit the file. Whether it did not.
template <class Read>
bool reads(Read&& read, bool has_options = false) {
  try {
    read();
    return true;
  } catch (const error& refusal) {
    const std::string_view said = refusal.what();
    const bool is_usage = has_options && refusal.code() == fault_code::usage;
    require(is_usage || refusal.code() == fault_code::bad_input || refusal.code() == fault_code::memory,
            "a code of its own");
    require(!said.empty() && said.size() < 1000, "a message of " + std::to_string(said.size()) + " bytes");
    for (const char c : said)
      require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a message with control bytes");
    for (std::size_t at = 0; at < said.size(); at += io::utf8_character(said.substr(at)))
      require(io::utf8_character(said.substr(at)) > 0, "a message that is no UTF-8");
  } catch (const std::exception& other) {
    finding(std::string("another exception: ") + other.what());
  }
  return false;
}

}  // namespace kleene::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);
