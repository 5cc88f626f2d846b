// How the flags of edge lists, and those of --out, are spelled.
#include "kleene/io/formats.hpp"
#include "kleene/io/names.hpp"
#include "options.hpp"

#include <charconv>
#include <optional>

namespace kleene::cli {

void add_result(CLI::App& app, output_flags& flags, const std::string& help) {
  add_output(app, "--out", flags.path,
             fmt::format("{} ({}; no suffix: .npy, on a terminal .csv)", help, io::written_suffixes()));
  const std::string group = "How --out is written";
  const auto add = [&](const char* name, std::string& value, const std::vector<std::string>& words, const char* text) {
    return add_words(app, name, value, words, text)->group(group);
  };
  // What this build lacks is refused by the name of its library, and not offered.
  const bool parquet = io::is_built_in(io::file_format::parquet);
  add("--format", flags.format, {"npy", "csv", "tsv", "mtx", "parquet"},
      parquet ? "npy, csv, tsv, mtx or parquet, whatever the name (but for parquet also of -)"
              : "npy, csv, tsv or mtx, whatever the name (also of -)")
      ->type_name(parquet ? "{npy,csv,tsv,mtx,parquet}" : "{npy,csv,tsv,mtx}");
  add("--layout", flags.layout, {"pairs", "matrix"},
      "pairs: from, to and the value, a line each (text unless you say matrix, .parquet always); matrix: a row of "
      "values for each "
      "vertex");
  add("--absent", flags.absent, {"inf", "max", "-1"},
      "What is written where there is no path: inf, max (the largest number of the type) or -1. Else a list of pairs "
      "leaves such pairs out, a matrix as text has inf there (-inf or 0 where that is the algebra's), and .npy a "
      "number "
      "that the answer names");
}

void add_input_flags(CLI::App& app, input_flags& flags) {
  const std::string group = "Edge lists (what is not said is found out, and said in the answer)";
  io::edge_list_options& lists = flags.lists;
  const auto columns = [&lists](const std::string& text) { lists.columns = io::split_list(text, "--columns"); };
  app.add_option_function<std::string>("--columns", columns, "Which are from, to and weight: von,nach,km or 1,2,5")
      ->type_name("FROM,TO[,WEIGHT]")
      ->group(group);
  add_choice<char>(app, "--separator", lists.separator,
                   {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'}, {"blank", ' '}},
                   "comma, semicolon, tab, bar or blank (runs of blanks and tabs)")
      ->group(group);
  const auto add_pair = [&app, group](const char* yes, const char* yes_help, const char* no, const char* no_help,
                                      std::optional<bool>& value) {
    const auto set = [&value](bool to) { return [&value, to](std::int64_t) { value = to; }; };
    CLI::Option* const first = app.add_flag_function(yes, set(true), yes_help)->group(group);
    app.add_flag_function(no, set(false), no_help)->group(group)->excludes(first);
  };
  add_pair("--header", "The first line names the columns", "--no-header", "The first line is an arc", lists.header);
  add_pair("--directed", "An arc leads one way", "--undirected", "An arc leads both ways", lists.directed);
  using enum io::vertex_labels;
  add_choice<io::vertex_labels>(app, "--vertices", lists.vertices,
                                {{"names", names}, {"0-based", zero_based}, {"1-based", one_based}},
                                "names, or 0-based or 1-based: numbers, of which those that do not occur count, too")
      ->group(group);
  using enum io::file_format;
  add_choice<io::file_format>(app, "--input-format", flags.format,
                              {{"edge-list", edge_list}, {"metis", metis}, {"gset", gset}},
                              "edge-list, metis or gset: read FILE, or -, as this format when its content cannot tell");
  add_input(app, "--names", flags.names, "The names of the vertices, one a line, for a file that has none");
  const auto is_number = [](const std::string& text) {
    double value = 0;
    const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = !text.empty() && stop == text.data() + text.size() && wrong == std::errc{};
    if (whole || text == "max") return std::string();
    if (wrong == std::errc::result_out_of_range)
      return fmt::format("'{}' is outside the range of double precision", text);
    return fmt::format("takes inf, max, nan or a number, not '{}'", text);
  };
  app.add_option("--no-arc", flags.no_arc,
                 "What means that there is no arc in a dense matrix (.npy, Matrix Market array): inf, max (the largest "
                 "number of the type in the file), nan, or a number such as 0 or -1 (default: what no path is in the "
                 "algebra, inf for shortest paths: then 0 is an arc of length 0)")
      ->check(CLI::Validator(is_number, ""))
      ->type_name("inf|0|V");
}

}  // namespace kleene::cli
