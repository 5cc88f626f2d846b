#include "io/temporary.hpp"

#include "io/descriptor.hpp"
#include "kleene/io/atomic_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>

namespace kleene::io {

namespace {

// A slot's name is written while it is claimed and read while it is pending; memory of fixed size, since a handler may
// neither allocate nor lock.
enum slot_state : int { vacant, claimed, pending };
struct slot {
  std::atomic<int> state{vacant};
  int folder;
  char name[40];
};
constexpr int slots = 32;
slot temporaries[slots];
static_assert(std::atomic<int>::is_always_lock_free);

// ".kleene-HHHHHHHH-PPPPPPPP-SSSSSSSS.part": host, process, serial number.
constexpr std::string_view suffix = ".part";
constexpr std::size_t name_length = 39;

const std::string& prefix_of_this_host() {
  static const std::string prefix = [] {
    utsname host{};
    ::uname(&host);
    const auto* name = reinterpret_cast<const Bytef*>(host.nodename);
    return fmt::format(".kleene-{:08x}-", ::crc32(0, name, static_cast<uInt>(std::strlen(host.nodename))));
  }();
  return prefix;
}

bool is_temporary_of_this_host(std::string_view name) {
  return name.size() == name_length && name.starts_with(prefix_of_this_host()) && name.ends_with(suffix);
}

// The lock is held from here to the removal, so that the name stays that of the file that was looked at.
void remove_if_abandoned(int folder, const char* name) {
  const int file = detail::open_file(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat locked{}, named{};
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &locked) == 0 && S_ISREG(locked.st_mode) &&
      ::fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && locked.st_dev == named.st_dev &&
      locked.st_ino == named.st_ino)
    ::unlinkat(folder, name, 0);
  ::close(file);
}

// Whether this is the first call in this process for this folder. Its path counts too: a new folder often gets the
// number of one that was removed.
bool first_visit(int folder, const std::string& path) {
  static std::mutex mutex;
  static std::set<std::tuple<dev_t, ino_t, std::string>> visited;
  struct stat about{};
  if (::fstat(folder, &about) != 0) return false;
  const std::lock_guard hold(mutex);
  return visited.emplace(about.st_dev, about.st_ino, path).second;
}

}  // namespace

void remove_pending_files() noexcept {
  const int kept = errno;
  for (slot& s : temporaries)
    if (s.state == pending) ::unlinkat(s.folder, s.name, 0);
  errno = kept;
}

namespace detail {

std::string next_temporary_name() {
  static std::atomic<unsigned> serial{0};
  return fmt::format("{}{:08x}-{:08x}{}", prefix_of_this_host(), static_cast<unsigned>(::getpid()), serial++, suffix);
}

int list_temporary(int folder, const std::string& name) noexcept {
  static_assert(sizeof slot::name > name_length);
  for (int s = 0; s < slots; ++s) {
    int expected = vacant;
    if (!temporaries[s].state.compare_exchange_strong(expected, claimed)) continue;
    temporaries[s].folder = folder;
    std::memcpy(temporaries[s].name, name.c_str(), name_length + 1);
    temporaries[s].state = pending;
    return s;
  }
  return -1;
}

void unlist_temporary(int slot) noexcept { temporaries[slot].state = vacant; }

bool lock_temporary(int file) noexcept {
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat about{};
  return ::fstat(file, &about) != 0 || about.st_nlink > 0;
}

void sweep_temporaries(int folder, const std::string& path) noexcept try {
  if (!first_visit(folder, path)) return;
  const int list = open_file(folder, ".", O_RDONLY | O_DIRECTORY);
  if (list < 0) return;
  DIR* const entries = ::fdopendir(list);
  if (!entries) {
    ::close(list);
    return;
  }
  while (const dirent* entry = ::readdir(entries))
    if (is_temporary_of_this_host(entry->d_name)) remove_if_abandoned(folder, entry->d_name);
  ::closedir(entries);
} catch (...) {  // no memory for a set of folders: the next run sweeps
}

}  // namespace detail
}  // namespace kleene::io
