// Only pairs and results with an index change when it is sliced; lists of them are kept for those that may be.
#include "networks/slice.hpp"

#include <numeric>

namespace kleene::detail {

namespace {

constexpr double tolerance = 1e-9;      // of sums of logarithms
constexpr double least_total = 1e-300;  // where there are no pairs
constexpr double most_slices = 62;      // log2: they are counted

class slicer {
 public:
  slicer(const contraction_tree& tree, const order_problem& p, std::vector<char> sliced, const slice_options& options)
      : tree_(tree),
        problem_(p),
        options_(options),
        sliced_(std::move(sliced)),
        results_(p.log2_extents.size()),
        pairs_(p.log2_extents.size()) {
    for (const index_set& set : tree.sets) {
      sizes_.push_back(log2_elements(set));
      if (is_too_large(sizes_.back())) large_.push_back(static_cast<int>(sizes_.size()) - 1);
    }
    if (!large_.empty() || std::find(sliced_.begin(), sliced_.end(), 1) != sliced_.end()) list_holders();
  }

  std::vector<char> run() {
    for (int node = largest(); node >= 0 && is_too_large(sizes_[at(node)]); node = largest()) {
      const int index = choose(tree_.sets[at(node)]);
      if (index < 0) break;
      change(index, -1);
    }
    for (int index = unneeded(); index >= 0; index = unneeded()) change(index, 1);
    return std::move(sliced_);
  }

 private:
  double extent(int i) const { return problem_.log2_extents[at(i)]; }
  bool is_too_large(double log2_size) const { return log2_size > options_.most_elements + tolerance; }
  double log2_elements(const index_set& set) const {
    double sum = 0;
    for (const int i : set) sum += sliced_[at(i)] != 0 ? 0 : extent(i);
    return sum;
  }

  void list_holders() {
    std::vector<char> matters = sliced_;
    for (const int node : large_)
      for (const int i : tree_.sets[at(node)]) matters[at(i)] = 1;
    for (std::size_t i = 0; i < matters.size(); ++i) slices_ += sliced_[i] != 0 ? problem_.log2_extents[i] : 0;
    std::vector<double> values;
    for (std::size_t s = 0; s < tree_.pairs.size(); ++s) {
      const auto [a, b] = tree_.pairs[s];
      const index_set both = union_of(tree_.sets[at(a)], tree_.sets[at(b)]);
      log2_sum value;
      value.add(log2_elements(both));
      if (options_.traffic_weight > 0)
        for (const std::size_t node : {at(a), at(b), at(tree_.leaves) + s})
          value.add(sizes_[node] + std::log2(options_.traffic_weight));
      values.push_back(value.value());
      unit_ = std::max(unit_, values.back());
      for (const int i : both)
        if (matters[at(i)] != 0) pairs_[at(i)].push_back(static_cast<int>(s));
    }
    for (const double value : values) values_.push_back(std::exp2(value - unit_));
    total_ = std::accumulate(values_.begin(), values_.end(), 0.0);
    for (std::size_t node = 0; node < sizes_.size(); ++node)
      for (const int i : tree_.sets[node])
        if (matters[at(i)] != 0) results_[at(i)].push_back(static_cast<int>(node));
  }

  // The largest of those that were too large; -1: there was none.
  int largest() const {
    const auto found =
        std::max_element(large_.begin(), large_.end(), [&](int a, int b) { return sizes_[at(a)] < sizes_[at(b)]; });
    return found == large_.end() ? -1 : *found;
  }
  double held(int index) const {
    double sum = 0;
    for (const int s : pairs_[at(index)]) sum += values_[at(s)];
    return sum;
  }

  int choose(const index_set& set) const {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (const int i : set) {
      if (sliced_[at(i)] != 0 || problem_.open[at(i)] != 0 || extent(i) <= 0 || slices_ + extent(i) > most_slices)
        continue;
      const double after = total_ - held(i) * (1 - std::exp2(-extent(i)));
      const double growth = std::log2(std::max(after, least_total) / std::max(total_, least_total)) / extent(i);
      if (growth < least) best = i, least = growth;
    }
    return best;
  }

  // The slice whose end saves most among those that memory no longer needs; -1: none.
  int unneeded() const {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < problem_.indices(); ++i) {
      if (sliced_[at(i)] == 0) continue;
      bool fits = true;
      for (const int node : results_[at(i)]) fits = fits && !is_too_large(sizes_[at(node)] + extent(i));
      const double after = std::log2(total_ + held(i) * (std::exp2(extent(i)) - 1)) - extent(i);
      if (fits && after < least) best = i, least = after;
    }
    return best;
  }

  // direction -1: slices the index, 1: no longer.
  void change(int index, int direction) {
    sliced_[at(index)] = direction < 0 ? 1 : 0;
    slices_ -= direction * extent(index);
    for (const int node : results_[at(index)]) sizes_[at(node)] += direction * extent(index);
    const double factor = std::exp2(direction * extent(index));
    for (const int s : pairs_[at(index)]) {
      total_ += values_[at(s)] * (factor - 1);
      values_[at(s)] *= factor;
    }
  }

  const contraction_tree& tree_;
  const order_problem& problem_;
  const slice_options& options_;
  std::vector<char> sliced_;
  std::vector<std::vector<int>> results_, pairs_;  // that have an index
  std::vector<int> large_;                         // nodes that are too large with the slices there were
  std::vector<double> sizes_;                      // log2, of every node
  std::vector<double> values_;                     // of every pair, in 2^unit_: operations and weighted traffic
  double unit_ = 0, total_ = 0, slices_ = 0;
};

}  // namespace

std::vector<char> sliced_to_fit(const contraction_tree& tree, const order_problem& p, std::vector<char> sliced,
                                const slice_options& options) {
  return slicer(tree, p, std::move(sliced), options).run();
}

}  // namespace kleene::detail
