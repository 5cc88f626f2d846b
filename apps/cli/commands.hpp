// What the command line can ask for: the flags of each subcommand and the function that runs it. main.cpp alone knows
// how flags are spelled. A run_* function prints its answer on stdout and throws for everything that goes wrong;
// main.cpp turns that into one line on stderr and the exit code.
#pragma once

#include "kleene/io/edge_list.hpp"
#include "kleene/io/formats.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kleene::cli {

// The exit code of kleene verify where a result is wrong: no fault of the input, nor of the call.
inline constexpr int wrong_result = 6;

struct shared_flags {
  std::string device = "auto";  // auto, cpu, cuda, cuda:N
  int threads = 0;              // 0: all cores
  std::string algebra;          // empty: min_plus
  std::string dtype;            // empty: chosen from the input
  bool json = false, quiet = false, explain = false;

  std::string algebra_name() const { return algebra.empty() ? "min_plus" : algebra; }
  // Whether a person reads along.
  bool prints_text() const { return !json && !quiet; }
};

// A file, and how to read it where it does not say so itself.
struct input_flags {
  std::string file, names;
  io::file_format format = io::file_format::unknown;  // what a file is that does not say so itself
  std::string no_arc{};                // what means that there is no arc in a dense matrix; empty: the algebra's zero
  std::vector<std::string> without{};  // arcs that are left out: FROM,TO each
  io::edge_list_options lists;
};

// A matrix as a file; words as in the flags, empty: not given.
struct output_flags {
  std::string path, format, layout, absent;
};

// Vertices in flags are called as in the file; empty: not given.
enum class picture_kind { unsaid, heat, histogram, route, map };
struct picture_flags {
  std::string svg, coordinates, unit, from, to;
  picture_kind kind = picture_kind::unsaid;
  bool plot = false;  // draw with characters, below the text
};

// Work that is saved, so that a run that was killed can go on.
struct saving_flags {
  std::string checkpoint, resume;    // folders; at most one is given
  double every = 600;                // seconds
  std::vector<std::string> words{};  // of this call, as saved_words.hpp has them

  bool is_on() const { return !checkpoint.empty() || !resume.empty(); }
  const std::string& folder() const { return resume.empty() ? checkpoint : resume; }
};

struct apsp_flags {
  input_flags input;
  std::vector<std::string> others{};  // FILES after the first
  output_flags out;
  std::string predecessors, method = "auto", sources, slack, closeness;
  std::string targets, within;  // which pairs --out and --top are about
  int top = 0;                  // how many of the nearest and of the farthest pairs to show
  picture_flags picture;
  saving_flags saving;
  double progress = 0;  // seconds between lines about it on a stderr that is no terminal; 0: as it suits
};
struct path_flags {
  input_flags input;
  std::string method = "auto";
  picture_flags picture;
  std::string pairs, out;  // a file of pairs instead of FROM and TO, and where their distances go
};
struct closure_flags {
  input_flags input;
  output_flags out;
  std::string predecessors, sources;
};
struct gemm_flags {
  std::vector<std::string> files;  // A and B, or none
  std::string shape, out, witness;
  std::int64_t size = -1;
  std::uint64_t seed = 1;
};

struct info_flags {
  input_flags input;            // an empty file: this build and this machine
  bool measures_links = false;  // between its CUDA devices
};

void run_info(const shared_flags&, const info_flags&);
void run_file_info(const shared_flags&, const info_flags&);
void run_apsp(const shared_flags&, const apsp_flags&);
// kleene apsp FILES...: of several.
void run_apsp_list(const shared_flags&, const apsp_flags&);
// The exit code: 0, or 1 where there is no path.
int run_path(const shared_flags&, const path_flags&);
// kleene path --pairs.
void run_pairs(const shared_flags&, const path_flags&);
void run_closure(const shared_flags&, const closure_flags&);
void run_gemm(const shared_flags&, const gemm_flags&);

// Add the subcommands that know their own flags and callbacks.
void add_bench(CLI::App& app, const shared_flags& shared);
void add_tune(CLI::App& app, const shared_flags& shared);
void add_gen(CLI::App& app, const shared_flags& shared);
// code: the exit code, 0 or wrong_result.
void add_verify(CLI::App& app, const shared_flags& shared, int& code);
void add_convert(CLI::App& app, const shared_flags& shared);
// code: the exit code, 0 or 1 where everything is forbidden.
void add_solve(CLI::App& app, const shared_flags& shared, int& code);
void add_model(CLI::App& app, const shared_flags& shared);
// `kleene completion` and `kleene man`: what `app`, the whole program, says of itself.
void add_completion(CLI::App& app);
void add_manual(CLI::App& app);

}  // namespace kleene::cli
