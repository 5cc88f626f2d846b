// bzip2 1.0.8 (Seward), streams one after another.
#include "io/decoder.hpp"

#include <bzlib.h>

#include <algorithm>
#include <new>

namespace kleene::io::detail {

namespace {

class bzip2_decoder final : public decoder {
 public:
  bzip2_decoder() { begin(); }
  ~bzip2_decoder() override { BZ2_bzDecompressEnd(&stream_); }
  bzip2_decoder(const bzip2_decoder&) = delete;
  bzip2_decoder& operator=(const bzip2_decoder&) = delete;

  void step(buffers& b) override {
    if (between_streams_ && b.left == 0) return;
    if (between_streams_) {
      BZ2_bzDecompressEnd(&stream_);
      stream_ = {};
      begin();
    }
    between_streams_ = false;
    const auto give = static_cast<unsigned>(std::min<std::size_t>(b.left, 1u << 30));
    const auto room = static_cast<unsigned>(std::min<std::size_t>(b.room, 1u << 30));
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(b.next));
    stream_.avail_in = give;
    stream_.next_out = reinterpret_cast<char*>(b.to);
    stream_.avail_out = room;
    const int result = BZ2_bzDecompress(&stream_);
    b.next += give - stream_.avail_in;
    b.left -= give - stream_.avail_in;
    b.to += room - stream_.avail_out;
    b.room -= room - stream_.avail_out;
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    if (result == BZ_DATA_ERROR_MAGIC) throw corrupt_data{"what follows the last stream is no bzip2 data"};
    if (result != BZ_OK && result != BZ_STREAM_END) throw corrupt_data{"data or its checksum is wrong"};
    between_streams_ = result == BZ_STREAM_END;
  }
  bool complete() const override { return between_streams_; }

 private:
  void begin() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream stream_{};
  bool between_streams_ = false;
};

}  // namespace

std::unique_ptr<decoder> make_bzip2_decoder() { return std::make_unique<bzip2_decoder>(); }

}  // namespace kleene::io::detail
