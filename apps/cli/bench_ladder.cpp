// kleene bench --suite ladder.
#include "bench.hpp"
#include "gpu_suite.hpp"
#include "ladder/suite.hpp"
#include "session.hpp"
#include "text.hpp"

#include <algorithm>

namespace kleene::cli {

void run_ladder_bench(const shared_flags& shared, const bench_flags& flags) {
  const context ctx = make_gpu_context(shared);
  const cuda_device& device = *ctx.device();
  const int rounds = flags.rounds > 0 ? flags.rounds : 10;
  const index_t n = std::min<index_t>(flags.largest, 4096);
  const auto rungs = bench::run_ladder(ctx, n, rounds);
  const double last = rungs.back().tops;
  std::string text =
      fmt::format("{}; bf16, {} cubed; median of {} after 3 warm-ups\n\n{:<18}{:>10}{:>10}{:>10}{:>10}\n", device.name,
                  n, counted(rounds, "round", "rounds"), "", "us", "Tops", "of last", "gain");
  std::string list;
  double before = 0;
  for (const bench::ladder_rung& rung : rungs) {
    text +=
        fmt::format("{:<18}{:>10.1f}{:>10.2f}{:>8.1f} %{:>10}   {}\n", rung.name, 1e6 * rung.seconds, rung.tops,
                    100 * rung.tops / last, before > 0 ? fmt::format("{:.2f}x", rung.tops / before) : "", rung.idea);
    json_object json;
    json.text("rung", rung.name).text("idea", rung.idea).number("seconds", rung.seconds);
    json.number("seconds_fastest", rung.fastest).number("seconds_slowest", rung.slowest).number("tops", rung.tops);
    json.number("share_of_last", rung.tops / last);
    if (before > 0) json.number("gain", rung.tops / before);
    list += (list.empty() ? "" : ",\n  ") + json.inner();
    before = rung.tops;
  }
  if (shared.prints_text()) write_stdout(text);
  json_object json;
  json.text("suite", "ladder").text("version", KLEENE_VERSION).text("commit", flags.commit);
  json.text("device", device.name).number("capability", device.capability);
  json.number("multiprocessors", device.multiprocessors).text("architectures", cuda_architectures());
  json.number("n", n).number("rounds", rounds).text("definitions", bench::ladder_definitions);
  deliver_bench(shared, flags, json.raw("rungs", "[\n  " + list + "]").str());
}

}  // namespace kleene::cli
