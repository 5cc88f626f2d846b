// The checkpoints of one closure on a grid.
#pragma once

#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/npy.hpp"

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

namespace kleene::detail {

// The sum of all workers' hashes, for each of them.
template <class T>
std::uint64_t hash_of(const distributed_matrix<T>& a) {
  std::uint64_t mine = 0;
  for (index_t i = 0; i < a.local().rows(); ++i)
    a.col_axis().for_each_run(a.at().col(), [&, row = a.global_row(i)](index_t local, index_t global, index_t count) {
      for (index_t j = 0; j < count; ++j) mine += hash_of(row, global + j, a.local()(i, local + j));
    });
  std::uint64_t all = 0;
  for (int rank = 0; rank < a.at().size(); ++rank) {
    std::uint64_t one = mine;
    a.at().comm().broadcast(scope::all, rank, &one, sizeof one);
    all += one;
  }
  return all;
}

template <class T>
class saved_closure {
 public:
  // Collective, as all below. A holds what is to be closed.
  saved_closure(distributed_matrix<T>& a, distributed_matrix<std::int32_t>* p, const std::string& algebra,
                const checkpoint_options& options)
      : worker_(a.at()), a_(a), p_(p), options_(options) {
    if (!is_on()) return;
    worker_.together([&] {
      if (!io::npy_element<T>)
        throw argument_error("checkpoints hold elements of f32, f64, i32, i64 and bool; those of " + algebra +
                             " are none of these");
      if (worker_.rank() == 0) prepare_checkpoint_folder(options_.folder);
    });
    problem_.algebra = algebra;
    problem_.type = type_name<T>;
    problem_.n = a.layout().n;
    problem_.block = a.layout().mb;
    problem_.with_predecessors = p != nullptr;
    problem_.input = hash_of(a);
  }

  bool is_on() const { return !options_.folder.empty(); }

  // Blocks that are done in the checkpoint, whose matrices A and P then are; 0 where there is none.
  index_t resume() {
    if constexpr (io::npy_element<T>) {
      if (!is_on() || !options_.resume) return 0;
      std::optional<checkpoint_record> found;
      worker_.together([&] {
        found = read_record(path_of("checkpoint"));
        if (found) require_same_problem(path_of("checkpoint"), *found, problem_);
      });
      if (!found) return 0;
      saved_ = *found;
      load(saved_.values, saved_.values_hash, a_);
      if (p_) load(saved_.from, saved_.from_hash, *p_);
      return saved_.done;
    }
    return 0;
  }

  bool is_due(index_t) {
    if (!is_on()) return false;
    const bool mine = worker_.rank() == 0 && seconds_since(last_) >= options_.every;
    return worker_.comm().minimum(mine ? 0 : 1) == 0;
  }

  void save(index_t done) {
    if constexpr (io::npy_element<T>) {
      if (saved_.values.empty()) forget_old();
      const std::string number = std::to_string(done);
      checkpoint_record next = problem_;
      next.done = done;
      next.values = "values-" + number + ".npy";
      next.values_hash = hash_of(a_);
      write_npy(path_of(next.values), a_);
      if (p_) {
        next.from = "predecessors-" + number + ".npy";
        next.from_hash = hash_of(*p_);
        write_npy(path_of(next.from), *p_);
      }
      worker_.together([&] {
        if (worker_.rank() != 0) return;
        write_record(path_of("checkpoint"), next);
        for (const std::string& old : {saved_.values, saved_.from})
          if (!old.empty() && old != next.values && old != next.from) std::remove(path_of(old).c_str());
      });
      saved_ = next;
      last_ = clock::now();
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  std::string path_of(const std::string& name) const { return options_.folder + "/" + name; }
  static double seconds_since(clock::time_point then) {
    return std::chrono::duration<double>(clock::now() - then).count();
  }
  // A run that starts again takes the place of the one that is in the folder, whose files could have the same names.
  void forget_old() {
    worker_.together([&] {
      if (worker_.rank() != 0) return;
      if (const auto found = read_record(path_of("checkpoint"))) saved_ = *found;
      std::remove(path_of("checkpoint").c_str());
    });
  }
  template <class E>
  void load(const std::string& name, std::uint64_t hash, distributed_matrix<E>& to) {
    read_npy(path_of(name), to);
    const std::uint64_t found = hash_of(to);
    worker_.together([&] {
      if (found != hash) refuse_changed(path_of(name));
    });
  }

  worker& worker_;
  distributed_matrix<T>& a_;
  distributed_matrix<std::int32_t>* p_;
  const checkpoint_options& options_;
  checkpoint_record problem_, saved_;
  clock::time_point last_ = clock::now();
};

}  // namespace kleene::detail
