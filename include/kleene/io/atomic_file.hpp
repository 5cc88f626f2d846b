// An output file that appears whole or not at all. It is written under a temporary name in the target's folder (same
// file system) and takes the target's place by rename(2) at commit(); without commit() the temporary is removed. Safe
// against the program's end, not the machine's: nothing is fsynced.
//
//   Links          A symbolic link is followed, also to where there is nothing yet: the link stays, what it points to
//                  is replaced. Other hard links of a file that is replaced keep the old content.
//   Mode, owner    A new file has what the umask says. One that replaces another keeps its permissions, owner and group
//                  (access control lists and other attributes are not copied). Refused, before anything is written, is
//                  a file whose owner or group the new one could not have, and one that the caller may not write.
//   Devices        A target that exists and is no regular file (a pipe, a terminal) is written directly. So is standard
//                  output under its own names (/dev/stdout, /dev/fd/1), wherever it goes: behind what is there already.
//   Descriptors    are never 0, 1 or 2, not even where those are closed: what a program prints cannot get into a file.
//   Leftovers      A temporary is locked (flock) while its writer lives. The first file that a process writes into a
//                  folder removes those there whose lock is free: their writers were killed. It asks only for those of
//                  the same host name, since not every network file system tells other hosts of a lock.
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
  // Whether it is one of the names of standard output.
  static bool is_standard_output(const std::string& path);
  // Whether two names lead to one regular file, pipe or socket (links followed), or will once it is written. False of
  // other devices (/dev/null takes everything), and where one of them cannot be looked at.
  static bool same_file(const std::string& one, const std::string& other);
  // What two names have in common exactly if they are of one file in that sense; empty: of none.
  static std::string identity(const std::string& path);

 private:
  void open();
  void open_temporary();
  void keep_owner(unsigned user, unsigned group);
  void discard() noexcept;
  void flush();
  void send(const char* data, std::size_t bytes);
  [[noreturn]] void fail(int reason) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;       // as the caller named it, for messages
  std::string name_;       // of the target in its folder, links followed
  std::string temporary_;  // in the same folder; empty: writing to the target directly
  std::string gathered_;
  int folder_ = -1;
  int file_ = -1;
  int mode_ = -1;           // of the file that is replaced; -1: there was none
  void* memory_ = nullptr;  // of map()
  std::size_t memory_bytes_ = 0;
  int slot_ = -1;  // in the table of pending temporaries
};

// Removes the temporaries of all atomic_files that are neither committed nor destroyed. Async-signal-safe: for the
// handler of SIGINT and SIGTERM, right before it ends the process.
void remove_pending_files() noexcept;

}  // namespace kleene::io
