#include "apsp_report.hpp"

#include "devices.hpp"
#include "session.hpp"
#include "text.hpp"

#include <fmt/ranges.h>

namespace kleene::cli {

void print_json(const shared_flags& shared, const graph_input& input, const context& ctx, const apsp_report& r) {
  const bool exists = r.negative_cycle.empty();
  json_object json;
  json.text("file", input.path);
  add_description(json, input);
  json.number("vertices", input.file.vertices).number("arcs", r.arcs);
  json.number("entries", input.file.arcs).text("algebra", input.algebra).text("dtype", input.dtype);
  if (r.of_processes) json.number("processes", r.workers.size());
  else add_place(json, ctx), add_devices(json, shared);
  json.text("method", r.method).text("reason", r.reason).number("seconds", r.seconds);
  json.number("gops", r.seconds > 0 ? r.operations / r.seconds / 1e9 : 0.0);
  const auto fact = [&](const char* key, const std::string& value) {
    json.raw(key, exists && !value.empty() ? value : "null");
  };
  fact("reachable_pairs", std::to_string(r.reachable));
  fact("unreachable_pairs", std::to_string(r.unreachable));
  fact("distance_sum", r.sum);
  fact("distance_mean", r.mean);
  fact("diameter", r.diameter);
  fact("diameter_from", r.from < 0 ? "" : input.names.json(r.from));
  fact("diameter_to", r.to < 0 ? "" : input.names.json(r.to));
  json.raw("negative_cycle", exists ? "null" : input.names.json(r.negative_cycle));
  if (!r.route.empty()) {
    json.raw("route", input.names.json(r.route)).raw("route_cost", r.route_cost);
    json.raw("route_weights", fmt::format("[{}]", fmt::join(r.route_weights, ",")));
  } else if (r.is_asked && exists) {
    json.raw("route", "[]").null("route_cost");
  }
  const auto pairs = [&](const char* key, const std::vector<far_pair>& list) {
    std::string all;
    for (const far_pair& p : list) {
      json_object pair;
      pair.raw("from", input.names.json(p.from)).raw("to", input.names.json(p.to)).raw("distance", p.json);
      all += (all.empty() ? "" : ", ") + pair.inner();
    }
    if (!list.empty()) json.raw(key, "[" + all + "]");
  };
  if (r.asked_pairs) json.number("asked_pairs", *r.asked_pairs);
  pairs("nearest", r.extremes.nearest);
  pairs("farthest", r.extremes.farthest);
  if (r.longest) add_plan(json, *r.longest, input.names);
  if (r.components) {
    json.number("components", static_cast<index_t>(r.components->size()));
    json.raw("component_sizes", fmt::format("[{}]", fmt::join(*r.components, ",")));
  }
  if (!r.absent.empty()) json.text("absent", r.absent);
  if (!r.workers.empty()) json.raw("workers", workers_json(r.workers));
  write_answer(json.str());
}

void print_text(const shared_flags& shared, const graph_input& input, const context& ctx, const picture_flags& picture,
                const apsp_report& r) {
  const std::string unit = picture.unit.empty() ? "" : " " + picture.unit;
  const extreme_words words = extreme_words_of(input.algebra);
  answer text;
  text.line("graph",
            fmt::format("{} ({}{})", input.path, input.file.format, input.file.symmetric ? ", undirected" : ""));
  if (!input.file.description.empty()) text.line("read as", input.file.description);
  text.line("vertices", grouped(input.file.vertices));
  text.line("arcs", grouped(r.arcs) + (input.file.arcs > r.arcs
                                           ? fmt::format(" ({} {} combined)", grouped(input.file.arcs - r.arcs),
                                                         input.file.arcs - r.arcs == 1 ? "duplicate" : "duplicates")
                                           : ""));
  text.line("algebra", input.algebra + " over " + input.dtype);
  if (!r.negative_cycle.empty()) {
    text.line("cycle",
              input.names.route(r.negative_cycle, r.negative_cycle.size()) + " -> back: distances do not exist");
  } else {
    text.line("reachable", grouped(r.reachable) + " of " + grouped(r.reachable + r.unreachable) + " pairs");
    if (r.components) text.line("components", strong_words(*r.components));
    if (r.from >= 0 && !r.components) {  // over or_and every length is 1
      text.line(words.diameter, fmt::format("{}{} from {} to {}", r.diameter_shown, unit, input.names.text(r.from),
                                            input.names.text(r.to)));
      text.line("mean", r.mean_shown + unit);
    }
    if (r.longest) add_plan(text, *r.longest, input.names, unit);
    if (!r.route.empty() && !(r.longest && r.route == r.longest->critical))
      text.line("route", fmt::format("{} ({}, {}{})", input.names.route(r.route, 8), arcs_text(r.route.size() - 1),
                                     r.route_length, unit));
    if (r.is_asked && r.route.empty())
      text.line("route", fmt::format("{} cannot be reached from {}", input.names.text(r.asked_to),
                                     input.names.text(r.asked_from)));
  }
  const auto pairs = [&](const char* label, const std::vector<far_pair>& list) {
    for (const far_pair& p : list)
      text.line(&p == list.data() ? label : "",
                fmt::format("{}{} from {} to {}", p.shown, unit, input.names.text(p.from), input.names.text(p.to)));
  };
  if (r.asked_pairs)
    text.line("asked for", *r.asked_pairs == 0   ? "no pair that has a path"
                           : *r.asked_pairs == 1 ? "1 pair that has a path"
                                                 : grouped(*r.asked_pairs) + " pairs that have a path");
  pairs(words.best, r.extremes.nearest);
  pairs(words.worst, r.extremes.farthest);
  if (!r.absent.empty()) text.line("no path", "written as " + r.absent + " (--absent chooses another number)");
  // On a device the reason says it.
  const char* const way = ctx.kind() == device_kind::cuda || !r.workers.empty() ? ""
                          : r.method == "dijkstra"                              ? ", a search from each source"
                          : r.method == "hierarchy"                             ? ", sixteen sources at a time"
                                                                                : ", all pairs at once";
  text.line("method", r.method + way + (r.reason.empty() ? "" : ": " + r.reason));
  if (r.workers.size() > 1) text.line("workers", workers_text(r.workers));
  text.line("time",
            seconds_text(r.seconds) + ", " + rate_text(r.operations, r.seconds) + " on " +
                (r.of_processes ? r.workers.front().place.data() : place_words(ctx, devices_of(shared.device))));
  write_answer(text.str());
}

}  // namespace kleene::cli
