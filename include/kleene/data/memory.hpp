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

// Asks for large pages before that memory is first written: Linux gives 4 GiB in pages of 4 KiB in 1.3 s, of 2 MiB in
// 0.2 s (one thread of a Zen 5). Does nothing where there are none.
void advise_large_pages(void* p, std::size_t bytes) noexcept;

}  // namespace kleene::detail
