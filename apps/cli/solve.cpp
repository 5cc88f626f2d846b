// kleene solve: problems on graphs, sets, clauses and factors, exactly, by contracting a tensor network.
#include "solve.hpp"

#include "options.hpp"
#include "pictures/svg.hpp"
#include "results.hpp"
#include "session.hpp"
#include "solve_machine.hpp"
#include "solve_output.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

namespace kleene::cli {

namespace {

// "60GB", "512MiB", "1e9": bytes; nothing of what is none. B alone may be left out.
std::optional<double> bytes_of(const std::string& text) {
  double value = 0;
  const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(stop, text.data() + text.size());
  for (char& c : unit) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  if (unit.ends_with('B')) unit.pop_back();
  const double base = unit.ends_with('I') ? 1024 : 1000;
  if (unit.ends_with('I')) unit.pop_back();
  constexpr std::array<std::string_view, 5> units = {"", "K", "M", "G", "T"};
  const auto at = std::ranges::find(units, unit);
  if (wrong != std::errc{} || at == units.end() || (unit.empty() && base == 1024)) return {};
  const double bytes = value * std::pow(base, static_cast<double>(at - units.begin()));
  if (!(bytes >= 1) || bytes > 1e18) return {};
  return bytes;
}

void add_problem(CLI::App& app, const CLI::App& program, solve_flags& f) {
  std::vector<std::pair<std::string, solve_kind>> words;
  for (int k = 0; k <= static_cast<int>(solve_kind::factors); ++k) {
    const auto kind = static_cast<solve_kind>(k);
    words.emplace_back(problem_row_of(kind).name, kind);
  }
  add_choice(app, "PROBLEM", f.kind, words, "What is looked for (below)")->required();
  std::string lines = "Problems:\n";
  for (const auto& [word, kind] : words) lines += fmt::format("  {:<17}{}\n", word, problem_row_of(kind).aim);
  app.footer(lines + "Edges lead both ways: what a file has in one direction or in both is one edge.\n" +
             program.get_footer());
}

void add_questions(CLI::App& app, solve_flags& f) {
  add_input(app, "--weights", f.weights,
            "The weight of each vertex or set instead of 1: one a line, or name,weight (clique, dominating_set, "
            "independent_set, set_packing, vertex_cover)");
  add_input(app, "--fields", f.fields, "ising: the field of each vertex, as --weights has weights");
  app.add_option("--colors", f.colors, "coloring: how many colours there are")
      ->check(whole_number(1, 1000000))
      ->type_name("Q");
  app.add_flag("--soft", f.soft, "sat: satisfy as many clauses of a .cnf as can be, not all");
  app.add_flag("--drop-loops", f.drop_loops, "Leave edges from a vertex to itself out");
  app.add_flag("--count", f.count, "How many answers are as good, exactly");
  app.add_option("--best", f.best, "The values of the best K answers")->check(whole_number(1, 16))->type_name("K");
  app.add_flag("--partition", f.partition, "factors: the sum over all assignments, too");
  add_output(app, "--configuration", f.configuration,
             "Write the answer: a line name,value for each vertex, set or variable (.tsv: with a tab)");
  add_output(app, "--svg", f.svg, "Draw the answer on the graph; needs --coordinates");
  add_input(app, "--coordinates", f.coordinates,
            fmt::format("Longitude and latitude, or x and y, of each vertex, for --svg ({})", coordinate_files));
}

// A number of operations itself, 1e15, is no exponent of 2.
CLI::Validator an_exponent() {
  return CLI::Validator(
      [](const std::string& text) {
        return std::strtod(text.c_str(), nullptr) <= most_exponent
                   ? std::string()
                   : fmt::format("takes the exponent E of 2^E operations, {:.0f} at most, not '{}'", most_exponent,
                                 text);
      },
      "");
}

void add_limits(CLI::App& app, solve_flags& f) {
  app.add_option_function<std::string>(
         "--memory",
         [&f](const std::string& text) {
           const std::optional<double> bytes = bytes_of(text);
           if (!bytes) throw CLI::ValidationError("--memory", fmt::format("takes bytes such as 60GB, not '{}'", text));
           f.memory = *bytes;
         },
         "What the contraction may take, and from 256 MiB on its tables, such as 60GB or 512MiB (default: what there "
         "is)")
      ->type_name("BYTES");
  app.add_option("--seconds", f.seconds, "How long to look for an order at most; easy ones are not looked for so long")
      ->check(a_number(true))
      ->capture_default_str();
  app.add_option(
         "--operations", f.operations,
         "Refuse what costs more than 2^E operations (one of --count costs as much as 25 or more, one of --best as "
         "130 to 1500)")
      ->check(a_number(true))
      ->check(an_exponent())
      ->capture_default_str()
      ->type_name("E");
}

// "--svg --threads 2" takes the second flag for the name of a file.
void require_file_names(const std::vector<named_file>& files) {
  for (const named_file& file : files)
    if (file.path.starts_with("--"))
      throw error(fault_code::usage, fmt::format("{} takes the name of a file, not {}; a file of that name is ./{}",
                                                 file.flag, file.path, file.path));
}

// Of an answer that there is not: what is left of an earlier one is none to it. A link stays, as where one is written,
// and so does what standard output goes to.
void remove_stale(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || io::atomic_file::is_standard_output(path)) return;
  if (std::filesystem::is_regular_file(path, ignored))
    std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
}

// The exit code: 1 where everything is forbidden.
int run_solve(const shared_flags& shared, const solve_flags& flags) {
  const stopwatch watch;
  require_solvable(flags);
  const std::vector<named_file> outputs = {{"--configuration", flags.configuration}, {"--svg", flags.svg}};
  const std::vector<named_file> inputs = {{"FILE", flags.input.file},
                                          {"--names", flags.input.names},
                                          {"--weights", flags.weights},
                                          {"--fields", flags.fields},
                                          {"--coordinates", flags.coordinates}};
  require_file_names(outputs);
  require_file_names(inputs);
  require_outputs(shared, outputs, inputs);
  require_svg_name("--svg", flags.svg);
  require_list_name("--configuration", flags.configuration);
  solve_machine machine(shared);
  const solve_input input = read_solve_input(flags, shared);
  matrix<double> coordinates;
  if (!flags.coordinates.empty()) coordinates = read_vertex_coordinates(flags.coordinates, input.names, input.parts);
  const solve_answer answer = ask(machine, input, flags, shared);
  if (answer.is_feasible && !flags.configuration.empty()) write_configuration(input, flags, answer);
  if (answer.is_feasible && !flags.svg.empty())
    write_picture(flags.svg, draw_solution(input, flags, answer, coordinates));
  if (!answer.is_feasible)
    for (const named_file& output : outputs) remove_stale(output.path);
  if (shared.json) print_json(input, flags, answer, machine.contractor(), watch.seconds());
  if (shared.prints_text()) print_text(input, flags, answer, watch.seconds());
  return answer.is_feasible ? 0 : 1;
}

}  // namespace

void add_solve(CLI::App& app, const shared_flags& shared, int& code) {
  CLI::App* sub = app.add_subcommand(
      "solve",
      "The best answer to a problem on a graph, sets, clauses or factors, exactly, by contracting a tensor network");
  const auto flags = std::make_shared<solve_flags>();
  add_problem(*sub, app, *flags);
  add_input(*sub, "FILE", flags->input.file,
            fmt::format("A graph ({}); of set_packing an edge list from sets to their elements, or a matrix with a row "
                        "for each set; of sat .cnf or .wcnf; of factors .uai",
                        io::suffixes_of(io::holds_graph, ", ")))
      ->required();
  add_questions(*sub, *flags);
  add_limits(*sub, *flags);
  add_input_flags(*sub, flags->input);
  sub->callback([&shared, &code, flags] { code = run_solve(shared, *flags); });
}

}  // namespace kleene::cli
