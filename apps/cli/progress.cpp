#include "progress.hpp"

#include "kleene/io/atomic_file.hpp"
#include "text.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

namespace kleene::cli {

namespace {

volatile std::sig_atomic_t bar_is_drawn = 0;

constexpr char wipe[] = "\r\x1b[K";

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string time_left(double seconds) {
  const long s = std::lround(std::min(seconds, 1e8));
  return s < 3600 ? fmt::format("{}:{:02} left", s / 60, s % 60)
                  : fmt::format("{} h {:02} min left", s / 3600, s / 60 % 60);
}

// These three are async-signal-safe throughout.
void tidy_up() {
  if (bar_is_drawn) [[maybe_unused]]
    const ssize_t ignored = ::write(STDERR_FILENO, wipe, sizeof wipe - 1);
  io::remove_pending_files();
}

extern "C" void exit_on_signal(int signal) {
  tidy_up();
  _exit(128 + signal);
}

extern "C" void end_by_signal(int signal) {
  tidy_up();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // blocked until the handler returns
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{}, inherited{};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  sigaction(signal, nullptr, &inherited);
  const bool told_to_ignore = inherited.sa_handler == SIG_IGN && signal != SIGPIPE;  // nohup, a shell's background job
  if (!told_to_ignore) sigaction(signal, &action, nullptr);
}

}  // namespace

std::string progress_facts(const progress_state& at) {
  const double share = at.total > 0 ? std::clamp(at.done / at.total, 0.0, 1.0) : 0, here = at.done - at.before;
  return fmt::format("{:3.0f} %  {}{}{}", 100 * share, rate_text(here, at.seconds),
                     here > 0 ? "  " + time_left(at.seconds * (at.total - at.done) / here) : "",
                     at.communication >= 0 ? fmt::format("  communication {:.0f} %", 100 * at.communication) : "");
}

std::string progress_line(const std::string& label, const progress_state& at, int columns) {
  const std::string facts = "] " + progress_facts(at);
  const int width = std::min(40, columns - 1 - static_cast<int>(label.size() + facts.size()) - 2);
  if (width < 4) return (label + facts.substr(1)).substr(0, columns - 1);
  const int filled = at.total > 0 ? static_cast<int>(std::clamp(at.done / at.total, 0.0, 1.0) * width) : 0;
  return label + " [" + std::string(filled, '#') + std::string(width - filled, '.') + facts;
}

progress_bar::progress_bar(context& ctx, std::string label, bool wanted, double lines)
    : ctx_(ctx), label_(std::move(label)), lines_(isatty(STDERR_FILENO) ? 0 : lines) {
  if (lines_ > 0) next_ = lines_;
  if (wanted && (lines_ > 0 || isatty(STDERR_FILENO)))
    ctx_.on_progress([this](double done, double total) {
      update(done, total);
      return true;
    });
}

progress_bar::~progress_bar() {
  ctx_.on_progress({});
  if (bar_is_drawn) std::fputs(wipe, stderr);
  bar_is_drawn = 0;
}

void progress_bar::update(double done, double total) {
  const double seconds = std::chrono::duration<double>(clock::now() - start_).count();
  if (goes_on_) before_ = done;
  goes_on_ = false;
  if (seconds < next_) return;
  const progress_state at{done, total, before_, seconds, communication_};
  if (lines_ > 0) {
    next_ = seconds + lines_;
    std::fprintf(stderr, "kleene: %s %s\n", label_.c_str(), progress_facts(at).c_str());
    return;
  }
  next_ = seconds + 0.1;
  bar_is_drawn = 1;
  std::fputs((wipe + progress_line(label_, at, terminal_columns())).c_str(), stderr);
  std::fflush(stderr);
}

void install_signal_handlers() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle(signal, exit_on_signal);
  for (int signal : {SIGQUIT, SIGXCPU}) handle(signal, end_by_signal);
  handle(SIGXFSZ, SIG_IGN);
}

namespace {
bool no_standard_output = false;
}

void open_standard_streams() {
  for (int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(standard, F_GETFD) < 0 && errno == EBADF) {
      [[maybe_unused]] const int lowest_free = open("/dev/null", O_RDWR);  // which is this one
      no_standard_output |= standard == STDOUT_FILENO;
    }
}

bool standard_output_was_closed() { return no_standard_output; }

}  // namespace kleene::cli
