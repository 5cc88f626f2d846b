// What every subcommand starts with: where to run, and refusals that are cheaper before the work than after it.
#pragma once

#include "commands.hpp"
#include "kleene/data/context.hpp"
#include "text.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kleene::cli {

// --device, --threads and --explain. error(usage) for a malformed device, error(device) for one that is not there.
context make_context(const shared_flags& shared);
// The same, made in the background while `meanwhile` runs (setting a device up takes a third of a second, reading a
// large file as long). auto takes a device, if there is one, only where it `suits`.
template <class Meanwhile>
std::pair<context, std::invoke_result_t<Meanwhile>> make_context_while(const shared_flags& shared, bool suits,
                                                                       const Meanwhile& meanwhile) {
  shared_flags here = shared;
  if (here.device == "auto" && !suits) here.device = "cpu";
  std::future<context> ready = std::async(std::launch::async, [here] { return make_context(here); });
  auto result = meanwhile();
  return {ready.get(), std::move(result)};
}

// A line on stderr about what was asked for and is not quite what is done; none with --quiet.
void note(const shared_flags& shared, const std::string& what);
// Notes the first integer of an input that `dtype` holds rounded.
void note_rounding(const shared_flags& shared, const std::string& path, std::span<const std::int64_t> integers,
                   const std::string& dtype);

// "Intel(R) Xeon(R) Processor", or "unknown".
std::string processor_name();

// Where the work ran: "device", then "isa" and "threads" of a CPU or "device_name" of a CUDA device.
void add_place(json_object& json, const context& ctx);

// error(memory) with the number of bytes when they are not to be had; `what` says what needs them, `advice` what takes
// less.
void require_memory(double bytes, const std::string& what, const std::string& advice = "");

// A file and the flag that names it; an empty path: not given.
struct named_file {
  const char* flag;
  std::string path;
};
// Refuses before any work what would be refused or lost after it: an output that is another output, an input, or the
// file that stdout goes to while something is printed, whatever names they go by (error(usage)); and one that cannot be
// written (error(bad_input)). An output named as standard output itself sends the text of the answer to stderr.
void require_outputs(const shared_flags& shared, const std::vector<named_file>& outputs,
                     const std::vector<named_file>& inputs);

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kleene::cli
