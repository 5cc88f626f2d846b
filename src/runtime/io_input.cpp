#include "kleene/io/input.hpp"

#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

namespace kleene::io {

namespace {

gzFile as_gz(void* handle) { return static_cast<gzFile>(handle); }

[[noreturn]] void cannot_read(const std::string& path, int reason) {
  throw error(fault_code::bad_input, fmt::format("cannot read {}: {}", path, std::strerror(reason)));
}

}  // namespace

void input::close::operator()(void* handle) const noexcept { gzclose_r(as_gz(handle)); }

input::input(std::string path) : path_(std::move(path)) {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) cannot_read(path_, errno);
  struct stat about {};
  const int failed = ::fstat(file, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
  if (!failed) handle_.reset(gzdopen(file, "rb"));
  if (!handle_) {
    ::close(file);
    cannot_read(path_, failed ? failed : ENOMEM);
  }
  gzbuffer(as_gz(handle_.get()), 1 << 18);
  gzip_ = !gzdirect(as_gz(handle_.get()));
  most_content_ = std::numeric_limits<std::uint64_t>::max();
  if (S_ISREG(about.st_mode)) most_content_ = static_cast<std::uint64_t>(about.st_size) * (gzip_ ? 1032 : 1);
  started_ = read_on(start_, sizeof start_);
}

std::size_t input::read(void* to, std::size_t bytes) {
  std::size_t done = 0;
  if (offset_ < started_) {
    done = std::min<std::size_t>(bytes, started_ - offset_);
    std::memcpy(to, start_ + offset_, done);
    offset_ += done;
  }
  if (done == bytes) return done;
  const std::size_t more = read_on(static_cast<char*>(to) + done, bytes - done);
  offset_ += more;
  return done + more;
}

std::size_t input::read_on(char* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const auto piece = static_cast<unsigned>(std::min<std::size_t>(bytes - done, 1u << 30));
    errno = 0;
    const int got = gzread(as_gz(handle_.get()), to + done, piece);
    const int reason = errno;
    int problem = Z_OK;
    const char* text = gzerror(as_gz(handle_.get()), &problem);
    if (got > 0) done += static_cast<std::size_t>(got);
    if (got < 0 && problem == Z_ERRNO) cannot_read(path_, reason);
    if (got < 0)
      throw error(fault_code::bad_input,
                  fmt::format("{}: corrupt gzip data after {} bytes of content ({})", path_, offset_ + done, text));
    if (static_cast<unsigned>(got) == piece) continue;
    // zlib reports a stream that stops in the middle only here, beside the bytes it could still give.
    if (problem == Z_BUF_ERROR)
      throw error(fault_code::bad_input,
                  fmt::format("{}: truncated gzip data: it ends after {} bytes of content", path_, offset_ + done));
    break;
  }
  return done;
}

std::string read_whole(input& in) {
  constexpr std::uint64_t guess = 1 << 20;  // for content of unknown size
  std::string text;
  std::size_t have = 0;
  // One byte more than a plain file has: a short read is how the end shows.
  std::size_t room = in.gzip() || in.most_content() > (std::uint64_t{1} << 48) ? guess : in.most_content() + 1;
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
