// kleene model: what a closure on many GPUs will take.
#include "kleene/grid/model.hpp"

#include "commands.hpp"
#include "kleene/data/error.hpp"
#include "options.hpp"
#include "session.hpp"
#include "text.hpp"

#include <charconv>
#include <cmath>
#include <memory>

namespace kleene::cli {

namespace {

struct model_flags {
  gpu_cluster machine;
  double tops = 33.6, bandwidth = 4280, link = 300, network = 50, memory = 141;  // of the default: Tops, and GB
  std::int64_t vertices = 0, block = 0, element = 4;
};

std::string gpus_text(const gpu_cluster& machine) {
  return machine.nodes == 1 ? grouped(machine.gpus)
                            : fmt::format("{} nodes of {}", grouped(machine.nodes), grouped(machine.gpus));
}

std::string text_of(const model_flags& flags, const closure_model& m) {
  const double devices = double(m.rows) * m.cols, n = double(flags.vertices);
  answer a;
  a.line("closure", fmt::format("{}, {} bytes an element, in blocks of {}",
                                counted(flags.vertices, "vertex", "vertices"), flags.element, grouped(m.block)));
  a.line("GPUs", fmt::format("{}: a grid of {} x {}, {} on each of {}", gpus_text(flags.machine), grouped(m.rows),
                             grouped(m.cols), bytes_text(m.bytes), bytes_text(flags.machine.memory)));
  a.line("time", fmt::format("{}, {} Tops, {:.1f} % of all GPUs' products", seconds_text(m.seconds),
                             grouped(std::llround(2 * n * n * n / m.seconds / 1e12)), 100 * m.efficiency));
  a.line("a step", fmt::format("{} of products in bulk; beside them {} of products ahead, {} for the block, {} of "
                               "panels: {}",
                               seconds_text(m.bulk), seconds_text(m.ahead), seconds_text(m.diagonal),
                               seconds_text(m.panels), m.is_hidden() ? "hidden" : "the bulk does not hide them"));
  a.line(
      "rates",
      fmt::format("{} Tops and {} GB/s a GPU (33.6 and 4280: an H200, min_plus f32 of one sign), 0.7 ms a step beside: "
                  "measured",
                  decimal_text(flags.tops), decimal_text(flags.bandwidth)));
  if (devices > 1)
    a.line("assumed", fmt::format("{} GB/s {}: say what yours has (--{})",
                                  decimal_text(flags.machine.nodes > 1 ? flags.network : flags.link),
                                  flags.machine.nodes > 1 ? "to each GPU between nodes" : "between GPUs of a node",
                                  flags.machine.nodes > 1 ? "network" : "link"));
  return a.str();
}

std::string json_of(const model_flags& flags, const closure_model& m) {
  json_object out;
  out.number("vertices", flags.vertices).number("nodes", flags.machine.nodes).number("gpus", flags.machine.gpus);
  out.number("rows", m.rows).number("cols", m.cols).number("block", m.block).number("bytes", m.bytes);
  out.number("seconds", m.seconds).number("efficiency", m.efficiency).number("bulk_seconds", m.bulk);
  out.number("ahead_seconds", m.ahead).number("diagonal_seconds", m.diagonal).number("panels_seconds", m.panels);
  return out.boolean("hidden", m.is_hidden()).str();
}

void run_model(const shared_flags& shared, model_flags flags) {
  flags.machine.pairs = flags.tops * 1e12 / 2;
  flags.machine.bandwidth = flags.bandwidth * 1e9;
  flags.machine.link = flags.link * 1e9, flags.machine.network = flags.network * 1e9;
  flags.machine.memory = flags.memory * 1e9;
  const closure_model m =
      model_closure(flags.machine, flags.vertices, static_cast<std::size_t>(flags.element), flags.block);
  if (shared.json) write_stdout(json_of(flags, m));
  else if (!shared.quiet) write_stdout(text_of(flags, m));
}

// A rate or a size.
CLI::Option* add_rate(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  const auto is_positive = [](const std::string& text) {
    double number = 0;
    const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits = stop == text.data() + text.size() && wrong == std::errc{} && number > 0 && std::isfinite(number);
    return fits ? std::string() : fmt::format("takes a number above 0, not '{}'", text);
  };
  return app.add_option(name, value, help)->check(CLI::Validator(is_positive, ""))->capture_default_str();
}

}  // namespace

void add_model(CLI::App& app, const shared_flags& shared) {
  CLI::App* sub = app.add_subcommand("model", "How long a closure on many GPUs will take, from measured rates");
  const auto flags = std::make_shared<model_flags>();
  sub->add_option("--vertices,-n", flags->vertices, "How many vertices")->check(whole_number(1, 1 << 30))->required();
  sub->add_option("--nodes", flags->machine.nodes, "Nodes")->check(whole_number(1, 1000000))->capture_default_str();
  sub->add_option("--gpus", flags->machine.gpus, "GPUs of a node")->check(whole_number(1, 1000))->capture_default_str();
  sub->add_option("--block", flags->block, "Vertices of a block (default: what takes least time)")
      ->check(whole_number(1, 1 << 20));
  sub->add_option("--element", flags->element, "Bytes of an element")
      ->check(whole_number(1, 16))
      ->capture_default_str();
  add_rate(*sub, "--tops", flags->tops, "Products of one GPU, in Tops: two operations for each pair");
  add_rate(*sub, "--bandwidth", flags->bandwidth, "GB/s of one GPU's memory, as a copy has it");
  add_rate(*sub, "--link", flags->link, "GB/s from GPU to GPU in a node");
  add_rate(*sub, "--network", flags->network, "GB/s that reach each GPU from other nodes");
  add_rate(*sub, "--memory", flags->memory, "GB of a GPU");
  sub->callback([&shared, flags] { run_model(shared, *flags); });
}

}  // namespace kleene::cli
