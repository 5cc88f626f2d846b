// kleene bench: how fast this machine runs what Kleene promises a speed for.
#include "bench.hpp"

#include "cpu_suite.hpp"
#include "gpu_suite.hpp"
#include "kleene/io/atomic_file.hpp"
#include "options.hpp"
#include "roofs/cpu_roof.hpp"
#include "session.hpp"
#include "text.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <memory>

namespace kleene::cli {

namespace {

std::string row_text(const bench::cpu_row& row) {
  if (row.lower_is_better)
    return fmt::format("{:<76}{:>22}{:>24}\n", row.work, seconds_text(row.seconds),
                       row.at_least > 0 ? fmt::format("at most {}", seconds_text(row.at_least)) : "");
  // Rows of other units than the column's name theirs where products have operations per clock.
  const bool pairs = row.unit == "pairs", giga = pairs || row.rate >= 1e9;
  const std::string beside = pairs ? fmt::format("{:.1f}", row.per_clock) : (giga ? "G" : "M") + row.unit;
  return fmt::format("{:<62}{:>8.2f} {:>7}{:>7.1f} % of {:<18}{:>6.0f} %\n", row.work, row.rate / (giga ? 1e9 : 1e6),
                     beside, 100 * row.share, row.against, 100 * row.at_least);
}

std::string row_json(const bench::cpu_row& row) {
  json_object json;
  json.text("work", row.work).text("against", row.against).number("seconds", row.seconds);
  if (!row.lower_is_better) json.number("g" + row.unit + "_per_second", row.rate / 1e9);
  if (row.per_clock > 0) json.number("operations_per_clock_and_thread", row.per_clock);
  json.number(row.lower_is_better ? "seconds_at_most" : "share_at_least", row.at_least);
  if (!row.lower_is_better) json.number("share", row.share);
  return json.inner();
}

struct suite_flag {
  const char* flag;
  std::vector<std::string> suites;  // that know it
};
const suite_flag suite_flags[] = {
    {"--graph", {"cpu", "networks"}},
    {"--only", {"cpu", "io", "networks", "gpu", "closure", "matrix", "bits", "scale", "streaming"}},
    {"--largest", {"closure", "scale", "ladder"}},
    {"--keep", {"io"}},
};

void refuse_flags_of_other_suites(const CLI::App& sub, const std::string& suite) {
  for (const auto& [flag, suites] : suite_flags)
    if (sub.count(flag) > 0 && std::ranges::find(suites, suite) == suites.end())
      throw error(fault_code::usage,
                  fmt::format("{} is for --suite {}, and not for {}", flag, fmt::join(suites, ", "), suite));
}

void run_bench(const shared_flags& shared, const bench_flags& flags) {
  std::vector<named_file> inputs;
  for (const std::string& graph : flags.graphs) inputs.push_back({"--graph", graph});
  require_outputs(shared, {{"--out", flags.out}}, inputs);
  if (flags.suite == "cpu") return run_cpu_bench(shared, flags);
  if (flags.suite == "io") return run_io_bench(shared, flags);
  if (flags.suite == "networks") return run_networks_bench(shared, flags);
  if (flags.suite == "gpu") return run_gpu_bench(shared, flags);
  if (flags.suite == "closure") return run_closure_bench(shared, flags);
  if (flags.suite == "streaming" || flags.suite == "matrix") return run_streaming_bench(shared, flags);
  if (flags.suite == "bits") return run_bits_bench(shared, flags);
  if (flags.suite == "scale") return run_scale_bench(shared, flags);
  if (flags.suite == "ladder") return run_ladder_bench(shared, flags);
  throw error(fault_code::usage,
              "--suite takes cpu, io, networks, gpu, closure, matrix, bits, scale, ladder or streaming, not '" +
                  flags.suite + "'");
}

}  // namespace

void deliver_bench(const shared_flags& shared, const bench_flags& flags, const std::string& json) {
  if (shared.json) write_stdout(json);
  if (flags.out.empty()) return;
  io::atomic_file file(flags.out);
  file.write(json);
  file.commit();
}

context make_gpu_context(shared_flags shared, bool is_there) {
  if (shared.device == "cpu")
    throw error(fault_code::usage, "--suite asks for a suite of the GPU, which does not run on --device cpu");
  if (!is_there)
    throw error(fault_code::usage,
                "this build holds no suites of the GPU: configure with -DKLEENE_BENCHES=ON (and an nvcc)");
  if (shared.device == "auto") shared.device = "cuda";
  return make_context(shared);
}
context make_gpu_context(const shared_flags& shared) { return make_gpu_context(shared, bench::has_gpu_suites()); }

void run_cpu_bench(const shared_flags& shared, const bench_flags& flags) {
  shared_flags here = shared;
  if (here.device == "auto") here.device = "cpu";
  const context ctx = make_context(here);
  if (ctx.kind() != device_kind::cpu)
    throw error(fault_code::usage, "the cpu suite does not run on --device " + here.device);
  if (flags.graphs.size() > 1) throw error(fault_code::usage, "--suite cpu takes one --graph");
  const int rounds = flags.rounds > 0 ? flags.rounds : 5;
  const std::string graph = flags.graphs.empty() ? "" : flags.graphs[0];
  if (shared.prints_text())
    write_stdout(
        fmt::format("{}\n{}, {:.2f} GHz now; median of {}, each beside its yardstick\n\n"
                    "{:<62}{:>8} {:>7}{:>9}{:>32}\n",
                    processor_name(), ctx.describe(), bench::clock_rate() / 1e9, counted(rounds, "round", "rounds"), "",
                    "Gpairs/s", "ops/clk", "share", "at least"));
  const auto rows =
      bench::run_cpu_suite({.rounds = rounds, .graph = graph, .only = flags.only}, [&](const bench::cpu_row& row) {
        if (shared.prints_text()) write_stdout(row_text(row));
      });
  if (rows.empty()) throw error(fault_code::usage, "--only '" + flags.only + "' finds no row");
  std::string list;
  for (const bench::cpu_row& row : rows) list += (list.empty() ? "" : ",\n  ") + row_json(row);
  json_object json;
  json.text("suite", flags.suite).text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("processor", processor_name()).text("isa", to_string(ctx.isa())).number("threads", ctx.threads());
  json.number("clock_ghz", bench::clock_rate() / 1e9).number("rounds", rounds);
  json.text("generator",
            "splitmix64, seed 1; f32, f64 uniform in [0, 1), i32 uniform in [0, 1000), in "
            "sequences all 32 bits (reduce: 4)");
  json.raw("rows", "[\n  " + list + "]");
  deliver_bench(shared, flags, json.str());
}

void add_bench(CLI::App& app, const shared_flags& shared) {
  CLI::App* sub = app.add_subcommand("bench", "Measure this machine: rates, and shares of the roof of the same run");
  const auto flags = std::make_shared<bench_flags>();
  sub->add_option("--suite", flags->suite,
                  "Which suite: cpu, io (readers of files), networks (contractions), or on the GPU: gpu (products), "
                  "closure, matrix (tensor cores), bits, scale (several GPUs), ladder, streaming")
      ->capture_default_str();
  sub->add_option("--rounds", flags->rounds, "Rounds per row (default: 5 cpu, 10 gpu and streaming, closure by size)")
      ->check(whole_number(1, 1000));
  add_input(*sub, "--graph", flags->graphs,
            "cpu: also all pairs of this graph (integer weights), by every method; networks: its largest "
            "independent set (several times: of each)")
      ->allow_extra_args(false);
  sub->add_option("--only", flags->only, "Only rows whose name holds this (streaming: family included)");
  sub->add_option("--largest", flags->largest, "closure, scale: only matrices of at most this many vertices")
      ->check(whole_number(1));
  sub->add_option("--keep", flags->keep, "io: write the files into this folder, and leave them there (for peers)");
  add_output(*sub, "--out", flags->out, "Write the JSON to this file, and the text to the terminal");
  sub->add_option("--commit", flags->commit, "Commit to name in the JSON");
  sub->callback([&shared, flags, sub] {
    refuse_flags_of_other_suites(*sub, flags->suite);
    run_bench(shared, *flags);
  });
}

}  // namespace kleene::cli
