// Round numbers for axes, legends and bars.
#pragma once

#include <string>
#include <vector>

namespace kleene::cli {

// The smallest of 1, 2 and 5 times a power of ten that goes into `span` at most `most` times; 1 for no span.
double round_step(double span, double most);
// The multiples of `step` from low to high.
std::vector<double> multiples(double low, double high, double step);
// A multiple of `step` for people: 0, 0.25, 1,500, 2e+06.
std::string tick_text(double value, double step);

}  // namespace kleene::cli
