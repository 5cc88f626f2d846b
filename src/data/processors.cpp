// How many threads are worth having: what the environment asks for, the processors this process may run on, and the CPU
// quotas of its control groups.
#include "kleene/data/context.hpp"
#include "kleene/data/detail/system_files.hpp"
#include "kleene/data/parallel.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace kleene {

namespace {

int allowed_processors() {
#if defined(__linux__)
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));  // more than 1,024 processors, too
}

// quota microseconds of a processor's time in every period.
int processors_worth(std::string_view quota_text, std::string_view period_text) {
  std::int64_t quota = 0, period = 0;
  if (!detail::read_integer(quota_text, quota) || !detail::read_integer(period_text, period) || quota <= 0 ||
      period <= 0)
    return INT_MAX;
  return static_cast<int>(std::min<std::int64_t>((quota - 1) / period + 1, INT_MAX));
}

// cpu.max holds "20000 100000", or "max 100000" for no limit.
int quota_of_2(const std::string& folder) {
  const std::string text = detail::text_of(folder + "/cpu.max");
  std::string_view left = text;
  const std::string_view quota = detail::take_word(left), period = detail::take_word(left);
  return processors_worth(quota, period);
}

// The quota is -1 for no limit.
int quota_of_1(const std::string& folder) {
  const std::string quota_text = detail::text_of(folder + "/cpu.cfs_quota_us"),
                    period_text = detail::text_of(folder + "/cpu.cfs_period_us");
  std::string_view quota = quota_text, period = period_text;
  return processors_worth(detail::take_word(quota), detail::take_word(period));
}

// The least quota of a group and of those that it is in. In a container the path may be the host's: then there are no
// such folders, and the mount itself is the container's group.
template <class Quota>
int least_quota(const std::string& mount, std::string path, Quota quota_of) {
  int least = quota_of(mount);
  for (; path.size() > 1; path.resize(path.rfind('/'))) least = std::min(least, quota_of(mount + path));
  return least;
}

}  // namespace

int detail::quota_processors(const std::string& root) {
  const std::string mounts = root + "/sys/fs/cgroup";
  int least = INT_MAX;
  each_control_group(root, [&](const std::string& controllers, const std::string& path) {
    if (controllers.empty()) {
      for (const char* mount : {"", "/unified"}) least = std::min(least, least_quota(mounts + mount, path, quota_of_2));
    } else if (lists(controllers, "cpu")) {
      for (const std::string& mount : {controllers, std::string("cpu")})
        least = std::min(least, least_quota(mounts + "/" + mount, path, quota_of_1));
    }
  });
  return least;
}

namespace {

// Asked once a process: contexts are made for single calls, too. No memory to look with is no quota.
int quota_in_force() {
  static const int quota = [] {
    try {
      return detail::quota_processors();
    } catch (const std::bad_alloc&) {
      return INT_MAX;
    }
  }();
  return quota;
}

}  // namespace

int most_threads() {
  return static_cast<int>(std::clamp<long>(4l * allowed_processors(), least_most_threads, INT_MAX));
}

namespace {

// OMP_NUM_THREADS as a number of threads; 0: not set, -1: it is none.
int asked_threads() {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  if (!asked || !*asked) return 0;
  const char* first = asked;
  while (*first == ' ' || *first == '\t') ++first;
  int threads = 0;
  const auto read = std::from_chars(first, first + std::char_traits<char>::length(first), threads);
  if (*read.ptr != '\0' && *read.ptr != ',' && *read.ptr != ' ' && *read.ptr != '\t') return -1;  // "1.5", "4k"
  if (read.ec == std::errc::result_out_of_range && *first != '-') return most_threads();
  return read.ec == std::errc() && threads > 0 ? std::min(threads, most_threads()) : -1;
}

}  // namespace

std::string thread_request_problem() {
  if (asked_threads() >= 0) return {};
  return "OMP_NUM_THREADS is '" + std::string(std::getenv("OMP_NUM_THREADS")) +
         "', which is no number of threads, and ignored";
}

int default_threads() {
  if (const int asked = asked_threads(); asked > 0) return asked;
  if (explain_enabled())
    if (const std::string problem = thread_request_problem(); !problem.empty()) explain(problem);
  return std::min(allowed_processors(), quota_in_force());
}

}  // namespace kleene
