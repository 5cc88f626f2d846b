#include "scale.hpp"

#include "text.hpp"

#include <cmath>

namespace kleene::cli {

double round_step(double span, double most) {
  const double least = span / most;
  if (!(least > 0) || !std::isfinite(least)) return 1;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= least * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

std::vector<double> multiples(double low, double high, double step) {
  std::vector<double> all;
  const double first = std::ceil(low / step - 1e-9), count = std::floor(high / step + 1e-9) - first + 1;
  for (double k = 0; k < count && k < 1000; ++k) all.push_back((first + k) * step);
  return all;
}

std::string tick_text(double value, double step) {
  if (std::abs(value) < step * 1e-6) return "0";
  const bool whole = std::abs(value - std::round(value)) < step * 1e-6;
  if (whole && step < 1e6 && std::abs(value) < 1e9) return grouped(std::lround(value));
  return fmt::format("{:.6g}", value);
}

}  // namespace kleene::cli
