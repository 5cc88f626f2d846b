// kleene bench --suite networks.
#include "bench.hpp"
#include "networks_suite.hpp"
#include "roofs/cpu_roof.hpp"
#include "session.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

std::string row_text(const bench::networks_row& row) {
  if (!row.failure.empty()) return fmt::format("{:<68}{}\n", row.work, row.failure);
  const char* const verdict = !row.promises() ? "" : row.met() ? "met" : "MISSED";
  return fmt::format("{:<68}{:>14.10g}{:>8.2f}{:>8.2f}{:>8g}{:>12}{:>12}{:>8}  {}\n", row.work, row.answer,
                     row.operations, row.largest, row.slices, seconds_text(row.order), seconds_text(row.contract),
                     row.beside > 0 ? fmt::format("{:.2f}", row.times()) : "", verdict);
}

std::string row_json(const bench::networks_row& row) {
  json_object json;
  json.text("work", row.work);
  if (!row.failure.empty()) return json.text("failure", row.failure).inner();
  json.number("answer", row.answer).number("log2_operations", row.operations).number("log2_largest", row.largest);
  json.number("slices", row.slices).text("method", row.method);
  json.number("seconds_order", row.order).number("seconds_contract", row.contract);
  json.number("peak_bytes", row.peak_bytes);
  if (row.beside > 0) json.number("times_the_value", row.times());
  if (row.contract_most > 0) json.number("seconds_contract_at_most", row.contract_most);
  if (row.all_most > 0) json.number("seconds_at_most", row.all_most);
  if (row.times_most > 0) json.number("times_at_most", row.times_most);
  if (row.promises()) json.boolean("met", row.met());
  return json.inner();
}

}  // namespace

void run_networks_bench(const shared_flags& shared, const bench_flags& flags) {
  shared_flags here = shared;
  if (here.device == "auto") here.device = "cpu";
  const context ctx = make_context(here);
  bench::networks_suite_options options;
  options.only = flags.only;
  options.graphs = flags.graphs;
  if (shared.prints_text())
    write_stdout(fmt::format("{}\n{}, {:.2f} GHz now\n\n{:<68}{:>14}{:>8}{:>8}{:>8}{:>12}{:>12}{:>8}\n",
                             processor_name(), ctx.describe(), bench::clock_rate() / 1e9, "", "answer", "log2 op",
                             "largest", "slices", "order", "contract", "times"));
  const auto rows = bench::run_networks_suite(ctx, options, [&](const bench::networks_row& row) {
    if (shared.prints_text()) write_stdout(row_text(row));
  });
  if (rows.empty()) throw error(fault_code::usage, "--only '" + flags.only + "' finds no row");
  std::string list;
  for (const bench::networks_row& row : rows) list += (list.empty() ? "" : ",\n  ") + row_json(row);
  json_object json;
  json.text("suite", "networks").text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("processor", processor_name()).text("context", ctx.describe());
  json.number("clock_ghz", bench::clock_rate() / 1e9);
  json.text("definitions", bench::networks_definitions).raw("rows", "[\n  " + list + "]");
  deliver_bench(shared, flags, json.str());
}

}  // namespace kleene::cli
