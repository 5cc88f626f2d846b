// One step of zlib's inflate between a decoder's buffers.
#pragma once

#include "io/decoder.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace kleene::io::detail {

// Whether the compressed data has ended. Throws corrupt_data and std::bad_alloc.
inline bool inflate_step(z_stream& stream, decoder::buffers& b) {
  const auto give = static_cast<uInt>(std::min<std::size_t>(b.left, 1u << 30));
  const auto room = static_cast<uInt>(std::min<std::size_t>(b.room, 1u << 30));
  stream.next_in = const_cast<Bytef*>(b.next);
  stream.avail_in = give;
  stream.next_out = b.to;
  stream.avail_out = room;
  const int result = ::inflate(&stream, Z_NO_FLUSH);
  b.next += give - stream.avail_in;
  b.left -= give - stream.avail_in;
  b.to += room - stream.avail_out;
  b.room -= room - stream.avail_out;
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
    throw corrupt_data{stream.msg ? stream.msg : "a preset dictionary"};
  return result == Z_STREAM_END;
}

}  // namespace kleene::io::detail
