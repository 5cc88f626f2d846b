// kleene bench --suite bits.
#include "bench.hpp"
#include "bits_suite.hpp"
#include "session.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

std::string row_text(const bench::bits_row& row) {
  if (!row.failure.empty()) return fmt::format("{:<56}FAILED: {}\n", row.work, row.failure);
  return fmt::format("{:<56}{:>12.1f}{:>10.0f} {:<6}{:>10}  {}\n", row.work, 1e6 * row.seconds, row.rate(), row.unit,
                     row.at_least > 0 ? fmt::format("{:.0f}", row.at_least) : "",
                     row.at_least <= 0 ? ""
                     : row.met()       ? "met"
                                       : "MISSED");
}

std::string row_json(const bench::bits_row& row) {
  json_object json;
  json.text("work", row.work).number("amount", row.amount).text("unit", row.unit);
  if (!row.failure.empty()) return json.text("failure", row.failure).inner();
  json.number("seconds", row.seconds).number("seconds_fastest", row.fastest).number("seconds_slowest", row.slowest);
  json.number("rate", row.rate());
  if (row.at_least > 0) json.number("at_least", row.at_least).boolean("met", row.met());
  return json.inner();
}

}  // namespace

void run_bits_bench(const shared_flags& shared, const bench_flags& flags) {
  const context ctx = make_gpu_context(shared);
  const int rounds = flags.rounds > 0 ? flags.rounds : 10;
  if (shared.prints_text())
    write_stdout(fmt::format("{}; whole calls, median of {} after 3 warm-ups\n\n{:<56}{:>12}{:>10} {:<6}{:>10}\n",
                             ctx.device()->name, counted(rounds, "round", "rounds"), "", "us", "rate", "", "at least"));
  const auto rows = bench::run_bits_suite(ctx, {.rounds = rounds, .only = flags.only}, [&](const bench::bits_row& row) {
    if (shared.prints_text()) write_stdout(row_text(row));
  });
  if (rows.empty()) throw error(fault_code::usage, "--only '" + flags.only + "' finds no row");
  std::string list;
  for (const bench::bits_row& row : rows) list += (list.empty() ? "" : ",\n  ") + row_json(row);
  json_object json;
  json.text("suite", "bits").text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("device", ctx.device()->name).number("capability", ctx.device()->capability);
  json.number("multiprocessors", ctx.device()->multiprocessors).text("architectures", cuda_architectures());
  json.number("rounds", rounds).text("definitions", bench::bits_definitions).raw("rows", "[\n  " + list + "]");
  deliver_bench(shared, flags, json.str());
  for (const bench::bits_row& row : rows)
    if (!row.failure.empty()) throw error(fault_code::internal, row.work + ": " + row.failure);
}

}  // namespace kleene::cli
