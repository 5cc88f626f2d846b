// Readers and writers at their edge: what the standard library cannot get memory for is error(memory), as everywhere
// else.
#pragma once

#include "kleene/data/error.hpp"

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace kleene::io::detail {

// Runs work(), which reads the file. The message tells its size: what is made of it takes about as much.
template <class Work>
auto with_memory_of(const std::string& path, const Work& work) {
  struct stat about{};
  const double bytes = ::stat(path.c_str(), &about) == 0 ? static_cast<double>(about.st_size) : 0.0;
  return kleene::detail::with_memory(path.c_str(), bytes, work);
}

// The same of a file whose name is a view: the string is of its own account.
template <class Work>
auto with_memory_of(std::string_view path, const Work& work) {
  return kleene::detail::with_memory("the name of a file", static_cast<double>(path.size()),
                                     [&] { return with_memory_of(std::string(path), work); });
}

}  // namespace kleene::io::detail
