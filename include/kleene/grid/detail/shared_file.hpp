// A file of which several workers read or write parts, each through a descriptor of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kleene::detail {

class shared_file {
 public:
  enum class mode : int { read, write, create };

  // error(bad_input) with the path and the system's reason, here and below. What is created is a new file: one that
  // a killed program left is removed. To take the place of another one it is given its owner and group, and until then
  // nobody else may read it.
  shared_file(const std::string& path, mode m, const std::string& in_place_of = {});
  ~shared_file();
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;

  void read(std::uint64_t at, void* to, std::size_t bytes) const;
  void write(std::uint64_t at, const void* from, std::size_t bytes) const;
  // Takes the disk space of a file of that size, so that want of it is found before anything is written.
  void reserve(std::uint64_t bytes) const;
  void sync() const;

 private:
  [[noreturn]] void fail(int reason) const;

  std::string path_;
  int file_;
};

// The name that a file written aside is renamed to: links followed. error(bad_input) for what is no file.
std::string replaced_name(const std::string& path);
// A file's final name: it takes the place of what had it, with its permissions, whole, and stays there when the machine
// loses power.
void rename_synced(const std::string& from, const std::string& to);

}  // namespace kleene::detail
