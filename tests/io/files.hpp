// What the io tests share: a folder of temporary files, gzip, the message of a refusal, edge lists out of a text, and
// mutations of a small file.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/io/edge_list.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace kleene::io::test {

// A fresh folder, removed with all that is in it.
class scratch {
 public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "kleene-io-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  int files() const {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::string gzipped(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// What a call that must throw kleene::error says.
template <class F>
std::string refusal(F&& call, fault_code code = fault_code::bad_input) {
  try {
    call();
  } catch (const error& e) {
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(code)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// The edge list that a text is, and what is said of one that is none.
inline edge_list_file read(const std::string& text, const edge_list_options& options = {}) {
  return parse_edge_list(text, "f", options);
}
inline std::string refused(const std::string& text, const edge_list_options& options = {}) {
  return refusal([&] { parse_edge_list(text, "f", options); });
}

// Calls read(text) on every prefix of a text and on every text that differs from it in one byte. It may return or throw
// kleene::error; anything else, a sanitizer's report included, is a failure. Returns how many were read.
template <class F>
int read_mutations(const std::string& text, F&& read) {
  int good = 0;
  const auto attempt = [&](const std::string& mutation) {
    try {
      read(mutation);
      ++good;
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()), "");
    }
  };
  for (std::size_t length = 0; length <= text.size(); ++length) attempt(text.substr(0, length));
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int flip = 1; flip < 256; ++flip) {
      std::string mutation = text;
      mutation[at] = static_cast<char>(mutation[at] ^ flip);
      attempt(mutation);
    }
  return good;
}

}  // namespace kleene::io::test
