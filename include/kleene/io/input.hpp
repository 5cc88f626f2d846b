// Files as bytes. A file that starts with the gzip magic (1f 8b, RFC 1952) is inflated while it is read, whatever its
// name; anything else is read as it is. Pipes work too.
//
// Errors: error(bad_input) with the path where a file is missing, unreadable, a directory, or a truncated or corrupt
// gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kleene::io {

class input {
 public:
  explicit input(const std::string& path);
  ~input();
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  // Copies the next `bytes` bytes of content and returns how many there were: fewer only at the end.
  std::size_t read(void* to, std::size_t bytes);

  const std::string& path() const { return path_; }
  // The first 16 bytes of content, or all if there are fewer; read() still returns them.
  std::string_view start() const { return {start_, started_}; }
  bool gzip() const { return inflater_ != nullptr; }
  // Bytes of content read so far.
  std::uint64_t offset() const { return offset_; }
  // No more content than this can follow from the start: the size of a plain file, 1032 times that of a gzip one (the
  // best that deflate can do), and the largest number for a pipe and for what says that it is empty. Readers check
  // promised sizes against it before they allocate.
  std::uint64_t most_content() const { return most_content_; }

 private:
  struct inflater;
  void begin();
  std::size_t read_file(void* to, std::size_t bytes);
  std::size_t inflate(char* to, std::size_t bytes);

  std::string path_;
  int file_ = -1;
  std::unique_ptr<inflater> inflater_;
  char start_[16] = {};
  std::size_t started_ = 0;
  std::uint64_t offset_ = 0, most_content_ = 0;
};

// The content from where `in` stands to its end. error(memory) when it does not fit.
std::string read_whole(input& in);
std::string read_whole(const std::string& path);

// error(memory) with both numbers where fewer than `bytes` are to be had, before anybody allocates them.
void require_memory(const std::string& path, double bytes);

}  // namespace kleene::io
