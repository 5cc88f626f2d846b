#include "session.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace kleene::cli {

context make_context(const shared_flags& shared) {
  if (shared.explain) set_explain(true);
  const std::string_view device = shared.device;
  if (device == "auto") {
    context best = context::best();
    if (best.kind() != device_kind::cpu) return best;
  } else if (device.starts_with("cuda")) {
    int ordinal = 0;
    const std::string_view rest = device.substr(4);
    const char* end = rest.data() + rest.size();
    const bool numbered = rest.starts_with(':') && std::from_chars(rest.data() + 1, end, ordinal).ptr == end &&
                          rest.size() > 1 && ordinal >= 0;
    if (rest.empty() || numbered) return context::cuda(ordinal);
  }
  if (device != "auto" && device != "cpu")
    throw error(fault_code::usage, "unknown device '" + shared.device + "' (--device takes auto, cpu, cuda or cuda:N)");
  return context::cpu({.threads = shared.threads, .isa = {}});
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

void add_place(json_object& json, const context& ctx) {
  json.text("device", ctx.kind() == device_kind::cpu ? "cpu" : "cuda").text("isa", to_string(ctx.isa()));
  json.number("threads", ctx.threads());
}

void require_memory(double bytes, const std::string& what) {
  const double available = static_cast<double>(available_memory());
  if (bytes > available)
    throw error(fault_code::memory, fmt::format("{} needs {:.0f} bytes ({}), and {} are available", what, bytes,
                                                bytes_text(bytes), bytes_text(available)));
}

void require_writable(std::initializer_list<std::string> outputs) {
  for (const std::string& path : outputs) {
    if (path.empty()) continue;
    struct stat is {};
    const bool special = stat(path.c_str(), &is) == 0 && !S_ISREG(is.st_mode);  // a pipe, /dev/stdout
    const std::size_t slash = path.find_last_of('/');
    const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
    if (special && S_ISDIR(is.st_mode))
      errno = EISDIR;
    else if (access(special ? path.c_str() : folder.c_str(), W_OK) == 0)
      continue;
    throw error(fault_code::bad_input, "cannot write " + path + ": " + std::strerror(errno));
  }
}

}  // namespace kleene::cli
