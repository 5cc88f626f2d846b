#include "kleene/io/atomic_file.hpp"

#include "kleene/data/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace kleene::io {

namespace {

// The temporaries that a signal handler would remove. A slot's name is written while it is claimed and read while it is
// pending; memory of fixed size, since a handler may neither allocate nor lock.
enum slot_state : int { vacant, claimed, pending };
struct slot {
  std::atomic<int> state{vacant};
  char name[4096];
};
constexpr int slots = 32;
slot table[slots];
static_assert(std::atomic<int>::is_always_lock_free);

std::atomic<unsigned> serial{0};

// -1: none is vacant, or the name is too long.
int claim(const std::string& name) {
  if (name.size() >= sizeof table[0].name) return -1;
  for (int s = 0; s < slots; ++s) {
    int expected = vacant;
    if (!table[s].state.compare_exchange_strong(expected, claimed)) continue;
    std::memcpy(table[s].name, name.c_str(), name.size() + 1);
    table[s].state = pending;
    return s;
  }
  return -1;
}

constexpr std::size_t gather = std::size_t{1} << 20;

}  // namespace

void remove_pending_files() noexcept {
  const int kept = errno;
  for (slot& s : table)
    if (s.state == pending) ::unlink(s.name);
  errno = kept;
}

atomic_file::atomic_file(const std::string& path) : path_(path) {
  std::error_code problem;
  const std::filesystem::file_status about = std::filesystem::status(path, problem);
  const bool there = std::filesystem::exists(about);
  target_ = (there ? std::filesystem::canonical(path, problem) : std::filesystem::absolute(path, problem)).string();
  if (std::filesystem::is_directory(about)) fail(EISDIR);
  if (writes_directly(path)) {  // renaming would replace the node itself
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  if (problem) fail(problem.value());
  // Listed before it exists: a signal in between finds nothing to remove, one after finds the file.
  do {
    if (slot_ >= 0) table[slot_].state = vacant;
    temporary_ = fmt::format("{}.{}-{}.part", target_, ::getpid(), serial++);
    slot_ = claim(temporary_);
    if (slot_ < 0) fail(temporary_.size() >= sizeof table[0].name ? ENAMETOOLONG : EMFILE);
    file_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) {
    const int reason = errno;
    table[slot_].state = vacant;
    fail(reason);
  }
}

atomic_file::~atomic_file() {
  if (memory_) ::munmap(memory_, memory_bytes_);
  if (file_ >= 0) ::close(file_);
  if (slot_ < 0) return;
  ::unlink(temporary_.c_str());
  table[slot_].state = vacant;
}

void atomic_file::write(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const char* from = static_cast<const char*>(data);
  if (gathered_.size() + bytes > gather) flush();
  if (bytes >= gather)
    send(from, bytes);
  else
    gathered_.append(from, bytes);
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

bool atomic_file::writes_directly(const std::string& path) {
  std::error_code problem;
  const std::filesystem::file_status about = std::filesystem::status(path, problem);
  return std::filesystem::exists(about) && !std::filesystem::is_regular_file(about) &&
         !std::filesystem::is_directory(about);
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
  const int closed = ::close(file_);  // network file systems report a full disk here
  file_ = -1;
  if (closed != 0) fail(errno);
  if (slot_ < 0) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  table[slot_].state = vacant;
  slot_ = -1;
}

void atomic_file::fail(int reason) const {
  throw error(fault_code::bad_input, fmt::format("cannot write {}: {}", path_, std::strerror(reason)));
}

}  // namespace kleene::io
