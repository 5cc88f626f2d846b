#include "kleene/io/atomic_file.hpp"

#include "io/files.hpp"
#include "kleene/data/context.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

namespace atomic_file_test {

using namespace kleene;
using namespace kleene::io;
using test::content_of;
using test::refusal;

namespace {

struct stat about(const std::string& path) {
  struct stat is{};
  EXPECT_EQ(::lstat(path.c_str(), &is), 0) << path;
  return is;
}

void write_whole(const std::string& path, const std::string& text) {
  atomic_file out(path);
  out.write(text);
  out.commit();
}

// Runs `work` in another process and returns its status; `work` ends without the cleaning up of exit().
template <class F>
int in_child(F&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// A user without rights for as long as it lives, where the tests run as root.
class nobody {
 public:
  nobody() { EXPECT_EQ(::setegid(65534) | ::seteuid(65534), 0); }
  ~nobody() { EXPECT_EQ(::seteuid(0) | ::setegid(0), 0); }
};

}  // namespace

TEST(atomic_file, appears_whole_at_commit) {
  const test::scratch folder;
  const std::string path = folder.write("out", "old");
  {
    atomic_file out(path);
    out.write("new ");
    out.write("content");
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(folder.files(), 2);
    out.commit();
    EXPECT_EQ(content_of(path), "new content");
    EXPECT_EQ(folder.files(), 1);
  }
  EXPECT_EQ(content_of(path), "new content");
}

TEST(atomic_file, leaves_nothing_without_commit) {
  const test::scratch folder;
  {
    atomic_file out(folder.path("out"));
    out.write("half");
    EXPECT_EQ(folder.files(), 1);
  }
  EXPECT_EQ(folder.files(), 0);
}

TEST(atomic_file, small_and_large_pieces_keep_their_order) {
  const test::scratch folder;
  const std::string large(3 << 20, 'x');
  atomic_file out(folder.path("out"));
  out.write("head");
  out.write(large);
  out.write("");
  for (int i = 0; i < 1 << 18; ++i) out.write("12345");
  out.commit();
  std::string expected = "head" + large;
  for (int i = 0; i < 1 << 18; ++i) expected += "12345";
  EXPECT_TRUE(content_of(folder.path("out")) == expected);
}

TEST(atomic_file, permissions_follow_the_umask) {
  const test::scratch folder;
  const mode_t before = ::umask(027);
  atomic_file out(folder.path("out"));
  ::umask(before);
  out.commit();
  struct stat about{};
  ASSERT_EQ(::stat(folder.path("out").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0640u);
}

TEST(atomic_file, follows_a_link_and_writes_devices_directly) {
  const test::scratch folder;
  const std::string path = folder.write("real", "old");
  std::filesystem::create_symlink("real", folder.path("link"));
  atomic_file out(folder.path("link"));
  out.write("new");
  out.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(content_of(path), "new");

  atomic_file nowhere("/dev/null");
  nowhere.write("gone");
  nowhere.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(atomic_file, says_why_it_cannot_write) {
  const test::scratch folder;
  EXPECT_EQ(refusal([] { atomic_file("/nonexistent/out"); }),
            "cannot write /nonexistent/out: No such file or directory");
  EXPECT_EQ(refusal([&] { atomic_file(folder.path(".")); }), "cannot write " + folder.path(".") + ": Is a directory");
  const std::string file = folder.write("file", "");
  EXPECT_EQ(refusal([&] { atomic_file(file + "/out"); }), "cannot write " + file + "/out: Not a directory");
  EXPECT_EQ(refusal([&] { atomic_file(folder.path(std::string(300, 'n'))); }),
            "cannot write " + folder.path(std::string(300, 'n')) + ": File name too long");
  if (std::filesystem::exists("/dev/full")) {
    const auto fill = [] {
      atomic_file out("/dev/full");
      out.write("text");
      out.commit();
    };
    EXPECT_EQ(refusal(fill), "cannot write /dev/full: No space left on device");
  }
}

TEST(atomic_file, a_folder_that_may_not_be_written) {
  const test::scratch folder;
  ASSERT_EQ(::chmod(folder.path("").c_str(), 0555), 0);
  const std::string expected = "cannot write " + folder.path("out") + ": Permission denied";
  if (::geteuid() == 0) {
    const nobody here;
    EXPECT_EQ(refusal([&] { atomic_file(folder.path("out")); }), expected);
  } else {
    EXPECT_EQ(refusal([&] { atomic_file(folder.path("out")); }), expected);
  }
  ASSERT_EQ(::chmod(folder.path("").c_str(), 0700), 0);
}

TEST(atomic_file, a_file_that_may_not_grow_leaves_the_old_one) {
  const test::scratch folder;
  const std::string path = folder.write("out", "old");
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 1 << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string text(4 << 20, 'x');
  const std::string message = refusal([&] {
    atomic_file out(path);
    out.write(text);
    out.commit();
  });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write " + path + ": File too large");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1);
}

TEST(atomic_file, a_signal_handler_removes_what_is_pending) {
  const test::scratch folder;
  atomic_file done(folder.path("done"));
  done.commit();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGINT, [](int) {
      remove_pending_files();
      ::_exit(130);
    });
    atomic_file a(folder.path("a")), b(folder.path("b"));
    a.write("half");
    std::raise(SIGINT);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130);
  EXPECT_EQ(folder.files(), 1);
}

TEST(atomic_file, as_many_at_once_as_the_table_holds) {
  const test::scratch folder;
  std::vector<std::unique_ptr<atomic_file>> files;
  for (int i = 0; i < 32; ++i) files.push_back(std::make_unique<atomic_file>(folder.path(std::to_string(i))));
  EXPECT_EQ(refusal([&] { atomic_file(folder.path("more")); }),
            "cannot write " + folder.path("more") + ": Too many open files");
  files.pop_back();
  atomic_file another(folder.path("more"));
  another.commit();
  files.clear();
  EXPECT_EQ(folder.files(), 1);
}

TEST(atomic_file, nothing_that_is_printed_gets_into_it) {
  const test::scratch folder;
  for (const int closed : {0, 1, 2}) {
    const int status = in_child([&] {
      for (int standard = closed; standard < 3; ++standard) ::close(standard);
      set_explain(true);
      atomic_file out(folder.path("out"));
      explain("why");
      std::fputs("a line\n", stderr);
      std::puts("an answer");
      std::fflush(stdout);
      out.write("results");
      out.commit();
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(content_of(folder.path("out")), "results");
  }
}

TEST(atomic_file, nothing_that_another_thread_prints_gets_into_it) {
  const test::scratch folder;
  const int status = in_child([&] {
    for (const int standard : {0, 1, 2}) ::close(standard);
    std::atomic<bool> done{false};
    std::thread talker([&] {
      while (!done) std::fputs("a line\n", stderr);
    });
    std::vector<std::thread> writers;
    for (int w = 0; w < 4; ++w)
      writers.emplace_back([&, w] {
        for (int f = 0; f < 50; ++f) write_whole(folder.path(std::to_string(w) + "-" + std::to_string(f)), "results");
      });
    for (std::thread& writer : writers) writer.join();
    done = true;
    talker.join();
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.files(), 200);
  for (int w = 0; w < 4; ++w)
    for (int f = 0; f < 50; ++f)
      EXPECT_EQ(content_of(folder.path(std::to_string(w) + "-" + std::to_string(f))), "results");
}

TEST(atomic_file, keeps_the_mode_of_what_it_replaces) {
  const test::scratch folder;
  const std::string path = folder.write("out", "old");
  for (const mode_t mode : {0600u, 0640u, 0755u, 0666u}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    write_whole(path, "new");
    EXPECT_EQ(about(path).st_mode & 07777, mode);
  }
}

TEST(atomic_file, keeps_the_owner_of_what_it_replaces) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const test::scratch folder;
  const std::string path = folder.write("out", "old");
  ASSERT_EQ(::chown(path.c_str(), 1234, 2345), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  write_whole(path, "new");
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(about(path).st_uid, 1234u);
  EXPECT_EQ(about(path).st_gid, 2345u);
  EXPECT_EQ(about(path).st_mode & 07777, 0640u);
}

TEST(atomic_file, refuses_what_it_could_not_replace_as_it_was) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const test::scratch folder;
  ASSERT_EQ(::chmod(folder.path("").c_str(), 0777), 0);
  const std::string other = folder.write("other", "old"), locked = folder.write("locked", "old");
  ASSERT_EQ(::chmod(other.c_str(), 0666), 0);
  ASSERT_EQ(::chown(other.c_str(), 1234, 2345), 0);
  ASSERT_EQ(::chown(locked.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(locked.c_str(), 0444), 0);
  {
    const nobody here;
    EXPECT_EQ(refusal([&] { atomic_file{other}; }),
              "cannot write " + other +
                  ": it belongs to user 1234 and group 2345, and the file that replaces it could not be given to "
                  "them (Operation not permitted); remove it first");
    EXPECT_EQ(refusal([&] { atomic_file{locked}; }), "cannot write " + locked + ": Permission denied");
  }
  EXPECT_EQ(content_of(other) + content_of(locked), "oldold");
  EXPECT_EQ(about(other).st_uid, 1234u);
  EXPECT_EQ(folder.files(), 2);
}

TEST(atomic_file, follows_links_to_where_nothing_is_yet) {
  const test::scratch folder;
  std::filesystem::create_directory(folder.path("sub"));
  std::filesystem::create_symlink("sub/second", folder.path("first"));
  std::filesystem::create_symlink(folder.path("sub/real"), folder.path("sub/second"));
  write_whole(folder.path("first"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("sub/second")));
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.path("sub/real"))));
  EXPECT_EQ(content_of(folder.path("sub/real")), "new");
  std::filesystem::create_symlink("nowhere/real", folder.path("lost"));
  EXPECT_EQ(refusal([&] { atomic_file(folder.path("lost")); }),
            "cannot write " + folder.path("lost") + ": No such file or directory");
}

TEST(atomic_file, refuses_links_in_a_circle) {
  const test::scratch folder;
  std::filesystem::create_symlink("b", folder.path("a"));
  std::filesystem::create_symlink("a", folder.path("b"));
  EXPECT_EQ(refusal([&] { atomic_file(folder.path("a")); }),
            "cannot write " + folder.path("a") + ": Too many levels of symbolic links");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("a")));
  EXPECT_EQ(folder.files(), 2);
}

TEST(atomic_file, names_as_long_as_the_file_system_takes) {
  const test::scratch folder;
  for (const std::size_t length : {200, 254, 255}) {
    const std::string path = folder.path(std::string(length, 'n'));
    write_whole(path, "new");
    EXPECT_EQ(content_of(path), "new");
  }
  EXPECT_EQ(folder.files(), 3);
}

TEST(atomic_file, same_file_whatever_the_names) {
  const test::scratch folder;
  const std::string file = folder.write("file", ""), other = folder.write("other", "");
  std::filesystem::create_symlink("file", folder.path("link"));
  std::filesystem::create_symlink("later", folder.path("dangling"));
  std::filesystem::create_hard_link(file, folder.path("hard"));
  std::filesystem::create_directory(folder.path("sub"));
  std::filesystem::create_symlink("..", folder.path("sub/up"));
  for (const char* name : {"file", "link", "hard", "./file", "sub/../file", "sub/up/file"})
    EXPECT_TRUE(atomic_file::same_file(file, folder.path(name))) << name;
  for (const char* name : {"dangling", "./later", "sub/up/later", "sub/up/dangling"})
    EXPECT_TRUE(atomic_file::same_file(folder.path("later"), folder.path(name))) << name;
  for (const char* name : {"other", "later", "sub/file", "no/file", ""})
    EXPECT_FALSE(atomic_file::same_file(file, folder.path(name))) << name;
  EXPECT_FALSE(atomic_file::same_file(folder.path("sub/later"), folder.path("later")));
  EXPECT_FALSE(atomic_file::same_file("/dev/null", "/dev/null"));  // nothing is lost there
}

TEST(atomic_file, the_next_process_sweeps_what_a_killed_one_left) {
  const test::scratch folder;
  const int status = in_child([&] {
    atomic_file a(folder.path("a")), b(folder.path("b"));
    a.write("half");
    ::raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.files(), 2);
  for (const char* name : {"x.part", ".kleene-x.part", ".kleene-00000000-00000001-00000001.part"})
    folder.write(name, "of somebody else");
  write_whole(folder.path("c"), "new");
  EXPECT_EQ(folder.files(), 4);
}

TEST(atomic_file, a_sweep_leaves_what_is_being_written) {
  const test::scratch folder;
  int opened[2], swept[2];
  char byte = 0;
  ASSERT_EQ(::pipe(opened) | ::pipe(swept), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    atomic_file out(folder.path("out"));
    out.write("new");
    const bool went_well = ::write(opened[1], &byte, 1) == 1 && ::read(swept[0], &byte, 1) == 1;
    out.commit();
    ::_exit(went_well ? 0 : 1);
  }
  ASSERT_EQ(::read(opened[0], &byte, 1), 1);
  write_whole(folder.path("other"), "text");
  EXPECT_EQ(folder.files(), 2);
  ASSERT_EQ(::write(swept[1], &byte, 1), 1);
  int status = -1;
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(folder.path("out")), "new");
  for (const int end : {opened[0], opened[1], swept[0], swept[1]}) ::close(end);
}

}  // namespace atomic_file_test
