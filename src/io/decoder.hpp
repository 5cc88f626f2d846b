// What turns compressed bytes into content: one class a library, in decode_<name>.cpp. Optional libraries may be
// missing from a build, and then so is their unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kleene::io::detail {

class decoder {
 public:
  struct buffers {
    const unsigned char* next = nullptr;  // compressed bytes
    std::size_t left = 0;
    bool last = false;            // nothing follows those that are left
    unsigned char* to = nullptr;  // room for content
    std::size_t room = 0;
  };

  virtual ~decoder() = default;
  // Takes compressed bytes, puts content, or both, and moves the pointers on; neither only where it needs more bytes.
  // There is room. Throws corrupt_data or not_enough_memory; std::bad_alloc.
  virtual void step(buffers& b) = 0;
  // Whether the content may end here: all that was begun has ended, checksums included.
  virtual bool complete() const = 0;
};

struct corrupt_data {
  const char* why;  // a literal, or the library's
};
struct not_enough_memory {
  double bytes;  // that decompressing takes
};

std::unique_ptr<decoder> make_gzip_decoder();
std::unique_ptr<decoder> make_xz_decoder();
std::unique_ptr<decoder> make_zstd_decoder();
std::unique_ptr<decoder> make_bzip2_decoder();

struct compression {
  std::string_view name, library;
  std::string_view magic;              // what a file starts with
  std::uint64_t most_ratio;            // no more bytes of content for one of the file
  std::unique_ptr<decoder> (*make)();  // null: the library is not in this build
};

// The compression whose magic the bytes start with; null: none.
const compression* compression_of(std::string_view start);

}  // namespace kleene::io::detail
