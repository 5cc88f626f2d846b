// Weights that are not read as such: in marks, under a title of a measure, and empty ones.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>

namespace unread_weights_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

// Money and times are refused as well, under whatever title, and named, until it is said that they are no weights.
TEST(unread_weights, weights_in_marks_that_are_not_read) {
  const std::string rest =
      ", which is no number that is read: write numbers alone, or say which columns are from and to "
      "if it is no weight (--columns 1,2)";
  EXPECT_EQ(refused("from,to,price\nA,B,$5\nB,C,$7\n"), "f:2: 'price' holds '$5'" + rest);
  EXPECT_EQ(refused("from,to,price\nA,B,€ 5.10\nB,C,€ 7\n"), "f:2: 'price' holds '€ 5.10'" + rest);
  EXPECT_EQ(refused("A B 0:45\nB C 1:10\n"), "f:1: column 3 holds '0:45'" + rest);
  EXPECT_EQ(refused("from,to,price\nA,B,EUR 5\n"), "f:2: 'price' holds 'EUR 5'" + rest);
  EXPECT_EQ(refused("A B 10:00:45\nB C 1:10\n"), "f:1: column 3 holds '10:00:45'" + rest);
  edge_list_options ends;
  ends.columns = {"1", "2"};
  EXPECT_FALSE(read("from,to,price\nA,B,$5\n", ends).weighted);
  for (const char* no_number : {"$x", "1:2", "12:345", "a:10", "1:10:20:30", ":10"})
    EXPECT_FALSE(read(std::string("from,to,what\nA,B,") + no_number + "\n").weighted) << no_number;
  EXPECT_TRUE(read("from,to,leaves,minutes\nA,B,0:45,12\n").weighted);
}

// A title of a measure asks for numbers as weight does.
TEST(unread_weights, measures_without_a_number) {
  for (const char* value :
       {",5", "-,5", "\u22123", "<5",    "~3", "(3)", "1/2", "\uff11\uff12", "3-5", "ca. 3", "'3", "=3+4",
        "NA", "N/A", "null",    "#REF!", "-",  "?",   ".",   "TRUE"})
    for (const char* title : {"km", "capacity"})
      EXPECT_EQ(refused(std::string("from;to;") + title + "\nA;B;" + value + "\nB;C;" + value + "\n"),
                std::string("f:2: '") + title + "' holds '" + value +
                    "', which is no number that is read: write numbers alone, or say which columns are from and to if "
                    "it is no weight (--columns 1,2)");
  EXPECT_TRUE(refused("from,to,lanes,km\nA,B,2,\nB,C,3,<5\n").starts_with("f:3: 'km' holds '<5'"));
  EXPECT_FALSE(read("from,to,km\nA,B,NA\n", {.columns = {"1", "2"}}).weighted);
  EXPECT_FALSE(read("from,to,note\nA,B,<5\nB,C,-\n").weighted);
  EXPECT_FALSE(read("from,to,time\nA,B,2024-05-01 08:00\n").weighted);
  EXPECT_TRUE(read("from,to,km,score\nA,B,3,high\n").weighted);
}

// A column of weights that is empty may be filled further down, or have been lost.
TEST(unread_weights, weights_that_are_empty) {
  const std::string rest = " is empty: if every arc weighs 1, say which columns are from and to (--columns 1,2)";
  EXPECT_EQ(refused("from,to,weight\nA,B,\nB,C,\n"), "f:2: 'weight'" + rest);
  EXPECT_EQ(refused("from,to,km,note\nA,B,,x\n"), "f:2: 'km'" + rest);
  EXPECT_EQ(refused("from,to,weight\nA,B,3\nB,C,\n"), "f:3: the weight is missing: 'weight' is empty");
  EXPECT_TRUE(read("from,to,weight,km\nA,B,,3\nB,C,,4\n").weighted);
  EXPECT_FALSE(read("from,to,note\nA,B,\nB,C,\n").weighted);
}

}  // namespace unread_weights_test
