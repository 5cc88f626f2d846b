// Files as bytes. A file that starts with the magic of gzip (RFC 1952), xz (the .xz file format 1.1.0), zstd (RFC
// 8878) or bzip2 is decompressed while it is read, whatever its name, several members or streams of it one after
// another; anything else is read as it is. A byte order mark of UTF-8 in front is left out. Pipes work too. What is
// behind the last member is refused.
//
// Errors: error(bad_input) with the path where a file is missing, unreadable, a directory, truncated or corrupt, or
// compressed in a way whose library this build lacks (compressions()); error(memory) for a dictionary of xz that does
// not fit into the memory there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kleene::io {

namespace detail {
class decoder;
struct compression;
}  // namespace detail

class input {
 public:
  explicit input(const std::string& path);
  // Bytes in memory, which must outlive it, as if they were a file: `decoder` makes of them content of at most `most`
  // bytes. For files within files.
  input(const std::string& name, std::string_view bytes, std::unique_ptr<detail::decoder> decoder, std::uint64_t most);
  ~input();
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  // Copies the next `bytes` bytes of content and returns how many there were: fewer only at the end.
  std::size_t read(void* to, std::size_t bytes);

  const std::string& path() const { return path_; }
  // The first 16 bytes of content, or all if there are fewer; read() still returns them.
  std::string_view start() const { return {start_, started_}; }
  // "gzip", "xz", ...: how it is compressed; empty: not at all.
  std::string_view compression() const { return compression_; }
  // Bytes of content read so far.
  std::uint64_t offset() const { return offset_; }
  // No more content than this can follow from the start: the size of a plain file, as many times that of a compressed
  // one as its compression can at best (gzip 1032, xz 8192, zstd 32768, bzip2 2 Mi), and the largest number for a pipe
  // and for what says that it is empty. Readers check promised sizes against it before they allocate.
  std::uint64_t most_content() const { return most_content_; }

 private:
  struct decompression;
  void begin();
  std::size_t read_file(void* to, std::size_t bytes);
  std::size_t decompress(char* to, std::size_t bytes);

  std::string path_;
  int file_ = -1;            // -1: bytes in memory
  std::string_view memory_;  // those that are still to be read
  std::string_view compression_;
  std::unique_ptr<decompression> decompression_;
  char start_[16] = {};
  std::size_t started_ = 0;
  std::uint64_t offset_ = 0, most_content_ = 0;
};

// The content from where `in` stands to its end. error(memory) when it does not fit.
std::string read_whole(input& in);
std::string read_whole(const std::string& path);

// "gzip, xz, zstd, bzip2": what this build can decompress.
std::string compressions();

// error(memory) with both numbers where fewer than `bytes` are to be had, before anybody allocates them.
void require_memory(const std::string& path, double bytes);

}  // namespace kleene::io
