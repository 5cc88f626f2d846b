// RFC 1952. zlib's inflate and not its gzread, which does not notice a missing checksum when a read ends right before
// it.
#include "io/decoder.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace kleene::io::detail {

namespace {

class gzip_decoder final : public decoder {
 public:
  gzip_decoder() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: a gzip wrapper, no other
  }
  ~gzip_decoder() override { inflateEnd(&stream_); }
  gzip_decoder(const gzip_decoder&) = delete;
  gzip_decoder& operator=(const gzip_decoder&) = delete;

  void step(buffers& b) override {
    if (between_members_ && b.left == 0) return;
    if (between_members_) inflateReset(&stream_);
    between_members_ = false;
    const auto give = static_cast<uInt>(std::min<std::size_t>(b.left, 1u << 30));
    const auto room = static_cast<uInt>(std::min<std::size_t>(b.room, 1u << 30));
    stream_.next_in = const_cast<Bytef*>(b.next);
    stream_.avail_in = give;
    stream_.next_out = b.to;
    stream_.avail_out = room;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    b.next += give - stream_.avail_in;
    b.left -= give - stream_.avail_in;
    b.to += room - stream_.avail_out;
    b.room -= room - stream_.avail_out;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      throw corrupt_data{stream_.msg ? stream_.msg : "a preset dictionary"};
    between_members_ = result == Z_STREAM_END;
  }
  bool complete() const override { return between_members_; }

 private:
  z_stream stream_{};
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<decoder> make_gzip_decoder() { return std::make_unique<gzip_decoder>(); }

}  // namespace kleene::io::detail
