#include "kleene/grid/detail/shared_file.hpp"

#include "io/descriptor.hpp"
#include "io/replaced_file.hpp"
#include "kleene/data/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace kleene::detail {

namespace {

[[noreturn]] void refuse(const std::string& path, int reason) {
  throw error(fault_code::bad_input, path + ": " + std::generic_category().message(reason));
}

// Moves all bytes by calls that may each move fewer.
template <class Move>
int move_all(std::size_t bytes, const Move& move) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = move(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) return -1;
    done += static_cast<std::size_t>(moved);
  }
  return 0;
}

}  // namespace

shared_file::shared_file(const std::string& path, mode m, const std::string& in_place_of) : path_(path) {
  io::detail::require_name(path);
  // What is written aside has a name that others can guess: no link that somebody put there is followed.
  const int flags = m == mode::read    ? O_RDONLY
                    : m == mode::write ? O_RDWR | O_NOFOLLOW
                                       : O_RDWR | O_NOFOLLOW | O_CREAT | O_EXCL;
  if (m == mode::create && ::unlink(path.c_str()) != 0 && errno != ENOENT) fail(errno);
  const bool replaces = !in_place_of.empty() && ::access(in_place_of.c_str(), F_OK) == 0;
  file_ = io::detail::open_file(AT_FDCWD, path.c_str(), flags, replaces ? 0600 : 0666);
  if (file_ < 0) fail(errno);
  if (!replaces) return;
  try {
    io::detail::take_owner(file_, in_place_of);
  } catch (...) {
    ::close(file_);
    std::remove(path.c_str());
    throw;
  }
}
shared_file::~shared_file() { ::close(file_); }

void shared_file::read(std::uint64_t at, void* to, std::size_t bytes) const {
  const int reason = move_all(bytes, [&](std::size_t done) {
    return ::pread(file_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(at + done));
  });
  if (reason < 0) throw error(fault_code::bad_input, path_ + ": the file ends within its elements");
  if (reason > 0) fail(reason);
}
void shared_file::write(std::uint64_t at, const void* from, std::size_t bytes) const {
  const int reason = move_all(bytes, [&](std::size_t done) {
    return ::pwrite(file_, static_cast<const char*>(from) + done, bytes - done, static_cast<off_t>(at + done));
  });
  if (reason != 0) fail(reason < 0 ? EIO : reason);
}
void shared_file::reserve(std::uint64_t bytes) const {
  const int reason = bytes > 0 ? ::posix_fallocate(file_, 0, static_cast<off_t>(bytes)) : 0;
  if (reason == EINVAL || reason == EOPNOTSUPP) return;  // a file system that cannot: writing will tell
  if (reason != 0) fail(reason);
}
void shared_file::sync() const {
  if (::fsync(file_) != 0 && errno != EINVAL) fail(errno);
}
void shared_file::fail(int reason) const { refuse(path_, reason); }

std::string replaced_name(const std::string& path) { return io::detail::replaced_name(path); }
void rename_synced(const std::string& from, const std::string& to) {
  io::detail::take_mode(from, to);
  if (std::rename(from.c_str(), to.c_str()) != 0) refuse(to, errno);
  const std::size_t slash = to.rfind('/');
  const std::string folder = slash == to.npos ? "." : slash == 0 ? "/" : to.substr(0, slash);
  const int at = io::detail::open_file(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (at < 0) refuse(folder, errno);
  const int reason = ::fsync(at) != 0 && errno != EINVAL ? errno : 0;
  ::close(at);
  if (reason != 0) refuse(folder, reason);
}

}  // namespace kleene::detail
