// A file that lives in memory and is seen under several names, which differ in their suffix.
#pragma once

#include "fuzz/finding.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace kleene::fuzz {

class memory_file {
 public:
  memory_file() : file_(::memfd_create("fuzz", 0)) {
    std::string folder = (std::filesystem::temp_directory_path() / "kleene-fuzz-XXXXXX").string();
    require(file_ >= 0 && ::mkdtemp(folder.data()), "no file in memory, or no folder");
    folder_ = folder;
  }
  ~memory_file() {
    ::close(file_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  // The path of a name, which leads to this file.
  std::string path(const std::string& name) const {
    const std::filesystem::path link = folder_ / name;
    if (!std::filesystem::is_symlink(link))
      std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(file_), link);
    return link.string();
  }
  void hold(std::string_view content) {
    require(::ftruncate(file_, 0) == 0, "a file in memory cannot be emptied");
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t wrote = ::pwrite(file_, content.data() + done, content.size() - done, static_cast<off_t>(done));
      require(wrote > 0, "a file in memory cannot be written");
      done += static_cast<std::size_t>(wrote);
    }
  }
  // A path of an ordinary file beside it, for what is written.
  std::string beside(const std::string& name) const { return (folder_ / name).string(); }

 private:
  int file_;
  std::filesystem::path folder_;
};

inline std::string_view text_of(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace kleene::fuzz
