// kleene: the command line. Reads flags, runs one subcommand, turns what goes wrong into one line and an exit code.
#include "commands.hpp"
#include "kleene/data/error.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/names.hpp"
#include "kleene/io/text.hpp"
#include "options.hpp"
#include "processes.hpp"
#include "progress.hpp"
#include "saved_words.hpp"
#include "text.hpp"
#include "version.hpp"
#include "vertex_numbers.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <thread>

namespace kleene::cli {

namespace {

constexpr const char* footer =
    "Exit codes: 0 done, 1 there is no path (kleene path) or no answer (kleene solve), 2 usage, 3 bad input, 4 device, "
    "5 memory, 6 the result is "
    "wrong (kleene verify), 70 a bug in kleene, 130 interrupted (Ctrl-C).\n"
    "A file named - is standard input, or standard output (what is said beside it goes to standard error).\n"
    "Vertices in flags and answers have the names or numbers of the graph file; matrices in .npy files are numbered "
    "from 0.";

using enum io::file_format;
std::string_view suffix(io::file_format format) { return io::row_of(format).suffix; }

// Which of the shared flags a subcommand has.
enum shared_part : unsigned { of_answer = 1, of_threads = 2, of_device = 4, of_algebra = 8, of_type = 16, of_all = 31 };

unsigned shared_parts(const std::string& subcommand) {
  if (subcommand == "completion" || subcommand == "man") return 0;
  if (subcommand == "model") return of_answer;
  if (subcommand == "gen") return of_answer | of_algebra | of_type;
  if (subcommand == "solve") return of_answer | of_threads | of_device;
  if (subcommand == "convert") return of_answer | of_threads | of_algebra | of_type;
  if (subcommand == "verify") return of_answer | of_threads | of_algebra;
  return of_all;
}

void add_shared(CLI::App& app, shared_flags& f, unsigned parts) {
  const std::string group = "Everywhere";
  if (parts & of_device)
    app.add_option("--device", f.device,
                   "auto, cpu, cuda or cuda:N; apsp, closure and gemm: also cuda:0-3, cuda:0,2, cuda:all")
        ->capture_default_str()
        ->group(group);
  if (parts & of_threads)
    app.add_option("--threads", f.threads, "Threads (default: all cores)")->check(whole_number(1, 1024))->group(group);
  if (parts & of_algebra)
    app.add_option("--algebra", f.algebra,
                   "Semiring (default: min_plus). Best paths are by min_plus the shortest, by max_plus the longest, by "
                   "max_min the "
                   "widest, by max_times the most reliable; `kleene info` lists all")
        ->check(some("a name"))
        ->group(group);
  if (parts & of_type)
    add_words(app, "--dtype", f.dtype, {"f32", "f64", "i32", "i64", "bool", "bf16", "f16", "i8", "u8"},
              "f32, f64, i32 or i64 (default: what the input calls for), or bool over or_and and xor_and; for "
              "products over plus_times also bf16 or f16, summed in f32, i8 or u8, summed in i32")
        ->group(group);
  if (parts & of_answer) {
    app.add_flag("--json", f.json, "Print one JSON object instead of text")->group(group);
    app.add_flag("--quiet", f.quiet, "Print no summary, no note and no progress bar")->group(group);
  }
  if (parts & of_device) app.add_flag("--explain", f.explain, "Say on stderr which kernels ran and why")->group(group);
}

void add_info(CLI::App& app, const shared_flags& shared, info_flags& f) {
  CLI::App* sub = app.add_subcommand("info", "What is in a file; without one, what this build and this machine have");
  add_input(*sub, "FILE", f.input.file, "Graph, matrix or coordinates");
  add_input_flags(*sub, f.input);
  sub->add_flag("--measure-links", f.measures_links, "How fast this machine's GPUs copy from each other");
  sub->callback([&] { f.input.file.empty() ? run_info(shared, f) : run_file_info(shared, f); });
}

void add_picture(CLI::App& app, picture_flags& f, const std::vector<std::pair<std::string, picture_kind>>& kinds,
                 const std::string& help) {
  const std::string group = "Pictures";
  add_output(app, "--svg", f.svg, "Draw a picture into this file")->group(group);
  app.add_flag("--plot", f.plot, "Draw with characters below the answer, as wide as COLUMNS says (no map)")
      ->group(group);
  add_choice(app, "--picture", f.kind, kinds, help)->group(group);
  add_input(app, "--coordinates", f.coordinates,
            fmt::format("Longitude and latitude, or x and y, of each vertex, for a map ({})", coordinate_files))
      ->group(group);
  app.add_option("--unit", f.unit, "Unit to print after lengths, such as km")->group(group);
}

void add_predecessors(CLI::App& app, std::string& path) {
  add_output(
      app, "--predecessors", path,
      fmt::format("Write the last vertex before j on the best path from i ({}, int32, vertices from 0; -1: none)",
                  suffix(npy)));
}

// The graph that paths are found in.
void add_graph(CLI::App& app, input_flags& f) {
  add_input(
      app, "FILE", f.file,
      fmt::format("Graph, or the matrix of one ({}; compressed: {})",
                  io::suffixes_of(io::holds_graph | io::holds_dense, ", "), fmt::join(io::compression_suffixes, ", ")))
      ->required();
}

void add_without(CLI::App& app, input_flags& f) {
  app.add_option("--without", f.without,
                 "Leave this arc out, in undirected graphs in both directions; may be given several times")
      ->type_name("FROM,TO")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);  // FROM and TO may follow
}

constexpr const char* method_help = "auto, floyd_warshall, dijkstra or hierarchy";

void add_saving(CLI::App& app, apsp_flags& f) {
  const std::string group = "Long runs";
  CLI::Option* checkpoint =
      app.add_option("--checkpoint", f.saving.checkpoint,
                     "Save what is done into this folder now and then, until the result is there: a run that was "
                     "killed goes on by --resume")
          ->check(some("a folder"))
          ->group(group);
  app.add_option("--resume", f.saving.resume,
                 "Go on with the run whose --checkpoint was this folder, FILE and flags as they were given then; those "
                 "that are given now go before them")
      ->check(some("a folder"))
      ->excludes(checkpoint)
      ->group(group);
  app.add_option("--every", f.saving.every, "Seconds between two checkpoints")
      ->check(a_number(true))
      ->capture_default_str()
      ->group(group);
  app.add_option("--progress", f.progress,
                 "On a stderr that is no terminal: a line about it every so many seconds (default: of one process "
                 "none, of several 30)")
      ->check(a_number(true))
      ->group(group);
}

void add_apsp(CLI::App& app, const shared_flags& shared, apsp_flags& f) {
  CLI::App* sub = app.add_subcommand(
      "apsp", "All-pairs shortest paths of a graph; by --algebra the longest, widest or most reliable ones");
  add_graph(*sub, f.input);
  sub->add_option("FILES", f.others,
                  "More graphs: each for itself, on whichever of several --device is free; --out and "
                  "--predecessors then name folders, which have to exist");
  sub->add_option("--sources", f.sources, "Only from these vertices: 1,5,9 or Fulda,Essen")
      ->check(some("vertices such as 1,5,9"));
  sub->add_option("--targets", f.targets, "Write and list only distances to these vertices: columns of --out")
      ->check(some("vertices such as 1,5,9"));
  sub->add_option("--within", f.within,
                  "Write and list only pairs at most this far apart (over max_plus, max_min and max_times: at least so "
                  "far, wide or likely)")
      ->type_name("D")
      ->check(a_number());
  add_without(*sub, f.input);
  add_result(*sub, f.out, "Write the distances");
  sub->add_option("--top", f.top, "Show so many of the nearest and of the farthest pairs (of the best and the worst)")
      ->check(whole_number(1, 1000000));
  add_output(*sub, "--closeness", f.closeness,
             "Over min_plus: write how central each vertex is, the most central first (.csv, .tsv: vertex, how many it "
             "reaches, the sum of their distances, closeness as of Wasserman and Faust)");
  add_predecessors(*sub, f.predecessors);
  add_output(*sub, "--slack", f.slack,
             "Over max_plus: write by how much each vertex may be late without making the longest path longer (.csv, "
             ".tsv: vertex, earliest, latest, slack)");
  using enum picture_kind;
  add_picture(*sub, f.picture, {{"heat", heat}, {"histogram", histogram}, {"route", route}, {"map", map}},
              "heat: distances as colours; histogram: pairs by distance; route: the longest one, or --from and --to; "
              "map: that route on --coordinates (default: map with --coordinates, else heat; --plot of many vertices: "
              "histogram)");
  CLI::Option* from =
      sub->add_option("--from", f.picture.from, "The route to show starts here (default: the longest one)");
  CLI::Option* to = sub->add_option("--to", f.picture.to, "The route to show ends here")->needs(from);
  for (CLI::Option* end : {from, to}) end->check(some("a vertex"));
  from->needs(to);
  sub->add_option("--method", f.method, method_help)->capture_default_str();
  add_saving(*sub, f);
  add_input_flags(*sub, f.input);
  sub->callback([&shared, &f, sub] {
    if (sub->count("--every") > 0 && !f.saving.is_on())
      throw error(fault_code::usage, "--every says how often --checkpoint saves: give --checkpoint FOLDER");
    f.saving.words = words_of_call(*sub);
    f.others.empty() ? run_apsp(shared, f) : run_apsp_list(shared, f);
  });
}

void add_path(CLI::App& app, const shared_flags& shared, path_flags& f, int& code) {
  CLI::App* sub = app.add_subcommand(
      "path",
      "The shortest path between two vertices of a graph; by --algebra the longest, widest or most reliable one");
  add_graph(*sub, f.input);
  sub->add_option("FROM", f.picture.from, "First vertex")->check(some("a vertex"));
  sub->add_option("TO", f.picture.to, "Last vertex")->check(some("a vertex"));
  CLI::Option* pairs = add_input(
      *sub, "--pairs", f.pairs,
      "Instead of FROM and TO: an edge list of the pairs, whose columns are found by their titles, from and to "
      "as in a graph, else the first two");
  add_output(*sub, "--out", f.out,
             fmt::format("Write from, to and distance of each of the pairs, in their order (.csv, .tsv{})",
                         io::is_built_in(parquet) ? ", .parquet" : ""))
      ->needs(pairs);
  add_without(*sub, f.input);
  sub->add_option("--method", f.method, method_help)->capture_default_str();
  add_input_flags(*sub, f.input);
  using enum picture_kind;
  add_picture(*sub, f.picture, {{"route", route}, {"map", map}},
              "route: its vertices in a row; map: the route on --coordinates (default: map with --coordinates, else "
              "route)");
  sub->callback([&] { f.pairs.empty() ? void(code = run_path(shared, f)) : run_pairs(shared, f); });
}

void add_closure(CLI::App& app, const shared_flags& shared, closure_flags& f) {
  CLI::App* sub = app.add_subcommand("closure",
                                     "The dense closure A* of a square matrix or graph; over plus_times (I - A)^-1, "
                                     "the sum of walks where that converges");
  add_input(*sub, "FILE", f.input.file,
            "Matrix or graph (" + io::suffixes_of(io::holds_dense | io::holds_graph, ", ") + ")")
      ->required();
  add_result(*sub, f.out, "Write the closure");
  add_predecessors(*sub, f.predecessors);
  sub->add_option("--sources", f.sources, "Write only the rows of these vertices: 1,5,9 or Fulda,Essen")
      ->check(some("vertices such as 1,5,9"));
  add_input_flags(*sub, f.input);
  sub->callback([&] { run_closure(shared, f); });
}

void add_gemm(CLI::App& app, const shared_flags& shared, gemm_flags& f) {
  CLI::App* sub = app.add_subcommand(
      "gemm", "The product of two matrices (" + io::suffixes_of(io::holds_dense, ", ") + "), or of generated ones");
  add_input(*sub, "FILES", f.files,
            "A and B; also graphs (" + io::suffixes_of(io::holds_graph, ", ") +
                "), as matrices with a row and a column for each vertex")
      ->expected(2);
  sub->add_option("--size", f.size, "Generate N x N matrices instead")->check(whole_number(0));
  sub->add_option("--shape", f.shape, "Generate A of M x K and B of K x N: MxNxK")->excludes("--size");
  sub->add_option("--seed", f.seed, "Seed of the generator")->check(a_seed())->capture_default_str();
  add_output(*sub, "--out", f.out, fmt::format("Write the product ({}; of 8 and 16 bits the sums)", suffix(npy)));
  add_output(*sub, "--witness", f.witness,
             fmt::format("Write the smallest k that gave each element ({}, int32; -1: none)", suffix(npy)));
  sub->callback([&] { run_gemm(shared, f); });
}

// error(usage) where the first word is no subcommand, with the one that may be meant.
void require_subcommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return;
  const std::string asked = argv[1];
  if (asked.size() > 1 && asked[0] == '-') {
    if (asked == "-h" || asked.starts_with("--")) return;
    throw error(fault_code::usage, fmt::format("there is no flag {} (kleene --help)", io::shown(asked)));
  }
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());
  if (std::ranges::find(known, asked) != known.end()) return;
  const long near =
      meant_word(asked, static_cast<long>(known.size()), [&](long k) { return std::string_view(known[k]); });
  throw error(fault_code::usage,
              near >= 0
                  ? fmt::format("there is no subcommand {}: did you mean kleene {}?", io::shown(asked), known[near])
                  : fmt::format("there is no subcommand {} (there are {})", io::shown(asked), fmt::join(known, ", ")));
}

struct flags {
  shared_flags shared;
  info_flags info;
  apsp_flags apsp;
  path_flags path;
  closure_flags closure;
  gemm_flags gemm;
};

// The exit code.
int parse_and_run(int argc, char** argv) {
  int code = 0;
  CLI::App app("Semiring linear algebra: shortest, widest and most reliable paths, closures and products", "kleene");
  flags f;
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);
  app.footer(footer);
  add_info(app, f.shared, f.info);
  add_apsp(app, f.shared, f.apsp);
  add_path(app, f.shared, f.path, code);
  add_closure(app, f.shared, f.closure);
  add_gemm(app, f.shared, f.gemm);
  add_bench(app, f.shared);
  add_tune(app, f.shared);
  add_gen(app, f.shared);
  add_verify(app, f.shared, code);
  add_convert(app, f.shared);
  add_solve(app, f.shared, code);
  add_model(app, f.shared);
  add_completion(app);
  add_manual(app);
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    add_shared(*sub, f.shared, shared_parts(sub->get_name()));
  std::vector<std::string> given = with_saved_words({argv, argv + argc});
  if (argc > 1 && given[1] == "help") {  // of a subcommand: kleene help apsp
    given.erase(given.begin() + 1);
    given.push_back("--help");
  }
  std::vector<char*> words;
  for (std::string& word : given) words.push_back(word.data());
  const int count = static_cast<int>(words.size());
  require_subcommand(app, count, words.data());
  try {
    app.parse(count, words.data());
  } catch (const CLI::CallForVersion& asked) {
    write_stdout(std::string(asked.what()) + "\n");
  } catch (const CLI::Success&) {
    write_stdout(app.help());
  } catch (const CLI::ParseError& wrong) {
    throw error(fault_code::usage, words_of(wrong, app));
  }
  return code;
}

int fail(std::string message, fault_code code) {
  std::ranges::replace(message, '\n', ' ');
  // A launcher ends all processes with the first that fails: the one that speaks is to be heard before.
  if (another_says_it()) std::this_thread::sleep_for(std::chrono::seconds(1));
  else std::fprintf(stderr, "kleene: %s\n", message.c_str());
  return static_cast<int>(code);
}

}  // namespace
}  // namespace kleene::cli

int main(int argc, char** argv) {
  using namespace kleene;
  cli::open_standard_streams();
  cli::install_signal_handlers();
  try {
    return cli::parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    return cli::fail("out of memory", fault_code::memory);
  } catch (const std::exception& wrong) {
    if (const auto* known = dynamic_cast<const fault*>(&wrong)) return cli::fail(wrong.what(), known->code());
    return cli::fail(std::string("internal error: ") + wrong.what(), fault_code::internal);
  }
}
