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

// Whether a file is read in a tenth of a second or so; and whether two cores close a matrix of n vertices in less time
// than it takes to set a device up.
bool is_small(const std::string& path);
constexpr bool is_closed_soon(index_t n) { return double(n) * double(n) * double(n) < 0.3 * 20e9; }
// --device, --threads and --explain. error(usage) for a malformed device and for several, error(device) for one that is
// not there.
context make_context(const shared_flags& shared);
// The same for work on the file at `path`, made in the background while `read` reads it: setting a device up takes a
// third of a second, reading a large file as long. auto takes a device, if there is one, only where it `suits`; a small
// file is read first, and what it holds is left to the CPU where vertices(what was read) are closed sooner there.
template <class Read, class Vertices>
std::pair<context, std::invoke_result_t<Read>> make_context_while(const shared_flags& shared, bool suits,
                                                                  const std::string& path, const Read& read,
                                                                  const Vertices& vertices) {
  shared_flags here = shared;
  if (here.device == "auto" && !suits) here.device = "cpu";
  if (here.device == "auto" && is_small(path)) {
    auto result = read();
    if (is_closed_soon(vertices(result))) here.device = "cpu";
    return {make_context(here), std::move(result)};
  }
  std::future<context> ready = std::async(std::launch::async, [here] { return make_context(here); });
  auto result = read();
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

// "devices", where --device named several.
void add_devices(json_object& json, const shared_flags& shared);

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
