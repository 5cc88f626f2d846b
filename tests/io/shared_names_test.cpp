// Tables without titles that have three columns of names or more.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

namespace shared_names_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

// The ends share their names, labels have their own.
TEST(shared_names, ends_among_labels) {
  for (const auto& [text, columns] :
       std::vector<std::pair<const char*, std::string>>{{"A,B,3,road\nB,C,4,rail\n", "1,2,3"},
                                                        {"A,B,road,3\nB,C,rail,4\n", "1,2,4"},
                                                        {"road,A,B,3\nrail,B,C,4\n", "2,3,4"},
                                                        {"A,road,B,3\nB,rail,C,4\n", "1,3,4"},
                                                        {"A;B;3;x;road\nB;C;4;y;road\n", "1,2,3"}})
    EXPECT_NE(refusal([&, t = text] { parse_edge_list(t, "f"); }).find(" (--columns " + columns + " if it is these"),
              std::string::npos)
        << text;
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

}  // namespace shared_names_test
