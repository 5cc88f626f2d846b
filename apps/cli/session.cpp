#include "session.hpp"

#include "devices.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/io/atomic_file.hpp"
#include "progress.hpp"

#include <fmt/ranges.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <unordered_map>

namespace kleene::cli {

namespace {}  // namespace

bool is_small(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_size < (1 << 24);
}

context make_context(const shared_flags& shared) {
  if (shared.explain) set_explain(true);
  if (const std::string problem = thread_request_problem(); shared.threads == 0 && !shared.explain && !problem.empty())
    note(shared, problem);
  const std::vector<int> devices = devices_of(shared.device);
  if (devices.size() > 1)
    throw error(fault_code::usage,
                fmt::format("--device {} names {} devices: apsp, closure and gemm take several, others one",
                            shared.device, devices.size()));
  if (devices.size() == 1) return context::cuda(devices.front());
  if (shared.device == "auto" && !cuda_devices().empty()) return context::best();
  return context::cpu({.threads = shared.threads, .isa = {}});
}

void note(const shared_flags& shared, const std::string& what) {
  if (!shared.quiet) std::fprintf(stderr, "kleene: note: %s\n", what.c_str());
}

void note_rounding(const shared_flags& shared, const std::string& path, std::span<const std::int64_t> integers,
                   const std::string& dtype) {
  const bool reads_weights = shared.algebra_name() != "or_and";
  if (!reads_weights || (dtype != "f32" && dtype != "f64")) return;  // narrower ones refuse what they cannot hold
  const auto rounds = [&](std::int64_t n) {
    const long double held = dtype == "f32" ? static_cast<float>(n) : static_cast<double>(n);
    return held != static_cast<long double>(n);
  };
  if (const auto first = std::ranges::find_if(integers, rounds); first != integers.end())
    note(shared, fmt::format("{}: {} cannot hold {} exactly: it is rounded, and others may be", path, dtype, *first));
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

void add_place(json_object& json, const context& ctx) {
  if (const cuda_device* device = ctx.device()) json.text("device", "cuda").text("device_name", device->name);
  else json.text("device", "cpu").text("isa", to_string(ctx.isa())).number("threads", ctx.threads());
}

void add_devices(json_object& json, const shared_flags& shared) {
  const std::vector<int> devices = devices_of(shared.device);
  if (devices.size() > 1) json.raw("devices", fmt::format("[{}]", fmt::join(devices, ", ")));
}

void require_memory(double bytes, const std::string& what, const std::string& advice) {
  const double available = static_cast<double>(available_memory());
  if (bytes > available)
    throw error(fault_code::memory,
                fmt::format("{}: {} of memory are needed ({:.0f} bytes), and {} are available{}{}", what,
                            bytes_text(bytes), bytes, bytes_text(available), advice.empty() ? "" : "; ", advice));
}

void require_outputs(const shared_flags& shared, const std::vector<named_file>& outputs,
                     const std::vector<named_file>& inputs) {
  const auto printed = [](const named_file& output) { return io::atomic_file::is_standard_output(output.path); };
  if (standard_output_was_closed() && (shared.json || std::ranges::any_of(outputs, printed)))
    throw error(fault_code::bad_input, "cannot write to standard output: it is closed");
  std::unordered_map<std::string, const char*> known;  // the flag of each file
  const auto flag_before = [&](const named_file& file) -> const char* {
    const std::string identity = file.path.empty() ? "" : io::atomic_file::identity(file.path);
    if (identity.empty()) return nullptr;
    const auto [at, is_new] = known.try_emplace(identity, file.flag);
    return is_new ? nullptr : at->second;
  };
  for (const named_file& input : inputs) flag_before(input);
  // Text for people makes room for a result that is asked for under a name of standard output; JSON is a result itself.
  if (shared.prints_text() && std::ranges::any_of(outputs, printed)) answer_on_stderr();
  else if (shared.json || !shared.quiet) flag_before({"standard output", "/dev/stdout"});
  for (const named_file& output : outputs)
    if (const char* other = flag_before(output))
      throw error(fault_code::usage, fmt::format("{} and {} are the same file ({}), and one would be lost", output.flag,
                                                 other, output.path));
  for (const auto& [flag, path] : outputs) {
    if (path.empty()) continue;
    if (!io::atomic_file::writes_directly(path) || io::atomic_file::is_standard_output(path))
      io::atomic_file attempt(path);  // refuses what it would refuse when the work is done
    else if (access(path.c_str(), W_OK) != 0)
      throw error(fault_code::bad_input, "cannot write " + path + ": " + std::strerror(errno));
  }
}

}  // namespace kleene::cli
