#include "kleene/io/atomic_file.hpp"

#include "io/descriptor.hpp"
#include "io/replaced_file.hpp"
#include "io/temporary.hpp"
#include "kleene/data/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace kleene::io {

namespace {

constexpr std::size_t gather = std::size_t{1} << 20;

bool same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

atomic_file::atomic_file(const std::string& path) : path_(path) {
  detail::require_name(path);
  try {
    open();
  } catch (...) {
    discard();
    throw;
  }
}

atomic_file::~atomic_file() { discard(); }

void atomic_file::open() {
  // Standard output goes on, whatever it is: renaming would lose what a redirected file holds, or gets later.
  if (is_standard_output(path_)) {
    file_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (file_ < 0) fail(errno);
    return;
  }
  struct stat target{};
  const bool there = ::stat(path_.c_str(), &target) == 0;
  if (!there && errno != ENOENT) fail(errno);
  if (there && S_ISDIR(target.st_mode)) fail(EISDIR);
  if (there && !S_ISREG(target.st_mode)) {  // renaming would replace the node itself
    file_ = detail::open_file(AT_FDCWD, path_.c_str(), O_WRONLY);
    if (file_ < 0) fail(errno);
    return;
  }
  detail::place at;
  if (const int reason = detail::resolve(path_, at)) fail(reason);
  name_ = at.name;
  folder_ = detail::open_file(AT_FDCWD, at.folder.c_str(), O_PATH | O_DIRECTORY);
  if (folder_ < 0) fail(errno);
  if (there) {
    struct stat named{};
    if (::fstatat(folder_, name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) fail(errno);
    if (!same(target, named)) fail(ENOENT);  // /dev/fd/5, where that is a file that was removed
    if (::faccessat(folder_, name_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
    mode_ = static_cast<int>(target.st_mode & 07777);
  }
  detail::sweep_temporaries(folder_, at.folder);
  open_temporary();
  if (there) keep_owner(target.st_uid, target.st_gid);
}

void atomic_file::discard() noexcept {
  if (memory_) ::munmap(memory_, memory_bytes_);
  if (slot_ >= 0) {
    ::unlinkat(folder_, temporary_.c_str(), 0);
    detail::unlist_temporary(slot_);
  }
  if (file_ >= 0) ::close(file_);
  if (folder_ >= 0) ::close(folder_);
}

// One mechanism, a named temporary. Without a name (O_TMPFILE) a killed writer would leave nothing, but to replace a
// file it needs a name at the end all the same, and not every file system has it.
void atomic_file::open_temporary() {
  for (;;) {
    temporary_ = detail::next_temporary_name();
    // Listed before it exists: a signal in between finds nothing to remove, one after finds the file.
    slot_ = detail::list_temporary(folder_, temporary_);
    if (slot_ < 0) fail(EMFILE);
    // The mode of the other file comes last: it need not let anybody, a sweep included, open the temporary.
    const mode_t mode = mode_ < 0 ? 0666 : 0600;
    file_ = detail::open_file(folder_, temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL, mode);
    if (file_ < 0 && errno != EEXIST) fail(errno);
    if (file_ >= 0 && detail::lock_temporary(file_)) return;
    detail::unlist_temporary(slot_);
    slot_ = -1;
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
}

void atomic_file::keep_owner(unsigned user, unsigned group) {
  if (const std::string fault = detail::owner_fault(file_, user, group); !fault.empty()) fail(fault);
}

void atomic_file::write(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const char* from = static_cast<const char*>(data);
  if (gathered_.size() + bytes > gather) flush();
  if (bytes >= gather) send(from, bytes);
  else gathered_.append(from, bytes);
}

// fallocate, not posix_fallocate: where the file system cannot reserve, that writes into every block, and write() does
// better.
void* atomic_file::map(std::size_t bytes) {
  if (slot_ < 0) return nullptr;
  int refused;
  do refused = ::fallocate(file_, 0, 0, static_cast<off_t>(bytes));
  while (refused && errno == EINTR);
  if (refused && (errno == EOPNOTSUPP || errno == ENOSYS)) return nullptr;
  if (refused) fail(errno);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) {
    if (::ftruncate(file_, 0) != 0) fail(errno);
    return nullptr;
  }
  memory_ = memory, memory_bytes_ = bytes;
  return memory_;
}

bool atomic_file::is_standard_output(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

bool atomic_file::writes_directly(const std::string& path) {
  if (is_standard_output(path)) return true;
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

std::string atomic_file::identity(const std::string& path) {
  const auto number = [](const struct stat& about) {
    return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
  };
  struct stat about{};
  const bool prints = is_standard_output(path);  // a name that not every machine has
  if ((prints ? ::fstat(STDOUT_FILENO, &about) : ::stat(path.c_str(), &about)) == 0) {
    if (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) return number(about);
    return prints ? "standard output" : "";
  }
  detail::place there;
  if (detail::resolve(path, there) != 0 || ::stat(there.folder.c_str(), &about) != 0) return "";
  return number(about) + "/" + there.name;
}

bool atomic_file::same_file(const std::string& one, const std::string& other) {
  const std::string first = identity(one);
  return !first.empty() && first == identity(other);
}

void atomic_file::flush() {
  send(gathered_.data(), gathered_.size());
  gathered_.clear();
}

void atomic_file::send(const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = ::write(file_, data, std::min<std::size_t>(bytes, 1u << 30));
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) fail(errno);
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void atomic_file::commit() {
  flush();
  struct stat ours{};
  if (mode_ >= 0 && ::fstat(file_, &ours) != 0) fail(errno);
  if (mode_ >= 0 && static_cast<int>(ours.st_mode & 07777) != mode_ && ::fchmod(file_, static_cast<mode_t>(mode_)) != 0)
    fail(errno);
  // Closed before it gets its name, since network file systems report a full disk here. The second descriptor keeps the
  // lock: a sweep in between would remove the file.
  const int lock = slot_ < 0 ? -1 : ::fcntl(file_, F_DUPFD_CLOEXEC, 3);
  if (slot_ >= 0 && lock < 0) fail(errno);
  const int closed = ::close(file_);
  file_ = lock;
  if (closed != 0) fail(errno);
  if (slot_ < 0) return;
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) fail(errno);
  detail::unlist_temporary(slot_);
  slot_ = -1;
  ::close(file_);
  file_ = -1;
}

void atomic_file::fail(int reason) const { fail(std::string(std::strerror(reason))); }
void atomic_file::fail(const std::string& reason) const {
  throw error(fault_code::bad_input, fmt::format("cannot write {}: {}", path_, reason));
}

}  // namespace kleene::io
