// A hidden Markov model: a patient is healthy or has a fever, and says each day how he feels.
//
// Each day is a matrix: M(i, j) = P(from state i to state j) P(what he says | j). Over max_times the product of the
// days holds the most probable histories (Viterbi), and its witnesses which state each came from; over plus_times it
// holds the probability of what was said (forward). The same chain is computed twice: day by day, and by a scan, which
// needs log n steps where there are n processors. (Numbers of this size are for paper: for thousands of days take
// max_plus and log_plus over logarithms, which cannot underflow.)
#include "kleene/algebra/small_matrix.hpp"
#include "kleene/operations/gemm.hpp"
#include "kleene/streaming/scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <vector>

using namespace kleene;

enum state { healthy, fever, states };
enum feeling { normal, cold, dizzy };
constexpr double at_first[states] = {0.6, 0.4};
constexpr double change[states][states] = {{0.7, 0.3}, {0.4, 0.6}};
constexpr double says[states][3] = {{0.5, 0.4, 0.1}, {0.1, 0.3, 0.6}};
const std::vector<feeling> diary{normal, cold, dizzy};

using day_matrix = small_matrix<double, states>;

// One day. The first starts from state 0, a row that holds the probabilities at first.
day_matrix day(std::size_t t) {
  day_matrix m{};
  for (int i = 0; i < states; ++i)
    for (int j = 0; j < states; ++j) m(i, j) = (t == 0 ? at_first[j] : change[i][j]) * says[j][diary[t]];
  return m;
}

matrix<double> as_matrix(const day_matrix& m) { return {{m(0, 0), m(0, 1)}, {m(1, 0), m(1, 1)}}; }

// Day by day; the witness of each step is the state on the day before.
std::vector<int> most_probable_history(double& probability) {
  const context ctx = context::cpu({.threads = 1});
  std::vector<matrix<std::int32_t>> before;
  matrix<double> best{{1, 0}};
  for (std::size_t t = 0; t < diary.size(); ++t) {
    matrix<double> next(1, states);
    before.emplace_back(1, states);
    gemm(ctx, max_times<double>{}, best, as_matrix(day(t)), next, before.back());
    best = std::move(next);
  }
  int last = best(0, fever) > best(0, healthy) ? fever : healthy;
  probability = best(0, last);
  std::vector<int> history(diary.size());
  for (std::size_t t = diary.size(); t-- > 0; last = before[t](0, last)) history[t] = last;
  return history;
}

// All days at once: forward[t] = M_0 ... M_t, backward[t] = M_(t+1) ... M_last.
std::vector<double> probability_of_fever(double& of_diary) {
  const context ctx = context::cpu();
  const kleene::index_t n = static_cast<kleene::index_t>(diary.size());
  std::vector<day_matrix> days(n), forward(n), backward(n);
  for (kleene::index_t t = 0; t < n; ++t) days[t] = day(t);
  inclusive_scan(ctx, days.begin(), days.end(), forward.begin(), matrix_product<plus_times<double>>{});

  const auto from_the_end = [](const day_matrix& a, const day_matrix& b) {
    return matrix_product<plus_times<double>>{}(b, a);
  };
  exclusive_scan(ctx, days.rbegin(), days.rend(), backward.rbegin(), small_identity<plus_times<double>, states>(),
                 from_the_end);

  of_diary = forward[n - 1](0, healthy) + forward[n - 1](0, fever);
  std::vector<double> result(n);
  for (kleene::index_t t = 0; t < n; ++t)
    result[t] = forward[t](0, fever) * (backward[t](fever, healthy) + backward[t](fever, fever)) / of_diary;
  return result;
}

int main() {
  double best = 0, all = 0;
  const std::vector<int> history = most_probable_history(best);
  const std::vector<double> posterior = probability_of_fever(all);
  std::printf("the most probable history, %.5f:", best);
  for (const int s : history) std::printf(" %s", s == fever ? "fever" : "healthy");
  std::printf("\nthe diary has probability %.5f; with a fever on each day:", all);
  for (const double p : posterior) std::printf(" %.3f", p);
  std::printf("\n");

  // By hand: 0.6 0.5, then 0.7 0.4, then 0.3 0.6; forward sums 0.007696 and 0.028584.
  const bool right = history == std::vector<int>{healthy, healthy, fever} && std::abs(best - 0.01512) < 1e-12 &&
                     std::abs(all - 0.03628) < 1e-12 && std::abs(posterior[2] - 0.028584 / 0.03628) < 1e-12;
  return right ? 0 : 1;
}
