// kleene tune: searches the tile policies of the CUDA product on the device at hand.
#include "options.hpp"
#include "session.hpp"
#include "text.hpp"
#include "tune/gemm_tune.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace kleene::cli {

namespace {

struct tune_flags {
  std::int64_t size = 8192;
  int rounds = 5;
};

std::string trial_text(const bench::gemm_trial& t) {
  const auto& p = t.policy;
  return fmt::format(
      "{:<14}{:<22}{:>4} x {:<4}{:>3} deep  {:>2} x {:<3} a thread  lanes_m {}  {} stages  {} blocks  unroll {:<3} "
      "group {:<3}",
      t.work, fmt::format("{} {} {}", t.algebra, t.type, t.signs), p.bm, p.bn, p.bk, p.tm, p.tn, p.lanes_m, p.stages,
      p.blocks, p.unroll, p.group);
}

void run_tune(const shared_flags& shared, const tune_flags& flags) {
  if (bench::gemm_trials().empty())
    throw error(fault_code::usage, "this build holds no search space: configure with -DKLEENE_TUNE=ON (and an nvcc)");
  shared_flags here = shared;
  if (here.device == "auto") here.device = "cuda";
  const context ctx = make_context(here);
  if (ctx.kind() != device_kind::cuda)
    throw error(fault_code::usage, "tune searches on a CUDA device, not on --device " + here.device);
  std::string list;
  const auto results = bench::tune_gemm(ctx, flags.size, flags.rounds, [&](const bench::gemm_trial_result& r) {
    if (shared.prints_text()) write_stdout(fmt::format("{:>7.2f} Tops  {}\n", r.tops, trial_text(*r.trial)));
    const auto& p = r.trial->policy;
    list += fmt::format(
        "{}{{\"work\": \"{}\", \"algebra\": \"{}\", \"dtype\": \"{}\", \"signs\": \"{}\", \"tops\": {:.3f}, "
        "\"policy\": "
        "[{}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}}",
        list.empty() ? "" : ",\n  ", r.trial->work, r.trial->algebra, r.trial->type, r.trial->signs, r.tops, p.bm, p.bn,
        p.bk, p.tm, p.tn, p.lanes_m, p.stages, p.blocks, p.unroll, p.group);
  });
  const std::string rows = bench::rows_to_paste(results, ctx.device()->name);
  if (shared.json) {
    json_object json;
    json.text("device", ctx.device()->name).number("size", flags.size).number("rounds", flags.rounds);
    json.raw("trials", "[\n  " + list + "]").text("rows", rows);
    write_stdout(json.str());
  } else if (shared.prints_text()) {
    write_stdout("\nFor kernels/cuda/gemm/simt/rows.def:\n\n" + rows);
  }
}

}  // namespace

void add_tune(CLI::App& app, const shared_flags& shared) {
  CLI::App* sub = app.add_subcommand("tune", "Search the tile policies of the CUDA product on this machine's device");
  const auto flags = std::make_shared<tune_flags>();
  sub->add_option("--size", flags->size, "Products of N x N matrices")
      ->check(whole_number(64, 65536))
      ->capture_default_str();
  sub->add_option("--rounds", flags->rounds, "Rounds per trial")->check(whole_number(1, 1000))->capture_default_str();
  sub->callback([&shared, flags] { run_tune(shared, *flags); });
}

}  // namespace kleene::cli
