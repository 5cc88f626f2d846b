// What the tests of checkpoints save: the closure of a graph of 60 vertices in eight blocks.
#pragma once

#include "grid/grids.hpp"
#include "kleene/grid/closure.hpp"
#include "support/closable.hpp"

#include <filesystem>
#include <string>

namespace kleene::test::checkpoints {

namespace fs = std::filesystem;
using S = min_plus<float>;

inline constexpr index_t n = 60, block = 8;  // eight blocks, the last of four vertices

// A folder of this run's, empty before and gone afterwards.
class checkpoint_folder {
 public:
  explicit checkpoint_folder(const std::string& name) : path_(temporary_name(name)) {
    if (is_first_process()) fs::create_directories(path_);
  }
  ~checkpoint_folder() {
    if (is_first_process()) fs::remove_all(path_);
  }
  checkpoint_folder(const checkpoint_folder&) = delete;
  checkpoint_folder& operator=(const checkpoint_folder&) = delete;
  void clear() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry);
  }
  const std::string& path() const { return path_; }
  // The file of that beginning.
  std::string find(const std::string& beginning) const {
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().filename().string().starts_with(beginning)) return entry.path().string();
    return "";
  }

 private:
  std::string path_;
};

// Weights that round, and ties.
inline matrix<float> graph() {
  auto a = closable<S>(n, 0.15, 3);
  for (index_t i = 0; i < a.size(); ++i)
    if (i % 3 == 0) a.data()[i] /= 7;
  return a;
}

struct closed {
  matrix<float> values;
  matrix<std::int32_t> from;
};
inline closed by_one_worker(const matrix<float>& a) {
  closed c{a, matrix<std::int32_t>(n, n)};
  EXPECT_TRUE(closure(context::cpu({.threads = 1}), S{}, c.values, c.from, {.block = block}).exists);
  return c;
}

// At worker 0.
inline closed on_grid(worker& w, const matrix<float>& a, const checkpoint_options& options, index_t mb = block) {
  distributed_matrix<float> at_a(w, {n, n, mb, mb});
  distributed_matrix<std::int32_t> at_p(w, at_a.layout());
  at_a.fill([&](index_t i, index_t j) { return a(i, j); });
  EXPECT_TRUE(closure(w, S{}, at_a, at_p, {.checkpoint = options}).exists);
  return {at_a.gather(), at_p.gather()};
}

inline void expect_same(const worker& w, const closed& got, const closed& want) {
  if (w.rank() != 0) return;
  EXPECT_TRUE(same_bits(got.values, want.values));
  EXPECT_TRUE(same_bits(got.from, want.from));
}

}  // namespace kleene::test::checkpoints
