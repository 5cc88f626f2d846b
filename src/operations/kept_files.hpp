// Files that rings at run time keep for later processes. A file's name is a digest of all that it was made of. It is
// written beside its place and then renamed, so that processes do not see each other's halves, and ends with a digest
// of what comes before: one that a full disk cut off is made again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kleene::kept {

// Two FNV-1a hashes of 64 bits, from different beginnings: 32 hexadecimal digits.
std::string digest(const std::string& text);

// `asked`, else KLEENE_CACHE, else kleene in XDG_CACHE_HOME, else ~/.cache/kleene; error(usage): none of these.
std::filesystem::path folder(const std::string& asked);

// Size and time of a file, for digests.
std::string stamp(const std::filesystem::path& path);

// What a whole file holds, without its digest; nothing where there is none, or it was cut off.
std::optional<std::string> read(const std::filesystem::path& path);

// A new folder beside `path`, for what it is made of; gone with this object. error(bad_input): none can be made there.
class workshop {
 public:
  explicit workshop(const std::filesystem::path& path);
  ~workshop();
  workshop(const workshop&) = delete;
  workshop& operator=(const workshop&) = delete;
  const std::filesystem::path& at() const { return at_; }
  // Puts a file that was made here into its place, with its digest. error(bad_input): the disk does not take it.
  void keep(const std::string& made) const;

 private:
  std::filesystem::path path_, at_;
};

}  // namespace kleene::kept
