// RFC 1952. zlib's inflate and not its gzread, which does not notice a missing checksum when a read ends right before
// it.
#include "io/inflate.hpp"

#include <zlib.h>

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
    between_members_ = inflate_step(stream_, b);
  }
  bool complete() const override { return between_members_; }

 private:
  z_stream stream_{};
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<decoder> make_gzip_decoder() { return std::make_unique<gzip_decoder>(); }

}  // namespace kleene::io::detail
