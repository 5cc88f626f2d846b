#include "io/column_titles.hpp"

#include "io/words.hpp"
#include "kleene/io/text.hpp"

#include <algorithm>

namespace kleene::io::detail {

namespace {

using pair_of_words = std::array<std::string_view, 2>;

// From and to, by their meaning, whichever stands first; as letters() has them, small and without marks. Where titles
// are of two pairs, the first of them counts: start and end, which may be times, stand last.
constexpr pair_of_words ends[] = {
    // clang-format off
    {"from", "to"}, {"source", "target"}, {"src", "dst"}, {"src", "dest"}, {"source", "destination"},
    {"origin", "destination"}, {"origin", "dest"}, {"orig", "dest"}, {"source", "sink"}, {"src", "sink"},
    {"tail", "head"}, {"u", "v"}, {"o", "d"}, {"row", "col"}, {"row", "column"}, {"sender", "receiver"},
    {"sender", "recipient"}, {"payer", "payee"}, {"caller", "callee"}, {"citing", "cited"}, {"follower", "followee"},
    {"parent", "child"}, {"predecessor", "successor"}, {"predecessor", "task"}, {"predecessor", "activity"},
    {"upstream", "downstream"}, {"fnode", "tnode"}, {"anode", "bnode"}, {"init", "term"}, {"departure", "arrival"},
    // German, Dutch
    {"von", "nach"}, {"von", "bis"}, {"von", "zu"}, {"start", "ziel"}, {"quelle", "ziel"}, {"abfahrt", "ankunft"},
    {"absender", "empfanger"}, {"absender", "empfaenger"}, {"vorganger", "nachfolger"}, {"vorgaenger", "nachfolger"},
    {"van", "naar"}, {"vertrek", "aankomst"}, {"herkomst", "bestemming"}, {"bron", "doel"},
    // Swedish, Danish and Norwegian, Finnish
    {"fran", "till"}, {"fra", "til"}, {"avgang", "ankomst"}, {"kalla", "mal"}, {"kilde", "mal"}, {"start", "mal"},
    {"lahto", "kohde"}, {"lahde", "kohde"}, {"mista", "mihin"},
    // French, Italian, Spanish, Portuguese, Catalan, Romanian
    {"de", "a"}, {"de", "vers"}, {"depart", "arrivee"}, {"source", "cible"}, {"origine", "destination"},
    {"expediteur", "destinataire"}, {"da", "a"}, {"da", "verso"}, {"partenza", "arrivo"}, {"sorgente", "destinazione"},
    {"origine", "destinazione"}, {"mittente", "destinatario"}, {"desde", "hasta"}, {"desde", "hacia"}, {"desde", "a"},
    {"de", "hasta"}, {"origen", "destino"}, {"salida", "llegada"}, {"fuente", "destino"}, {"remitente", "destinatario"},
    {"de", "para"}, {"origem", "destino"}, {"partida", "chegada"}, {"fonte", "destino"}, {"remetente", "destinatario"},
    {"origen", "desti"}, {"origen", "destinacio"}, {"dela", "la"}, {"plecare", "sosire"}, {"sursa", "destinatie"},
    {"origine", "destinatie"},
    // Polish, Czech and Slovak, Croatian and Slovene, Hungarian, Turkish
    {"od", "do"}, {"skad", "dokad"}, {"zrodlo", "cel"}, {"odkud", "kam"}, {"zdroj", "cil"}, {"odkial", "kam"},
    {"zdroj", "ciel"}, {"polaziste", "odrediste"}, {"izvor", "cilj"}, {"honnan", "hova"}, {"forras", "cel"},
    {"nereden", "nereye"}, {"kaynak", "hedef"}, {"kalkis", "varis"},
    // Greek, Russian, Ukrainian, Bulgarian
    {"απο", "προσ"}, {"πηγη", "προορισμοσ"}, {"αφετηρια", "προορισμοσ"},
    {"откуда", "куда"}, {"из", "в"}, {"от", "до"},
    {"отправитель", "получатель"}, {"отправление", "прибытие"},
    {"звідки", "куди"}, {"від", "до"}, {"източник", "цел"},
    // Chinese, Japanese, Korean
    {"起点", "终点"}, {"起點", "終點"}, {"出发", "到达"}, {"出發", "到達"}, {"源", "目标"},
    {"始点", "終点"}, {"出発", "到着"}, {"출발", "도착"}, {"출발지", "도착지"},
    // Trips, trade, synapses.
    {"pickup", "dropoff"}, {"pu", "do"}, {"exporter", "importer"}, {"pre", "post"},
    // What may be times.
    {"start", "ende"}, {"anfang", "ende"}, {"debut", "fin"}, {"inizio", "fine"}, {"inicio", "fin"}, {"inicio", "fim"},
    {"begin", "einde"}, {"start", "slut"}, {"poczatek", "koniec"}, {"zacatek", "konec"}, {"начало", "конец"},
    {"start", "finish"}, {"start", "end"}, {"begin", "end"},
    // clang-format on
};
// A title that calls the one end in one pair and the other in another would call neither.
consteval bool call_one_end() {
  return std::ranges::none_of(ends, [](const pair_of_words& pair) {
    return std::ranges::any_of(ends, [&](const pair_of_words& other) { return other[1] == pair[0]; });
  });
}
static_assert(call_one_end());
constexpr std::array<pair_of_words, 5> numbered = {{{"1", "2"}, {"a", "b"}, {"i", "j"}, {"u", "v"}, {"s", "t"}}};

constexpr std::array<std::string_view, 7> weights = {"weight", "w", "cost", "distance", "dist", "length", "len"};
constexpr std::array<std::string_view, 36> measures = {
    "km",         "m",         "mi",      "meters",  "metres",      "miles", "kilometers", "kilometres", "s",
    "sec",        "seconds",   "min",     "minutes", "h",           "hours", "days",       "time",       "duration",
    "traveltime", "delay",     "latency", "price",   "fare",        "toll",  "fee",        "amount",     "capacity",
    "cap",        "bandwidth", "flow",    "value",   "probability", "prob",  "p",          "score",      "strength"};
constexpr std::array<std::string_view, 32> row_numbers = {
    "id",     "fid",   "gid",    "objectid", "ogcfid", "osmid", "edgeid",   "linkid", "arcid",  "rowid", "roadid",
    "wayid",  "index", "row",    "rownum",   "line",   "no",    "nr",       "num",    "number", "lfdnr", "zeile",
    "serial", "seq",   "level0", "unnamed0", "pk",     "key",   "position", "rank",   "x1",     "edge"};
constexpr std::array<std::string_view, 9> times = {"timestamp", "ts",    "year", "date",    "datetime",
                                                   "epoch",     "month", "day",  "unixtime"};
constexpr std::array<std::string_view, 13> no_stops = {
    "date", "time", "year", "day", "lat", "lon", "lng", "x", "y", "datetime", "timestamp", "latitude", "longitude"};
constexpr std::array<std::string_view, 4> returns = {"reverse", "rev", "backward", "back"};
constexpr std::array<std::string_view, 6> lists = {"predecessors", "successors",   "neighbors",
                                                   "neighbours",   "dependencies", "adjacent"};

constexpr std::array<std::string_view, 16> of_vertices = {
    "id",       "node",    "vertex",   "nodeid",    "vertexid", "name",    "label",  "title",
    "nodename", "vorname", "nachname", "firstname", "lastname", "surname", "prenom", "bezeichnung"};

}  // namespace

// One list holds what says one way, and all else does not (nor does an empty field, which is both ways in tables of
// roads), or what does not, where the title may be of something else.
struct direction_words {
  std::string_view title;
  std::array<std::string_view, 6> one_way, other;
};

namespace {

constexpr std::array<direction_words, 25> directions = {{
    // clang-format off
    // Under oneway f and t are no truths: forwards and backwards, as tables of OpenStreetMap have them.
    {"oneway",          {"1", "true", "yes", "y", "1.0", "ft"}, {}},
    {"isoneway",        {"1", "true", "yes", "y", "1.0", "t"}, {}},
    {"unidirectional",  {"1", "true", "yes", "y", "1.0", "t"}, {}},
    {"directed",        {"1", "true", "yes", "y", "t", "directed"}, {}},
    {"isdirected",      {"1", "true", "yes", "y", "1.0", "t"}, {}},
    {"undirected",      {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"isundirected",    {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"bidirectional",   {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"isbidirectional", {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"twoway",          {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"istwoway",        {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"bothways",        {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"bothdirections",  {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"direction",       {"forward", "forwards", "one-way", "oneway", "directed", "ft"}, {}},
    {"directionality",  {"forward", "forwards", "one-way", "oneway", "directed", "ft"}, {}},
    {"dir",             {"forward", "one-way", "oneway", "directed", "ft", "1"}, {}},
    {"dirtravel",       {"f"}, {}},  // of HERE
    {"reversible",      {"0", "false", "no", "n", "0.0", "f"}, {}},
    {"einbahn",         {"1", "true", "ja", "j", "wahr", "1.0"}, {}},
    {"einbahnstrasse",  {"1", "true", "ja", "j", "wahr", "1.0"}, {}},
    {"enkelrichting",   {"1", "true", "ja", "j", "waar", "1.0"}, {}},
    {"sensunique",      {"1", "true", "oui", "o", "vrai", "1.0"}, {}},
    {"sentidounico",    {"1", "true", "si", "sí", "sim", "1.0"}, {}},
    {"sensounico",      {"1", "true", "si", "sì", "vero", "1.0"}, {}},
    {"type",            {"directed"}, {"undirected", "mixed", "bidirectional", "both", "two-way"}},  // of Gephi
    // clang-format on
}};

template <std::size_t Size>
bool is_one_of(const std::array<std::string_view, Size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

struct letter_forms {
  std::string_view letter, forms;  // characters of two bytes
};
constexpr letter_forms marked[] = {
    // clang-format off
    {"a", "àáâãäåāăą"}, {"c", "çćč"}, {"d", "ďđ"}, {"e", "èéêëēęě"}, {"g", "ğ"},
    {"i", "ìíîïıİ"}, {"l", "ĺľł"},
    {"n", "ñńň"}, {"o", "òóôõöøő"}, {"r", "ř"}, {"s", "śşšș"}, {"ss", "ß"}, {"t", "ţťț"},
    {"u", "ùúûüůű"}, {"y", "ýÿ"},
    {"z", "źżž"}, {"α", "άΆ"}, {"ε", "έΈ"}, {"η", "ήΉ"}, {"ι", "ίΊ"}, {"ο", "όΌ"}, {"υ", "ύΎ"},
    {"ω", "ώΏ"}, {"σ", "ς"},
    // clang-format on
};

// A character of two bytes of UTF-8 as the small letter that it is, without its mark; empty for a combining mark.
std::string folded(std::string_view character) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  unsigned code = (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
  if (code >= 0x300 && code < 0x370) return {};
  const bool latin = code >= 0xc0 && code < 0xdf && code != 0xd7;
  if (latin || (code >= 0x391 && code < 0x3aa) || (code >= 0x410 && code < 0x430)) code += 0x20;  // capitals
  else if (code >= 0x400 && code < 0x410) code += 0x50;
  // Pairs of a capital and its small letter, which come in turn, odd ones first in some blocks.
  else if ((code >= 0x100 && code < 0x138) || (code >= 0x14a && code < 0x178) || (code >= 0x218 && code < 0x21c))
    code |= code == 0x130 ? 0u : 1u;
  else if ((code >= 0x139 && code < 0x149) || (code >= 0x179 && code < 0x17f)) code += code & 1;
  const char small[] = {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
  const std::string_view letter(small, 2);
  for (const auto& [plain_letter, forms] : marked)
    for (std::size_t at = 0; at < forms.size(); at += 2)
      if (forms.substr(at, 2) == letter) return std::string(plain_letter);
  return std::string(letter);
}

// A title without case, blanks and marks, those of letters among them: "Départ" is "depart".
std::string letters(std::string_view title) {
  std::string word;
  for (std::size_t at = 0; at < title.size();) {
    const std::size_t bytes = std::max<std::size_t>(utf8_character(title.substr(at)), 1);
    const std::string_view character = title.substr(at, bytes);
    const char c = character[0];
    if (bytes == 2) word += folded(character);
    else if (c >= 'A' && c <= 'Z') word += static_cast<char>(c - 'A' + 'a');
    else if (static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word += character;
    at += bytes;
  }
  return word;
}

// And without what people put behind it: "FromNodeId" is "from".
std::string plain(std::string_view title) {
  std::string word = letters(title);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view ending : {"id", "node", "name", "vertex"})
      if (word.size() > ending.size() && word.ends_with(ending)) word.resize(word.size() - ending.size()), again = true;
  }
  return word;
}

int position_of(const std::vector<std::string>& words, std::string_view word) {
  const auto at = std::ranges::find(words, word);
  return at == words.end() ? -1 : static_cast<int>(at - words.begin());
}

// What is left of a title in front of, or behind, a word; empty where nothing is, or the word is not there.
std::string before(std::string_view title, std::string_view word) {
  return title.size() > word.size() && title.ends_with(word) ? std::string(title.substr(0, title.size() - word.size()))
                                                             : std::string();
}
std::string behind(std::string_view title, std::string_view word) {
  return title.size() > word.size() && title.starts_with(word) ? std::string(title.substr(word.size())) : std::string();
}

// Calls found(pair) for the pairs of columns of which is_pair(their words) says true, unless they are too many to try.
template <class IsPair, class Found>
void for_pairs(const std::vector<std::string>& words, const IsPair& is_pair, const Found& found) {
  if (words.size() > 50) return;
  for (int a = 0; a < static_cast<int>(words.size()); ++a)
    for (int b = 0; b < static_cast<int>(words.size()); ++b)
      if (a != b && is_pair(words[a], words[b])) found(std::array<int, 2>{a, b});
}

// "from_stop" and "to_stop", "stop_from" and "stop_to"; dates and coordinates are no stops.
bool differ_by_ends(const std::string& a, const std::string& b) {
  return std::ranges::any_of(ends, [&](const pair_of_words& pair) {
    const auto& [from, to] = pair;
    const std::string rest = behind(a, from), stem = before(a, from);
    if (from.size() < 2 || to.size() < 2) return false;
    if (from == "pre" && (is_one_of(weights, rest) || is_one_of(measures, rest))) return false;  // before and after
    return (!rest.empty() && rest == behind(b, to) && !is_one_of(no_stops, rest)) ||
           (!stem.empty() && stem == before(b, to) && !is_one_of(no_stops, stem));
  });
}
// "node1" and "node2", "Gene A" and "Gene B", "i" and "j".
bool differ_by_numbers(const std::string& a, const std::string& b) {
  return std::ranges::any_of(numbered, [&](const pair_of_words& pair) {
    return (pair[0] != "1" && a == pair[0] && b == pair[1]) ||
           (!before(a, pair[0]).empty() && before(a, pair[0]) == before(b, pair[1]));
  });
}

}  // namespace

std::vector<std::array<int, 2>> named_pairs(const std::vector<std::string>& titles) {
  std::vector<std::string> words, plain_words;
  for (const std::string& title : titles) words.push_back(letters(title)), plain_words.push_back(plain(title));
  std::vector<std::array<int, 2>> pairs;
  const auto add_pairs = [&pairs](const std::vector<std::string>& names) {
    for (const auto& [from, to] : ends)
      if (const std::array<int, 2> found = {position_of(names, from), position_of(names, to)};
          found[0] >= 0 && found[1] >= 0 && std::ranges::find(pairs, found) == pairs.end())
        pairs.push_back(found);
  };
  add_pairs(words);
  if (!pairs.empty()) return pairs;
  for_pairs(words, differ_by_ends, [&pairs](const std::array<int, 2>& found) { pairs.push_back(found); });
  if (pairs.empty()) add_pairs(plain_words);
  return pairs;
}
std::array<int, 2> named_ends(const std::vector<std::string>& titles) {
  const auto pairs = named_pairs(titles);
  return pairs.empty() ? std::array<int, 2>{-1, -1} : pairs[0];
}
std::array<int, 2> numbered_ends(const std::vector<std::string>& titles) {
  std::vector<std::string> words;
  for (const std::string& title : titles) words.push_back(plain(title));
  std::vector<std::array<int, 2>> pairs;
  for_pairs(words, differ_by_numbers, [&](const std::array<int, 2>& found) { pairs.push_back(found); });
  return pairs.size() == 1 ? pairs[0] : std::array<int, 2>{-1, -1};
}

bool calls_start(std::string_view title) {
  return std::ranges::any_of(ends, [word = plain(title)](const pair_of_words& pair) { return pair[0] == word; });
}
bool calls_end(std::string_view title) {
  return std::ranges::any_of(ends, [word = plain(title)](const pair_of_words& pair) { return pair[1] == word; });
}

bool is_weight_title(std::string_view title) { return is_one_of(weights, plain(title)); }
bool is_measure_title(std::string_view title) { return is_weight_title(title) || is_one_of(measures, letters(title)); }
bool numbers_rows(std::string_view title) {
  return title.find_first_not_of(" #._-") == title.npos || is_one_of(row_numbers, letters(title));
}
bool is_time_title(std::string_view title) { return is_one_of(times, letters(title)); }
bool describes_vertex(std::string_view title) { return is_one_of(of_vertices, letters(title)); }
bool lists_vertices(std::string_view title) { return is_one_of(lists, letters(title)); }

bool is_return_title(std::string_view title) {
  const std::string word = letters(title);
  const auto is_measure = [](const std::string& rest) { return is_one_of(weights, rest) || is_one_of(measures, rest); };
  return word == "reverse" || std::ranges::any_of(returns, [&](std::string_view back) {
           return is_measure(behind(word, back)) || is_measure(before(word, back));
         });
}

const direction_words* directions_under(std::string_view title) {
  const auto found = std::ranges::find(directions, letters(title), &direction_words::title);
  return found == directions.end() ? nullptr : &*found;
}
bool says_one_way(const direction_words& words, std::string_view field) {
  const std::string word = lower_case(field);
  if (word.empty()) return !words.other[0].empty();
  return words.other[0].empty() ? is_one_of(words.one_way, word) : !is_one_of(words.other, word);
}
bool tells_direction(const direction_words& words, std::string_view field) {
  const std::string word = lower_case(field);
  return words.other[0].empty() || (!word.empty() && (is_one_of(words.one_way, word) || is_one_of(words.other, word)));
}

}  // namespace kleene::io::detail
