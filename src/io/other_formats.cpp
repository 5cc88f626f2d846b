#include "io/other_formats.hpp"

#include "io/delimited.hpp"
#include "io/no_edge_list.hpp"
#include "io/words.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace kleene::io::detail {

namespace {

struct text_line {
  index_t number;
  std::string_view text;  // without blanks around it
};

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(" \t") + 1 - first);
}

// The first lines that are not empty, comments among them.
std::vector<text_line> first_lines(std::string_view text) {
  constexpr std::size_t most = 1 << 16;
  std::vector<text_line> lines;
  scanner in(text, "");
  while (lines.size() < most && in.next_filled_line()) lines.push_back({in.line_number(), trimmed(in.line())});
  return lines;
}

bool is_comment_mark(char c) { return c == '#' || c == '%'; }

[[noreturn]] void refuse_format(std::string_view file, index_t line, std::string_view format,
                                std::string_view hint = "") {
  throw error(fault_code::bad_input, fmt::format("{}:{}: {} is not read: save the graph as GraphML, or as an edge list "
                                                 "with a line from,to,weight for each arc{}",
                                                 file, line, format, hint));
}

// Whether the line is a key and a colon, "NAME : att48".
bool has_key(std::string_view line, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (line.starts_with(key) && trimmed(line.substr(key.size())).starts_with(':')) return true;
  return false;
}

// A tag that is a line of its own. Two of them may be names: <a> <b>.
bool is_tag(std::string_view line) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return line.size() > 2 && line[0] == '<' && is_letter(line[1]) && line.find('>') == line.size() - 1;
}

// GML: "graph [", behind lines that say who wrote it.
bool is_gml(const std::vector<text_line>& lines, std::size_t at) {
  const auto word_of = [&](std::size_t l) { return l < lines.size() ? lower_case(lines[l].text) : std::string(); };
  while (word_of(at).starts_with("creator") || word_of(at).starts_with("version")) ++at;
  const std::string line = word_of(at);
  return line == "graph [" || line == "graph[" || (line == "graph" && word_of(at + 1) == "[");
}

// "graph G {", with the brace perhaps in the next line.
bool is_dot(std::string_view line, std::string_view next) {
  if (line.starts_with("strict ")) line = trimmed(line.substr(7));
  for (const std::string_view word : {"graph", "digraph"})
    if (line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '{'))
      return line.ends_with('{') || next == "{";
  return false;
}

struct format_start {
  std::string_view text, format;  // in small letters
};
constexpr std::array<format_start, 21> starts = {{
    {"*vertices", "Pajek"},
    {"*network", "Pajek"},
    {"*arcs", "Pajek"},
    {"*edges", "Pajek"},
    {"adjacencygraph", "an adjacency graph of Ligra"},
    {"weightedadjacencygraph", "an adjacency graph of Ligra"},
    {"@nodes", "LEMON's format"},
    {"@arcs", "LEMON's format"},
    {"leda.graph", "LEDA's format"},
    {">>graph6<<", "graph6"},
    {">>sparse6<<", "sparse6"},
    {">>digraph6<<", "digraph6"},
    {"<number", "a network of TransportationNetworks (TNTP)"},
    {"p max", "a flow problem of DIMACS (p max)"},
    {"p min", "a flow problem of DIMACS (p min)"},
    {"p asn", "an assignment problem of DIMACS (p asn)"},
    {"create table", "SQL"},
    {"insert into", "SQL"},
    {"nodedef>", "GDF"},
    {"*node", "VNA"},
    {"*tie", "VNA"},
}};

// Whether a line starts with it as with words of its own.
bool starts_with_words(std::string_view line, std::string_view words) {
  return line.starts_with(words) &&
         (line.size() == words.size() || line[words.size()] == ' ' || words.ends_with('<') || words.ends_with('>'));
}

// graph6 and its like without a header, one graph in the line (McKay, "Description of graph6, sparse6 and digraph6
// encodings"): characters of six bits, the number of vertices and then the matrix; of sparse6, whose length says
// nothing, a colon in front.
std::string_view format_of_six_bits(std::string_view line) {
  const char mark = line.empty() ? ' ' : line[0];
  if (mark == ':' || mark == '&') line.remove_prefix(1);
  const auto is_six_bits = [](char c) { return c >= 63 && c < 127; };
  if (line.size() < 2 || !std::ranges::all_of(line, is_six_bits)) return "";
  if (mark == ':') return "sparse6";
  std::size_t vertices = 0, digits = line[0] == '~' ? 4 : 1;
  if (line.size() < digits) return "";
  for (const char c : line.substr(digits / 4, digits - digits / 4))
    vertices = vertices << 6 | static_cast<unsigned>(c - 63);
  const std::size_t bits = mark == '&' ? vertices * vertices : vertices * (vertices - 1) / 2;
  if (vertices < 2 || line.size() != digits + (bits + 5) / 6) return "";
  return mark == '&' ? "digraph6" : "graph6";
}

// The line behind DIMACS' comments.
std::size_t behind_comments(const std::vector<text_line>& lines, std::size_t first) {
  while (first + 1 < lines.size() && starts_with_words(lines[first].text, "c")) ++first;
  return first;
}

// What the first line that is no comment gives away; empty: nothing.
std::string_view format_by_sign(const std::vector<text_line>& lines, std::size_t first, file_format kind) {
  const std::string line = lower_case(lines[first].text);
  if (line.starts_with("<gexf")) return "GEXF";
  if (line.starts_with("<?xml") || line.starts_with("<!") || is_tag(line)) {
    if (line.starts_with("<!doctype html")) return "HTML, a page that was saved in place of the file, it seems,";
    for (const text_line& below : lines)
      if (lower_case(below.text).find("<gexf") != std::string::npos) return "GEXF";
    return kind == file_format::graphml ? "" : "XML that is no GraphML";  // else its reader says which line is wrong
  }
  const std::string_view problem = lines[behind_comments(lines, first)].text;
  for (const auto& [start, format] : starts)
    if (starts_with_words(start.starts_with("p ") ? problem : std::string_view(line), start)) return format;
  if (is_gml(lines, first)) return "GML";
  if (line.starts_with("dl ") && line.find('=') != line.npos) return "UCINET's DL";
  if (has_key(lines[first].text, {"NAME", "TYPE", "COMMENT", "DIMENSION"}))
    for (std::size_t l = first; l < std::min(lines.size(), first + 20); ++l)
      if (has_key(lines[l].text, {"DIMENSION", "EDGE_WEIGHT_TYPE"})) return "TSPLIB";
  return is_dot(line, first + 1 < lines.size() ? lines[first + 1].text : "") ? "DOT" : "";
}

// TGF: lines of a vertex and its label, a line that is "#", lines of two of these vertices. A comment may be "#", too:
// what stands before it are no arcs only where no label is another vertex.
index_t divider_of_tgf(const std::vector<text_line>& lines) {
  std::unordered_set<std::string_view> vertices;
  const auto first_word = [](std::string_view text) { return text.substr(0, text.find_first_of(" \t")); };
  const auto rest = [&](std::string_view text) { return trimmed(text.substr(first_word(text).size())); };
  const auto mark = std::ranges::find(lines, "#", &text_line::text);
  if (mark == lines.begin() || lines.end() - mark < 2) return 0;
  const auto divider = static_cast<std::size_t>(mark - lines.begin());
  for (std::size_t l = 0; l < divider; ++l)
    if (!vertices.insert(first_word(lines[l].text)).second) return 0;
  for (std::size_t l = 0; l < divider; ++l) {
    const std::string_view label = rest(lines[l].text);
    if (label != first_word(lines[l].text) && vertices.contains(label)) return 0;
  }
  const std::string_view arc = lines[divider + 1].text;
  return vertices.contains(first_word(arc)) && vertices.contains(first_word(rest(arc))) ? lines[divider].number : 0;
}

std::vector<std::string> words_of_line(std::string_view line, char separator) {
  std::vector<std::string> words;
  std::string room;
  delimited_line walk(line, separator);
  for (std::string_view word; walk.next(word, room);) words.emplace_back(word);
  return words;
}

// "1<tab>2,3,4": two fields by one mark, a vertex that has no other line, and others with another mark between.
bool is_list_behind(const std::vector<std::string_view>& sample, char mark) {
  std::unordered_set<std::string> vertices;
  std::vector<std::string> neighbours;
  bool has_list = false, numbered = true;
  for (const std::string_view line : sample) {
    const std::vector<std::string> fields = words_of_line(line, mark);
    if (fields.size() != 2 || !vertices.insert(fields[0]).second) return false;
    const std::size_t inner = fields[1].find_first_of(",;| ");
    if (inner != std::string::npos && fields[0].find(fields[1][inner]) != std::string::npos) return false;
    const std::vector<std::string> words =
        words_of_line(fields[1], inner == std::string::npos ? ' ' : fields[1][inner]);
    if (words.size() < 2) continue;
    has_list = true;
    neighbours.insert(neighbours.end(), words.begin(), words.end());
    double number = 0;
    for (const std::string& word : words) numbered &= scanner::parse(word, number) == std::errc{};
  }
  const auto listed = std::ranges::count_if(neighbours, [&](const std::string& v) { return vertices.contains(v); });
  return has_list && (numbered || 2 * static_cast<std::size_t>(listed) > neighbours.size());
}

// Adjacency lists: each line a vertex and its neighbours, as many as it has. Lines of several lengths are no edge list
// by any separator; these are lists where no vertex has two of them and most of what they name has one. So are lines
// with a colon behind each first word, and those with a mark of their own behind it.
bool is_adjacency(const std::vector<text_line>& lines, std::size_t first) {
  constexpr std::size_t looked_at = 100;
  std::vector<std::string_view> sample;
  for (std::size_t l = first; l < lines.size() && sample.size() < looked_at; ++l)
    if (!is_comment_mark(lines[l].text.front())) sample.push_back(lines[l].text);
  const auto has_colon = [](std::string_view line) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    return word.ends_with(':') && word.find_first_of("\"'{[") == word.npos;  // those are JSON's
  };
  if (std::ranges::all_of(sample, has_colon)) return true;
  for (const char mark : {' ', '|', ';', '\t', ','})
    if (is_list_behind(sample, mark)) return true;
  char separator = ' ';
  for (const char mark : {' ', '|', ',', ';', '\t'}) {
    const std::size_t words = words_of_line(sample[0], mark).size();
    const auto is_as_long = [&](std::string_view line) { return words_of_line(line, mark).size() == words; };
    if (words > 1 && std::ranges::all_of(sample, is_as_long)) return false;
    if (mark != ' ' && sample[0].find(mark) != std::string_view::npos) separator = mark;
  }
  std::unordered_set<std::string> vertices;
  std::vector<std::string> neighbours;
  std::size_t least = looked_at, most = 0;
  for (const std::string_view line : sample) {
    std::vector<std::string> words = words_of_line(line, separator);
    while (!words.empty() && words.back().empty()) words.pop_back();
    if (words.empty()) return false;
    if (words[0].ends_with(':')) words[0].pop_back();
    least = std::min(least, words.size()), most = std::max(most, words.size());
    if (!vertices.insert(words[0]).second) return false;
    neighbours.insert(neighbours.end(), words.begin() + 1, words.end());
  }
  const auto listed = std::ranges::count_if(neighbours, [&](const std::string& v) { return vertices.contains(v); });
  return sample.size() > 2 && most > least + 1 && 2 * static_cast<std::size_t>(listed) > neighbours.size();
}

// What NetworkX writes below a comment that says when, "# GMT Thu Jan 1 00:00:00 1970": lists of neighbours, of several
// vertices or one in each line, the latter with {} behind it where its edge has no data; empty: neither, or lines that
// are read as the arcs they are.
std::string_view format_of_networkx(const std::vector<text_line>& lines, std::size_t first) {
  const bool is_dated = std::any_of(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first),
                                    [](const text_line& line) { return line.text.starts_with("# GMT "); });
  bool has_list = false;
  for (const text_line& line : std::span(lines).subspan(first, std::min<std::size_t>(lines.size() - first, 100))) {
    if (is_comment_mark(line.text.front())) continue;
    const std::size_t mark = line.text.find_first_of(",;|\t");
    const std::vector<std::string> words = words_of_line(line.text, mark == line.text.npos ? ' ' : line.text[mark]);
    if (words.size() == 2 && words[1] == "{}") return "a list of neighbours, one a line, as NetworkX writes it,";
    has_list |= words.size() > 2;
  }
  return is_dated && has_list ? "a list of neighbours for each vertex, as NetworkX writes it," : "";
}

// A banner of Matrix Market whose marks are not two signs of percent, which makes it a comment.
bool is_marred_banner(std::string_view line) {
  const std::size_t first = line.find_first_not_of("#% ");
  return first > 0 && first < line.size() && starts_with_words(lower_case(line.substr(first)), "matrixmarket matrix");
}

// LGL: "# a", and below it the neighbours of a, each with the weight of its edge or without. Vertices have lines both
// as the one and as the other.
bool is_lgl(const std::vector<text_line>& lines) {
  std::unordered_set<std::string_view> above, below;
  for (const text_line& line : lines) {
    scanner in(line.text, "");
    in.next_line();
    double weight = 0;
    const std::string_view first = in.word(), second = in.word();
    if (!in.at_end_of_line() || (first == "#" && second.empty())) return false;
    if (first == "#") above.insert(second);
    else if (above.empty() || first[0] == '#') return false;
    else if (!second.empty() && scanner::parse(second, weight) != std::errc{}) return false;
    else below.insert(first);
  }
  return std::ranges::any_of(above, [&](std::string_view vertex) { return below.contains(vertex); });
}

bool has_suffix(std::string_view file, std::string_view suffix) {
  for (const std::string_view compressed : compression_suffixes)
    if (file.ends_with(compressed)) file.remove_suffix(compressed.size());
  return file.ends_with(suffix);
}

// Problems that are no graphs, and have a reader of their own (cnf.hpp, uai.hpp).
void refuse_problems(std::string_view file, const std::vector<text_line>& lines, std::size_t first) {
  const auto refuse = [&](const text_line& at, std::string_view what, std::string_view reader) {
    throw error(fault_code::bad_input,
                fmt::format("{}:{}: {}, no graph: kleene solve {} reads it", file, at.number, what, reader));
  };
  const text_line& problem = lines[behind_comments(lines, first)];
  const bool is_clauses = starts_with_words(problem.text, "p cnf") || starts_with_words(problem.text, "p wcnf");
  if (is_clauses || has_suffix(file, ".cnf") || has_suffix(file, ".wcnf")) refuse(problem, "clauses", "sat");
  const bool is_factors = lines[first].text == "MARKOV" || lines[first].text == "BAYES";
  if (is_factors || has_suffix(file, ".uai")) refuse(lines[first], "a factor graph", "factors");
}

}  // namespace

void refuse_other_formats(std::string_view text, std::string_view file, file_format kind) {
  using enum file_format;
  const std::vector<text_line> lines = first_lines(text);
  const bool by_look = kind == edge_list || kind == unknown;
  if (!lines.empty()) refuse_not_found(file, lines[0].number, lines[0].text);
  if (by_look && !lines.empty() && is_marred_banner(lines[0].text))
    throw error(fault_code::bad_input,
                fmt::format("{}:{}: a banner of Matrix Market starts with %%MatrixMarket, and this line would be a "
                            "comment: write it so",
                            file, lines[0].number));
  if (by_look && !lines.empty() && (has_suffix(file, ".lgl") || is_lgl(lines)))
    refuse_format(file, lines[0].number, "LGL (neighbours below a line '# vertex')",
                  " (--input-format edge-list, if these are comments)");
  std::size_t first = 0;
  while (first < lines.size() && is_comment_mark(lines[first].text.front())) ++first;
  if (first == lines.size()) return;
  if (const std::string_view found = format_by_sign(lines, first, kind); !found.empty())
    refuse_format(file, lines[first].number, found);
  if (!by_look) return;
  refuse_problems(file, lines, first);
  if (const std::string_view found = format_of_six_bits(lines[first].text); !found.empty())
    refuse_format(file, lines[first].number, found);
  if (const std::string_view found = format_of_networkx(lines, first); !found.empty())
    refuse_format(file, lines[first].number, found,
                  " (nx.write_weighted_edgelist; --input-format edge-list, if each line is an arc)");
  if (const index_t divider = divider_of_tgf(lines))
    refuse_format(file, divider, "TGF (vertices above a line of '#', arcs below)",
                  " (--input-format edge-list, if both are arcs)");
  if (is_adjacency(lines, first))
    refuse_format(file, lines[first].number, "a list of neighbours for each vertex",
                  " (--input-format edge-list, if each line is an arc)");
}

}  // namespace kleene::io::detail
