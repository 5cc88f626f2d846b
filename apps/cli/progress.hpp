// A progress bar on stderr, with rate and time left: only on a terminal, and only for work of more than half a second.
// And what must happen when the program starts and is interrupted.
#pragma once

#include "kleene/data/context.hpp"

#include <chrono>
#include <string>

namespace kleene::cli {

// Follows the operations of one context while it lives; the line is wiped when the bar goes.
class progress_bar {
 public:
  // wanted = false, or a stderr that is no terminal: stays silent.
  progress_bar(context& ctx, std::string label, bool wanted);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

 private:
  using clock = std::chrono::steady_clock;

  void update(double done, double total);

  context& ctx_;
  std::string label_;
  clock::time_point start_ = clock::now();
  double next_ = 0.5;  // seconds after start_ at which the bar is drawn next
};

// One line of a bar: label, bar, share, rate, time left; at most `columns` wide. The pure part, for update().
std::string progress_line(const std::string& label, double done, double total, double seconds, int columns);

// On SIGINT, SIGTERM, SIGHUP and SIGPIPE: wipe the bar, remove outputs that are not complete, exit 128 + signal (130
// for Ctrl-C). Nothing half-written stays behind, and a reader that closed our stdout hears no complaint. SIGQUIT and
// SIGXCPU do the same and then what they always do (a core file). SIGXFSZ is ignored: a file that may not grow is an
// error of whoever writes it.
void install_signal_handlers();

// Opens /dev/null for those of stdin, stdout and stderr that are closed, so that no other file gets their number. Call
// it first. Who closes stdout does not want to read the summary, but a result that was asked for there would be lost.
void open_standard_streams();
bool standard_output_was_closed();

}  // namespace kleene::cli
