// RFC 1952. zlib's inflate and not its gzread, which does not notice a missing checksum when a read ends right before
// it.
#include "io/inflate.hpp"

#include <zlib.h>

#include <new>
#include <string_view>

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
    if (between_members_) inflateReset(&stream_), first_ = false;
    // One byte of the magic says it, where inflate waits for both.
    if (between_members_ && *b.next != 0x1f) throw corrupt_data{behind};
    try {
      between_members_ = inflate_step(stream_, b);
    } catch (const corrupt_data& found) {
      const std::string_view why = found.why;  // zlib's words
      if (why.ends_with("data check") || why.ends_with("length check")) throw corrupt_data{"its checksum is wrong"};
      if (!first_ && why == "incorrect header check") throw corrupt_data{behind};
      throw;
    }
  }
  bool complete() const override { return between_members_; }

 private:
  static constexpr const char* behind = "what follows the last member is no gzip data";

  z_stream stream_{};
  bool between_members_ = false, first_ = true;
};

}  // namespace

std::unique_ptr<decoder> make_gzip_decoder() { return std::make_unique<gzip_decoder>(); }

}  // namespace kleene::io::detail
