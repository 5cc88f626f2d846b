// A progress bar on stderr, with rate and time left: on a terminal, and for work of more than half a second; elsewhere
// lines now and then, for those who ask for them. And what must happen when the program starts and is interrupted.
#pragma once

#include "kleene/data/context.hpp"

#include <chrono>
#include <string>

namespace kleene::cli {

// Follows the operations of one context while it lives; the line is wiped when the bar goes.
class progress_bar {
 public:
  // wanted = false, or a stderr that is no terminal: stays silent. lines: there a line every so many seconds; 0: none.
  progress_bar(context& ctx, std::string label, bool wanted, double lines = 0);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  // Of the time so far, in which the work waited for other workers; it is said from here on.
  void communicates(double share) { communication_ = share; }
  // Some of the work was done by another call: the first report says how much.
  void goes_on() { goes_on_ = true; }

 private:
  using clock = std::chrono::steady_clock;

  void update(double done, double total);

  context& ctx_;
  std::string label_;
  double lines_, communication_ = -1, before_ = 0;
  bool goes_on_ = false;
  clock::time_point start_ = clock::now();
  double next_ = 0.5;  // seconds after start_ at which the bar is drawn next
};

// How far the work is: `done` of `total` operations, of which another call did `before`, in so many seconds.
struct progress_state {
  double done = 0, total = 0, before = 0, seconds = 0;
  double communication = -1;  // a share of the seconds; negative: not known
};
// Share, rate, time left, share of communication. The pure part, for update(); so is the line of a bar that has them
// behind label and bar, at most `columns` wide.
std::string progress_facts(const progress_state& state);
std::string progress_line(const std::string& label, const progress_state& state, int columns);

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
