// What questions to factor graphs refuse: costs and values that leave their type.
#include "solve_network.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/error.hpp"

#include <string>

namespace kleene::detail {

// Sums of some of the factors lie between those of all least costs and of all greatest, 0 in place of one that is not
// on that side of it.
template <class T>
double most_of_sums(const factor_graph<T>& g) {
  double least = 0, greatest = 0;
  for (const auto& f : g.factors()) {
    T low = 0, high = 0;
    for (const T cost : f.table)
      if (!is_nan(cost) && !is_forbidden(cost)) low = std::min(low, cost), high = std::max(high, cost);
    least += static_cast<double>(low), greatest += static_cast<double>(high);
  }
  return std::max(-least, greatest);
}

namespace {

// The first cost that is finite and not suitable, in its factor.
template <class T, class Suits, class Refuse>
void require_all(const factor_graph<T>& g, const Suits& suits, const Refuse& refuse) {
  for (const auto& f : g.factors())
    for (const T cost : f.table)
      if (!is_nan(cost) && !is_forbidden(cost) && !suits(cost))
        refuse("factor " + std::to_string(&f - g.factors().data()) + " has " + to_text(cost) + " in its table");
}

}  // namespace

template <class T>
void require_in_range(const factor_graph<T>& g) {
  require_all(
      g, [](T cost) { return !max_plus<T>::is_large(cost); },
      [](const std::string& what) {
        throw value_error(what + "; over " + type_name<T> + " costs are added within +-" +
                          to_text(tropical_range<T>::limit - 1) + ", infinities aside; use " +
                          (sizeof(T) < 8 ? "a wider type" : "smaller costs"));
      });
}

template <class T>
void require_exact_in_f64(const factor_graph<T>& g) {
  if (const double most = most_of_sums(g); most > 0x1p53)
    throw value_error(type_name<T> +
                      std::string(" is added in f64, exactly up to 2^53, and the costs could add up to ") +
                      to_text(most) + "; use i64");
}

void require_scalable(const factor_graph<double>& g, double scale) {
  require_all(
      g, [&](double cost) { return cost * scale / scale == cost; },
      [](const std::string& what) {
        throw value_error(what + ", beside costs whose sums could be too large for f64; use smaller costs");
      });
}

template <class T>
void refuse_value(double about) {
  const std::string type = type_name<T>;
  if constexpr (std::is_integral_v<T>)
    throw value_error("the value is about " + to_text(about) + ", which " + type +
                      " does not hold, or has as an infinity; use a wider type");
  throw value_error("the value is finite but too large for " + type +
                    (std::is_same_v<T, double> ? "; use smaller costs" : "; use f64 or smaller costs"));
}

template double most_of_sums(const factor_graph<std::int32_t>&);
template double most_of_sums(const factor_graph<std::int64_t>&);
template double most_of_sums(const factor_graph<float>&);
template double most_of_sums(const factor_graph<double>&);
template void require_in_range(const factor_graph<std::int32_t>&);
template void require_in_range(const factor_graph<std::int64_t>&);
template void require_exact_in_f64(const factor_graph<std::int32_t>&);
template void refuse_value<std::int32_t>(double);
template void refuse_value<std::int64_t>(double);
template void refuse_value<float>(double);
template void refuse_value<double>(double);

}  // namespace kleene::detail
