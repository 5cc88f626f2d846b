// The search for an order: what can be contracted at once, trials by elimination and greedily, then walks of annealing.
#include "kleene/networks/order.hpp"

#include "kleene/data/parallel.hpp"
#include "kleene/data/splitmix64.hpp"
#include "networks/greedy.hpp"
#include "networks/min_fill.hpp"
#include "networks/order_exact.hpp"
#include "networks/order_fit.hpp"

#include <fmt/format.h>

#include <mutex>

namespace kleene {

namespace {

using namespace detail;

constexpr double trials_part = 0.1;  // of the time, for trials
constexpr int sweeps_walks = 2;      // with a number of sweeps: however many threads there are
constexpr int in_turn = 2;           // the trial that eliminates indices as they are numbered

// Whom two searches agree on, whichever comes first: the better, ties by their number.
class best_order {
 public:
  explicit best_order(const order_wishes& wishes) : wishes_(wishes) {}

  void offer(const order_candidate& candidate, std::int64_t number) {
    const std::lock_guard lock(mutex_);
    const bool is_better = number_ < 0 || wishes_.is_better(candidate.cost, best_.cost);
    const bool is_worse = number_ >= 0 && wishes_.is_better(best_.cost, candidate.cost);
    if (!is_better && (is_worse || number >= number_)) return;
    best_ = candidate;
    number_ = number;
  }
  order_candidate get() {
    const std::lock_guard lock(mutex_);
    return best_;
  }

 private:
  const order_wishes& wishes_;
  std::mutex mutex_;
  order_candidate best_;
  std::int64_t number_ = -1;
};

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t number) {
  return splitmix64_output(seed * splitmix64_step + number);
}

bool has_clock(const order_options& options) { return options.sweeps == 0 && options.seconds > 0; }

class order_search {
 public:
  order_search(const order_problem& p, const order_options& options, const order_wishes& wishes, search_end& end)
      : problem_(p), options_(options), wishes_(wishes), end_(end), best_(wishes) {}

  order_candidate run() {
    const int threads = options_.threads > 0 ? options_.threads : default_threads();
    try_all(threads);
    if (problem_.size() > 2 && !end_.over() && (options_.seconds > 0 || options_.sweeps > 0)) walk_all(threads);
    return best_.get();
  }

 private:
  using clock = search_end::clock;

  // Trial 0 is greedy without noise, and is not cut off: there is an order at any rate. Trial 1 is min-fill, which
  // finds far better ones in large sparse networks, and may take all of the time. Trial 2 eliminates indices as they
  // are numbered, row by row of a lattice: of a King's graph of 28 x 28 2^39.5 operations, where min-fill takes 2^48
  // and 3 s of annealing from there 2^43.
  void try_all(int threads) {
    const int trials = std::clamp(100'000 / std::max(1, problem_.size()), 3, 64);
    task_queue queue;
    run_tasks(std::min(threads, trials), [&](const team_member& member) {
      for (auto t = queue.next(); t < trials; t = queue.next()) {
        if (t > 0 && has_clock(options_) && end_.part() > (t == 1 ? 1 : trials_part)) break;
        try_one(static_cast<int>(t));
        if (member.thread == 0) report(end_.part());
      }
    });
  }

  void try_one(int number) {
    order_pairs pairs;
    const char* method = "greedy";
    if (number == in_turn) {
      pairs = elimination_pairs(problem_, numbered_indices(problem_), end_, most_in_turn);
      method = "indices in turn";
    } else {
      const std::uint64_t seed = seed_of(options_.seed, static_cast<std::uint64_t>(number));
      if (number % 2 == 0) {
        pairs = greedy_trial(number, seed);
      } else {
        pairs = elimination_pairs(problem_, min_fill_order(problem_, seed, end_), end_);
        method = "min-fill";
      }
    }
    if (static_cast<int>(pairs.size()) + 1 != problem_.size() && problem_.size() > 0) return;
    order_candidate found = fitted(problem_, pairs, {}, wishes_);
    found.method = method;
    best_.offer(found, number);
  }

  order_pairs greedy_trial(int number, std::uint64_t seed) const {
    const search_end unending;
    splitmix64 random{seed};
    const double weight = number == 0 ? 1 : 0.2 + 0.8 * static_cast<double>(random() >> 11) * 0x1p-53;
    const double noise = number == 0 ? 0 : 0.05 * static_cast<double>(1 + random() % 20);
    return greedy_order(problem_, {weight, noise, seed}, number == 0 ? unending : end_);
  }

  void walk_all(int threads) {
    const order_candidate start = best_.get();
    const int walks = has_clock(options_) ? threads : sweeps_walks;
    task_queue queue;
    run_tasks(std::min(threads, walks), [&](const team_member& member) {
      for (auto w = queue.next(); w < walks; w = queue.next()) {
        std::int64_t turn = 0;
        const walk_calls calls{[&](const order_candidate& found) {
                                 order_candidate named = found;
                                 named.method = "annealed from " + start.method;
                                 best_.offer(named, (w + 1) * (std::int64_t{1} << 32) + turn++);
                               },
                               [&](double part) {
                                 if (member.thread == 0) report(part);
                               }};
        const std::uint64_t seed = seed_of(options_.seed, static_cast<std::uint64_t>(w) + (1u << 20));
        anneal_walk(problem_, start, wishes_, seed, end_, calls);
      }
    });
  }

  // From the thread that called.
  void report(double part) {
    const auto now = clock::now();
    if (!options_.progress || now - reported_ < std::chrono::milliseconds(200)) return;
    reported_ = now;
    if (!options_.progress(std::clamp(part, 0.0, 1.0), best_.get().cost)) end_.stop();
  }

  const order_problem& problem_;
  const order_options& options_;
  const order_wishes& wishes_;
  search_end& end_;
  best_order best_;
  clock::time_point reported_{};
};

// A few tensors. Where no order fits, the slices that the best of all needs, and the best order with these.
order_candidate exact_candidate(const order_problem& p, const order_wishes& wishes) {
  order_pairs pairs = exact_order(p, wishes.traffic_weight, wishes.most_elements);
  std::vector<char> sliced(p.log2_extents.size(), 0);
  const bool is_found = static_cast<int>(pairs.size()) + 1 >= p.size();
  if (!is_found) {
    pairs = exact_order(p, wishes.traffic_weight, std::numeric_limits<double>::infinity());
    sliced = fitted(p, pairs, sliced, wishes).sliced;
    order_problem rest = p;
    for (index_set& set : rest.tensors) std::erase_if(set, [&](int i) { return sliced[at(i)] != 0; });
    const order_pairs better = exact_order(rest, wishes.traffic_weight, wishes.most_elements);
    if (!better.empty()) pairs = better;
  }
  order_candidate found = fitted(p, pairs, sliced, wishes);
  found.method = is_found ? "exact" : "exact but for slices";
  return found;
}

order_wishes wishes_of(const order_options& options) {
  return {log2_limit(options.most_elements), options.traffic_weight, options.sweeps};
}

void require_options(const order_options& options) {
  const auto refuse_if = [](bool is_wrong, const std::string& what) {
    if (is_wrong) throw argument_error("find_order: " + what);
  };
  refuse_if(!(options.seconds >= 0), fmt::format("{} seconds", options.seconds));
  refuse_if(options.most_elements < 1, fmt::format("at most {} elements; a scalar has one", options.most_elements));
  refuse_if(options.threads < 0, fmt::format("{} threads", options.threads));
  refuse_if(options.sweeps < 0, fmt::format("{} sweeps", options.sweeps));
  refuse_if(!(options.traffic_weight >= 0 && options.traffic_weight < 1e300),
            fmt::format("a traffic weight of {}", options.traffic_weight));
}

contraction_order search_order(const network& n, const order_options& options) {
  search_end end(has_clock(options) ? options.seconds : std::numeric_limits<double>::infinity());
  const order_problem whole = problem_of(n);
  const order_wishes wishes = wishes_of(options);
  if (const double result = whole.log2_elements(n.open); result > wishes.most_elements + 1e-9)
    refuse_order("find_order", result, options.most_elements);
  order_candidate found;
  if (whole.size() <= most_exact_tensors) {
    found = exact_candidate(whole, wishes);
  } else {
    const reduced_problem r = reduced(whole);
    found = order_search(r.rest, options, wishes, end).run();
    found.pairs = expanded(r, whole.size(), found.pairs);
  }
  return fitting_order("find_order", n, whole, std::move(found), options.most_elements);
}

}  // namespace

contraction_order find_order(const network& n, const order_options& options) {
  require_network(n);
  require_options(options);
  double axes = 0;
  for (const auto& tensor : n.tensors) axes += static_cast<double>(tensor.size() + 4);
  return with_memory("find_order", 64 * axes, [&] { return search_order(n, options); });
}

}  // namespace kleene
