// RFC 8878, frames one after another. Windows of up to 128 MiB, libzstd's own limit.
#include "io/decoder.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <new>

namespace kleene::io::detail {

namespace {

class zstd_decoder final : public decoder {
 public:
  zstd_decoder() : stream_(ZSTD_createDCtx()) {
    if (!stream_) throw std::bad_alloc();
  }
  ~zstd_decoder() override { ZSTD_freeDCtx(stream_); }
  zstd_decoder(const zstd_decoder&) = delete;
  zstd_decoder& operator=(const zstd_decoder&) = delete;

  void step(buffers& b) override {
    if (between_frames_ && b.left == 0) return;
    // A byte says it, where the library waits for all four of the magic; 0x50 to 0x5f start frames to be skipped.
    if (between_frames_ && *b.next != 0x28 && *b.next >> 4 != 5) throw corrupt_data{behind};
    first_ = first_ && !between_frames_;
    ZSTD_inBuffer in{b.next, b.left, 0};
    ZSTD_outBuffer out{b.to, b.room, 0};
    const std::size_t result = ZSTD_decompressStream(stream_, &out, &in);
    b.next += in.pos;
    b.left -= in.pos;
    b.to += out.pos;
    b.room -= out.pos;
    if (ZSTD_isError(result)) {
      const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
      if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (code == ZSTD_error_frameParameter_windowTooLarge) throw corrupt_data{"a window of more than 128 MiB"};
      if (code == ZSTD_error_checksum_wrong) throw corrupt_data{"its checksum is wrong"};
      if (code == ZSTD_error_prefix_unknown && !first_) throw corrupt_data{behind};
      throw corrupt_data{ZSTD_getErrorName(result)};
    }
    between_frames_ = result == 0;
  }
  bool complete() const override { return between_frames_; }

 private:
  static constexpr const char* behind = "what follows the last frame is no zstd data";

  ZSTD_DCtx* stream_;
  bool between_frames_ = false, first_ = true;
};

}  // namespace

std::unique_ptr<decoder> make_zstd_decoder() { return std::make_unique<zstd_decoder>(); }

}  // namespace kleene::io::detail
