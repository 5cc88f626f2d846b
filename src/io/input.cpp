#include "kleene/io/input.hpp"

#include "io/descriptor.hpp"
#include "io/memory.hpp"
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

[[noreturn]] void cannot_read(const std::string& path, int reason) {
  throw error(fault_code::bad_input, fmt::format("cannot read {}: {}", path, std::strerror(reason)));
}

}  // namespace

// zlib's inflate and not its gzread, which does not notice a missing checksum when a read ends right before it.
struct input::inflater {
  z_stream stream{};
  bool between_members = false;  // all that was begun has ended, checksum included
  unsigned char bytes[1 << 16];

  inflater(const char* first, std::size_t count) {
    std::memcpy(bytes, first, count);
    stream.next_in = bytes;
    stream.avail_in = static_cast<uInt>(count);
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: a gzip wrapper, no other
  }
  ~inflater() { inflateEnd(&stream); }
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

void input::begin() {
  struct stat about{};
  if (::fstat(file_, &about) != 0) cannot_read(path_, errno);
  if (S_ISDIR(about.st_mode)) cannot_read(path_, EISDIR);
  started_ = read_file(start_, sizeof start_);
  if (start().starts_with("\x1f\x8b")) {
    inflater_ = std::make_unique<inflater>(start_, started_);
    started_ = inflate(start_, sizeof start_);
  }
  most_content_ = std::numeric_limits<std::uint64_t>::max();
  if (S_ISREG(about.st_mode) && about.st_size > 0)  // 0: also what the kernel says of files that it makes up
    most_content_ = static_cast<std::uint64_t>(about.st_size) * (gzip() ? 1032 : 1);
}

input::~input() { ::close(file_); }

std::size_t input::read(void* to, std::size_t bytes) {
  std::size_t done = 0;
  if (offset_ < started_) {
    done = std::min<std::size_t>(bytes, started_ - offset_);
    std::memcpy(to, start_ + offset_, done);
  }
  char* rest = static_cast<char*>(to) + done;
  if (done < bytes) done += gzip() ? inflate(rest, bytes - done) : read_file(rest, bytes - done);
  offset_ += done;
  return done;
}

std::size_t input::read_file(void* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(file_, static_cast<char*>(to) + done, std::min<std::size_t>(bytes - done, 1u << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(path_, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t input::inflate(char* to, std::size_t bytes) {
  inflater& gz = *inflater_;
  std::size_t done = 0;
  while (done < bytes) {
    if (gz.stream.avail_in == 0) {
      gz.stream.next_in = gz.bytes;
      gz.stream.avail_in = static_cast<uInt>(read_file(gz.bytes, sizeof gz.bytes));
      if (gz.stream.avail_in == 0 && gz.between_members) break;
      if (gz.stream.avail_in == 0)
        throw error(fault_code::bad_input,
                    fmt::format("{}: truncated gzip data: it ends after {} bytes of content", path_, offset_ + done));
    }
    if (gz.between_members) inflateReset(&gz.stream);
    const auto room = static_cast<uInt>(std::min<std::size_t>(bytes - done, 1u << 30));
    gz.stream.next_out = reinterpret_cast<Bytef*>(to + done);
    gz.stream.avail_out = room;
    const int result = ::inflate(&gz.stream, Z_NO_FLUSH);
    done += room - gz.stream.avail_out;
    gz.between_members = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR) throw error(fault_code::memory, path_ + ": no memory to inflate it");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      throw error(fault_code::bad_input,
                  fmt::format("{}: corrupt gzip data after {} bytes of content ({})", path_, offset_ + done,
                              gz.stream.msg ? gz.stream.msg : "a preset dictionary"));
  }
  return done;
}

std::string read_whole(input& in) {
  constexpr std::uint64_t guess = 1 << 16;  // for content of unknown size
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
