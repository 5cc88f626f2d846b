#include "io/decoder.hpp"

#include "kleene/io/input.hpp"

#include <array>

// CMake says which libraries there are.
#ifndef KLEENE_HAS_XZ
#define KLEENE_HAS_XZ 0
#endif
#ifndef KLEENE_HAS_ZSTD
#define KLEENE_HAS_ZSTD 0
#endif
#ifndef KLEENE_HAS_BZIP2
#define KLEENE_HAS_BZIP2 0
#endif

namespace kleene::io {

namespace detail {

namespace {

using namespace std::string_view_literals;

constexpr auto xz = [] {
#if KLEENE_HAS_XZ
  return make_xz_decoder;
#else
  return nullptr;
#endif
}();
constexpr auto zstd = [] {
#if KLEENE_HAS_ZSTD
  return make_zstd_decoder;
#else
  return nullptr;
#endif
}();
constexpr auto bzip2 = [] {
#if KLEENE_HAS_BZIP2
  return make_bzip2_decoder;
#else
  return nullptr;
#endif
}();

// How far a byte of the file can go:
//   gzip    two bits of deflate are a match of 258 bytes
//   xz      a match of 273 bytes takes 14 coded bits, each no less than log2(2048 / 2017) = 0.022 bits
//   zstd    a block of four bytes repeats one byte 128 Ki times
//   bzip2   a block of 900,000 bytes, whose runs of 255 more for one byte make it 46.6 MB, has a header and tables of
//           200 bits at least, and is counted here as 22 bytes
constexpr std::array compressions = {
    compression{"gzip", "zlib", "\x1f\x8b"sv, 1032, make_gzip_decoder},
    compression{"xz", "liblzma", "\xfd\x37zXZ\0"sv, 8192, xz},
    compression{"zstd", "libzstd", "\x28\xb5\x2f\xfd"sv, 32768, zstd},
    compression{"bzip2", "libbz2", "BZh"sv, std::uint64_t{1} << 21, bzip2},
};

// "BZh" may start a text: behind it are the size of blocks and the first of them, or the end.
bool starts_bzip2(std::string_view start) {
  const std::string_view rest = start.substr(3);
  return !rest.empty() && rest.front() >= '1' && rest.front() <= '9' &&
         (rest.substr(1).starts_with("\x31\x41\x59\x26\x53\x59"sv) ||
          rest.substr(1).starts_with("\x17\x72\x45\x38\x50\x90"sv));
}

// zstd: a frame to be skipped (RFC 8878, 3.1.2), as pzstd puts one in front.
bool starts_skipped_frame(std::string_view start) {
  return start.size() >= 4 && start[0] >= '\x50' && start[0] <= '\x5f' && start.substr(1, 3) == "\x2a\x4d\x18"sv;
}

}  // namespace

const compression* compression_of(std::string_view start) {
  for (const compression& c : compressions)
    if ((start.starts_with(c.magic) && (c.name != "bzip2" || starts_bzip2(start))) ||
        (c.name == "zstd" && starts_skipped_frame(start)))
      return &c;
  return nullptr;
}

}  // namespace detail

std::string compressions() {
  std::string all;
  for (const detail::compression& c : detail::compressions)
    if (c.make) all.append(all.empty() ? "" : ", ").append(c.name);
  return all;
}

}  // namespace kleene::io
