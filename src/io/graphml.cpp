#include "kleene/io/graphml.hpp"

#include "data/counted.hpp"
#include "io/arc_list.hpp"
#include "io/column_titles.hpp"
#include "io/memory.hpp"
#include "io/node_list.hpp"
#include "io/words.hpp"
#include "io/xml.hpp"
#include "kleene/io/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>

// CMake says whether expat is there.
#ifndef KLEENE_HAS_GRAPHML
#define KLEENE_HAS_GRAPHML 0
#endif

namespace kleene::io {

namespace {

using detail::xml_attribute;

class attributes {
 public:
  explicit attributes(std::span<const xml_attribute> all) : all_(all) {}
  std::optional<std::string_view> find(std::string_view name) const {
    for (const xml_attribute& a : all_)
      if (a.name == name) return a.value;
    return std::nullopt;
  }

 private:
  std::span<const xml_attribute> all_;
};

// The elements of a file as a graph.
class graph_builder final : public detail::xml_handler {
 public:
  graph_builder(std::string_view file, real_type reals) : file_(file), reals_(reals) {}

  void start(std::string_view name, std::span<const xml_attribute> all, index_t line) override {
    line_ = line;
    if (unread_ > 0) return void(++unread_);
    if (open_ && open_->is_number()) fail(fmt::format("an element {} in a weight", shown(name)));
    if (open_) return void(unread_ = 1);
    const attributes found(all);
    const bool anywhere = !inside_.empty() && (name == "desc" || name == "data");
    if (name == "data" && anywhere && inside_.back() == element::edge) open(key_to_read(found));
    else if (name == "data" && anywhere && inside_.back() == element::node && is_name(found)) open(&name_key_);
    else if (anywhere) unread_ = 1;
    else enter(name, found);
  }
  void end() override {
    if (unread_ > 0) return void(--unread_);
    if (open_ == &name_key_) return take_name();
    if (open_) return open_->is_number() ? take_text() : judge_text();
    const element ended = inside_.back();
    inside_.pop_back();
    if (ended == element::key) in_weight_key_ = false;
    if (ended == element::edge) add_edge();
  }
  void text(std::string_view piece) override {
    constexpr std::size_t most = 1024;
    if (!open_ || unread_ > 0) return;
    if (text_.size() + piece.size() > most) {
      if (!open_->is_number() && open_ != &name_key_) return;
      fail(fmt::format("a {} of more than {} bytes", open_ == &name_key_ ? "name" : "weight", most));
    }
    text_ += piece;
  }

  graphml_file take() {
    if (!in_graph_) fail("there is no graph");
    if (lacks_weight_ > 0 && weights_ > 0)
      fail_at(lacks_weight_, "an edge without a weight: others have one, and the key has no default");
    graphml_file made;
    if (real_) made.edges = finished(std::move(reals_list_));
    else made.edges = finished(std::move(integers_));
    made.weighted = weights_ > 0;
    made.undirected = !directed_edges_ && (undirected_edges_ || !directed_by_default_);
    made.names = nodes_.names(made.first_vertex);
    const bool numbered = !titles_.empty() && numbers_nodes(made.names), named = numbered && are_names(titles_);
    if (named) made.names = std::move(titles_);
    const char* const direction = made.undirected ? "undirected" : undirected_edges_ ? "partly directed" : "directed";
    const char* const by = named ? "the key 'name'" : numbered ? "id (two share a 'name', or lack it)" : "name";
    const std::string vertices =
        made.names.empty() ? fmt::format("vertices numbered from {}", made.first_vertex)
                           : kleene::detail::counted(std::ssize(made.names), "vertex", "vertices") + " by " + by;
    made.description = fmt::format("{}, {}, {}", direction, weight_words(made.weighted), vertices);
    return made;
  }

 private:
  enum class element { graphml, key, graph, node, edge };
  struct weight_key {
    std::string id, title, type, unsaid;  // the last: the default
    index_t unsaid_line = 0;              // where it stands; 0: there is none

    bool is_real() const { return type == "float" || type == "double"; }
    bool is_number() const { return is_real() || type == "int" || type == "long"; }
  };

  // igraph's ids: n0, n1, n2, ...
  static bool numbers_nodes(const std::vector<std::string>& ids) {
    for (std::size_t v = 0; v < ids.size(); ++v)
      if (ids[v] != fmt::format("n{}", v)) return false;
    return true;
  }
  // Whether each vertex has a name of its own.
  bool are_names(const std::vector<std::string>& titles) const {
    std::unordered_set<std::string_view> seen;
    return titles.size() == static_cast<std::size_t>(nodes_.listed()) &&
           std::ranges::all_of(titles, [&](const std::string& title) {
             return !title.empty() && !detail::has_control(title) && seen.insert(title).second;
           });
  }

  [[noreturn]] void fail_at(index_t line, const std::string& what) const {
    throw error(fault_code::bad_input, fmt::format("{}:{}: {}", file_, std::max<index_t>(line, 1), what));
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(line_, what); }
  std::string_view required(const attributes& found, const char* name, const char* what) const {
    const auto value = found.find(name);
    if (!value || value->empty()) fail(fmt::format("{} without the attribute {}", what, name));
    return *value;
  }

  // What the edges weigh, and by which key.
  std::string weight_words(bool weighted) const {
    const std::string title = weight_.title == "weight" ? "" : fmt::format(" {}", shown(weight_.title));
    const std::string unsaid = weight_.unsaid.empty() ? "" : fmt::format(", unsaid {}", weight_.unsaid);
    if (weighted) return fmt::format("weights{} ({}{})", title, weight_.type, unsaid);
    if (!weight_.id.empty() || unused_.empty()) return "edges of weight 1";
    return fmt::format("no key 'weight', so every edge weighs 1 (keys not used: {})", unused_);
  }

  void enter(std::string_view name, const attributes& found) {
    if (inside_.empty()) {
      if (name != "graphml") fail(fmt::format("this is no GraphML: it starts with an element {}", shown(name)));
      return inside_.push_back(element::graphml);
    }
    const element around = inside_.back();
    if (around == element::graphml && name == "key") return key(found);
    if (around == element::graphml && name == "graph") return graph(found);
    if (around == element::key && name == "default") return open(in_weight_key_ ? &weight_keys_.back() : nullptr);
    if (around == element::graph && name == "node") return node(found);
    if (around == element::graph && name == "edge") return edge(found);
    if (name == "hyperedge" || name == "port" || name == "locator") fail(fmt::format("a {}, which is not read", name));
    if (name == "graph") fail("a graph in a node or an edge: nested graphs are not read");
    fail(fmt::format("the element {} does not belong here", shown(name)));
  }

  void key(const attributes& found) {
    if (in_graph_) fail("a key behind the graph: keys stand before it");
    const std::string id(required(found, "id", "a key"));
    if (!keys_.insert(id).second) fail(fmt::format("a second key {}", shown(id)));
    inside_.push_back(element::key);
    const std::string_view use = found.find("for").value_or("all");
    const auto called = found.find("attr.name"), typed = found.find("attr.type");
    const std::string_view title = called.value_or(id), type = typed.value_or(called ? "" : "double");
    if (use == "node" && title == "name") name_key_.id = id;
    if (use != "edge" && use != "all") return;
    const bool exact = title == "weight";
    if (!exact && use == "edge" && !title.empty()) unused_ += (unused_.empty() ? "" : ", ") + shown(title);
    if (!exact && (use != "edge" || !detail::is_measure_title(title))) return;
    const weight_key declared{id, std::string(title), std::string(type), "", 0};
    if (!exact && !declared.is_number())
      return !typed || detail::is_weight_title(title) ? text_keys_.push_back(declared) : void();
    if (exact && !declared.is_number())
      fail(fmt::format("weights of type {}: those read are int, long, float and double", shown(type)));
    weight_keys_.push_back(declared);
    in_weight_key_ = true;
  }
  // The keys of the weights: those called so, else those of the only title that says that it is one. NetworkX has one
  // for each type of Python's that the weights of its graph are of, and an edge has one of them.
  void choose_weight() {
    if (weight_keys_.empty()) return;
    // "km" and its like count where nothing is called as weights are.
    const auto is_weight = [](const weight_key& key) { return detail::is_weight_title(key.title); };
    if (std::ranges::any_of(weight_keys_, is_weight))
      std::erase_if(weight_keys_, std::not_fn(is_weight)), text_keys_.clear();
    const auto exact = std::ranges::find(weight_keys_, "weight", &weight_key::title);
    weight_ = exact == weight_keys_.end() ? weight_keys_.front() : *exact;
    std::string titles, types;
    for (const weight_key& key : weight_keys_) {
      if (titles.find(shown(key.title)) == titles.npos) titles += (titles.empty() ? "" : ", ") + shown(key.title);
      if (key.title != weight_.title) continue;
      weight_ids_.push_back(key.id);
      types += (types.empty() ? "" : ", ") + key.type;
      real_ |= key.is_real();
      if (weight_ids_.size() > 1 && (key.unsaid_line > 0 || weight_.unsaid_line > 0))
        fail_at(std::max(key.unsaid_line, weight_.unsaid_line),
                fmt::format("a default, and several keys are called {}: it is not clear for which edges it is",
                            shown(key.title)));
    }
    if (exact == weight_keys_.end() && titles != shown(weight_.title))
      fail(fmt::format("the weight could be any of the keys {}: call one of them weight", titles));
    weight_.type = types;
    if (weight_.unsaid_line == 0) return;
    const index_t line = std::exchange(line_, weight_.unsaid_line);
    require_number(weight_.unsaid);
    line_ = line;
  }
  void graph(const attributes& found) {
    if (in_graph_) fail("a second graph: a file is read as one");
    const std::string_view direction = required(found, "edgedefault", "a graph");
    if (direction != "directed" && direction != "undirected")
      fail(fmt::format("edgedefault is {}, neither directed nor undirected", shown(direction)));
    directed_by_default_ = direction == "directed";
    choose_weight();
    in_graph_ = true;
    inside_.push_back(element::graph);
  }
  void node(const attributes& found) {
    const std::string_view id = required(found, "id", "a node");
    if (!nodes_.list(number_of(id))) fail(fmt::format("a second node {}", shown(id)));
    inside_.push_back(element::node);
    if (!name_key_.id.empty()) titles_.emplace_back();
  }
  bool is_name(const attributes& found) const {
    return !name_key_.id.empty() && found.find("key") == std::string_view(name_key_.id);
  }
  void take_name() {
    open_ = nullptr;
    titles_.back() = word_of_text();
  }
  void edge(const attributes& found) {
    for (const char* port : {"sourceport", "targetport"})
      if (found.find(port)) fail("an edge between ports, which are not read");
    for (const char* weight : {"weight", "cost", "distance", "length", "value"})
      if (found.find(weight))
        fail(fmt::format("an edge with an attribute {}, and GraphML has none: weights are <data> of a <key>", weight));
    from_ = number_of(required(found, "source", "an edge"));
    to_ = number_of(required(found, "target", "an edge"));
    const auto said = found.find("directed");
    if (said && said != "true" && said != "false" && said != "1" && said != "0")
      fail(fmt::format("directed is {}, neither true nor false", shown(*said)));
    directed_ = said ? *said == "true" || *said == "1" : directed_by_default_;
    edge_line_ = line_;
    edge_text_.clear();
    inside_.push_back(element::edge);
  }
  std::int32_t number_of(std::string_view id) {
    if (detail::has_control(id)) fail(fmt::format("the node {} has a control character in its name", shown(id)));
    return nodes_.mention(id, line_);
  }

  // Reads the text of the element that starts, which is of this key; null: its content is not read.
  void open(const weight_key* key) {
    open_ = key;
    unread_ = key ? 0 : 1;
    text_.clear();
  }
  // The key of an edge's data, if its text is read: the weight, or one that has its title and whose type is no number,
  // of which the first text says whether it is one.
  const weight_key* key_to_read(const attributes& found) const {
    const std::string_view key = required(found, "key", "data");
    if (!keys_.contains(std::string(key))) fail(fmt::format("data of the key {}, which is not declared", shown(key)));
    if (std::ranges::find(weight_ids_, key) != weight_ids_.end()) {
      if (!edge_text_.empty()) fail("a second weight of an edge");
      return &*std::ranges::find(weight_keys_, key, &weight_key::id);
    }
    const auto text_key = std::ranges::find(text_keys_, key, &weight_key::id);
    return text_key == text_keys_.end() ? nullptr : &*text_key;
  }
  void judge_text() {
    const weight_key key = *std::exchange(open_, nullptr);
    double number = 0;
    if (const std::string word = word_of_text(); scanner::parse(word, number) == std::errc{})
      fail(
          fmt::format("the key {} is of {}, and holds the number {}: declare it as double, or rename it if it is no "
                      "weight",
                      shown(key.title), key.type.empty() ? "no type" : "type " + shown(key.type), word));
    std::erase_if(text_keys_, [&](const weight_key& k) { return k.id == key.id; });
  }
  std::string word_of_text() const {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = std::min(text_.find_first_not_of(blanks), text_.size());
    return text_.substr(first, text_.find_last_not_of(blanks) + 1 - first);
  }
  void take_text() {
    open_ = nullptr;
    const std::string word = word_of_text();
    if (inside_.back() == element::key) {
      weight_key& key = weight_keys_.back();
      if (key.unsaid_line > 0) fail("a second default");
      key.unsaid = word, key.unsaid_line = line_;
    } else {
      require_number(word);
      edge_text_ = word;
    }
  }
  // Refused here, on its line.
  void require_number(std::string_view word) const {
    if (word.empty()) fail("the weight is missing");
    real_ ? void(real_of(word)) : void(integer_of(word));
  }
  std::int64_t integer_of(std::string_view word) const {
    return scanner({}, file_, reals_, line_).to_number<std::int64_t>(word, "weight");
  }
  double real_of(std::string_view word) const {
    const double value = scanner({}, file_, reals_, line_).to_number<double>(word, "weight");
    if (!std::isfinite(value)) fail(fmt::format("the weight {} is not finite", shown(word)));
    return value;
  }

  void add_edge() {
    const std::string& word = edge_text_.empty() ? weight_.unsaid : edge_text_;
    if (word.empty() && lacks_weight_ == 0) lacks_weight_ = edge_line_;
    weights_ += !word.empty();
    (directed_ ? directed_edges_ : undirected_edges_) = true;
    real_ ? add(reals_list_, word.empty() ? 1 : real_of(word)) : add(integers_, word.empty() ? 1 : integer_of(word));
  }
  template <class T>
  void add(coo<T>& list, T weight) const {
    directed_ ? list.add(from_, to_, weight) : detail::add_edge(list, from_, to_, weight);
  }

  // With vertices in the order of the nodes.
  template <class T>
  coo<T> finished(coo<T>&& list) const {
    if (const std::int32_t lost = nodes_.missing(); lost >= 0)
      fail_at(nodes_.first_line(lost),
              fmt::format("an edge at {}, which is no node of the graph", shown(nodes_.name(lost))));
    list.rows = list.cols = nodes_.listed();
    for (auto* ends : {&list.row, &list.col})
      for (std::int32_t& v : *ends) v = nodes_.place(v);
    return std::move(list);
  }

  std::string_view file_;
  real_type reals_;
  std::vector<element> inside_;
  index_t line_ = 0, edge_line_ = 0;
  index_t unread_ = 0;  // elements that are open, from the first on whose content is not read
  bool in_weight_key_ = false, in_graph_ = false, real_ = false;
  std::string text_, edge_text_;
  std::unordered_set<std::string> keys_;
  std::vector<weight_key> weight_keys_;  // those that may be the weight
  std::vector<weight_key> text_keys_;    // those of no number that may be meant as it, until a word shows otherwise
  const weight_key* open_ =
      nullptr;         // the one whose text is open: a name, a weight if it is a number's, or to be judged
  weight_key weight_;  // the one that is, once the graph starts; without an id: none
  std::vector<std::string> weight_ids_;  // of all keys that are it, of which an edge has one
  std::string unused_;                   // other keys of edges
  weight_key name_key_;                  // of the names of vertices that igraph numbers; without an id: none
  std::vector<std::string> titles_;      // what it says of each

  detail::node_list nodes_;
  std::int32_t from_ = 0, to_ = 0;
  bool directed_ = false, directed_by_default_ = false, directed_edges_ = false, undirected_edges_ = false;
  index_t weights_ = 0, lacks_weight_ = 0;  // edges that have one; the line of the first that has none
  coo<std::int64_t> integers_;
  coo<double> reals_list_;
};

}  // namespace

bool reads_graphml() { return KLEENE_HAS_GRAPHML; }

graphml_file parse_graphml(scanner& in) {
  return detail::with_memory_of(in.file(), [&]() -> graphml_file {
#if KLEENE_HAS_GRAPHML
    graph_builder graph(in.file(), in.reals());
    detail::parse_xml(in, graph);
    return graph.take();
#else
    throw error(fault_code::bad_input,
                fmt::format("{} is GraphML, and this build of Kleene has no libexpat to read it", in.file()));
#endif
  });
}
graphml_file parse_graphml(std::string_view text, std::string_view file, real_type reals) {
  scanner in(text, file, reals);
  return parse_graphml(in);
}
graphml_file read_graphml(const std::string& path, real_type reals) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file, reals);
    return parse_graphml(in);
  });
}

bool looks_like_graphml(std::string_view text) {
  text.remove_prefix(detail::byte_order_mark(text));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '<' && text.find("<graphml", first) != text.npos;
}

}  // namespace kleene::io
