// Titles of columns in the languages of Europe: which end they call, whichever stands first.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

namespace column_titles_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

using titles = std::vector<std::string>;

// "AB" where the arc that stands as A,7,B below the titles goes from A to B.
std::string arc_below(const std::string& first, const std::string& last) {
  const auto list = read(first + ";km;" + last + "\nA;7;B\n");
  const auto& arcs = std::get<coo<std::int64_t>>(list.edges);
  return list.names[arcs.row[0]] + list.names[arcs.col[0]];
}

}  // namespace

TEST(column_titles, call_the_ends_in_many_languages) {
  for (const titles& pair : std::vector<titles>{{"from", "to"},
                                                {"von", "nach"},
                                                {"Abfahrt", "Ankunft"},
                                                {"Absender", "EMPFÄNGER"},
                                                {"van", "naar"},
                                                {"från", "till"},
                                                {"FRÅN", "TILL"},
                                                {"fra", "til"},
                                                {"mistä", "mihin"},
                                                {"de", "vers"},
                                                {"de", "à"},
                                                {"Départ", "Arrivée"},
                                                {"DÉPART", "ARRIVÉE"},
                                                {"depart", "arrivee"},
                                                {"da", "a"},
                                                {"Partenza", "Arrivo"},
                                                {"desde", "hacia"},
                                                {"desde", "hasta"},
                                                {"de", "a"},
                                                {"Origen", "Destino"},
                                                {"de", "para"},
                                                {"origem", "destino"},
                                                {"origen", "destí"},
                                                {"de la", "la"},
                                                {"sursă", "destinație"},
                                                {"od", "do"},
                                                {"Skąd", "Dokąd"},
                                                {"źródło", "cel"},
                                                {"odkud", "kam"},
                                                {"Zdroj", "Cíl"},
                                                {"honnan", "hova"},
                                                {"forrás", "cél"},
                                                {"nereden", "nereye"},
                                                {"KAYNAK", "HEDEF"},
                                                {"Από", "Προς"},
                                                {"ΠΗΓΉ", "ΠΡΟΟΡΙΣΜΌΣ"},
                                                {"Откуда", "КУДА"},
                                                {"от", "до"},
                                                {"звідки", "куди"},
                                                {"Začátek", "Konec"},
                                                {"inicio", "fin"},
                                                {"nodo_origen", "nodo_destino"},
                                                {"Ort von", "Ort nach"},
                                                {"kalkış", "varış"},
                                                {"起点", "终点"},
                                                {"出発", "到着"},
                                                {"pre", "post"},
                                                {"pickup", "dropoff"},
                                                {"PULocationID", "DOLocationID"},
                                                {"exporter", "importer"},
                                                {"s", "t"},
                                                {"de\xcc\x81part",
                                                 "arrive\xcc\x81"
                                                 "e"}}) {  // with marks of their own
    EXPECT_EQ(arc_below(pair[0], pair[1]), "AB") << pair[0];
    EXPECT_EQ(arc_below(pair[1], pair[0]), "BA") << pair[0];
  }
  const auto list = read("a,da,km\nB,A,3\nC,B,4\n");
  const auto& arcs = std::get<coo<std::int64_t>>(list.edges);
  EXPECT_EQ(list.names[arcs.row[0]] + list.names[arcs.col[0]] + list.names[arcs.col[1]], "ABC");
  EXPECT_NE(list.description.find("from 'da' to 'a'"), std::string::npos);
}

// One of a pair that is known, beside a word that is not.
TEST(column_titles, that_call_one_end_are_asked_about) {
  for (const char* text : {"hacia,ciudad,km\nB,A,3\n", "vers,ville,km\nB,A,3\n", "stad,från,km\nB,A,3\n"})
    EXPECT_NE(refused(text).find("it is not clear which of them is from"), std::string::npos) << refused(text);
}

// The example of a question takes the likeliest of the columns.
TEST(column_titles, the_weight_that_a_question_suggests) {
  EXPECT_EQ(refused("from,to,lanes,km,speed\nA,B,2,7,50\n"),
            "f:1: 'lanes', 'km' or 'speed' may be the weight: say which (--columns 'from','to','km'), or that there "
            "is none (--columns 'from','to')");
  EXPECT_NE(refused("from,to,load,year\nA,B,2,1999\n").find("say which (--columns 'from','to','load')"),
            std::string::npos);
}

// What was measured before and after, and when, are no ends.
TEST(column_titles, stages_are_no_ends) {
  EXPECT_NE(read("source,target,pre_weight,post_weight,km\n1,2,3,4,5\n", {.columns = {"source", "target", "km"}})
                .description.find("from 'source' to 'target'"),
            std::string::npos);
  EXPECT_NE(refused("a,b,pre_score,post_score\n1,2,30,50\n").find("(--columns 'a','b'"), std::string::npos);
  EXPECT_NE(read("pickup_datetime,dropoff_datetime,PULocationID,DOLocationID,fare\n2021-01-01 10:00,2021-01-01 "
                 "10:10,7,8,3\n2021-01-01 10:00,2021-01-01 10:10,8,9,4\n")
                .description.find("from 'PULocationID' to 'DOLocationID', weight 'fare'"),
            std::string::npos);
}

}  // namespace column_titles_test
