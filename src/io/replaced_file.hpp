// What a file that takes another's place by rename(2) has to know of that one.
#pragma once

#include <string>

namespace kleene::io::detail {

// A file that need not be there, by its folder and its name in it.
struct place {
  std::string folder, name;
};

// Where a path leads when the links at its end are followed. 0, or why it leads nowhere (errno): ELOOP for a circle.
int resolve(std::string path, place& to);

// Gives an open file another owner and group. Empty, or what the system has against it.
std::string owner_fault(int file, unsigned user, unsigned group);

// For files that are written aside in parts, by several processes or runs: the name to rename to, links followed.
// error(bad_input) for what renaming would destroy (a folder, a pipe, a device, standard output) and for a file that
// the caller may not write.
std::string replaced_name(const std::string& path);
// And gives the file aside the owner and group of the one that has the name, and right before it is renamed, as they
// need not let anybody open it, the permissions. Nothing where there is none; error(bad_input) where the system
// refuses.
void take_owner(int file, const std::string& replaced);
void take_mode(const std::string& aside, const std::string& replaced);

}  // namespace kleene::io::detail
