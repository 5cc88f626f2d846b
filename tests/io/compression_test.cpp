// What other libraries than zlib decompress, each where this build has it, and a sentence where it has not. The files
// are those that xz -9, zstd and bzip2 made.
#include "kleene/io/graph.hpp"
#include "kleene/io/input.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

namespace compression_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

const std::string graph = "p sp 2 1\na 1 2 7\n";

struct sample {
  std::string name, library, suffix, hex;

  bool is_read() const { return (", " + compressions() + ",").find(", " + name + ",") != std::string::npos; }
  std::string bytes() const {
    std::string text;
    for (std::size_t at = 0; at < hex.size(); at += 2)
      text += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    return text;
  }
};

const std::vector<sample> samples = {
    {"xz", "liblzma", ".xz",
     "fd377a585a000004e6d6b446020021011c00000010cf58cc01001070207370203220310a612031203220370a00000000cc583eefd43c5077"
     "00012911320a700e1fb6f37d010000000004595a"},
    {"zstd", "libzstd", ".zst", "28b52ffd241189000070207370203220310a612031203220370acd833589"},
    {"bzip2", "libbz2", ".bz2",
     "425a6839314159265359c60d71e1000007d980001040003080200048002000310c0820d33509b83d45d1d8bc5dc914e142431835c784"},
};

}  // namespace

TEST(compression, read_whatever_the_name_or_refused_in_a_sentence) {
  const test::scratch folder;
  EXPECT_EQ(compressions().substr(0, 4), "gzip");
  for (const sample& s : samples) {
    const std::string path = folder.write("f.gr", s.bytes());
    if (s.is_read()) {
      EXPECT_EQ(input(path).compression(), s.name);
      EXPECT_EQ(read_whole(path), graph);
      EXPECT_EQ(read_graph(folder.write("f.gr" + s.suffix, s.bytes())).arcs, 1);
    } else {
      EXPECT_EQ(refusal([&] { read_whole(path); }), path + " is compressed by " + s.name +
                                                        ", and this build of Kleene is without " + s.library +
                                                        ", which reads it (it reads " + compressions() + ")");
    }
  }
  EXPECT_EQ(input(folder.write("f.xz", graph)).compression(), "");
  EXPECT_EQ(input(folder.write("f", test::gzipped(graph))).compression(), "gzip");
}

TEST(compression, one_inside_another_is_called_so) {
  const test::scratch folder;
  const std::string twice = folder.write("f.gr.gz.gz", test::gzipped(test::gzipped(graph)));
  EXPECT_EQ(refusal([&] { read_graph(twice); }),
            twice + ": compressed twice, by gzip and inside it by gzip: decompress it once first");
  const std::string mixed = folder.write("f.gr", test::gzipped(samples[0].bytes()));
  EXPECT_EQ(refusal([&] { read_whole(mixed); }),
            mixed + ": compressed twice, by gzip and inside it by xz: decompress it once first");
}

TEST(compression, one_after_another) {
  const test::scratch folder;
  for (const sample& s : samples) {
    if (!s.is_read()) continue;
    EXPECT_EQ(read_whole(folder.write("f", s.bytes() + s.bytes())), graph + graph) << s.name;
    if (s.name == "zstd") {  // as pzstd writes it: a frame to be skipped in front
      const std::string skipped = "\x50\x2a\x4d\x18\x04" + std::string(3, '\0') + "size";
      EXPECT_EQ(read_whole(folder.write("f", skipped + s.bytes())), graph);
    }
    if (s.name != "xz") continue;
    for (const std::size_t padding : {4, 8}) {
      const std::string zeros(padding, '\0');
      EXPECT_EQ(read_whole(folder.write("f", s.bytes() + zeros + s.bytes() + zeros)), graph + graph);
    }
    const std::string path = folder.write("f", s.bytes() + std::string(5, '\0'));
    EXPECT_EQ(refusal([&] { read_whole(path); }), path + ": truncated xz data: it ends after 17 bytes of content");
  }
}

TEST(compression, a_cut_anywhere_is_said) {
  const test::scratch folder;
  for (const sample& s : samples) {
    if (!s.is_read()) continue;
    const std::string whole = s.bytes();
    for (std::size_t length = 10; length < whole.size(); ++length) {
      const std::string path = folder.write("f", whole.substr(0, length));
      EXPECT_NE(refusal([&] { read_whole(path); }).find(path + ": truncated " + s.name + " data: it ends after "),
                std::string::npos);
    }
  }
}

TEST(compression, what_is_wrong_or_behind_the_end_is_refused) {
  const test::scratch folder;
  for (const sample& s : samples) {
    if (!s.is_read()) continue;
    std::string wrong = s.bytes();
    wrong[wrong.size() - (s.name == "xz" ? 30 : 2)] ^= 1;  // a check
    const auto refused = [&](const std::string& content) {
      const std::string path = folder.write("f", content), message = refusal([&] { read_whole(path); });
      EXPECT_TRUE(message.starts_with(path + ": corrupt " + s.name + " data after ")) << message;
      return message.substr(message.find('('));
    };
    EXPECT_EQ(refused(wrong), s.name == "zstd" ? "(its checksum is wrong)"
                              : s.name == "xz" ? "(data or its check is wrong)"
                                               : "(data or its checksum is wrong)");
    for (const char* junk : {"junk that is no member", "\n", "jun"})
      EXPECT_EQ(refused(s.bytes() + junk), "(what follows the last " +
                                               std::string(s.name == "zstd" ? "frame" : "stream") + " is no " + s.name +
                                               " data)");
  }
}

TEST(compression, every_mutation_reads_or_is_refused) {
  const test::scratch folder;
  for (const sample& s : samples)
    if (s.is_read())
      test::read_mutations(s.bytes(), [&](const std::string& content) {
        const std::string text = read_whole(folder.write("f", content));
        EXPECT_TRUE(text == graph || text == content || text.empty()) << s.name;
      });
}

// A file may not promise more than its compression can hold at best; what it does hold is read.
TEST(compression, promises_are_checked_against_the_best_ratio) {
  const test::scratch folder;
  const std::vector<std::uint64_t> ratios = {8192, 32768, std::uint64_t{1} << 21};
  for (std::size_t k = 0; k < samples.size(); ++k)
    if (samples[k].is_read()) {
      const std::string bytes = samples[k].bytes();
      EXPECT_EQ(input(folder.write("f", bytes)).most_content(), bytes.size() * ratios[k]);
    }
}

// 64 MiB of zeros, in blocks of zstd that repeat one byte, behind a graph with a wrong line.
TEST(compression, a_bomb_is_refused_at_its_first_wrong_line) {
  if (!samples[1].is_read()) GTEST_SKIP() << "there is no libzstd in this build";
  const test::scratch folder;
  std::string bomb = std::string("\x28\xb5\x2f\xfd\x00\x58", 6);  // a window of 2 MiB, no checksum
  const std::string start = "p sp 2 1\na 1 2 x\n";
  bomb += std::string{static_cast<char>(start.size() << 3), 0, 0} + start;  // a raw block
  for (int block = 0; block < 512; ++block) bomb += std::string{block == 511 ? '\3' : '\2', 0, 16, 0};
  input in(folder.write("f.gr.zst", bomb));
  EXPECT_TRUE(refusal([&] { (void)read_graph(in); }).ends_with("f.gr.zst:2: the weight 'x' is not a number"));
  EXPECT_LE(in.offset(), std::uint64_t{2} << 20);
}

}  // namespace compression_test
