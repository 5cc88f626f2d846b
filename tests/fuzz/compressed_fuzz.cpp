// Compressed files: any bytes as a file, and any bytes compressed in two parts by each library there is, whole, cut
// short and damaged.
#include "kleene/io/input.hpp"

#include "fuzz/file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <iterator>

#if KLEENE_HAS_XZ
#include <lzma.h>
#endif
#if KLEENE_HAS_ZSTD
#include <zstd.h>
#endif
#if KLEENE_HAS_BZIP2
#include <bzlib.h>
#endif

using namespace kleene;
using namespace kleene::fuzz;

namespace {

std::string gzip(std::string_view content, int level) {
  z_stream stream{};
  require(deflateInit2(&stream, level % 10, Z_DEFLATED, 15 + 16, 8, level % 5) == Z_OK, "deflate does not start");
  std::string out(deflateBound(&stream, content.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate does not end");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

#if KLEENE_HAS_XZ
std::string xz(std::string_view content, int level) {
  std::string out(lzma_stream_buffer_bound(content.size()), '\0');
  std::size_t size = 0;
  const auto* from = reinterpret_cast<const std::uint8_t*>(content.data());
  constexpr std::array checks = {LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256};
  // Preset 3 takes 5 MiB to decompress; this target believes in a machine of 64.
  require(lzma_easy_buffer_encode(level % 4, checks[level % 3], nullptr, from, content.size(),
                                  reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()) == LZMA_OK,
          "xz does not compress");
  out.resize(size);
  return out;
}
#endif

#if KLEENE_HAS_ZSTD
std::string zstd(std::string_view content, int level) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 1 + level % 5);
  require(!ZSTD_isError(size), "zstd does not compress");
  out.resize(size);
  return out;
}
#endif

#if KLEENE_HAS_BZIP2
std::string bzip2(std::string_view content, int level) {
  std::string out(content.size() + content.size() / 100 + 700, '\0');
  unsigned size = static_cast<unsigned>(out.size());
  require(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(content.data()),
                                   static_cast<unsigned>(content.size()), 1 + level % 9, 0, 0) == BZ_OK,
          "bzip2 does not compress");
  out.resize(size);
  return out;
}
#endif

struct compressor {
  std::string (*compress)(std::string_view content, int level);
  std::size_t magic;  // bytes by which it is recognised; fewer are a text
};
constexpr compressor compressors[] = {
    {gzip, 2},
#if KLEENE_HAS_XZ
    {xz, 6},
#endif
#if KLEENE_HAS_ZSTD
    {zstd, 4},
#endif
#if KLEENE_HAS_BZIP2
    {bzip2, 10},
#endif
};

// What is read of a text: all but a byte order mark of UTF-8.
std::string_view unmarked(std::string_view text) { return text.substr(text.starts_with("\xef\xbb\xbf") ? 3 : 0); }

// The content of a file of these bytes, if it has one.
bool read(memory_file& file, std::string_view bytes, std::string& content) {
  file.hold(bytes);
  return reads([&] { content = io::read_whole(file.path("f.gz")); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static memory_file file;
  std::string content;
  const std::string_view bytes = text_of(data, size);
  if (read(file, bytes, content)) {
    const bool is_compressed = !io::input(file.path("f.gz")).compression().empty();
    require(is_compressed || content == unmarked(bytes), "other bytes come back");
  }
  if (size < 4) return 0;

  const std::string_view text = bytes.substr(3);
  const std::size_t cut = data[0] % (text.size() + 1);
  // What is compressed twice is refused, and any bytes may begin as a compressed file does.
  const bool once = read(file, text, content) && io::input(file.path("f.gz")).compression().empty();
  for (const auto& [compress, magic] : compressors) {
    const std::string first = compress(text.substr(0, cut), data[1]),
                      whole = first + compress(text.substr(cut), data[1] + 1);
    require(read(file, whole, content) == once, "whether it was compressed twice");
    require(!once || content == unmarked(text), "what was compressed does not come back");
    const std::size_t kept = whole.size() - 1 - data[2] % whole.size();
    const bool is_whole = kept == first.size() || kept < magic;
    require(!read(file, whole.substr(0, kept), content) || is_whole, "a file that was cut is read");
    std::string damaged = whole;
    damaged[data[2] * 7u % damaged.size()] ^= static_cast<char>(1 << data[1] % 8);
    (void)read(file, damaged, content);
  }
  return 0;
}
