// Reading: how many bytes of a file's content a second become a graph or a matrix, on one core and on all.
#pragma once

#include "kleene/data/context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

struct io_row {
  std::string work;
  double bytes = 0;       // of content
  double one_thread = 0;  // seconds, median
  double all_threads = 0;
  int threads = 1;          // of the latter
  double at_least = 0;      // bytes a second and core that are promised; 0: none
  double share_asked = 0;   // of the speed of so many cores that all threads reach; 0: none
  double seconds_most = 0;  // with all threads; 0: no promise

  double rate() const { return bytes / one_thread; }
  double share() const { return one_thread / (all_threads * threads); }
  bool met() const {
    return rate() >= at_least && share() >= share_asked && (seconds_most == 0 || all_threads <= seconds_most);
  }
};

inline constexpr const char* io_definitions =
    "bytes: of the text, decompressed, or of the .npy. seconds: io::read_graph or io::read_dense of a file in the page "
    "cache, opened, read, parsed and brought together as a list of arcs or a matrix; median of the rounds after one "
    "warm-up, on one thread and on all. share: of the speed of as many cores. New York: 264,346 vertices and 733,846 "
    "arcs, as the DIMACS graph of that name has; the others 400,000 vertices and 4,000,000 arcs (METIS and G-set: "
    "2,000,000 edges). Arc e from splitmix64 with seed 1: from a vertex at random to one at most 1,000 away, weights "
    "1 to 36,946, or reals below 1 with six digits; names are 'stop 123456'. Arrays are 2048 x 2048 of reals with six "
    "digits, .npy 8192 x 8192 of f32. gzip: zlib, level 6.";

struct io_suite_options {
  int rounds = 5;
  std::string only;  // rows whose name holds this
  std::string keep;  // a folder for the files, which stay there for peers; empty: a temporary one
};

// error(internal) where a file cannot be written.
std::vector<io_row> run_io_suite(const io_suite_options& options, const std::function<void(const io_row&)>& done);

}  // namespace kleene::bench
