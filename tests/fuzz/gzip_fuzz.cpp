// Gzip: any bytes as a file, and any bytes compressed in two members, whole, cut short and damaged.
#include "kleene/io/input.hpp"

#include "fuzz/file.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

using namespace kleene;
using namespace kleene::fuzz;

namespace {

std::string member(std::string_view content, int level, int strategy) {
  z_stream stream{};
  require(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, strategy) == Z_OK, "deflate does not start");
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
  if (read(file, bytes, content)) require(content == bytes || bytes.starts_with("\x1f\x8b"), "other bytes come back");
  if (size < 4) return 0;

  const std::string_view text = bytes.substr(3);
  const std::size_t cut = data[0] % (text.size() + 1);
  const std::string first = member(text.substr(0, cut), data[1] % 10, data[1] % 5),
                    whole = first + member(text.substr(cut), 6, 0);
  require(read(file, whole, content) && content == text, "what was compressed does not come back");
  const std::size_t kept = whole.size() - 1 - data[2] % whole.size();
  const bool at_member = kept == first.size() || kept < 2;  // a whole member, or too little to be gzip
  require(!read(file, whole.substr(0, kept), content) || at_member, "a file that was cut is read");
  std::string damaged = whole;
  damaged[data[2] * 7u % damaged.size()] ^= static_cast<char>(1 << data[1] % 8);
  (void)read(file, damaged, content);
  return 0;
}
