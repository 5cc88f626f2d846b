// kleene bench --suite gpu.
#include "bench.hpp"
#include "gpu_suite.hpp"
#include "session.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

struct gpu_machine {
  const cuda_device& device;
  double clock;
  std::vector<bench::gpu_roof> roofs;

  double per_clock(double pairs) const { return pairs / clock / device.multiprocessors; }
};

std::string head_text(const gpu_machine& machine, int rounds) {
  std::string text =
      fmt::format("{}, {} multiprocessors, at most {:.2f} GHz; median of {} after 3 warm-ups\n\n{:<52}{:>8}{:>8}\n",
                  machine.device.name, machine.device.multiprocessors, machine.clock / 1e9,
                  counted(rounds, "round", "rounds"), "roof: registers only", "Tops", "p/clk");
  for (const bench::gpu_roof& roof : machine.roofs)
    text += fmt::format("{:<52}{:>8.2f}{:>8.1f}\n", roof.instructions, 2e-12 * roof.rate, machine.per_clock(roof.rate));
  return text + fmt::format("\n{:<52}{:>8}{:>8}{:>8}{:>7}{:>9}{:>6}\n", "", "Tops", "p/clk", "roof", "peer", "at least",
                            "aim");
}

std::string row_text(const bench::gpu_row& row) {
  if (!row.failure.empty()) return fmt::format("{:<52}FAILED: {}\n", row.work, row.failure);
  const auto ratio = [](double a, double b) { return b > 0 ? fmt::format("{:.2f}x", a / b) : ""; };
  const auto tops = [](double value) { return value > 0 ? fmt::format("{:.1f}", value) : ""; };
  const std::string verdict = row.at_least <= 0                    ? ""
                              : !row.met()                         ? "MISSED"
                              : row.aim > 0 && row.tops >= row.aim ? "met, aim too"
                                                                   : "met";
  return fmt::format("{:<52}{:>8.2f}{:>8.1f}{:>8}{:>7}{:>9}{:>6}  {}\n", row.work, row.tops, row.pairs_per_clock,
                     row.roof_tops > 0 ? fmt::format("{:.0f} %", 100 * row.tops / row.roof_tops) : "",
                     ratio(row.tops, row.peer_tops), tops(row.at_least), tops(row.aim), verdict);
}

std::string row_json(const bench::gpu_row& row) {
  json_object json;
  json.text("work", row.work).text("algebra", row.algebra).text("dtype", row.dtype).text("data", row.data);
  json.text("layout", row.layout).number("m", row.m).number("n", row.n).number("k", row.k).number("batch", row.batch);
  json.boolean("witness", row.witness);
  if (!row.failure.empty()) return json.text("failure", row.failure).inner();
  json.number("seconds", row.seconds).number("seconds_fastest", row.fastest).number("seconds_slowest", row.slowest);
  json.number("call_seconds", row.call_seconds).number("tops", row.tops).number("pairs_per_clock", row.pairs_per_clock);
  if (row.roof_tops > 0)
    json.text("roof", row.roof).number("roof_tops", row.roof_tops).number("share_of_roof", row.tops / row.roof_tops);
  if (!row.peer.empty()) json.text("peer", row.peer).boolean("peer_is_quoted", row.peer_is_quoted);
  if (row.peer_tops > 0) json.number("peer_tops", row.peer_tops).number("ratio_to_peer", row.tops / row.peer_tops);
  if (!row.bar.empty()) json.text("bar", row.bar);
  if (row.at_least > 0) json.number("at_least", row.at_least).boolean("met", row.met());
  if (row.aim > 0) json.number("aim", row.aim);
  return json.inner();
}

std::string report_json(const bench_flags& flags, const gpu_machine& machine, int rounds,
                        const std::vector<bench::gpu_row>& rows) {
  std::string roofs, list;
  for (const bench::gpu_roof& roof : machine.roofs) {
    json_object json;
    json.text("instructions", roof.instructions).number("tops", 2e-12 * roof.rate);
    roofs += (roofs.empty() ? "" : ",\n  ") + json.number("pairs_per_clock", machine.per_clock(roof.rate)).inner();
  }
  for (const bench::gpu_row& row : rows) list += (list.empty() ? "" : ",\n  ") + row_json(row);
  json_object json;
  json.text("suite", "gpu").text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("device", machine.device.name).number("capability", machine.device.capability);
  json.number("multiprocessors", machine.device.multiprocessors).number("memory_bytes", machine.device.memory);
  json.number("clock_ghz", machine.clock / 1e9).text("architectures", cuda_architectures()).number("rounds", rounds);
  json.text("definitions", bench::gpu_definitions);
  return json.raw("roofs", "[\n  " + roofs + "]").raw("rows", "[\n  " + list + "]").str();
}

}  // namespace

void run_gpu_bench(const shared_flags& shared, const bench_flags& flags) {
  const context ctx = make_gpu_context(shared);
  const int rounds = flags.rounds > 0 ? flags.rounds : 10;
  const gpu_machine machine{*ctx.device(), bench::gpu_clock(ctx), bench::measure_gpu_roofs(ctx)};
  if (shared.prints_text()) write_stdout(head_text(machine, rounds));
  const auto rows =
      bench::run_gpu_suite(ctx, machine.roofs, {.rounds = rounds, .only = flags.only}, [&](const bench::gpu_row& row) {
        if (shared.prints_text()) write_stdout(row_text(row));
      });
  deliver_bench(shared, flags, report_json(flags, machine, rounds, rows));
  for (const bench::gpu_row& row : rows)
    if (!row.failure.empty()) throw error(fault_code::internal, row.work + ": " + row.failure);
}

}  // namespace kleene::cli
