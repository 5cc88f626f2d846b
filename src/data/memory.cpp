#include "kleene/data/memory.hpp"

#include "kleene/data/context.hpp"
#include "kleene/data/detail/system_files.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace kleene {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number that a file consists of; `unlimited` for "max", or where there is no such file.
std::size_t number_in(const std::string& path) {
  const std::string text = detail::text_of(path);
  std::string_view left = text;
  std::size_t value = 0;
  return detail::read_integer(detail::take_word(left), value) ? value : unlimited;
}

// The sum of those lines "key number" of a file whose keys are `first` and `second`.
std::size_t sum_of(const std::string& path, std::string_view first, std::string_view second) {
  const std::string text = detail::text_of(path);
  std::size_t sum = 0;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view key = detail::take_word(left), number = detail::take_word(left);
    std::size_t value = 0;
    if (!detail::read_integer(number, value)) break;
    if (key == first || key == second) sum += value;
  }
  return sum;
}

// How the two versions of memory cgroups name their files. The keys of version 1 count the groups below, as all of
// version 2 do.
struct cgroup_files {
  const char *limit, *used, *inactive, *active;
};
constexpr cgroup_files version_2{"/memory.max", "/memory.current", "inactive_file", "active_file"};
constexpr cgroup_files version_1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file",
                                 "total_active_file"};

std::size_t left_in_group(const std::string& folder, const cgroup_files& files) {
  const std::size_t limit = number_in(folder + files.limit);
  if (limit == unlimited) return unlimited;
  const std::size_t used = number_in(folder + files.used);
  if (used == unlimited) return unlimited;  // it cannot be read: nothing is known
  const std::size_t taken_back = sum_of(folder + "/memory.stat", files.inactive, files.active);
  const std::size_t kept = used - std::min(used, taken_back), usable = limit - limit / 64;
  return usable - std::min(usable, kept);
}

// The group at `path` and all above it. Inside a container the path may be one of the host's, of which there is only
// the end: a folder that does not exist limits nothing, and the root is always asked.
std::size_t left_in_groups(const std::string& mount, std::string path, const cgroup_files& files) {
  std::size_t left = left_in_group(mount, files);
  for (; path.size() > 1; path.resize(path.find_last_of('/')))
    left = std::min(left, left_in_group(mount + path, files));
  return left;
}

std::size_t left_in_cgroups(const std::string& root) {
  std::size_t left = unlimited;
  detail::each_control_group(root, [&](const std::string& controllers, const std::string& path) {
    if (controllers.empty()) left = std::min(left, left_in_groups(root + "/sys/fs/cgroup", path, version_2));
    else if (detail::lists(controllers, "memory"))
      left = std::min(left, left_in_groups(root + "/sys/fs/cgroup/memory", path, version_1));
  });
  return left;
}

std::size_t left_in_machine(const std::string& root) {
  const std::string info = detail::text_of(root + "/proc/meminfo");
  for (std::string_view lines = info; !lines.empty();) {
    std::string_view line = detail::take_line(lines);
    std::size_t value = 0;
    if (detail::take_word(line) == "MemAvailable:" && detail::read_integer(detail::take_word(line), value))
      return value * 1024;
  }
  return unlimited;
}

}  // namespace

std::size_t detail::available_memory_below(const std::string& root) {
  return std::min(left_in_machine(root), left_in_cgroups(root));
}

std::size_t available_memory() { return detail::available_memory_below(""); }

}  // namespace kleene
