#include "solve_output.hpp"

#include "kleene/io/atomic_file.hpp"
#include "results.hpp"
#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace kleene::cli {

namespace {

constexpr std::size_t most_named = 10;

const char* things_of(solve_kind kind) {
  if (kind == solve_kind::set_packing) return "sets";
  return problem_row_of(kind).takes_graph ? "vertices" : "variables";
}

std::vector<std::int32_t> chosen_of(const solve_answer& answer) {
  std::vector<std::int32_t> chosen;
  for (std::size_t v = 0; v < answer.configuration.size(); ++v)
    if (answer.configuration[v] == 1) chosen.push_back(static_cast<std::int32_t>(v));
  return chosen;
}

// What the file holds: "2,642 vertices, 3,303 edges".
std::string size_words(const solve_input& input, const solve_flags& flags) {
  switch (flags.kind) {
    case solve_kind::set_packing:
      return counted(input.parts, "set", "sets") + " of " + counted(input.elements, "element", "elements");
    case solve_kind::sat:
      return counted(input.parts, "variable", "variables") + ", " +
             counted(std::ssize(input.clauses.clauses), "clause", "clauses");
    case solve_kind::factors:
      return counted(input.parts, "variable", "variables") + ", " +
             counted(std::ssize(input.factors.factors), "factor", "factors");
    default:
      return counted(input.parts, "vertex", "vertices") + ", " +
             counted(std::ssize(input.graph.edges), "edge", "edges");
  }
}

std::string value_words(const solve_input& input, const solve_flags& flags, const solve_answer& answer) {
  if (!answer.is_feasible) return flags.kind == solve_kind::sat ? "none: unsatisfiable" : "none: all are forbidden";
  std::string text = answer.value.shown;
  const auto is_hard = [](const io::cnf_clause& c) { return c.is_hard; };
  if (flags.kind == solve_kind::sat && std::ranges::all_of(input.clauses.clauses, is_hard))
    text += ": all clauses are hard, and satisfied";
  if (flags.kind == solve_kind::factors) {
    const double logarithm = std::strtod(answer.value.json.c_str(), nullptr), product = std::exp(logarithm);
    text += std::isnormal(product) ? fmt::format(", the logarithm of {:.6g}", product)
                                   : fmt::format(", the logarithm of 10^{:.6g}", logarithm / std::numbers::ln10);
  }
  return text;
}

// The flags that ask more than for the value.
std::string flags_beside(const solve_answer& answer) {
  std::string all;
  const auto add = [&](const char* flag, bool given) {
    if (given) all.append(all.empty() ? "" : " and ").append(flag);
  };
  add("--count", answer.count.has_value());
  add("--best", answer.best.has_value());
  add("--partition", answer.log_partition.has_value());
  return all;
}

std::string cost_words(const solve_answer& answer) {
  const contraction_cost& cost = answer.report.cost;
  if (answer.problems > 0)
    return grouped(answer.problems) + (answer.problems == 1 ? " small problem" : " small problems, of neighbourhoods") +
           (cost.operations > 0 ? fmt::format("; contracted: 2^{:.1f} operations", cost.operations) : "");
  const std::string flags = flags_beside(answer);
  const std::string more = flags.empty() ? "" : fmt::format(" (2^{:.1f} with {})", answer.log2_work, flags);
  return fmt::format("2^{:.1f} operations{}, largest tensor 2^{:.1f} elements, {}; order: {}",
                     std::max(cost.operations, 0.0), more, cost.largest,
                     counted(answer.report.slices, "slice", "slices"), answer.report.method);
}

// Sums that are rounded may make one value two, and two one.
std::string count_words(const solve_answer& answer) {
  return *answer.count + (*answer.count == "1" ? " optimal answer" : " optimal answers") +
         (answer.is_exact ? "" : "; sums of real numbers are rounded: so are ties");
}

template <class Get>
std::string joined(const std::vector<solve_value>& values, const char* between, const Get& get) {
  std::string text;
  for (const solve_value& value : values) text += (text.empty() ? "" : between) + get(value);
  return text;
}

}  // namespace

std::int64_t shown_value(solve_kind kind, std::int32_t value) {
  if (kind == solve_kind::ising) return value == 0 ? 1 : -1;
  return kind == solve_kind::coloring ? value + 1 : value;
}

std::string_view value_title(solve_kind kind) {
  return kind == solve_kind::coloring ? "colour" : problem_row_of(kind).column;
}

std::string configuration_words(const solve_input& input, const solve_flags& flags, const solve_answer& answer) {
  const auto parts = static_cast<index_t>(answer.configuration.size());
  if (problem_row_of(flags.kind).chooses) {
    const std::vector<std::int32_t> chosen = chosen_of(answer);
    std::string text = fmt::format("{} of {} {}", grouped(std::ssize(chosen)), grouped(parts), things_of(flags.kind));
    for (std::size_t k = 0; k < std::min(chosen.size(), most_named); ++k)
      text += (k == 0 ? ": " : ", ") + input.names.text(chosen[k]);
    return text + (chosen.size() > most_named ? ", ..." : "");
  }
  if (flags.kind == solve_kind::factors) {
    std::string text;
    for (std::size_t v = 0; v < std::min(answer.configuration.size(), most_named); ++v)
      text += (v == 0 ? "" : " ") + std::to_string(answer.configuration[v]);
    return text + (answer.configuration.size() > most_named ? " ..." : "");
  }
  const bool colors = flags.kind == solve_kind::coloring;
  std::vector<index_t> times(colors ? static_cast<std::size_t>(flags.colors) : 2, 0);
  for (const std::int32_t value : answer.configuration) ++times[static_cast<std::size_t>(value)];
  std::string text;
  for (std::size_t value = 0; value < std::min(times.size(), most_named); ++value)
    text += fmt::format("{}{} of {} {}", value == 0 ? "" : ", ", grouped(times[value]), value_title(flags.kind),
                        shown_value(flags.kind, static_cast<std::int32_t>(value)));
  return text + (times.size() > most_named ? ", ..." : "");
}

void print_text(const solve_input& input, const solve_flags& flags, const solve_answer& answer, double seconds) {
  const solve_row& row = problem_row_of(flags.kind);
  ::kleene::cli::answer text;
  text.line("file", fmt::format("{} ({}): {}", input.path, input.format, size_words(input, flags)));
  if (!input.description.empty()) text.line("read as", input.description);
  text.line("problem", fmt::format("{}: {}", row.name, aim_of(flags)));
  text.line("value", value_words(input, flags, answer));
  if (answer.is_feasible) text.line("answer", configuration_words(input, flags, answer));
  if (answer.count) text.line("count", count_words(answer));
  if (answer.best)
    text.line("best",
              answer.best->empty() ? "none" : joined(*answer.best, ", ", [](const solve_value& v) { return v.shown; }));
  if (answer.log_partition)
    text.line("partition",
              fmt::format("{}, the logarithm of the sum over all assignments", number_text(*answer.log_partition)));
  if (answer.is_feasible) text.line("check", fmt::format("passed: {}", row.holds));
  text.line("cost", cost_words(answer));
  text.line("time", fmt::format("{}: {} for the order, {} for the contraction, {} at most", seconds_text(seconds),
                                seconds_text(answer.order_seconds), seconds_text(answer.contract_seconds),
                                bytes_text(static_cast<double>(answer.bytes))));
  write_answer(text.str());
}

void print_json(const solve_input& input, const solve_flags& flags, const solve_answer& answer, const context& ctx,
                double seconds) {
  json_object json;
  json.text("file", input.path).text("format", input.format);
  if (!input.description.empty()) json.text("read_as", input.description);
  json.text("problem", problem_row_of(flags.kind).name);
  json.number(things_of(flags.kind), input.parts);
  if (problem_row_of(flags.kind).takes_graph) json.number("edges", static_cast<index_t>(input.graph.edges.size()));
  if (flags.kind == solve_kind::set_packing) json.number("elements", input.elements);
  if (flags.kind == solve_kind::sat) json.number("clauses", static_cast<index_t>(input.clauses.clauses.size()));
  if (flags.kind == solve_kind::coloring) json.number("colors", flags.colors);
  json.text("dtype", answer.dtype);
  add_place(json, ctx);
  json.boolean("feasible", answer.is_feasible);
  json.raw("value", answer.is_feasible ? answer.value.json : "null");
  json.boolean("exact", answer.is_exact);
  if (answer.count) json.raw("count", *answer.count);
  if (answer.best) json.raw("best", "[" + joined(*answer.best, ",", [](const solve_value& v) { return v.json; }) + "]");
  if (answer.log_partition) json.number("log_partition", *answer.log_partition);
  json.raw("check", answer.is_feasible ? json_string(problem_row_of(flags.kind).holds) : "null");
  if (problem_row_of(flags.kind).chooses) json.raw("chosen", input.names.json(chosen_of(answer)));
  std::string values;
  for (const std::int32_t value : answer.configuration)
    values += (values.empty() ? "" : ",") + std::to_string(shown_value(flags.kind, value));
  json.raw("configuration", "[" + values + "]");
  const contraction_cost& cost = answer.report.cost;
  if (answer.problems > 0) json.number("problems", answer.problems);
  json.number("factor_graph_variables", answer.variables)
      .number("factor_graph_factors", static_cast<index_t>(answer.factors))
      .number("log2_operations", std::max(cost.operations, 0.0))
      .number("log2_operations_of_all_questions", answer.log2_work)
      .number("log2_largest_tensor", cost.largest)
      .number("log2_traffic", std::max(cost.traffic, 0.0))
      .number("slices", answer.report.slices)
      .text("order", answer.report.method)
      .number("bytes", static_cast<index_t>(answer.bytes))
      .number("order_seconds", answer.order_seconds)
      .number("contract_seconds", answer.contract_seconds)
      .number("seconds", seconds);
  write_answer(json.str());
}

void write_configuration(const solve_input& input, const solve_flags& flags, const solve_answer& answer) {
  const char separator = flags.configuration.ends_with(".tsv") ? '\t' : ',';
  const char* const thing = flags.kind == solve_kind::set_packing    ? "set"
                            : problem_row_of(flags.kind).takes_graph ? "vertex"
                                                                     : "variable";
  io::atomic_file file(flags.configuration);
  file.write(fmt::format("{}{}{}\n", thing, separator, problem_row_of(flags.kind).column));
  for (std::size_t v = 0; v < answer.configuration.size(); ++v)
    file.write(fmt::format("{}{}{}\n", quoted(input.names.plain(static_cast<index_t>(v)), separator), separator,
                           shown_value(flags.kind, answer.configuration[v])));
  file.commit();
}

}  // namespace kleene::cli
