#include "kleene/io/input.hpp"

#include "io/decoder.hpp"
#include "io/descriptor.hpp"
#include "io/memory.hpp"
#include "io/words.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

namespace kleene::io {

namespace {

[[noreturn]] void cannot_read(const std::string& path, int reason) {
  throw error(fault_code::bad_input, fmt::format("cannot read {}: {}", path, std::strerror(reason)));
}

}  // namespace

struct input::decompression {
  std::unique_ptr<detail::decoder> decoder;
  detail::decoder::buffers at;
  unsigned char bytes[1 << 16];
};

input::input(const std::string& path) {
  detail::with_memory_of(path, [&] {
    detail::require_name(path);
    path_ = path;
    file_ = detail::open_file(AT_FDCWD, path_.c_str(), O_RDONLY);
    if (file_ < 0) cannot_read(path_, errno);
    try {
      begin();
    } catch (...) {
      ::close(file_);
      throw;
    }
  });
}

input::input(const std::string& name, std::string_view bytes, std::unique_ptr<detail::decoder> decoder,
             std::uint64_t most)
    : path_(name), memory_(bytes), compression_("zip"), decompression_(std::make_unique<decompression>()) {
  decompression_->decoder = std::move(decoder);
  most_content_ = most;
  started_ = decompress(start_, sizeof start_);
}

void input::begin() {
  struct stat about{};
  if (::fstat(file_, &about) != 0) cannot_read(path_, errno);
  if (S_ISDIR(about.st_mode)) cannot_read(path_, EISDIR);
  started_ = read_file(start_, sizeof start_);
  std::uint64_t ratio = 1;
  if (const detail::compression* found = detail::compression_of(start())) {
    if (!found->make)
      throw error(
          fault_code::bad_input,
          fmt::format("{} is compressed by {}, and this build of Kleene is without {}, which reads it (it reads {})",
                      path_, found->name, found->library, compressions()));
    compression_ = found->name;
    ratio = found->most_ratio;
    decompression_ = std::make_unique<decompression>();
    decompression_->decoder = found->make();
    std::memcpy(decompression_->bytes, start_, started_);
    decompression_->at.next = decompression_->bytes;
    decompression_->at.left = started_;
    started_ = decompress(start_, sizeof start_);
    if (const detail::compression* inner = detail::compression_of(start()))
      throw error(fault_code::bad_input,
                  fmt::format("{}: compressed twice, by {} and inside it by {}: decompress it once first", path_,
                              found->name, inner->name));
  }
  if (const std::size_t mark = detail::byte_order_mark(start()); mark > 0) {
    const bool whole = started_ < sizeof start_;
    started_ -= mark;
    std::memmove(start_, start_ + mark, started_);
    if (!whole) started_ += decompression_ ? decompress(start_ + started_, mark) : read_file(start_ + started_, mark);
  }
  most_content_ = std::numeric_limits<std::uint64_t>::max();
  if (S_ISREG(about.st_mode) && about.st_size > 0)  // 0: also what the kernel says of files that it makes up
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(about.st_size), ratio, &most_content_))
      most_content_ = std::numeric_limits<std::uint64_t>::max();
}

input::~input() {
  if (file_ >= 0) ::close(file_);
}

std::size_t input::read(void* to, std::size_t bytes) {
  std::size_t done = 0;
  if (offset_ < started_) {
    done = std::min<std::size_t>(bytes, started_ - offset_);
    std::memcpy(to, start_ + offset_, done);
  }
  offset_ += done;  // before the rest: a refusal says how much content came before it
  if (done == bytes) return done;
  char* rest = static_cast<char*>(to) + done;
  const std::size_t more = decompression_ ? decompress(rest, bytes - done) : read_file(rest, bytes - done);
  offset_ += more;
  return done + more;
}

std::size_t input::read_file(void* to, std::size_t bytes) {
  std::size_t done = 0;
  if (file_ < 0) {
    done = memory_.copy(static_cast<char*>(to), bytes);
    memory_.remove_prefix(done);
    return done;
  }
  while (done < bytes) {
    const ssize_t got = ::read(file_, static_cast<char*>(to) + done, std::min<std::size_t>(bytes - done, 1u << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(path_, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t input::decompress(char* to, std::size_t bytes) {
  detail::decoder& decoder = *decompression_->decoder;
  detail::decoder::buffers& at = decompression_->at;
  at.to = reinterpret_cast<unsigned char*>(to);
  at.room = bytes;
  const auto content = [&] {
    const std::uint64_t count = offset_ + bytes - at.room;
    return fmt::format("{} {}", count, count == 1 ? "byte" : "bytes");
  };
  while (at.room > 0) {
    if (at.left == 0 && !at.last) {
      at.next = decompression_->bytes;
      at.left = read_file(decompression_->bytes, sizeof decompression_->bytes);
      at.last = at.left < sizeof decompression_->bytes;
    }
    const std::size_t left = at.left, room = at.room;
    try {
      decoder.step(at);
    } catch (const detail::corrupt_data& found) {
      throw error(fault_code::bad_input, fmt::format("{}: corrupt {} data after {} of content ({})", path_,
                                                     compression_, content(), found.why));
    } catch (const detail::not_enough_memory& needed) {
      throw error(fault_code::memory,
                  fmt::format("{}: {:.0f} bytes of memory are needed to decompress it, {} are available", path_,
                              needed.bytes, available_memory()));
    } catch (const std::bad_alloc&) {
      throw error(fault_code::memory, path_ + ": no memory to decompress it");
    }
    if (at.left < left || at.room < room) continue;
    if (!at.last && at.left == 0) continue;
    if (decoder.complete() && at.left == 0) break;
    throw error(fault_code::bad_input,
                fmt::format("{}: truncated {} data: it ends after {} of content", path_, compression_, content()));
  }
  return bytes - at.room;
}

std::string read_whole(input& in) {
  constexpr std::uint64_t guess = 1 << 16;  // for content of unknown size
  std::string text;
  std::size_t have = 0;
  // One byte more than a plain file has: a short read is how the end shows.
  std::size_t room =
      !in.compression().empty() || in.most_content() > (std::uint64_t{1} << 48) ? guess : in.most_content() + 1;
  try {
    for (;; room *= 2) {
      text.resize(room);
      have += in.read(text.data() + have, room - have);
      if (have < room) break;
    }
    text.resize(have);
  } catch (const std::bad_alloc&) {
    throw error(fault_code::memory, fmt::format("{}: cannot hold its content, {} bytes at least", in.path(), have));
  }
  return text;
}
std::string read_whole(const std::string& path) {
  input in(path);
  return read_whole(in);
}

void require_memory(const std::string& path, double bytes) {
  if (const std::size_t available = available_memory(); bytes > static_cast<double>(available))
    throw error(fault_code::memory,
                fmt::format("{}: {:.0f} bytes of memory are needed, {} are available", path, bytes, available));
}

}  // namespace kleene::io
