// Sparse matrices of SciPy, scipy.sparse.save_npz: a ZIP archive of .npy arrays (io/npy.hpp), stored or deflated.
//
//   csr, csc   indices.npy, indptr.npy         format.npy, shape.npy and data.npy; sparse arrays, too (_is_array.npy)
//   coo        row.npy, col.npy
//
// The numbers of rows and columns are i32 or i64, the data what .npy may have: integers and bool become 64-bit
// integers, the rest double. Rows and columns count from 0. What is stored stays, zeros and duplicates too, in the
// order of the file. An archive whose only member is an array of two dimensions (numpy.savez) is that dense matrix.
//
// Strict: error(bad_input) with the file, the member and what, for bsr and dia (tocsr() makes csr of them), any other
// member, an index outside the matrix, an indptr that does not rise from 0 to the number of entries, lengths that do
// not fit together, a number that is not finite, an archive that is cut, corrupt or compressed once more. Lengths are
// compared before any memory is taken for them.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace kleene::io {

struct npz_sparse {
  std::variant<coo<std::int64_t>, coo<double>> entries;
  std::string layout;   // "csr", "csc" or "coo"
  std::string place{};  // where its extents stand, as dense_facts has it
};
using npz_content = std::variant<npz_sparse, npy_matrix>;

// A sparse number that the type of `reals` would make infinite or zero is refused.
npz_content read_npz(const std::string& path, real_type reals = real_type::f64);
npz_content read_npz(input& in, real_type reals = real_type::f64);
// The same; `facts` is of a dense matrix.
npz_content read_npz(input& in, real_type reals, dense_facts& facts);

}  // namespace kleene::io
