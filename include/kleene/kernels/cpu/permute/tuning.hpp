// The numbers of a permutation on the CPU, each with its measurement.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::kernels::cpu {

// About as many units as lie together in a tile as it is read, and as it is written, so that a tile of 32 KB stays
// in the first cache. The reverse of all bits of the index, 1 GiB on two Zen 5 cores, as a share of memcpy's rate
// (in x out):
//   4 bytes   128 x 64: 0.84   128 x 128: 0.38   64 x 64: 0.66        1 byte    128 x 128: 0.43   256 x 128: 0.51
//   8 bytes   64 x 32: 0.80   128 x 32: 0.86   64 x 64: 0.79          2 bytes   128 x 64: 0.60   128 x 128: 0.76
//   16 bytes  32 x 16: 0.79   64 x 16: 0.80   64 x 32: 0.81
constexpr index_t side_in(int unit) { return unit == 1 ? 256 : unit <= 8 ? 128 : 64; }
constexpr index_t side_out(int unit) { return unit <= 2 ? 128 : 256 / unit; }

// The innermost loops over tiles run along axes that span at most so many bytes, of the source or of the copy: a page
// of 4 KiB or a part of one, so that some 2,000 pages are in use at a time and their addresses stay in the TLB. The
// reverse of all bits of the index, 1 GiB, best of three on one thread of a busy Zen 4 (a virtual machine), and in
// parentheses with all loops along the source: f32 0.27 s (0.62) in pages of 4 KiB, 0.20 (0.37) in large ones; bytes,
// by whole pages, 0.56 (1.13) and 0.45 (0.60). A busy Zen 5 had lost 3 % of f32 by such loops.
constexpr index_t inner_span_bytes(int unit) { return unit >= 4 ? 4096 : 1024 * unit; }

// Copies of bytes that bypass the caches gather rows of the source first, up to so many bytes of each, where there
// are as many as the least, and so many rows of a tile lie multiples of way_bytes apart: these share a few sets of
// each cache, and a tile's lines were gone again before they were used. The reverse of 30 axes of bytes on a busy Zen
// 4, best of five, beside 0.082 s of memcpy by one thread: 0.25 s where it took 0.28 in tiles read where they lie,
// and 0.23 where it took 0.31 by two. Elsewhere gathering lost: two random orders of these axes 0.21 and 0.20 (0.15),
// 32768 x 32768 transposed 0.23 (0.19), reversed, 2 bytes 0.25 (0.22), f32 0.20 (0.18), f64 0.19 (0.17).
inline constexpr index_t most_gathered_row_bytes = 2048;
constexpr index_t gathered_row_bytes(int unit) { return unit == 1 ? 512 : index_t{1} << 62; }
inline constexpr index_t gathered_rows_a_set = 64, way_bytes = 1 << 17;
// And ask for lines of the source so many bytes ahead.
inline constexpr index_t asked_bytes = 8192;

// A contiguous run of so many bytes is copied as it is.
inline constexpr index_t run_bytes = 256;
// And cut after so many, for other threads to have a part.
inline constexpr index_t most_run_bytes = 1 << 16;
// Copies of so many bytes bypass the caches, which could not hold them: written lines are then not read first.
inline constexpr index_t stream_bytes = 1 << 23;

}  // namespace kleene::kernels::cpu
