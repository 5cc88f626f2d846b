// Readers and writers at their edge: what the standard library cannot get memory for is error(memory), as everywhere
// else.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/sparse.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kleene::io::detail {

// Runs work(), which reads the file. The message tells its size: what is made of it takes about as much.
template <class Work>
auto with_memory_of(const std::string& path, const Work& work) {
  struct stat about{};
  const double bytes = ::stat(path.c_str(), &about) == 0 ? static_cast<double>(about.st_size) : 0.0;
  if (bytes == 0) {  // a pipe: nobody knows
    try {
      return work();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    throw error(fault_code::memory, path + ": out of memory");
  }
  return kleene::detail::with_memory(path.c_str(), bytes, work);
}

// The same of a file whose name is a view: the string is of its own account.
template <class Work>
auto with_memory_of(std::string_view path, const Work& work) {
  return kleene::detail::with_memory("the name of a file", static_cast<double>(path.size()),
                                     [&] { return with_memory_of(std::string(path), work); });
}

// Asks for huge pages below what is about to be filled, whole ones inside it: touching a large matrix for the first
// time in pages of 4 KB takes longer than reading it. Where the kernel has none to give, nothing happens.
inline void fill_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t page = std::size_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// The arrays of an empty list of so many entries, each by a thread: the first touch of new memory takes longest.
template <class T>
void resize_list(coo<T>& list, std::size_t entries, int threads) {
  const auto resize = [entries](auto& array) {
    array.reserve(entries);
    fill_huge_pages(array.data(), entries * sizeof(array[0]));
    array.resize(entries);
  };
  task_queue arrays;
  run_tasks(threads, [&](const team_member&) {
    for (std::int64_t a; (a = arrays.next()) < 3;) {
      if (a == 0) resize(list.value);
      else resize(a == 1 ? list.row : list.col);
    }
  });
}

}  // namespace kleene::io::detail
