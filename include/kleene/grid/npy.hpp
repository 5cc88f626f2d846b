// A distributed matrix from and to one .npy, which all workers read or write at the same time: the file must be where
// each of them can reach it.
//
//   auto a = read_npy<float>(w, "a.npy", {.mb = 384, .nb = 384});   // M and N are the file's
//   write_npy("d.npy", a);
//
// Written are version 1.0 files in rows, aside (PATH.partial, which is overwritten where a killed program left one),
// synced and renamed: PATH appears whole or not at all. Read is what write_npy and NumPy write by default: rows of
// exactly that type, little-endian and not compressed; io/npy.hpp reads more, for scatter().
//
// Errors, of all workers: error(bad_input) with the path: a file that is missing, of another type or order, too short,
// or that cannot be written (no such folder, no permission, not enough disk).
#pragma once

#include "kleene/grid/distributed_matrix.hpp"
#include "kleene/io/npy.hpp"

#include <string>

namespace kleene {

template <io::npy_element T>
distributed_matrix<T> read_npy(worker& w, const std::string& path, distribution d);

// Into one of the file's extents; shape_error for others.
template <io::npy_element T>
void read_npy(const std::string& path, distributed_matrix<T>& a);

template <io::npy_element T>
void write_npy(const std::string& path, const distributed_matrix<T>& a);

}  // namespace kleene
