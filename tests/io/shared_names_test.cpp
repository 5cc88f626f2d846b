// Tables without titles that have three columns of names or more.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

using namespace kleene;
using namespace kleene::io;
using test::refusal;

// The ends share their names, labels have their own.
TEST(shared_names, ends_among_labels) {
  for (const char* text : {"A,B,3,road\nB,C,4,rail\n", "A,B,road,3\nB,C,rail,4\n", "road,A,B,3\nrail,B,C,4\n",
                           "A,road,B,3\nB,rail,C,4\n", "A;B;3;x;road\nB;C;4;y;road\n"}) {
    const auto list = parse_edge_list(text, "f");
    const auto& arcs = std::get<coo<std::int64_t>>(list.edges);
    ASSERT_EQ(list.names, (std::vector<std::string>{"A", "B", "C"})) << text;
    EXPECT_EQ(arcs.row, (std::vector<std::int32_t>{0, 1})) << text;
    EXPECT_EQ(arcs.col, (std::vector<std::int32_t>{1, 2})) << text;
    EXPECT_EQ(arcs.value, (std::vector<std::int64_t>{3, 4})) << text;
  }
}

TEST(shared_names, others_are_asked_about) {
  std::string once = "A0,B0,3,x\nB0,C0,4,x\n";  // one name of many may be a coincidence
  for (int row = 1; row < 10; ++row) once += "A" + std::to_string(row) + ",C" + std::to_string(row) + ",3,x\n";
  for (const std::string& text : {std::string("A,B,3,road\nC,D,4,rail\n"),    // no name in common
                                  std::string("A,NY,B,NY,3\nB,NY,C,MA,4\n"),  // two pairs that have some
                                  std::string("A,B,3,A\nB,C,4,rail\n"), std::string("A,A,A\n"),  // three
                                  once})
    EXPECT_NE(refusal([&] { parse_edge_list(text, "f"); }).find(" hold names: say which columns are from"),
              std::string::npos)
        << text;
}
