// The .xz file format (Collin, 1.1.0), streams one after another and padding between them, zeros by fours, as xz reads
// them (liblzma, asked to, calls whatever is behind the last one wrong data). The dictionary that a file asks for must
// fit into the memory there is.
#include "io/decoder.hpp"

#include "kleene/data/context.hpp"

#include <lzma.h>

#include <new>

namespace kleene::io::detail {

namespace {

class xz_decoder final : public decoder {
 public:
  xz_decoder() { begin(); }
  ~xz_decoder() override { lzma_end(&stream_); }
  xz_decoder(const xz_decoder&) = delete;
  xz_decoder& operator=(const xz_decoder&) = delete;

  void step(buffers& b) override {
    if (between_streams_) {
      for (; b.left > 0 && *b.next == 0; --b.left, ++b.next) ++padding_;
      if (b.left == 0) return;
      if (padding_ % 4 != 0 || *b.next != 0xfd) throw corrupt_data{behind};
      begin();
    }
    stream_.next_in = b.next;
    stream_.avail_in = b.left;
    stream_.next_out = b.to;
    stream_.avail_out = b.room;
    const lzma_ret result = lzma_code(&stream_, b.last ? LZMA_FINISH : LZMA_RUN);
    b.next = stream_.next_in;
    b.left = stream_.avail_in;
    b.to = stream_.next_out;
    b.room = stream_.avail_out;
    between_streams_ = result == LZMA_STREAM_END;
    if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (result == LZMA_MEMLIMIT_ERROR) throw not_enough_memory{static_cast<double>(lzma_memusage(&stream_))};
    if (const char* why = words(result)) throw corrupt_data{why};
  }
  bool complete() const override { return between_streams_ && padding_ % 4 == 0; }

 private:
  static constexpr const char* behind = "what follows the last stream is no xz data";

  void begin() {
    if (lzma_stream_decoder(&stream_, available_memory(), LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK)
      throw std::bad_alloc();
    between_streams_ = false;
    padding_ = 0;
  }
  // Null: nothing is wrong.
  static const char* words(lzma_ret result) {
    switch (result) {
      case LZMA_OK:
      case LZMA_STREAM_END:
      case LZMA_BUF_ERROR:
        return nullptr;
      case LZMA_UNSUPPORTED_CHECK:
        return "a check of a kind that liblzma does not know";
      case LZMA_FORMAT_ERROR:  // of the first stream the magic is right
        return behind;
      case LZMA_OPTIONS_ERROR:
        return "a filter or an option that liblzma does not know";
      default:
        return "data or its check is wrong";
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool between_streams_ = false;
  std::size_t padding_ = 0;
};

}  // namespace

std::unique_ptr<decoder> make_xz_decoder() { return std::make_unique<xz_decoder>(); }

}  // namespace kleene::io::detail
