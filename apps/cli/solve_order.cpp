#include "solve_order.hpp"

#include "kleene/data/error.hpp"
#include "session.hpp"
#include "text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

namespace kleene::cli {

namespace {

constexpr double operations_a_second = 1e9;  // that messages promise
constexpr double tensors_at_a_time = 5;      // operands, a result, a copy and what waits: as optimum() reckons
constexpr double first_seconds = 1;          // of a search for whole tensors; enough for most

std::string time_words(double seconds) {
  if (seconds < 2 * 86400) return seconds < 7200 ? seconds_text(seconds) : fmt::format("{:.0f} hours", seconds / 3600);
  if (seconds < 2 * 365.25 * 86400) return fmt::format("{:.0f} days", seconds / 86400);
  return fmt::format("{:.3g} years", seconds / (365.25 * 86400));
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

namespace {

// What a search has found: the order of whole tensors, and the one that fits, if there is one.
struct found_orders {
  contraction_order whole;
  std::optional<contraction_order> fitting;
};

// Of sizes that no machine has: as a power of two.
std::string memory_words(double log2_bytes) {
  return log2_bytes < 60 ? bytes_text(std::exp2(log2_bytes)) : fmt::format("2^{:.0f} bytes", log2_bytes);
}

class untangled_search {
 public:
  untangled_search(const network& n, const solve_work& work, const solve_flags& flags, const order_search_line& line,
                   const solve_machine& machine)
      : network_(n),
        work_(work),
        flags_(flags),
        line_(line),
        machine_(machine),
        threads_(machine.processor().threads()),
        memory_(flags.memory > 0 ? flags.memory : static_cast<double>(machine.contractor().available())),
        most_(most_elements()) {}

  // The order that may be begun with; nothing where there is none.
  std::optional<contraction_order> run() {
    found_.whole = find_order(network_, options_for(std::min(first_seconds, flags_.seconds)));
    if (fits(found_.whole)) found_.fitting = found_.whole;
    // Slices make the operations of an order no fewer.
    else if (is_within(found_.whole) || seconds_left() > 0) look_for_slices();
    if (fits(found_.whole) && seconds_left() > 0 && is_worth_looking(found_.whole.cost)) look_longer();
    return found_.fitting && is_within(*found_.fitting) ? found_.fitting : std::nullopt;
  }

  std::string refusal() const {
    const contraction_order& whole = found_.whole;
    std::string text = fmt::format("too entangled: the best order found in {} has a tensor of 2^{:.1f} elements",
                                   seconds_text(watch_.seconds()), whole.cost.largest);
    const bool is_whole = found_.fitting && found_.fitting->slices == 1;
    if (!is_whole)
      text += fmt::format(": {} of memory would do, for {}, and {} are {}",
                          memory_words(whole.cost.largest + std::log2(tensors_at_a_time * double(work_.element))),
                          operations_words(whole), bytes_text(memory_), flags_.memory > 0 ? "allowed" : "free");
    if (!found_.fitting) return text + "; in slices that fit it takes more; --seconds looks longer for another order";
    const double operations = log2_operations(*found_.fitting);
    text += fmt::format("{} it takes {}, {} at 10^9 a second; --seconds looks longer for another order",
                        is_whole ? ", and" : "; in slices that fit", operations_words(*found_.fitting),
                        time_words(std::exp2(operations) / operations_a_second));
    if (operations > most_exponent) return text;
    return text + fmt::format(", and --operations {:.0f} begins with this one", std::ceil(operations));
  }

 private:
  index_t most_elements() const {
    const double most = std::floor(memory_ / (tensors_at_a_time * static_cast<double>(work_.element)));
    return static_cast<index_t>(std::clamp(most, 64.0, 0x1p61));
  }
  double seconds_left() const { return flags_.seconds - watch_.seconds(); }
  double log2_operations(const contraction_order& order) const {
    return std::max(order.cost.operations, 0.0) + std::log2(work_.operations);
  }
  std::string operations_words(const contraction_order& order) const {
    const std::string all = fmt::format("2^{:.1f} operations", log2_operations(order));
    return work_.operations > 2 ? all + " of all questions" : all;
  }
  bool fits(const contraction_order& order) const {
    return order.cost.largest <= std::log2(static_cast<double>(most_)) + 1e-9;
  }
  bool is_within(const contraction_order& order) const { return log2_operations(order) <= flags_.operations; }

  // Until the search has taken as long as the contractions are likely to take.
  bool is_worth_looking(const contraction_cost& best) const {
    const double each = std::exp2(best.operations) + std::exp2(best.traffic);
    return machine_.likely_seconds(work_.operations * each) > watch_.seconds();
  }

  order_options options_for(double seconds) const {
    order_options options;
    options.seconds = seconds;
    options.threads = threads_;
    options.progress = [this](double, const contraction_cost& best) {
      line_.show(flags_.seconds > 0 ? watch_.seconds() / flags_.seconds : 1, best);
      return is_worth_looking(best);
    };
    return options;
  }

  void look_longer() {
    contraction_order other = find_order(network_, options_for(seconds_left()));
    if (!fits(other) || other.cost.operations >= found_.whole.cost.operations) return;
    found_.whole = std::move(other);
    found_.fitting = found_.whole;
  }

  void look_for_slices() {
    try {
      if (const double left = seconds_left(); left > 0) {
        order_options options = options_for(left);
        options.most_elements = most_;
        found_.fitting = find_order(network_, options);
        // Its tree may be the better one without slices, too.
        contraction_order whole = slice_order(network_, *found_.fitting, std::numeric_limits<index_t>::max());
        if (whole.cost.operations < found_.whole.cost.operations) found_.whole = std::move(whole);
      } else {
        found_.fitting = slice_order(network_, found_.whole, most_);
      }
    } catch (const error& wrong) {
      if (wrong.code() != fault_code::memory) throw;
    }
  }

  const network& network_;
  const solve_work& work_;
  const solve_flags& flags_;
  const order_search_line& line_;
  const solve_machine& machine_;
  const stopwatch watch_{};
  int threads_;
  double memory_;
  index_t most_;
  found_orders found_;
};

}  // namespace

contraction_order find_untangled_order(const network& n, const std::string& subject, const solve_work& work,
                                       const solve_flags& flags, const order_search_line& line,
                                       const solve_machine& machine) {
  untangled_search search(n, work, flags, line, machine);
  if (std::optional<contraction_order> found = search.run()) return *std::move(found);
  throw error(fault_code::memory, subject + search.refusal());
}

}  // namespace kleene::cli
