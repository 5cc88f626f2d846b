// kleene bench --suite streaming, and --suite matrix, whose rows are of the same form.
#include "bench.hpp"
#include "gpu_suite.hpp"
#include "matrix/suite.hpp"
#include "session.hpp"
#include "streaming/suite.hpp"
#include "text.hpp"

#include <algorithm>

namespace kleene::cli {

namespace {

struct streaming_machine {
  const cuda_device& device;
  double clock, copy;  // Hz; bytes per second
};

std::string head_text(const streaming_machine& machine, int rounds) {
  return fmt::format(
      "{}, {} multiprocessors, at most {:.2f} GHz; a copy moves {:.0f} GB/s; median of {} after 3 warm-ups\n\n"
      "{:<46}{:>10}{:>10} {:<9}{:>7}   {:<34}{:>6}{:>18}\n",
      machine.device.name, machine.device.multiprocessors, machine.clock / 1e9, machine.copy / 1e9,
      counted(rounds, "round", "rounds"), "", "us", "rate", "", "copy", "best peer", "", "at least");
}

// Of what only bytes a second can be held against; 0 for items.
double share_of_copy(const bench::streaming_row& row, double copy) {
  return row.unit == "GB/s" ? 1e9 * row.rate() / copy : 0;
}

// Whether there is something to meet: a share of a peer that is not on this machine is neither met nor missed.
bool is_promised(const bench::streaming_row& row) {
  return row.at_least > 0 || (row.of_peer > 0 && !row.peers.empty());
}

std::string bar_text(const bench::streaming_row& row) {
  std::string text;
  if (row.at_least > 0) text = fmt::format("{:.6g}", row.at_least);
  if (row.of_peer > 0) text += fmt::format("{}{:.2f}x peer", text.empty() ? "" : ", ", row.of_peer);
  return text;
}

// The best of the run, or who is quoted with more.
struct known_peer {
  std::string name;
  double rate = 0;
};
known_peer best_known_peer(const bench::streaming_row& row) {
  const auto best = std::ranges::min_element(row.peers, {}, &bench::peer_rate::seconds);
  known_peer known;
  if (best != row.peers.end()) known = {best->name, row.best_peer()};
  if (row.quoted.rate > known.rate) known = {std::string(row.quoted.peer) + ", quoted", row.quoted.rate};
  return known;
}

std::string row_text(const bench::streaming_row& row, double copy) {
  if (!row.failure.empty()) return fmt::format("{:<46}FAILED: {}\n", row.work, row.failure);
  const double share = share_of_copy(row, copy);
  const auto [best, rate] = best_known_peer(row);
  return fmt::format("{:<46}{:>10.1f}{:>10.2f} {:<9}{:>7}   {:<34}{:>6}{:>18}  {}\n", row.work, 1e6 * row.seconds,
                     row.rate(), row.unit, share > 0 ? fmt::format("{:.0f} %", 100 * share) : "", best,
                     rate > 0 ? fmt::format("{:.2f}x", row.rate() / rate) : "", bar_text(row),
                     !is_promised(row) ? ""
                     : row.met()       ? "met"
                                       : "MISSED");
}

std::string peers_json(const bench::streaming_row& row) {
  std::string list;
  for (const bench::peer_rate& peer : row.peers) {
    json_object json;
    json.text("name", peer.name).number("seconds", peer.seconds).number("rate", 1e-9 * row.amount / peer.seconds);
    list += (list.empty() ? "" : ", ") + json.inner();
  }
  return "[" + list + "]";
}

std::string row_json(const bench::streaming_row& row, double copy) {
  json_object json;
  json.text("work", row.work).number("items", row.items).number("amount", row.amount).text("unit", row.unit);
  if (!row.failure.empty()) return json.text("failure", row.failure).inner();
  json.number("seconds", row.seconds).number("seconds_fastest", row.fastest).number("seconds_slowest", row.slowest);
  json.number("rate", row.rate());
  if (const double share = share_of_copy(row, copy); share > 0) json.number("share_of_copy", share);
  json.raw("peers", peers_json(row));
  if (!row.peers.empty()) json.number("ratio_to_peer", row.rate() / row.best_peer());
  if (row.quoted.rate > 0) json.text("quoted_peer", row.quoted.peer).number("quoted_rate", row.quoted.rate);
  if (row.at_least > 0) json.number("at_least", row.at_least);
  if (row.of_peer > 0) json.number("ratio_to_peer_at_least", row.of_peer);
  if (is_promised(row)) json.boolean("met", row.met());
  return json.inner();
}

std::string report_json(const bench_flags& flags, const streaming_machine& machine, int rounds,
                        const std::vector<bench::streaming_row>& rows) {
  std::string list;
  for (const bench::streaming_row& row : rows) list += (list.empty() ? "" : ",\n  ") + row_json(row, machine.copy);
  json_object json;
  json.text("suite", flags.suite).text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("device", machine.device.name).number("capability", machine.device.capability);
  json.number("multiprocessors", machine.device.multiprocessors).number("memory_bytes", machine.device.memory);
  json.number("clock_ghz", machine.clock / 1e9).number("copy_gb_per_s", machine.copy / 1e9);
  json.text("architectures", cuda_architectures()).number("rounds", rounds);
  return json.text("definitions", flags.suite == "matrix" ? bench::matrix_definitions : bench::streaming_definitions)
      .raw("rows", "[\n  " + list + "]")
      .str();
}

}  // namespace

void run_streaming_bench(const shared_flags& shared, const bench_flags& flags) {
  const context ctx = make_gpu_context(shared);
  const int rounds = flags.rounds > 0 ? flags.rounds : 10;
  const streaming_machine machine{*ctx.device(), bench::gpu_clock(ctx), bench::copy_rate(ctx)};
  if (shared.prints_text()) write_stdout(head_text(machine, rounds));
  const auto run = flags.suite == "matrix" ? bench::run_matrix_suite : bench::run_streaming_suite;
  const auto rows = run(ctx, {.rounds = rounds, .only = flags.only}, [&](const bench::streaming_row& row) {
    if (shared.prints_text()) write_stdout(row_text(row, machine.copy));
  });
  if (rows.empty())
    throw error(fault_code::usage, "--only '" + flags.only + "' finds no row: name its family too, say 'scan i64'");
  deliver_bench(shared, flags, report_json(flags, machine, rounds, rows));
  for (const bench::streaming_row& row : rows)
    if (!row.failure.empty()) throw error(fault_code::internal, row.work + ": " + row.failure);
}

}  // namespace kleene::cli
