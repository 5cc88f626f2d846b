// An output file that appears whole or not at all. It is written under a temporary name beside the target (same file
// system) and takes the target's place by rename(2) at commit(); without commit() the temporary is removed. A symbolic
// link is followed; a target that exists and is no regular file (/dev/stdout, a pipe) is written directly. Safe against
// the program's end, not the machine's: nothing is fsynced.
//
// Errors: error(bad_input) with the path and the system's reason (no such directory, permission, disk full).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kleene::io {

class atomic_file {
 public:
  explicit atomic_file(const std::string& path);
  ~atomic_file();
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  // Small pieces are gathered; large ones go straight to the system.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  // The file's first `bytes` as memory, instead of write(): on a page boundary, zero, valid until destruction. Its
  // space on the disk is taken here, so that a full disk is an error now and no SIGBUS later. Null where there is no
  // such memory (a device, a file system that cannot reserve or map), and then write() is as good as before. Call it
  // once, first.
  void* map(std::size_t bytes);

  // Writes what is gathered, closes, renames. Call it once, last.
  void commit();

  // Whether `path` is there and no file to be replaced (a device, a pipe): it is opened for good, and written directly.
  static bool writes_directly(const std::string& path);

 private:
  void flush();
  void send(const char* data, std::size_t bytes);
  [[noreturn]] void fail(int reason) const;

  std::string path_;       // as the caller named it, for messages
  std::string target_;     // absolute, links followed
  std::string temporary_;  // empty: writing to target_ directly
  std::string gathered_;
  int file_ = -1;
  void* memory_ = nullptr;  // of map()
  std::size_t memory_bytes_ = 0;
  int slot_ = -1;  // in the table of pending temporaries
};

// Removes the temporaries of all atomic_files that are neither committed nor destroyed. Async-signal-safe: for the
// handler of SIGINT and SIGTERM, right before it ends the process.
void remove_pending_files() noexcept;

}  // namespace kleene::io
