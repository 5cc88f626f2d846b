#include "io/replaced_file.hpp"

#include "io/descriptor.hpp"
#include "kleene/data/error.hpp"
#include "kleene/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace kleene::io::detail {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw error(fault_code::bad_input, path + ": " + reason);
}

}  // namespace

int resolve(std::string path, place& to) {
  constexpr int most_links = 40;  // as the kernel
  for (int links = 0; links <= most_links; ++links) {
    const std::size_t slash = path.find_last_of('/');
    to.folder = slash == path.npos ? "./" : path.substr(0, slash + 1);
    to.name = path.substr(slash + 1);  // npos + 1 is 0
    if (path.empty()) return ENOENT;
    if (to.name.empty() || to.name == "." || to.name == "..") return EISDIR;
    char link[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), link, sizeof link);
    if (length < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;  // no link, nothing there yet
    const std::string next(link, static_cast<std::size_t>(length));
    path = next.starts_with('/') ? next : to.folder + next;
  }
  return ELOOP;
}

std::string owner_fault(int file, unsigned user, unsigned group) {
  struct stat ours{};
  if (::fstat(file, &ours) != 0) return std::strerror(errno);
  if (ours.st_uid == user && ours.st_gid == group) return {};
  const uid_t unchanged = static_cast<uid_t>(-1);
  if (::fchown(file, ours.st_uid == user ? unchanged : user, ours.st_gid == group ? unchanged : group) == 0) return {};
  return fmt::format(
      "it belongs to user {} and group {}, and the file that replaces it could not be given to them ({}); remove it "
      "first",
      user, group, std::strerror(errno));
}

std::string replaced_name(const std::string& path) {
  require_name(path);
  struct stat target{};
  const bool there = ::stat(path.c_str(), &target) == 0;
  if (!there && errno != ENOENT) refuse(path, std::strerror(errno));
  if (there && S_ISDIR(target.st_mode)) refuse(path, std::strerror(EISDIR));
  if (atomic_file::is_standard_output(path) || (there && !S_ISREG(target.st_mode)))
    refuse(path, "it is no file, and this output is not written from its start to its end: name a file");
  place at;
  if (const int reason = resolve(path, at)) refuse(path, std::strerror(reason));
  const std::string found = (at.folder == "./" ? "" : at.folder) + at.name;
  if (!there) return found;
  struct stat named{};
  if (::lstat(found.c_str(), &named) != 0) refuse(path, std::strerror(errno));
  if (named.st_dev != target.st_dev || named.st_ino != target.st_ino) refuse(path, std::strerror(ENOENT));
  if (::faccessat(AT_FDCWD, found.c_str(), W_OK, AT_EACCESS) != 0) refuse(path, std::strerror(errno));
  return found;
}

void take_owner(int file, const std::string& replaced) {
  struct stat target{};
  if (::stat(replaced.c_str(), &target) != 0) return;
  const std::string fault = owner_fault(file, target.st_uid, target.st_gid);
  if (!fault.empty()) refuse(replaced, fault);
}

void take_mode(const std::string& aside, const std::string& replaced) {
  struct stat target{}, ours{};
  if (::stat(replaced.c_str(), &target) != 0) return;
  const int file = open_file(AT_FDCWD, aside.c_str(), O_RDONLY | O_NOFOLLOW);
  if (file < 0) refuse(aside, std::strerror(errno));
  // Where it is right already it stays: not every file system changes it.
  const bool is_right = ::fstat(file, &ours) == 0 && (ours.st_mode & 07777) == (target.st_mode & 07777);
  const int reason = !is_right && ::fchmod(file, target.st_mode & 07777) != 0 ? errno : 0;
  ::close(file);
  if (reason != 0) refuse(replaced, std::strerror(reason));
}

}  // namespace kleene::io::detail
