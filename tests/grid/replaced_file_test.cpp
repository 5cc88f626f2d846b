// What stands where a grid's file, or a closure's, is to go: links lead on, permissions stay, what is no file stays.
#include "grid/closure_files.hpp"
#include "kleene/grid/npy.hpp"
#include "support/closable.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kleene::test::replaced_file_test {
namespace {

matrix<float> graph() { return closable<min_plus<float>>(9, 0.3, 1); }

void close_into(const std::string& from, const std::string& to) {
  EXPECT_TRUE(closure_of_file(context::cpu(), min_plus<float>{}, from, to, {.resumable = true}).exists);
}
void copy_into(const std::string& from, const std::string& to) {
  grid::threads(1, 2).run([&](worker& w) { write_npy(to, read_npy<float>(w, from, {.mb = 2, .nb = 3})); });
}

void expect_manners(void (*write)(const std::string& from, const std::string& to), const matrix<float>& want) {
  const closure_files files;
  io::write_npy(files.from(), graph());
  const auto left = files.count();
  const std::string link = files.to() + ".link", target = files.to() + ".target", dangling = files.to() + ".dangling",
                    nothing = files.to() + ".nothing", fifo = files.to() + ".fifo";
  std::ofstream(target) << "old";
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(target, link);
  fs::create_symlink(nothing, dangling);
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);

  for (const auto& [name, place] : {std::pair{link, target}, {dangling, nothing}}) {
    write(files.from(), name);
    EXPECT_TRUE(fs::is_symlink(name));
    EXPECT_TRUE(same_bits(io::read_npy<float>(place), want));
  }
  EXPECT_EQ(fs::status(target).permissions(), fs::perms::owner_read | fs::perms::owner_write);

  for (const std::string& no_file : {fifo, std::string("/dev/null"), std::string("/dev/stdout")}) try {
      write(files.from(), no_file);
      ADD_FAILURE() << no_file << " was written";
    } catch (const error& e) {
      EXPECT_EQ(std::string(e.what()),
                no_file + ": it is no file, and this output is not written from its start to its end: name a file");
    }
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_EQ(files.count(), left + 5) << "two links and where they lead, and the pipe";
}

TEST(replaced_file, of_a_closure) {
  auto want = graph();
  ASSERT_TRUE(closure(context::cpu(), min_plus<float>{}, want).exists);
  expect_manners(close_into, want);
}
TEST(replaced_file, of_a_grid) { expect_manners(copy_into, graph()); }

// The names of files in writing can be guessed: a link there is nobody's wish.
TEST(replaced_file, follows_no_link_in_writing) {
  const closure_files files;
  io::write_npy(files.from(), graph());
  const std::string other = files.to() + ".other";
  std::ofstream(other) << "somebody's";
  for (const char* aside : {".partial", ".0.partial", ".1.partial"}) fs::create_symlink(other, files.to() + aside);
  for (const auto write : {close_into, copy_into}) write(files.from(), files.to());
  std::string held;
  std::getline(std::ifstream(other), held);
  EXPECT_EQ(held, "somebody's");
  EXPECT_EQ(io::read_npy<float>(files.to()).rows(), graph().rows());
}
// One that may be written, and not read, as the mode says in the end.
TEST(replaced_file, keeps_any_mode) {
  const closure_files files;
  io::write_npy(files.from(), graph());
  std::ofstream(files.to()) << "old";
  fs::permissions(files.to(), fs::perms::owner_write);
  for (const auto write : {close_into, copy_into}) {
    write(files.from(), files.to());
    EXPECT_EQ(fs::status(files.to()).permissions(), fs::perms::owner_write);
  }
}

// Only root gives files away.
TEST(replaced_file, keeps_its_owner) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  const closure_files files;
  io::write_npy(files.from(), graph());
  std::ofstream(files.to()) << "old";
  ASSERT_EQ(::chown(files.to().c_str(), 1234, 4321), 0);
  for (const auto write : {close_into, copy_into}) {
    write(files.from(), files.to());
    struct stat now{};
    ASSERT_EQ(::stat(files.to().c_str(), &now), 0);
    EXPECT_EQ(now.st_uid, 1234u);
    EXPECT_EQ(now.st_gid, 4321u);
  }
}

}  // namespace
}  // namespace kleene::test::replaced_file_test
