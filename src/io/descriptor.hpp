// Descriptors for files that are read or written: never 0, 1 or 2, so that nothing that is printed can get into one.
#pragma once

#include <sys/types.h>

#include <string>

namespace kleene::io::detail {

// error(bad_input) for what is no name: an empty one, or one with a zero byte, which the system would cut there.
void require_name(const std::string& path);

// openat(2) with O_CLOEXEC: the descriptor, at least 3; or -1 and errno.
int open_file(int folder, const char* name, int flags, mode_t mode = 0) noexcept;

}  // namespace kleene::io::detail
