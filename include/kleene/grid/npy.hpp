// A distributed matrix from and to one .npy, which all workers read or write at the same time: the file must be where
// each of them can reach it.
//
//   auto a = read_npy<float>(w, "a.npy", {.mb = 384, .nb = 384});   // M and N are the file's
//   write_npy("d.npy", a);
//
// Written are version 1.0 files in rows, aside (PATH.partial; one that a killed program left is removed),
// synced and renamed: PATH appears whole or not at all. A link is followed, a file that is replaced hands on its
// permissions, owner and group, and a pipe, a device or standard output is refused. Read is what write_npy and NumPy
// write by default: rows of exactly that type, little-endian and not compressed; io/npy.hpp reads more, for scatter().
//
// Errors, of all workers: error(bad_input) with the path: a file that is missing, of another type or order, too short,
// or that cannot be written (no such folder, no permission, not enough disk).
#pragma once

#include "kleene/grid/distributed_matrix.hpp"
#include "kleene/io/npy.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

namespace kleene {

template <io::npy_element T>
distributed_matrix<T> read_npy(worker& w, const std::string& path, distribution d);

// Into one of the file's extents; shape_error for others.
template <io::npy_element T>
void read_npy(const std::string& path, distributed_matrix<T>& a);

template <io::npy_element T>
void write_npy(const std::string& path, const distributed_matrix<T>& a);

namespace detail {

// A file that goes unless it is kept.
class unfinished_file {
 public:
  ~unfinished_file() {
    if (!path_.empty()) std::remove(path_.c_str());
  }
  void made(const std::string& path) { path_ = path; }
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

// write_npy() in three steps: the constructor and finish() are collective; write() is a worker's own, by any thread.
template <class T>
class npy_in_writing {
 public:
  // Takes the disk space.
  npy_in_writing(const std::string& path, worker& w, const distribution& d);
  npy_in_writing(const npy_in_writing&) = delete;
  npy_in_writing& operator=(const npy_in_writing&) = delete;

  // Rows of this worker's share from its row `first` on, synced.
  void write(index_t first, const matrix_view<const T>& rows) const;
  // When all have written: the file gets its name.
  void finish();

 private:
  worker& worker_;
  const distribution layout_;
  std::string path_, aside_;
  std::uint64_t start_;         // where the elements begin
  unfinished_file unfinished_;  // worker 0's
};

}  // namespace detail

}  // namespace kleene
