// kleene bench --suite scale: grids of GPUs.
#include "bench.hpp"
#include "scale_suite.hpp"
#include "session.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

std::string row_text(const bench::scale_row& row) {
  if (!row.failure.empty()) return fmt::format("{:<44}FAILED: {}\n", row.work, row.failure);
  std::string asked;
  if (row.share_at_least > 0)
    asked = fmt::format("at least {:.0f} %  {}", 100 * row.share_at_least, row.met() ? "met" : "MISSED");
  if (row.modelled > 0)
    asked += fmt::format("{}model: {} ({:+.1f} %)", asked.empty() ? "" : "; ", seconds_text(row.modelled),
                         100 * (row.modelled / row.seconds - 1));
  if (row.saving >= 0)
    asked = fmt::format("a checkpoint: {:.1f} % of ten minutes, at most {:.0f} %  {}", 100 * row.saving,
                        100 * bench::scale_row::saving_at_most, row.met() ? "met" : "MISSED");
  return fmt::format("{:<44}{:>7}{:>7}{:>10}{:>9.2f}{:>10.2f}{:>8.1f} %  {}\n", row.work,
                     fmt::format("{}x{}", row.rows, row.cols), row.block, seconds_text(row.seconds), row.tops,
                     row.one_tops, 100 * row.share(), asked);
}

std::string row_json(const bench::scale_row& row) {
  json_object json;
  json.text("work", row.work).text("operation", row.operation).text("algebra", row.algebra).text("dtype", row.dtype);
  json.number("n", row.n).number("problems", row.problems).number("devices", row.devices);
  if (!row.failure.empty()) return json.text("failure", row.failure).inner();
  json.number("rows", row.rows).number("cols", row.cols).number("block", row.block).number("rounds", row.rounds);
  json.number("seconds", row.seconds).number("seconds_fastest", row.fastest).number("seconds_slowest", row.slowest);
  json.number("tops", row.tops).number("one_tops", row.one_tops).number("share", row.share());
  if (row.share_at_least > 0) json.number("share_at_least", row.share_at_least).boolean("met", row.met());
  if (row.modelled > 0) json.number("modelled_seconds", row.modelled);
  if (row.saving >= 0) json.number("saving", row.saving).number("saving_at_most", bench::scale_row::saving_at_most);
  return json.inner();
}

}  // namespace

void run_scale_bench(const shared_flags& shared, const bench_flags& flags) {
  const context ctx = make_gpu_context(shared, bench::has_scale_suite());
  const cuda_device& device = *ctx.device();
  const std::size_t there = cuda_devices().size();
  if (shared.prints_text())
    write_stdout(
        fmt::format("{} x {}; host clock from barrier to barrier, median after a warm-up\n\n"
                    "{:<44}{:>7}{:>7}{:>10}{:>9}{:>10}{:>10}\n",
                    there, device.name, "", "grid", "block", "time", "Tops", "one GPU", "share"));
  bench::scale_suite_options options{.largest = flags.largest, .only = flags.only};
  if (flags.rounds > 0) options.rounds = flags.rounds;
  const auto rows = bench::run_scale_suite(options, [&](const bench::scale_row& row) {
    if (shared.prints_text()) write_stdout(row_text(row));
    else fmt::print(stderr, "{}", row_text(row));  // where a run is cut short, what it has measured
  });
  if (rows.empty()) throw error(fault_code::usage, "--only '" + flags.only + "' finds no row");
  std::string list;
  bool failed = false;
  for (const bench::scale_row& row : rows) {
    list += (list.empty() ? "" : ",\n  ") + row_json(row);
    failed |= !row.failure.empty();
  }
  json_object json;
  json.text("suite", "scale").text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("device", device.name).number("devices", there).number("multiprocessors", device.multiprocessors);
  json.text("architectures", cuda_architectures()).text("definitions", bench::scale_definitions);
  deliver_bench(shared, flags, json.raw("rows", "[\n  " + list + "]").str());
  if (failed) throw error(fault_code::internal, "a row could not be measured or its result was wrong");
}

}  // namespace kleene::cli
