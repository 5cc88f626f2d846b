#include "operations/kept_files.hpp"

#include "kleene/data/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace kleene::kept {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digest_digits = 32;

std::string bytes_of(const fs::path& path) {
  std::error_code none;
  const auto size = fs::file_size(path, none);
  std::string held(none ? 0 : size, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(held.data(), static_cast<std::streamsize>(held.size()));
  held.resize(static_cast<std::size_t>(in.gcount()));
  return held;
}

// Has the disk hold the file: what is renamed before may be found cut off after a crash.
bool write_out(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = ::fsync(file) == 0;
  ::close(file);
  return done;
}

}  // namespace

std::string digest(const std::string& text) {
  char shown[digest_digits + 1];
  std::uint64_t h[2] = {0xcbf29ce484222325, 0x9ae16a3b2f90404f};
  for (const unsigned char c : text)
    for (std::uint64_t& x : h) x = (x ^ c) * 0x100000001b3;
  std::snprintf(shown, sizeof shown, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
  return shown;
}

fs::path folder(const std::string& asked) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (!asked.empty()) return asked;
  if (const auto named = variable("KLEENE_CACHE"); !named.empty()) return named;
  if (const auto named = variable("XDG_CACHE_HOME"); !named.empty()) return fs::path(named) / "kleene";
  if (const auto home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "kleene";
  throw error(fault_code::usage, "a ring at run time is kept in a folder, and nothing names one: KLEENE_CACHE or HOME");
}

std::string stamp(const fs::path& path) {
  std::error_code none;
  return path.string() + ' ' + std::to_string(fs::file_size(path, none)) + ' ' +
         std::to_string(fs::last_write_time(path, none).time_since_epoch().count()) + '\n';
}

std::optional<std::string> read(const fs::path& path) {
  std::string held = bytes_of(path);
  if (held.size() <= digest_digits) return {};
  const std::string end = held.substr(held.size() - digest_digits);
  held.resize(held.size() - digest_digits);
  if (digest(held) != end) return {};
  return held;
}

workshop::workshop(const fs::path& path) : path_(path) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::string folder = path.parent_path() / "making-XXXXXX";
  if (!::mkdtemp(folder.data()))
    throw error(fault_code::bad_input, folder + ": a folder that cannot be made there (KLEENE_CACHE names another)");
  at_ = folder;
}

workshop::~workshop() {
  std::error_code ignored;
  fs::remove_all(at_, ignored);
}

void workshop::keep(const std::string& made) const {
  const fs::path file = at_ / made;
  const std::string end = digest(bytes_of(file));
  std::ofstream out(file, std::ios::binary | std::ios::app);
  const bool written = out.write(end.data(), static_cast<std::streamsize>(end.size())) && out.flush();
  if (!written || !write_out(file)) throw error(fault_code::bad_input, file.string() + ": " + std::strerror(errno));
  fs::rename(file, path_);
}

}  // namespace kleene::kept
