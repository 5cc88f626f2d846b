#include "kleene/io/input.hpp"

#include "io/files.hpp"
#include "kleene/io/atomic_file.hpp"

#include <sys/stat.h>

#include <limits>
#include <thread>

namespace input_test {

using namespace kleene;
using namespace kleene::io;
using test::gzipped;
using test::refusal;

namespace {

std::string digits(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; text.size() < count; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  text.resize(count);
  return text;
}

}  // namespace

TEST(input, plain_and_gzip_by_content_whatever_the_name) {
  const test::scratch folder;
  for (const std::size_t size : {0, 1, 15, 16, 17, 1 << 20, (1 << 20) + 1, 3 << 20}) {
    const std::string text = digits(size);
    EXPECT_EQ(read_whole(folder.write("plain.gz", text)), text);
    EXPECT_EQ(read_whole(folder.write("zipped.mtx", gzipped(text))), text);
  }
}

TEST(input, gzip_of_two_members) {
  const test::scratch folder;
  EXPECT_EQ(read_whole(folder.write("f", gzipped("one ") + gzipped("two"))), "one two");
}

TEST(input, start_shows_what_read_still_returns) {
  const test::scratch folder;
  input in(folder.write("f", "0123456789abcdefXYZ"));
  EXPECT_EQ(in.start(), "0123456789abcdef");
  char to[8] = {};
  EXPECT_EQ(in.read(to, 7), 7u);
  EXPECT_EQ(std::string(to, 7), "0123456");
  EXPECT_EQ(in.offset(), 7u);
  EXPECT_EQ(read_whole(in), "789abcdefXYZ");
  EXPECT_EQ(in.offset(), 19u);
  EXPECT_EQ(in.most_content(), 19u);
  EXPECT_EQ(input(folder.write("g", "ab")).start(), "ab");
}

TEST(input, a_pipe) {
  const test::scratch folder;
  const std::string path = folder.path("pipe"), text = digits(3 << 20);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << text; });
  EXPECT_EQ(read_whole(path), text);
  writer.join();
}

TEST(input, names_that_the_system_would_cut) {
  const test::scratch folder;
  const std::string cut = folder.path(std::string("a\0b", 3));
  EXPECT_THROW(io::atomic_file{cut}, error);
  EXPECT_THROW(io::atomic_file{""}, error);
  EXPECT_THROW(io::input{cut}, error);
  EXPECT_THROW(io::input{""}, error);
  EXPECT_EQ(folder.files(), 0);
}

TEST(input, truncated_gzip) {
  const test::scratch folder;
  for (const std::size_t size : {5, 100, 1 << 20}) {
    const std::string whole = gzipped(digits(size));
    for (const std::size_t cut : {std::size_t{1}, std::size_t{4}, std::size_t{8}, whole.size() / 2, whole.size() - 5}) {
      const std::string path = folder.write("f.gz", whole.substr(0, whole.size() - cut));
      EXPECT_NE(refusal([&] { read_whole(path); }).find(path + ": truncated gzip data: it ends after "),
                std::string::npos);
    }
  }
}

TEST(input, a_missing_checksum_shows_wherever_reads_end) {
  const test::scratch folder;
  const std::string whole = gzipped("0123456789abcdefghij");
  const std::string path = folder.write("f.gz", whole.substr(0, whole.size() - 8));
  char to[20];
  input in(path);
  EXPECT_EQ(in.read(to, 20), 20u);
  EXPECT_EQ(refusal([&] { in.read(to, 1); }), path + ": truncated gzip data: it ends after 20 bytes of content");
}

TEST(input, corrupt_gzip) {
  const test::scratch folder;
  std::string wrong_sum = gzipped("1 2 3\n");
  wrong_sum[wrong_sum.size() - 8] ^= 1;
  std::string wrong_data = gzipped(digits(4096));
  wrong_data[wrong_data.size() / 2] ^= 0x55;
  const auto refused = [&](const std::string& content) {
    const std::string path = folder.write("f.gz", content), message = refusal([&] { read_whole(path); });
    EXPECT_TRUE(message.starts_with(path + ": corrupt gzip data after ")) << message;
    return message.substr(message.find('('));
  };
  EXPECT_EQ(refused(wrong_sum), "(its checksum is wrong)");
  EXPECT_NE(refused(wrong_data), "");
  for (const char* junk : {"junk", "\n", "\x1fjunk"})
    EXPECT_EQ(refused(gzipped("text") + junk), "(what follows the last member is no gzip data)");
}

TEST(input, every_mutation_of_a_gzip_file) {
  const test::scratch folder;
  const int good = test::read_mutations(gzipped("%%MatrixMarket matrix array real general\n1 1\n7\n"),
                                        [&](const std::string& content) { read_whole(folder.write("f", content)); });
  EXPECT_GT(good, 255 * 5);  // bytes of the header that do not matter, and a broken magic makes a plain file
}

TEST(input, what_cannot_be_read) {
  const test::scratch folder;
  EXPECT_EQ(refusal([&] { input("/nonexistent/f"); }), "cannot read /nonexistent/f: No such file or directory");
  EXPECT_EQ(refusal([&] { input(""); }), "the name of a file is empty");
  EXPECT_EQ(refusal([&] { input(folder.path("")); }), "cannot read " + folder.path("") + ": Is a directory");
  const std::string locked = folder.write("locked", "text");
  ASSERT_EQ(::chmod(locked.c_str(), 0), 0);
  if (::geteuid() != 0) {  // root may read everything
    EXPECT_EQ(refusal([&] { input{locked}; }), "cannot read " + locked + ": Permission denied");
  }
  if (std::filesystem::exists("/proc/self/mem")) {  // opens, but has nothing at address 0
    EXPECT_EQ(refusal([&] { read_whole("/proc/self/mem"); }), "cannot read /proc/self/mem: Input/output error");
  }
}

TEST(input, more_memory_than_there_is) {
  require_memory("f", 1);
  EXPECT_NE(refusal([&] { require_memory("f", 1e18); }, fault_code::memory)
                .find("f: 1000000000000000000 bytes of memory are needed, "),
            std::string::npos);
}

}  // namespace input_test
