// kleene gen: a graph drawn by a generator, as a file.
#include "commands.hpp"
#include "generate.hpp"
#include "graph_output.hpp"
#include "kleene/data/error.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/names.hpp"
#include "kleene/io/text.hpp"
#include "labels.hpp"
#include "options.hpp"
#include "results.hpp"
#include "session.hpp"
#include "text.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

namespace kleene::cli {

namespace {

using enum graph_model;

constexpr std::int32_t most_vertices = std::numeric_limits<std::int32_t>::max();

struct model_row {
  graph_model model;
  const char* name;
  double degree;  // where none is asked for; 0: the model has none
};
constexpr model_row models[] = {{rmat, "rmat", 16},
                                {grid, "grid", 0},
                                {geometric, "geometric", 6},
                                {regular, "regular", 3},
                                {planted_cycle, "planted-cycle", 4}};

constexpr const char* models_help =
    "KIND is one of\n"
    "  rmat           arcs by halving the matrix again and again, as in the webs of pages and people; vertices are a "
    "power of two, arcs drawn twice count once (Chakrabarti, Zhan and Faloutsos, 2004; probabilities of Graph 500)\n"
    "  grid           rows x columns, as near to a square as can be, neighbours joined both ways (SPGRID: Cherkassky, "
    "Goldberg and Radzik, 1996)\n"
    "  geometric      points at random in a square, near ones joined both ways by their distance (Gilbert, 1961)\n"
    "  regular        every vertex has --degree neighbours (Steger and Wormald, 1999)\n"
    "  planted-cycle  arcs at random, and one negative cycle of --cycle vertices, which weighs -1 in all (Cherkassky "
    "and Goldberg, 1999)\n"
    "The same flags give the same bytes on every machine.\n";

struct gen_flags {
  graph_model model = rmat;
  std::int64_t vertices = -1, arcs = -1, cycle = -1;
  int scale = -1;
  double degree = -1;
  std::string weights, coordinates;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> weight_seed{};
  graph_output_flags out{.path = "/dev/stdout"};
};

const model_row& row_of(graph_model model) {
  for (const model_row& row : models)
    if (row.model == model) return row;
  return models[0];
}

[[noreturn]] void refuse(const std::string& what) { throw error(fault_code::usage, what); }

// 1,100 are whole numbers, 0.5,2.0 reals; none is none.
weight_range weights_of(const std::string& text) {
  weight_range range;
  if (text.empty()) return range;
  range.drawn = true;
  if (text == "none") {
    range.none = true;
    return range;
  }
  const auto wrong = [&] {
    refuse(fmt::format("--weights takes the least and the largest, such as 1,100 or 0.5,2.0, or none, and not {}",
                       io::shown(text)));
  };
  const std::vector<std::string> ends = io::split_list(text, "--weights");
  if (ends.size() != 2) wrong();
  const auto end = [&](const std::string& word, double& value) {
    if (io::scanner::parse(word, value) != std::errc{} || !std::isfinite(value)) wrong();
    std::int64_t whole = 0;
    range.reals |= io::scanner::parse(word, whole) != std::errc{};
  };
  end(ends[0], range.low);
  end(ends[1], range.high);
  if (range.low > range.high) wrong();
  if (!range.reals && std::max(std::abs(range.low), std::abs(range.high)) > 0x1p52)
    refuse(fmt::format("--weights: whole numbers lie between -2^52 and 2^52, and {} do not", text));
  return range;
}

index_t vertices_of(const gen_flags& flags) {
  if ((flags.vertices >= 0) == (flags.scale >= 0))
    refuse("how many vertices? Give either --vertices N or --scale S (2^S vertices)");
  const index_t vertices = flags.scale >= 0 ? index_t{1} << flags.scale : flags.vertices;
  if (vertices < 1) refuse("--vertices: a graph to draw has at least one vertex");
  return vertices;
}

generate_options options_of(const gen_flags& flags) {
  const model_row& row = row_of(flags.model);
  generate_options options{.model = flags.model, .vertices = vertices_of(flags), .degree = row.degree};
  if (flags.model == planted_cycle)  // as many arcs as small graphs have room for
    options.degree = std::min(row.degree, std::max(0.0, static_cast<double>(options.vertices - 3) / 4));
  if (row.degree == 0 && (flags.arcs >= 0 || flags.degree >= 0))
    refuse("--arcs and --degree are not for a grid, whose vertices say its arcs");
  if (flags.degree > most_vertices)
    refuse(
        fmt::format("--degree: takes a number of at most {}, as --vertices does, not {}", most_vertices, flags.degree));
  if (flags.cycle >= 0 && flags.model != planted_cycle) refuse("--cycle is for kleene gen planted-cycle");
  if (flags.arcs >= 0) options.degree = static_cast<double>(flags.arcs) / static_cast<double>(options.vertices);
  if (flags.degree >= 0) options.degree = flags.degree;
  if (flags.cycle >= 0) options.cycle = flags.cycle;
  options.seed = flags.seed;
  options.weight_seed = flags.weight_seed.value_or(flags.seed + 0x5eed);
  options.weights = weights_of(flags.weights);
  if (options.weights.none && flags.model == planted_cycle) refuse("--weights none: a negative cycle has weights");
  if (!flags.coordinates.empty() && flags.model != grid && flags.model != geometric)
    refuse(fmt::format("--coordinates: the vertices of {} have no coordinates", row.name));
  return options;
}

void report(const shared_flags& shared, const gen_flags& flags, const graph_request& request,
            const generated_graph& made, const written_graph& written) {
  const io::graph_file& graph = made.graph;
  const labels names({}, graph.first_vertex);
  const char* const weights = graph.pattern                                      ? "none"
                              : std::holds_alternative<coo<double>>(graph.edges) ? "real"
                                                                                 : "integer";
  if (shared.json) {
    json_object json;
    json.text("file", request.path).text("format", format_words(request.format));
    json.text("model", row_of(flags.model).name).number("vertices", graph.vertices).number("arcs", graph.arcs);
    json.boolean("directed", !graph.symmetric).text("weights", weights).number("seed", flags.seed);
    if (!made.cycle.empty()) json.raw("planted_cycle", names.json(made.cycle));
    if (!written.no_arc.empty()) json.raw("no_arc", number_json(written.no_arc));
    add_lost(json, request, written.lost);
    return write_answer(json.str());
  }
  if (!shared.prints_text()) return;
  answer text;
  text.line("graph", fmt::format("{} ({}{})", request.name(), format_words(request.format),
                                 graph.symmetric ? ", undirected" : ""));
  text.line("model", fmt::format("{}, seed {}", row_of(flags.model).name, flags.seed));
  text.line("vertices", grouped(graph.vertices)).line("arcs", grouped(graph.arcs)).line("weights", weights);
  if (!made.cycle.empty())
    text.line("cycle", fmt::format("{} -> back ({}, -1 in all)", names.route(made.cycle, 12),
                                   counted(std::ssize(made.cycle), "arc", "arcs")));
  if (!written.no_arc.empty()) text.line("no arc", written.no_arc);
  add_lost(text, request, written.lost);
  write_answer(text.str());
}

void run_gen(const shared_flags& shared, const gen_flags& flags) {
  const generate_options options = options_of(flags);
  const graph_request request = graph_request_of(flags.out, "--out");
  if (shared.json && io::atomic_file::is_standard_output(request.path))
    refuse("the graph and --json would both go to standard output: give --out FILE");
  require_outputs(shared, {{"--out", request.path}, {"--coordinates", flags.coordinates}}, {});
  require_matrix_market_name("--coordinates", flags.coordinates);
  generated_graph made = [&] {
    try {
      return generate(options);
    } catch (const value_error& impossible) {  // no file is to blame, but the flags
      refuse(impossible.what());
    }
  }();
  using enum graph_format;
  const bool undirected = request.format == metis || request.format == gset || request.format == col;
  if (undirected && !made.graph.symmetric)
    refuse(fmt::format("--out {}: {} holds undirected graphs, and {} draws directed ones: write .gr, .mtx or .csv",
                       request.name(), format_words(request.format), row_of(flags.model).name));
  const written_graph written = write_graph(request, made.graph, shared);
  if (!flags.coordinates.empty()) io::write_matrix_market(flags.coordinates, made.places);
  report(shared, flags, request, made, written);
}

}  // namespace

void add_gen(CLI::App& app, const shared_flags& shared) {
  CLI::App* sub = app.add_subcommand("gen",
                                     "A graph drawn by a generator: rmat, grid, geometric, regular or "
                                     "planted-cycle");
  const auto flags = std::make_shared<gen_flags>();
  std::vector<std::pair<std::string, graph_model>> words;
  for (const model_row& row : models) words.emplace_back(row.name, row.model);
  add_choice<graph_model>(*sub, "KIND", flags->model, words, "What to draw; see below")->required();
  sub->add_option("--vertices", flags->vertices, "How many vertices")->check(whole_number(1, most_vertices));
  sub->add_option("--scale", flags->scale, "The same as a power of two: 10 for 1024")->check(whole_number(0, 30));
  CLI::Option* arcs = sub->add_option("--arcs", flags->arcs,
                                      "How many arcs to draw (geometric: about; regular: exactly, both ways counted)");
  arcs->check(whole_number(0));
  sub->add_option("--degree", flags->degree,
                  "The same for each vertex (default: rmat 16, geometric 6, regular 3, "
                  "planted-cycle 4)")
      ->check(a_number(true))
      ->excludes(arcs);
  sub->add_option("--cycle", flags->cycle, "Vertices of the negative cycle of planted-cycle (default: 3)")
      ->check(whole_number(1, 2147483647));
  sub->add_option("--weights", flags->weights,
                  "Least and largest weight: 1,100 for whole numbers (the default), 0.5,2.0 for reals; or none")
      ->type_name("LOW,HIGH")
      ->check(some("the least and the largest weight"));
  sub->add_option("--seed", flags->seed, "Seed of the generator")->check(a_seed())->capture_default_str();
  sub->add_option("--weight-seed", flags->weight_seed, "Seed of the weights alone (default: from --seed)");
  add_output(*sub, "--out", flags->out.path,
             fmt::format("Write the graph ({}; default: standard output, as Matrix Market)", graph_suffixes()));
  add_graph_output_flags(*sub, flags->out);
  add_output(*sub, "--coordinates", flags->coordinates,
             "Write the coordinates of the vertices of a grid or of points (.mtx)");
  sub->footer(models_help + app.get_footer());
  sub->callback([&shared, flags] { run_gen(shared, *flags); });
}

}  // namespace kleene::cli
