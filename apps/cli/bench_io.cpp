// kleene bench --suite io.
#include "bench.hpp"
#include "io_suite.hpp"
#include "roofs/cpu_roof.hpp"
#include "session.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

std::string asked(const bench::io_row& row) {
  std::string text;
  if (row.at_least > 0) text += fmt::format("{:.0f} MB/s", row.at_least / 1e6);
  if (row.share_asked > 0) text += fmt::format(", {:.0f} %", 100 * row.share_asked);
  if (row.seconds_most > 0) text += seconds_text(row.seconds_most);
  return text.empty() ? "" : fmt::format("{:<18}{}", text, row.met() ? "met" : "MISSED");
}

std::string row_text(const bench::io_row& row) {
  return fmt::format("{:<28}{:>8.1f} MB{:>10.0f} MB/s{:>14}{:>9.0f} %  {}\n", row.work, row.bytes / 1e6,
                     row.rate() / 1e6, seconds_text(row.all_threads), 100 * row.share(), asked(row));
}

std::string row_json(const bench::io_row& row) {
  json_object json;
  json.text("work", row.work).number("bytes", row.bytes).number("threads", row.threads);
  json.number("seconds_one_thread", row.one_thread).number("seconds", row.all_threads);
  json.number("mb_per_second_and_core", row.rate() / 1e6).number("share_of_cores", row.share());
  if (row.at_least > 0) json.number("mb_per_second_at_least", row.at_least / 1e6);
  if (row.share_asked > 0) json.number("share_at_least", row.share_asked);
  if (row.seconds_most > 0) json.number("seconds_at_most", row.seconds_most);
  if (!asked(row).empty()) json.boolean("met", row.met());
  return json.inner();
}

}  // namespace

void run_io_bench(const shared_flags& shared, const bench_flags& flags) {
  const int rounds = flags.rounds > 0 ? flags.rounds : 5;
  if (shared.prints_text())
    write_stdout(
        fmt::format("{}, {:.2f} GHz now; files in the page cache, median of {}\n\n"
                    "{:<28}{:>11}{:>15}{:>14}{:>11}  asked\n",
                    processor_name(), bench::clock_rate() / 1e9, counted(rounds, "round", "rounds"), "", "content",
                    "one core", "all cores", "of them"));
  const auto rows =
      bench::run_io_suite({.rounds = rounds, .only = flags.only, .keep = flags.keep}, [&](const bench::io_row& row) {
        if (shared.prints_text()) write_stdout(row_text(row));
      });
  if (rows.empty()) throw error(fault_code::usage, "--only '" + flags.only + "' finds no row");
  std::string list;
  for (const bench::io_row& row : rows) list += (list.empty() ? "" : ",\n  ") + row_json(row);
  json_object json;
  json.text("suite", "io").text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("processor", processor_name()).number("clock_ghz", bench::clock_rate() / 1e9).number("rounds", rounds);
  json.text("definitions", bench::io_definitions).raw("rows", "[\n  " + list + "]");
  deliver_bench(shared, flags, json.str());
}

}  // namespace kleene::cli
