#include "solve_order.hpp"

#include "kleene/data/error.hpp"
#include "text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

namespace kleene::cli {

namespace {

constexpr double operations_a_second = 1e9;

double likely_seconds(const contraction_cost& cost) {
  return (std::exp2(cost.operations) + std::exp2(cost.traffic)) / operations_a_second;
}

std::string time_words(double seconds) {
  if (seconds < 2 * 86400) return seconds < 7200 ? seconds_text(seconds) : fmt::format("{:.0f} hours", seconds / 3600);
  if (seconds < 2 * 365.25 * 86400) return fmt::format("{:.0f} days", seconds / 86400);
  return fmt::format("{:.3g} years", seconds / (365.25 * 86400));
}

// The order of slices that fit; nothing where none do.
std::optional<contraction_order> sliced_order(const network& n, order_options options, index_t most) {
  options.most_elements = most;
  try {
    return find_order(n, options);
  } catch (const error& wrong) {
    if (wrong.code() != fault_code::memory) throw;
    return {};
  }
}

}  // namespace

order_search_line::order_search_line(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO)) {}

order_search_line::~order_search_line() {
  if (is_drawn_) std::fputs("\r\x1b[K", stderr);
}

void order_search_line::show(double part, const contraction_cost& best) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  if (!wanted_ || passed.count() < 0.5) return;
  is_drawn_ = true;
  std::fputs(fmt::format("\r\x1b[Klooking for an order: {:.0f} % of the time, 2^{:.1f} operations, tensors of 2^{:.1f}",
                         100 * part, best.operations, best.largest)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

order_options order_options_of(double seconds, double slowness, const context& ctx, const order_search_line& line) {
  order_options options;
  options.seconds = seconds;
  options.threads = ctx.threads();
  options.progress = [seconds, slowness, &line](double part, const contraction_cost& best) {
    line.show(part, best);
    return slowness * likely_seconds(best) > part * seconds;
  };
  return options;
}

namespace {

// What a search has found: the order of whole tensors, and the one that fits, if there is one.
struct found_orders {
  contraction_order whole;
  std::optional<contraction_order> fitting;
};

found_orders orders_of(const network& n, const order_options& options, index_t most) {
  found_orders found{find_order(n, options), {}};
  if (std::exp2(found.whole.cost.largest) <= static_cast<double>(most)) found.fitting = found.whole;
  else found.fitting = sliced_order(n, options, most);
  return found;
}

// Of sizes that no machine has: as a power of two.
std::string memory_words(double log2_bytes) {
  return log2_bytes < 60 ? bytes_text(std::exp2(log2_bytes)) : fmt::format("2^{:.0f} bytes", log2_bytes);
}

std::string refusal_of(const found_orders& found, double element, double memory, const solve_flags& flags) {
  std::string text = fmt::format("too entangled: the best order found in {:g} s has a tensor of 2^{:.1f} elements",
                                 flags.seconds, found.whole.cost.largest);
  if (!found.fitting || found.fitting->slices > 1)
    text += fmt::format(": {} of memory would do, for 2^{:.1f} operations, and {} are {}; in slices that fit",
                        memory_words(found.whole.cost.largest + std::log2(element)), found.whole.cost.operations,
                        bytes_text(memory), flags.memory > 0 ? "allowed" : "free");
  if (!found.fitting) return text + " it takes more of them than can be counted; --seconds looks longer for another";
  const double operations = found.fitting->cost.operations;
  return text + fmt::format(
                    " it takes 2^{:.1f} operations, {} at 10^9 a second; --seconds looks longer for another "
                    "order, and --operations {:.0f} begins with this one",
                    operations, time_words(std::exp2(operations) / operations_a_second), std::ceil(operations));
}

}  // namespace

index_t most_elements_in(double memory, std::size_t element, double tensors) {
  const double most = std::floor(memory / (tensors * static_cast<double>(element)));
  return static_cast<index_t>(std::clamp(most, 64.0, 0x1p61));
}

void require_untangled(const network& n, const std::string& path, std::size_t element, const solve_flags& flags,
                       const order_search_line& line, const context& ctx) {
  const double memory = flags.memory > 0 ? flags.memory : static_cast<double>(ctx.available());
  const index_t most = most_elements_in(memory, element);
  const auto find = [&](double seconds) { return orders_of(n, order_options_of(seconds, 1, ctx, line), most); };
  const auto is_within = [&](const found_orders& found) {
    return found.fitting && found.fitting->cost.operations <= flags.operations;
  };
  // A second is enough for most; the time that was asked for only where it is not.
  found_orders found = find(std::min(1.0, flags.seconds));
  if (!is_within(found) && flags.seconds > 1) found = find(flags.seconds);
  if (!is_within(found))
    throw error(fault_code::memory,
                path + ": " + refusal_of(found, tensors_at_a_time * static_cast<double>(element), memory, flags));
}

}  // namespace kleene::cli
