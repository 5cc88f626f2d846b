// The checkpoints of one closure on a grid. They are written beside the steps that follow: each worker's share is
// copied first, and goes to the file by a thread of its own. A worker that has no memory for the copy writes before it
// goes on.
#pragma once

#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/detail/host/share_rows.hpp"
#include "kleene/grid/npy.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <optional>
#include <string>

namespace kleene::detail {

// Of a worker's share of A, or of a copy of it; nothing in particular once `stop` is set.
template <class T>
std::uint64_t hash_of_rows(const distributed_matrix<T>& a, const matrix_view<const T>& share, index_t first,
                           index_t end, const std::atomic<bool>& stop) {
  std::uint64_t sum = 0;
  for (index_t i = first; i < end && !stop; ++i)
    a.col_axis().for_each_run(a.at().col(), [&, row = a.global_row(i)](index_t local, index_t global, index_t count) {
      for (index_t j = 0; j < count; ++j) sum += hash_of(row, global + j, share(i, local + j));
    });
  return sum;
}

// The sum of all workers' numbers, for each of them.
inline std::uint64_t sum_of_all(const worker& w, std::uint64_t mine) {
  std::uint64_t all = 0;
  for (int rank = 0; rank < w.size(); ++rank) {
    std::uint64_t one = mine;
    w.comm().broadcast(scope::all, rank, &one, sizeof one);
    all += one;
  }
  return all;
}

// The hash of the whole.
template <class T>
std::uint64_t hash_of(const distributed_matrix<T>& a) {
  const index_t rows = a.local().rows();
  const std::atomic<bool> never = false;
  std::atomic<std::uint64_t> mine{0};
  for_each_host_row(a.at(), rows, a.local().cols(),
                    [&](index_t i) { mine += hash_of_rows(a, a.local(), i, i + 1, never); });
  return sum_of_all(a.at(), mine);
}

// One matrix of a checkpoint: a worker's share of it, as it was when it was saved.
template <class T>
class saved_share {
 public:
  // Collective: the file is made.
  void begin(const std::string& path, const distributed_matrix<T>& a) {
    a_ = &a;
    file_.emplace(path, a);
  }
  // Where the next steps do not change it.
  void copy() {
    const auto from = a_->local();
    if (copy_.rows() != from.rows() || copy_.cols() != from.cols())
      copy_ = matrix<T>(from.rows(), from.cols(), uninitialised{});
    for_each_host_row(a_->at(), from.rows(), from.cols(),
                      [&](index_t i) { std::copy_n(&from(i, 0), from.cols(), &copy_(i, 0)); });
  }
  void write(bool copied, const std::atomic<bool>& stop) {
    const matrix_view<const T> share = copied ? matrix_view<const T>(copy_.view()) : a_->local();
    hash_ = hash_of_rows(*a_, share, 0, share.rows(), stop);
    file_->write(share, stop);
  }
  // Collective, when all have written. The hash of the whole.
  std::uint64_t finish() {
    file_->finish();
    file_.reset();
    return sum_of_all(a_->at(), hash_);
  }

 private:
  const distributed_matrix<T>* a_ = nullptr;
  std::optional<npy_in_writing<T>> file_;
  matrix<T> copy_;
  std::uint64_t hash_ = 0;
};

template <class T>
class saved_closure {
 public:
  // Collective, as all below. A holds what is to be closed. is_copy: A changes by nobody but who calls save(), before
  // that.
  saved_closure(distributed_matrix<T>& a, distributed_matrix<std::int32_t>* p, const std::string& algebra,
                const checkpoint_options& options, bool is_copy = false)
      : worker_(a.at()), a_(a), p_(p), options_(options), is_copy_(is_copy) {
    if (!is_on()) return;
    worker_.together([&] {
      if (!io::npy_element<T>)
        throw argument_error("checkpoints hold elements of f32, f64, i32, i64 and bool; those of " + algebra +
                             " are none of these");
      if (worker_.rank() == 0) prepare_checkpoint_folder(options_.folder);
    });
    workers_here_ = workers_on_this_machine(worker_);
    problem_.algebra = algebra;
    problem_.type = type_name<T>;
    problem_.n = a.layout().n;
    problem_.block = a.layout().mb;
    problem_.with_predecessors = p != nullptr;
    problem_.input = hash_of(a);
  }
  ~saved_closure() {
    stop_ = true;
    if (writing_.valid()) writing_.wait();
  }
  saved_closure(const saved_closure&) = delete;
  saved_closure& operator=(const saved_closure&) = delete;

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

  // Whether save() is to be called. One that is being written comes to its end here.
  bool is_due(index_t) {
    if (!is_on()) return false;
    if (writing_.valid()) {
      const bool written = writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
      if (worker_.comm().minimum(written ? 1 : 0) == 0) return false;
      finish();
    }
    const bool mine = worker_.rank() == 0 && seconds_since(last_) >= options_.every;
    return worker_.comm().minimum(mine ? 0 : 1) == 0;
  }

  // It is there when finish() or a later is_due() returns; with every = 0 at once.
  void save(index_t done) {
    if constexpr (io::npy_element<T>) {
      last_ = clock::now();
      if (saved_.values.empty()) forget_old();
      const std::string number = std::to_string(done);
      next_ = problem_;
      next_.done = done;
      next_.values = "values-" + number + ".npy";
      values_.begin(path_of(next_.values), a_);
      if (p_) {
        next_.from = "predecessors-" + number + ".npy";
        from_.begin(path_of(next_.from), *p_);
      }
      const bool copied = !is_copy_ && options_.every > 0 && has_room();
      if (copied) values_.copy();
      if (copied && p_) from_.copy();
      const auto write = [this, copied] {
        values_.write(copied, stop_);
        if (p_) from_.write(copied, stop_);
      };
      writing_ = std::async(copied || is_copy_ ? std::launch::async : std::launch::deferred, write);
      if (!copied && !is_copy_) writing_.wait();
      if (options_.every == 0) finish();
    }
  }

  // Until what has been saved is written.
  void finish() {
    if constexpr (io::npy_element<T>) {
      if (!writing_.valid()) return;
      worker_.together([&] { writing_.get(); });
      next_.values_hash = values_.finish();
      if (p_) next_.from_hash = from_.finish();
      worker_.together([&] {
        if (worker_.rank() != 0) return;
        write_record(path_of("checkpoint"), next_);
        for (const std::string& old : {saved_.values, saved_.from})
          if (!old.empty() && old != next_.values && old != next_.from) std::remove(path_of(old).c_str());
      });
      saved_ = next_;
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  std::string path_of(const std::string& name) const { return options_.folder + "/" + name; }
  static double seconds_since(clock::time_point then) {
    return std::chrono::duration<double>(clock::now() - then).count();
  }
  // For copies of the shares of this machine's workers, beside which an eighth stays. Asked once.
  bool has_room() {
    if (!has_room_) {
      const double share = double(a_.local().size()) * (sizeof(T) + (p_ ? sizeof(std::int32_t) : 0));
      has_room_ = share * workers_here_ <= 0.875 * double(available_memory());
    }
    return *has_room_;
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
  const bool is_copy_;
  int workers_here_ = 1;
  std::optional<bool> has_room_;
  checkpoint_record problem_, saved_, next_;  // next_: what is being written
  clock::time_point last_ = clock::now();
  saved_share<T> values_;
  saved_share<std::int32_t> from_;
  std::atomic<bool> stop_ = false;
  std::future<void> writing_;
};

}  // namespace kleene::detail
