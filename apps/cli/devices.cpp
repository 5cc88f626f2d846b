#include "devices.hpp"

#include "kleene/data/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace kleene::cli {

namespace {

constexpr int most_devices = 1024;  // more are a slip

std::optional<int> ordinal_of(std::string_view word) {
  int ordinal = 0;
  const auto [rest, failed] = std::from_chars(word.data(), word.data() + word.size(), ordinal);
  if (failed != std::errc{} || rest != word.data() + word.size() || ordinal < 0) return {};
  return ordinal;
}

// "3" or "0-3", at the end of what was found; whether it is one of these.
bool add_range(std::string_view word, std::vector<int>& found) {
  const std::size_t dash = word.find('-');
  const std::optional<int> first = ordinal_of(word.substr(0, dash));
  const std::optional<int> last = dash == word.npos ? first : ordinal_of(word.substr(dash + 1));
  if (!first || !last || *last < *first || *last - *first >= most_devices) return false;
  for (int ordinal = *first; ordinal <= *last; ++ordinal) found.push_back(ordinal);
  return true;
}

}  // namespace

std::vector<int> devices_of(const std::string& device) {
  if (device == "auto" || device == "cpu") return {};
  if (device == "cuda") return {0};
  std::vector<int> found;
  if (device == "cuda:all") {
    for (const cuda_device& each : cuda_devices()) found.push_back(each.ordinal);
    if (found.empty()) throw error(fault_code::device, "--device cuda:all: there is no CUDA device");
    return found;
  }
  bool known = device.starts_with("cuda:");
  for (std::string_view rest = known ? std::string_view(device).substr(5) : ""; known;) {
    const std::size_t comma = rest.find(',');
    known = add_range(rest.substr(0, comma), found);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (!known)
    throw error(fault_code::usage, "unknown device '" + device +
                                       "' (--device takes auto, cpu, cuda or cuda:N; apsp, closure and gemm also "
                                       "cuda:0-3, cuda:0,2 and cuda:all)");
  return found;
}

std::string first_device(const std::string& device) {
  const std::vector<int> devices = devices_of(device);
  return devices.size() < 2 ? device : fmt::format("cuda:{}", devices.front());
}

std::string place_words(const context& ctx, const std::vector<int>& devices) {
  if (devices.size() < 2) return ctx.describe();
  return fmt::format("cuda ({}: {})", fmt::join(devices, ", "), ctx.device()->name);
}

}  // namespace kleene::cli
