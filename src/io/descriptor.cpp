#include "io/descriptor.hpp"

#include "kleene/data/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kleene::io::detail {

namespace {

// Holds those of 0, 1 and 2 that are free while a file is opened. Opening and moving up would leave a moment in which
// another thread's line on stderr goes into the file. "/" opened as a path can be neither read nor written.
class low_descriptors {
 public:
  low_descriptors() noexcept {
    for (int at; (at = ::open("/", O_PATH | O_CLOEXEC)) >= 0; held_[count_++] = at)
      if (at > 2) {
        ::close(at);
        return;
      }
  }
  ~low_descriptors() {
    const int kept = errno;
    while (count_ > 0) ::close(held_[--count_]);
    errno = kept;
  }
  low_descriptors(const low_descriptors&) = delete;
  low_descriptors& operator=(const low_descriptors&) = delete;

 private:
  int held_[3] = {};
  int count_ = 0;
};

}  // namespace

void require_name(const std::string& path) {
  if (path.empty()) throw error(fault_code::bad_input, "the name of a file is empty");
  if (const std::size_t zero = path.find('\0'); zero != path.npos)
    throw error(fault_code::bad_input, "a zero byte in the name of a file, after '" + path.substr(0, zero) + "'");
}

int open_file(int folder, const char* name, int flags, mode_t mode) noexcept {
  // More than once: where two threads open files at once, one may let go what the other has counted on.
  for (int attempt = 0; attempt < 8; ++attempt) {
    const low_descriptors held;
    int file;
    do file = ::openat(folder, name, flags | O_CLOEXEC, mode);
    while (file < 0 && errno == EINTR);
    if (file < 0 || file > 2) return file;
    if (flags & O_CREAT) ::unlinkat(folder, name, 0);
    ::close(file);
  }
  errno = EMFILE;  // the low ones cannot be held: there are no others
  return -1;
}

}  // namespace kleene::io::detail
