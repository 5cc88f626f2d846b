#include "kleene/io/atomic_file.hpp"

#include "io/files.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <memory>
#include <vector>

using namespace kleene;
using namespace kleene::io;
using test::content_of;
using test::refusal;

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
  struct stat about {};
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
  if (::geteuid() != 0) {
    ASSERT_EQ(::chmod(folder.path("").c_str(), 0500), 0);
    EXPECT_EQ(refusal([&] { atomic_file(folder.path("out")); }),
              "cannot write " + folder.path("out") + ": Permission denied");
    ASSERT_EQ(::chmod(folder.path("").c_str(), 0700), 0);
  }
}

TEST(atomic_file, a_file_that_may_not_grow_leaves_the_old_one) {
  const test::scratch folder;
  const std::string path = folder.write("out", "old");
  struct rlimit before {};
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
