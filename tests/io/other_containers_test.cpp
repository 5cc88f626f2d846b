// Files that are no graphs, or hold them in a wrapping that is not taken off.
#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace other_containers_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

TEST(other_containers, are_refused_by_name_and_place) {
  using namespace std::string_view_literals;
  const test::scratch folder;
  const std::string tar = "net.csv" + std::string(250, '\0') + "ustar" + std::string(250, '\0');
  for (const auto& [content, says] : std::vector<std::pair<std::string, std::string>>{
           {std::string("7z\xbc\xaf\x27\x1c\0\4"sv), "0: this is a 7-Zip archive, which is not read: unpack it first"},
           {std::string("Rar!\x1a\x07\1\0"sv), "0: this is a RAR archive, which is not read: unpack it first"},
           {tar, "257: this is a tar archive, which is not read: unpack it first"},
           {test::gzipped(tar), "257: this is a tar archive, which is not read: unpack it first"},
           {std::string("SQLite format 3\0\1"sv),
            "0: this is a database of SQLite, which is not read: save the table "
            "as CSV"}})
    for (const char* name : {"net", "net.csv"}) {
      const std::string path = folder.write(name, content);
      EXPECT_EQ(refusal([&] { read_graph(path); }), path + ": at byte " + says);
    }
  EXPECT_EQ(read_graph(folder.write("net.csv", "7z,Rar!,3\n")).arcs, 1);
}

TEST(other_containers, bytes_of_no_text) {
  const test::scratch folder;
  std::string bytes;
  for (int b = 0; b < 1000; ++b) bytes += static_cast<char>(b * 37 % 251);
  const std::string path = folder.write("junk.csv", bytes);
  EXPECT_EQ(refusal([&] { read_graph(path); }),
            path +
                ": 116 of its first 1000 bytes are control characters: the file is binary, of no format that is "
                "known, and no text");
  EXPECT_NE(refusal([&] { read_graph(folder.write("a.csv", std::string("a,b\nc,\1\n"))); }).find("a.csv:2: "),
            std::string::npos);
}

}  // namespace other_containers_test
