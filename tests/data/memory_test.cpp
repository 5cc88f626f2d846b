#include "kleene/data/memory.hpp"

#include "kleene/data/context.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

namespace kleene::test::memory_test {
namespace {

// A machine of 100,000 KiB in files, removed with all that is in it.
class machine {
 public:
  machine() {
    std::string name = (std::filesystem::temp_directory_path() / "kleene-memory-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    root_ = name;
    write("proc/meminfo", "MemTotal:       200000 kB\nMemFree:         1000 kB\nMemAvailable:   100000 kB\n");
  }
  ~machine() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  machine& write(const std::string& path, const std::string& content) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
    return *this;
  }
  std::size_t available() const { return detail::available_memory_below(root_.string()); }

 private:
  std::filesystem::path root_;
};

const std::string group_2 = "sys/fs/cgroup/job/step/", group_1 = "sys/fs/cgroup/memory/docker/abc/";

TEST(memory, what_the_machine_has) {
  EXPECT_EQ(machine().available(), 102400000u);
  EXPECT_EQ(machine().write("proc/meminfo", "").available(), std::numeric_limits<std::size_t>::max());
  EXPECT_GT(available_memory(), std::size_t{1} << 20);
}

TEST(memory, a_limit_of_a_cgroup_version_2) {
  machine m;
  m.write("proc/self/cgroup", "0::/job/step\n");
  m.write(group_2 + "memory.max", "64000000\n").write(group_2 + "memory.current", "3000000\n");
  EXPECT_EQ(m.available(), 60000000u);  // 64,000,000 less the reserve of 1,000,000 and what is used
  m.write(group_2 + "memory.max", "max\n");
  EXPECT_EQ(m.available(), 102400000u);
  m.write(group_2 + "memory.max", "64000000\n").write(group_2 + "memory.current", "65000000\n");
  EXPECT_EQ(m.available(), 0u);
}

TEST(memory, a_limit_of_which_is_not_known_how_much_is_used) {
  machine m;
  m.write("proc/self/cgroup", "0::/job/step\n").write(group_2 + "memory.max", "64000000\n");
  EXPECT_EQ(m.available(), 102400000u);  // 0 would refuse everything
}

TEST(memory, pages_of_files_are_available) {
  machine m;
  m.write("proc/self/cgroup", "0::/job/step\n");
  m.write(group_2 + "memory.max", "64000000\n").write(group_2 + "memory.current", "63000000\n");
  m.write(group_2 + "memory.stat", "anon 3000000\nfile 60000000\ninactive_file 40000000\nactive_file 20000000\n");
  EXPECT_EQ(m.available(), 60000000u);
}

TEST(memory, the_groups_above_limit_too) {
  machine m;
  m.write("proc/self/cgroup", "0::/job/step\n");
  m.write(group_2 + "memory.max", "64000000\n").write(group_2 + "memory.current", "0\n");
  m.write("sys/fs/cgroup/job/memory.max", "32000000\n").write("sys/fs/cgroup/job/memory.current", "1500000\n");
  EXPECT_EQ(m.available(), 30000000u);
  m.write("sys/fs/cgroup/memory.max", "16000000\n").write("sys/fs/cgroup/memory.current", "750000\n");
  EXPECT_EQ(m.available(), 15000000u);
}

TEST(memory, a_limit_of_a_cgroup_version_1) {
  machine m;
  m.write("proc/self/cgroup", "12:cpu,cpuacct:/docker/abc\n7:memory:/docker/abc\n1:name=systemd:/docker/abc\n");
  m.write(group_1 + "memory.limit_in_bytes", "64000000\n").write(group_1 + "memory.usage_in_bytes", "63000000\n");
  m.write(group_1 + "memory.stat", "inactive_file 1\ntotal_inactive_file 60000000\ntotal_active_file 0\n");
  EXPECT_EQ(m.available(), 60000000u);
  m.write(group_1 + "memory.limit_in_bytes", "9223372036854771712\n");  // what version 1 calls no limit
  EXPECT_EQ(m.available(), 102400000u);
}

// In a container the path is the host's, and what is mounted is the group itself.
TEST(memory, a_path_that_is_not_there) {
  machine m;
  m.write("proc/self/cgroup", "7:memory:/docker/abc\n0::/\n");
  m.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "64000000\n");
  m.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000000\n");
  EXPECT_EQ(m.available(), 60000000u);
}

TEST(memory, lines_that_are_none) {
  machine m;
  m.write("proc/self/cgroup", "\n:\n0:\n0::\n0::job\nx:memory:\n");
  EXPECT_EQ(m.available(), 102400000u);
}

TEST(memory, advice_on_pages_leaves_what_is_there) {
  std::vector<unsigned char> bytes(6 << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i % 251);
  for (const std::size_t skipped : {0, 1, 4097})
    detail::advise_large_pages(bytes.data() + skipped, (5 << 20) + skipped);
  detail::advise_large_pages(nullptr, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], i % 251) << i;
}

}  // namespace
}  // namespace kleene::test::memory_test
