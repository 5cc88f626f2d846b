#include "graph_pictures.hpp"

namespace kleene::cli {

void require_picture(const shared_flags& shared, const picture_flags& flags) {
  const auto refuse = [](const char* what) { throw error(fault_code::usage, what); };
  const bool is_map = flags.kind == picture_kind::map, says = flags.kind != picture_kind::unsaid;
  if (says && flags.svg.empty() && !flags.plot)
    refuse("--picture says what --svg FILE or --plot draws: give one of them");
  if (flags.svg.empty() && !flags.coordinates.empty()) refuse("--coordinates draws a map: it needs --svg FILE");
  if (is_map && flags.coordinates.empty()) refuse("--picture map needs --coordinates FILE");
  if (says && !is_map && !flags.coordinates.empty())
    refuse("--coordinates are for a map, and --picture asks for something else");
  if (flags.plot && !shared.prints_text())
    refuse("--plot draws below the text of the answer: it goes with neither --json nor --quiet");
}

}  // namespace kleene::cli
