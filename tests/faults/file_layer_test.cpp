// Every call that the file layer makes of the system fails in turn. What stood under the name before is intact, or the
// new file is whole; no temporary and no descriptor stays; the error names the file.
//
// The linker sends the calls here (--wrap=CALL: CALL goes to __wrap_CALL, __real_CALL is the system's), in this program
// only.
#include "io/files.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/npy.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

using namespace kleene;
using namespace kleene::io;
using test::content_of;

namespace {

struct fault_plan {
  int fails_at = -1;  // the number of the call that fails, from 0; -1: none, and none is counted
  int reason = EIO;
  int calls = 0;
  std::string failed{};                 // the call that did
  std::size_t longest_write = 1 << 30;  // more is written in part
  bool was_locked_at_rename = true;
} plan;

bool fails(const char* call) {
  if (plan.fails_at < 0 || plan.calls++ != plan.fails_at) return false;
  plan.failed = call;
  errno = plan.reason;
  return true;
}

}  // namespace

#define PASS_ON(result, call, failure, parameters, arguments) \
  result __real_##call parameters;                            \
  result __wrap_##call parameters { return fails(#call) ? failure : __real_##call arguments; }

// clang-format off
extern "C" {
PASS_ON(int, open, -1, (const char* name, int flags, mode_t mode), (name, flags, mode))
PASS_ON(int, openat, -1, (int folder, const char* name, int flags, mode_t mode), (folder, name, flags, mode))
PASS_ON(int, stat, -1, (const char* name, struct stat* about), (name, about))
PASS_ON(int, fstat, -1, (int file, struct stat* about), (file, about))
PASS_ON(int, fstatat, -1, (int folder, const char* name, struct stat* about, int flags), (folder, name, about, flags))
PASS_ON(int, faccessat, -1, (int folder, const char* name, int mode, int flags), (folder, name, mode, flags))
PASS_ON(int, fallocate, -1, (int file, int mode, off_t from, off_t bytes), (file, mode, from, bytes))
PASS_ON(int, fchmod, -1, (int file, mode_t mode), (file, mode))
PASS_ON(int, fchown, -1, (int file, uid_t user, gid_t group), (file, user, group))
PASS_ON(int, fcntl, -1, (int file, int command, int argument), (file, command, argument))
PASS_ON(int, flock, -1, (int file, int operation), (file, operation))
PASS_ON(int, ftruncate, -1, (int file, off_t bytes), (file, bytes))
PASS_ON(int, unlinkat, -1, (int folder, const char* name, int flags), (folder, name, flags))
PASS_ON(ssize_t, readlink, -1, (const char* name, char* to, size_t bytes), (name, to, bytes))
PASS_ON(ssize_t, read, -1, (int file, void* to, size_t bytes), (file, to, bytes))
PASS_ON(DIR*, fdopendir, nullptr, (int file), (file))
PASS_ON(struct dirent*, readdir, nullptr, (DIR* entries), (entries))
PASS_ON(void*, mmap, MAP_FAILED, (void* at, size_t bytes, int access, int flags, int file, off_t from),
        (at, bytes, access, flags, file, from))

int __real_close(int file);
int __wrap_close(int file) {  // a failed close has closed all the same
  const int closed = __real_close(file);
  return fails("close") ? -1 : closed;
}
ssize_t __real_write(int file, const void* from, size_t bytes);
ssize_t __wrap_write(int file, const void* from, size_t bytes) {
  return fails("write") ? -1 : __real_write(file, from, std::min(bytes, plan.longest_write));
}
int __real_renameat(int from, const char* old_name, int to, const char* new_name);
int __wrap_renameat(int from, const char* old_name, int to, const char* new_name) {
  const int other = __real_openat(from, old_name, O_RDWR | O_CLOEXEC, 0);
  plan.was_locked_at_rename = __real_flock(other, LOCK_EX | LOCK_NB) != 0;
  __real_close(other);
  return fails("renameat") ? -1 : __real_renameat(from, old_name, to, new_name);
}
}
// clang-format on

namespace {

int open_descriptors() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

using operation = std::function<void(const std::string& path)>;

// Runs `work` on a path with its n-th call failing, for every n; `check(thrown)` sees what is left. Returns how many
// calls there are.
template <class Check>
int fail_each_call(int reason, const std::function<std::string(const test::scratch&)>& prepare, const operation& work,
                   Check&& check) {
  for (int n = 0;; ++n) {
    const test::scratch folder;
    const std::string path = prepare(folder);
    const int descriptors = open_descriptors();
    bool thrown = false;
    plan = {.fails_at = n, .reason = reason};
    try {
      work(path);
    } catch (const error& e) {
      plan.fails_at = -1;
      thrown = true;
      EXPECT_EQ(static_cast<int>(e.code()), 3) << e.what();
      EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
    }
    plan.fails_at = -1;
    const bool all_done = plan.calls <= n;
    SCOPED_TRACE(all_done ? std::string("nothing failed") : plan.failed + ", call " + std::to_string(n));
    EXPECT_EQ(open_descriptors(), descriptors);
    check(folder, path, thrown);
    if (all_done) {
      EXPECT_FALSE(thrown);
      return n;
    }
  }
}

// The same of a writer: over a file and where there is none.
int fail_each_call_of_writer(const operation& write) {
  const test::scratch elsewhere;
  write(elsewhere.path("out"));
  const std::string whole = content_of(elsewhere.path("out"));
  int calls = 0;
  for (const int reason : {EIO, ENOSPC, EOPNOTSUPP, EMFILE})
    for (const bool there : {false, true})
      calls = fail_each_call(
          reason,
          [&](const test::scratch& folder) {
            if (!there) return folder.path("out");
            const std::string path = folder.write("out", "old");
            EXPECT_EQ(::chmod(path.c_str(), 0640), 0);
            return path;
          },
          write,
          [&](const test::scratch& folder, const std::string& path, bool thrown) {
            if (thrown && !there) {
              EXPECT_FALSE(std::filesystem::exists(path));
            } else {
              EXPECT_TRUE(content_of(path) == (thrown ? "old" : whole));
            }
            struct stat about{};
            if (there && ::stat(path.c_str(), &about) == 0) {
              EXPECT_EQ(about.st_mode & 07777, 0640u);
            }
            if (plan.failed != "unlinkat") {
              EXPECT_EQ(folder.files(), thrown && !there ? 0 : 1);
            }
          });
  return calls;
}

// Reading either gives what is there or throws.
int fail_each_call_of_reader(const std::string& content, const operation& read) {
  return fail_each_call(
      EIO, [&](const test::scratch& folder) { return folder.write("in", content); }, read,
      [](const test::scratch&, const std::string&, bool) {});
}

}  // namespace

TEST(file_layer, pieces) {
  EXPECT_GT(fail_each_call_of_writer([](const std::string& path) {
              atomic_file out(path);
              out.write("head");
              out.write(std::string(2 << 20, 'x'));
              out.write("tail");
              out.commit();
            }),
            20);
}

TEST(file_layer, npy) {
  EXPECT_GT(fail_each_call_of_writer([](const std::string& path) { write_npy(path, matrix<float>(300, 300, 1.5f)); }),
            20);
}

TEST(file_layer, npy_computed_in_place) {
  EXPECT_GT(fail_each_call_of_writer([](const std::string& path) {
              npy_output<double> out(path, 100, 100);
              for (int i = 0; i < 100; ++i)
                for (int j = 0; j < 100; ++j) out.view()(i, j) = 0.5;
              out.commit();
            }),
            20);
}

TEST(file_layer, matrix_market) {
  coo<std::int64_t> list{2, 2, {}, {}, {}};
  list.add(0, 1, 7);
  EXPECT_GT(fail_each_call_of_writer([&](const std::string& path) { write_matrix_market(path, list); }), 20);
}

TEST(file_layer, readers) {
  const std::string arcs = "p sp 2 1\na 1 2 3\n";
  for (const std::string& content : {arcs, test::gzipped(arcs)})
    EXPECT_GT(fail_each_call_of_reader(content, [](const std::string& path) { EXPECT_EQ(read_graph(path).arcs, 1); }),
              3);
  const test::scratch folder;
  write_npy(folder.path("a.npy"), matrix<float>(3, 3, 1.5f));
  EXPECT_GT(fail_each_call_of_reader(content_of(folder.path("a.npy")),
                                     [](const std::string& path) { EXPECT_EQ(read_npy<float>(path)(2, 2), 1.5f); }),
            3);
}

TEST(file_layer, writes_in_part_are_continued) {
  const test::scratch folder;
  const std::string text(3 << 20, 'x');
  plan = {};
  plan.longest_write = 100001;
  {
    atomic_file out(folder.path("out"));
    out.write(text);
    out.write("end");
    out.commit();
  }
  plan = {};
  EXPECT_TRUE(content_of(folder.path("out")) == text + "end");
}

TEST(file_layer, the_lock_is_held_until_the_file_has_its_name) {
  const test::scratch folder;
  plan = {};
  plan.was_locked_at_rename = false;
  atomic_file out(folder.path("out"));
  out.commit();
  EXPECT_TRUE(plan.was_locked_at_rename);
}
