// kleene bench --suite closure.
#include "bench.hpp"
#include "closure_suite.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/io/atomic_file.hpp"
#include "session.hpp"
#include "text.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace kleene::cli {

namespace {

// A random graph as a Matrix Market file.
void write_random_graph(const std::string& path, index_t vertices, index_t arcs) {
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n", vertices, arcs);
  splitmix64 random{7};
  const auto draw = [&](std::uint64_t below) { return random() % below; };
  for (index_t e = 0; e < arcs; ++e) {
    const auto u = draw(vertices) + 1, v = draw(vertices) + 1;
    text += fmt::format("{} {} 0.{:06}\n", u, v, draw(999999) + 1);
  }
  io::atomic_file file(path);
  file.write(text);
  file.commit();
}

// This program on a file, as a person would call it: how long it took, and how long the closure in it.
std::pair<double, double> run_apsp_command(const std::string& graph, const std::string& out) {
  std::array<char, 4096> self{};
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size() - 1);
  if (length <= 0) throw error(fault_code::internal, "this program does not know where it is");
  const std::string command = fmt::format("'{}' apsp '{}' --dtype f32 --out '{}' --device cuda --quiet --explain 2>&1",
                                          self.data(), graph, out);
  const stopwatch watch;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw error(fault_code::internal, "cannot run " + command);
  double closure_seconds = 0;
  std::string said;
  for (std::array<char, 512> line; std::fgets(line.data(), line.size(), pipe);) {
    said += line.data();
    if (const char* at = std::strstr(line.data(), " s on the device"))
      closure_seconds = std::strtod(std::find(line.data(), const_cast<char*>(at), ' ') + 1, nullptr);
  }
  if (pclose(pipe) != 0 || closure_seconds == 0) throw error(fault_code::internal, command + ": " + said);
  return {watch.seconds(), closure_seconds};
}

bench::closure_row end_to_end_row() {
  bench::closure_row row;
  row.work = "kleene apsp, a file of 20000 vertices to a .npy, f32";
  row.algebra = "min_plus", row.dtype = "f32", row.data = "a file of 400000 arcs", row.n = 20000, row.rounds = 3;
  row.outside_at_most = 1.5, row.outside_aim = 0.7;
  const std::string stem = (std::filesystem::temp_directory_path() / fmt::format("kleene-bench-{}", getpid())).string();
  try {
    write_random_graph(stem + ".mtx", 20000, 400000);
    std::vector<std::pair<double, double>> runs;
    for (int round = 0; round < 3; ++round) {
      std::filesystem::remove(stem + ".npy");
      runs.push_back(run_apsp_command(stem + ".mtx", stem + ".npy"));
    }
    std::ranges::sort(runs);
    row.seconds = runs[1].first, row.fastest = runs[0].first, row.slowest = runs[2].first;
    row.outside = runs[1].first - runs[1].second;
    row.tops = 2e-12 * 20000.0 * 20000.0 * 20000.0 / runs[1].second;
  } catch (const std::exception& wrong) {
    row.failure = wrong.what();
  }
  std::filesystem::remove(stem + ".mtx");
  std::filesystem::remove(stem + ".npy");
  return row;
}

std::string verdict(const bench::closure_row& row) {
  const bool asked =
      row.share_at_least > 0 || row.seconds_at_most > 0 || row.extra_at_most > 0 || row.outside_at_most > 0;
  if (!asked) return "";
  if (!row.met()) return "MISSED";
  const bool aimed = row.share_aim > 0 || row.seconds_aim > 0 || row.extra_aim > 0 || row.outside_aim > 0;
  const bool there = row.share() >= row.share_aim && (row.seconds_aim == 0 || row.seconds <= row.seconds_aim) &&
                     (row.extra_aim == 0 || row.extra() <= row.extra_aim) &&
                     (row.outside_aim == 0 || row.outside <= row.outside_aim);
  return aimed && there ? "met, aim too" : "met";
}

std::string row_text(const bench::closure_row& row) {
  if (!row.failure.empty()) return fmt::format("{:<58}FAILED: {}\n", row.work, row.failure);
  std::string beside, asked;
  if (row.gemm_tops > 0) beside = fmt::format("{:.1f} % of gemm", 100 * row.share());
  if (row.plain_seconds > 0) beside += fmt::format("{:+.1f} % on top", 100 * row.extra());
  if (row.outside > 0) beside = seconds_text(row.outside) + " outside";
  if (row.outside_at_most > 0) asked = "at most " + seconds_text(row.outside_at_most);
  if (row.share_at_least > 0) asked = fmt::format("at least {:.0f} %", 100 * row.share_at_least);
  if (row.seconds_at_most > 0) asked = "at most " + seconds_text(row.seconds_at_most);
  if (row.extra_at_most > 0) asked = fmt::format("at most {:.0f} %", 100 * row.extra_at_most);
  return fmt::format("{:<58}{:>10}{:>8.2f}{:>18}{:>18}  {}\n", row.work, seconds_text(row.seconds), row.tops, beside,
                     asked, verdict(row));
}

std::string row_json(const bench::closure_row& row) {
  json_object json;
  json.text("work", row.work).text("algebra", row.algebra).text("dtype", row.dtype).text("data", row.data);
  json.number("n", row.n).number("count", row.count).boolean("predecessors", row.predecessors);
  if (!row.failure.empty()) return json.text("failure", row.failure).inner();
  json.number("rounds", row.rounds).number("seconds", row.seconds);
  json.number("seconds_fastest", row.fastest).number("seconds_slowest", row.slowest).number("tops", row.tops);
  const auto given = [&](const char* name, double value) {
    if (value > 0) json.number(name, value);
  };
  given("gemm_tops", row.gemm_tops);
  given("share_of_gemm", row.share());
  given("seconds_without_predecessors", row.plain_seconds);
  if (row.plain_seconds > 0) json.number("extra", row.extra());
  given("share_at_least", row.share_at_least), given("share_aim", row.share_aim);
  given("seconds_at_most", row.seconds_at_most), given("seconds_aim", row.seconds_aim);
  given("extra_at_most", row.extra_at_most), given("extra_aim", row.extra_aim);
  given("seconds_outside_the_closure", row.outside);
  given("outside_at_most", row.outside_at_most), given("outside_aim", row.outside_aim);
  if (!verdict(row).empty()) json.boolean("met", row.met());
  return json.inner();
}

}  // namespace

void run_closure_bench(const shared_flags& shared, const bench_flags& flags) {
  const context ctx = make_gpu_context(shared);
  const cuda_device& device = *ctx.device();
  if (shared.prints_text())
    write_stdout(
        fmt::format("{}, {} multiprocessors; host clock around the whole call, median after a warm-up\n\n"
                    "{:<58}{:>10}{:>8}\n",
                    device.name, device.multiprocessors, "", "time", "Tops"));
  std::string list;
  bool failed = false;
  const auto deliver = [&](const bench::closure_row& row) {
    if (shared.prints_text()) write_stdout(row_text(row));
    list += (list.empty() ? "" : ",\n  ") + row_json(row);
    failed |= !row.failure.empty();
  };
  bench::run_closure_suite(ctx, {.rounds = flags.rounds, .largest = flags.largest, .only = flags.only}, deliver);
  if (flags.only.empty() || std::string("kleene apsp").find(flags.only) != std::string::npos) deliver(end_to_end_row());
  json_object json;
  json.text("suite", "closure").text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("device", device.name).number("capability", device.capability);
  json.number("multiprocessors", device.multiprocessors).number("memory_bytes", device.memory);
  json.text("architectures", cuda_architectures()).text("definitions", bench::closure_definitions);
  deliver_bench(shared, flags, json.raw("rows", "[\n  " + list + "]").str());
  if (failed) throw error(fault_code::internal, "a row could not be measured or its result was wrong");
}

}  // namespace kleene::cli
