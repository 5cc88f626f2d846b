// How much memory is to be had. (available_memory() itself, for everybody, is in data/context.hpp.)
#pragma once

#include <cstddef>
#include <string>

namespace kleene::detail {

// The bytes that a process whose files of /proc and /sys/fs/cgroup lie below `root` (empty: this one) can get without
// swapping and without being killed: the least of what Linux calls available and what each memory cgroup above the
// process leaves, version 2 (memory.max) and 1 (memory.limit_in_bytes). In a cgroup the pages of files count as used,
// but the kernel takes them back before it kills: they count as available here, less a reserve of 1/64 of the limit for
// what it cannot take at once. The largest number where nothing says anything.
std::size_t available_memory_below(const std::string& root);

}  // namespace kleene::detail
