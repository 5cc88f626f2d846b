// The temporaries of atomic_file: their names, the table of those that a signal handler removes, and the removal of
// those that killed processes left.
#pragma once

#include <string>

namespace kleene::io::detail {

// A name of its own for each call, of 39 characters whatever the target's: a target may have as many as the file system
// takes. It holds the host, the process and a serial number.
std::string next_temporary_name();

// Lists a temporary that is to be removed if a signal ends the process; list it before it exists. -1: the table is
// full.
int list_temporary(int folder, const std::string& name) noexcept;
void unlist_temporary(int slot) noexcept;

// Locks a temporary that has just been created. False: a sweep of another process has found it in between and removes
// it. True also where the file system has no locks, since then no sweep can take one either.
bool lock_temporary(int file) noexcept;

// Removes what killed processes of this host left in the folder at `path`; once in a process for each folder, since it
// reads the whole of it. What cannot be looked at stays.
void sweep_temporaries(int folder, const std::string& path) noexcept;

}  // namespace kleene::io::detail
