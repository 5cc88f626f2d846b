// Where the tests of closures from file to file have their files.
#pragma once

#include "grid/grids.hpp"
#include "kleene/grid/file_closure.hpp"

#include <filesystem>
#include <iterator>
#include <string>

namespace kleene::test {

namespace fs = std::filesystem;

// Names of files in a folder that is gone afterwards.
class closure_files {
 public:
  closure_files() : folder_(temporary_name("files")) { fs::create_directories(folder_); }
  ~closure_files() { fs::remove_all(folder_); }
  closure_files(const closure_files&) = delete;
  closure_files& operator=(const closure_files&) = delete;
  std::string from() const { return folder_ + "/arcs.npy"; }
  std::string to() const { return folder_ + "/closed.npy"; }
  // How many there are.
  index_t count() const { return std::distance(fs::directory_iterator(folder_), {}); }

 private:
  std::string folder_;
};

}  // namespace kleene::test
