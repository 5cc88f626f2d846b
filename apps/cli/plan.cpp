#include "plan.hpp"

#include "kleene/io/atomic_file.hpp"
#include "results.hpp"

namespace kleene::cli {

void add_plan(json_object& json, const plan& made, const labels& names) {
  json.raw("critical_path", names.json(made.critical));
  if (made.rows.empty()) return void(json.null("slack"));
  std::string all;
  for (std::size_t v = 0; v < made.rows.size(); ++v) {
    json_object row;
    row.raw("vertex", names.json(static_cast<index_t>(v))).raw("earliest", number_json(made.rows[v].earliest));
    row.raw("latest", number_json(made.rows[v].latest)).raw("slack", number_json(made.rows[v].slack));
    all += (all.empty() ? "" : ", ") + row.inner();
  }
  json.raw("slack", "[" + all + "]");
}

void add_plan(answer& text, const plan& made, const labels& names, const std::string& unit) {
  if (!made.critical.empty())
    text.line("critical", fmt::format("{} ({})", names.route(made.critical, 20), arcs_text(made.critical.size() - 1)));
  if (made.rows.empty()) return;
  const auto all = static_cast<index_t>(made.rows.size());
  text.line("slack", made.without_slack == all
                         ? "no vertex has any"
                         : fmt::format("{} of {} {} none; the most is {}{} at {}", grouped(made.without_slack),
                                       counted(all, "vertex", "vertices"), made.without_slack == 1 ? "has" : "have",
                                       made.longest_slack, unit, names.text(made.least_urgent)));
}

void write_slack(const std::string& path, const plan& made, const labels& names) {
  const char separator = path.ends_with(".tsv") ? '\t' : ',';
  io::atomic_file out(path);
  out.write(fmt::format("vertex{0}earliest{0}latest{0}slack\n", separator));
  for (std::size_t v = 0; v < made.rows.size(); ++v) {
    const plan_row& row = made.rows[v];
    out.write(fmt::format("{1}{0}{2}{0}{3}{0}{4}\n", separator, quoted(names.plain(static_cast<index_t>(v)), separator),
                          row.earliest, row.latest, row.slack));
  }
  out.commit();
}

}  // namespace kleene::cli
