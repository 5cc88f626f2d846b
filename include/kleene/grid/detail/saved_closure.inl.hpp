// The checkpoints of one closure on a grid. They are written beside the steps that follow: each worker's share is
// copied first, and goes to the file by a thread of its own. A worker on a CPU that has no memory for the copy writes
// before it goes on.
#pragma once

#include "kleene/data/memory.hpp"
#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/detail/device_share.hpp"
#include "kleene/grid/detail/host/share_rows.hpp"
#include "kleene/grid/npy.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <optional>
#include <string>
#include <type_traits>

namespace kleene::detail {

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

// `elements`: of a worker's share of a row.
template <class T>
std::uint64_t hash_of_row(const distributed_matrix<T>& a, index_t row, const T* elements) {
  std::uint64_t sum = 0;
  a.col_axis().for_each_run(a.at().col(), [&](index_t local, index_t global, index_t count) {
    for (index_t j = 0; j < count; ++j) sum += hash_of(row, global + j, elements[local + j]);
  });
  return sum;
}
// Of a worker's share.
template <class T>
std::uint64_t hash_of_share(const distributed_matrix<T>& a) {
  std::atomic<std::uint64_t> sum{0};
  read_rows(a, [&](index_t row, const T* elements) { sum += hash_of_row(a, row, elements); });
  return sum;
}
template <class T>
std::uint64_t hash_of_share(const distributed_device_matrix<T>& a) {
  const worker& w = a.at();
  if (a.local().empty()) return 0;
  return hash_share_on_device<T>()(w.context(), a.local(), {a.row_axis(), a.col_axis(), w.row(), w.col()});
}
// Collective. Of the whole. A: a distributed_matrix or a distributed_device_matrix, here and below.
template <class A>
std::uint64_t hash_of(const A& a) {
  std::uint64_t mine = 0;
  a.at().together([&] { mine = hash_of_share(a); });
  return sum_of_all(a.at(), mine);
}

// Reads a .npy, and throws where it has another hash.
template <class T>
void load_share(const std::string& path, std::uint64_t hash, distributed_matrix<T>& a) {
  read_npy(path, a);
  const std::uint64_t found = hash_of(a);
  a.at().together([&] {
    if (found != hash) refuse_changed(path);
  });
}
template <class T>
void load_share(const std::string& path, std::uint64_t hash, distributed_device_matrix<T>& a) {
  distributed_matrix<T> host(a.at(), a.layout());
  load_share(path, hash, host);
  a.at().together([&] {
    copy(a.at().context(), host.local(), a.local());
    a.at().context().synchronise();
  });
}

// visit(first row, rows) for some megabytes of a share after the other; it says whether to go on.
template <class T, class Visit>
void for_each_strip(const matrix_view<const T>& share, const Visit& visit) {
  constexpr index_t most_bytes = 16 << 20;
  if (share.empty()) return;
  const index_t most = std::max<index_t>(1, most_bytes / (share.cols() * index_t{sizeof(T)}));
  for (index_t first = 0; first < share.rows(); first += most)
    if (!visit(first, share.block(first, 0, std::min(most, share.rows() - first), share.cols()))) return;
}

// A worker's share as it was, in memory that is kept: on its device where there is room, which takes milliseconds, else
// in the host's.
template <class T>
class share_copy {
 public:
  void take(const distributed_matrix<T>& a) { take_to_host(a); }
  void take(const distributed_device_matrix<T>& a) {
    const context& ctx = a.at().context();
    const view<const T, 2, memory::device> from = a.local();
    if (on_device_.size() == 0 && on_host_.size() == 0 && ctx.available() > bytes_of(from) + spare) try {
        on_device_ = device_matrix<T>(ctx, from.rows(), from.cols());
        device_ = ctx.device()->ordinal;
      } catch (const error& e) {
        if (e.code() != fault_code::memory) throw;
      }
    if (on_device_.size() == 0) return take_to_host(a);
    copy(ctx, from, on_device_.view());
    ctx.synchronise();
  }
  // By any thread.
  template <class Visit>
  void for_each_strip(const Visit& visit) const {
    if (on_device_.size() == 0) return detail::for_each_strip<T>(on_host_.view(), visit);
    const device_scope here(device_);
    const device_stream stream;
    detail::for_each_strip<T>(context::cuda(stream.get()), on_device_.view(), visit);
  }

 private:
  static constexpr std::size_t spare = std::size_t{1} << 30;  // for what else is allocated
  template <class View>
  static std::size_t bytes_of(const View& v) {
    return static_cast<std::size_t>(v.size()) * sizeof(T);
  }
  template <class A>
  void take_to_host(const A& a) {
    const auto from = a.local();
    if (on_host_.rows() != from.rows() || on_host_.cols() != from.cols()) {
      on_host_ = matrix<T>(from.rows(), from.cols(), uninitialised{});
      advise_large_pages(on_host_.data(), bytes_of(on_host_));
    }
    read_rows(a, [&](index_t row, const T* elements) {
      std::copy_n(elements, on_host_.cols(), &on_host_(a.row_axis().indxg2l(row), 0));
    });
  }

  device_matrix<T> on_device_;
  int device_ = 0;
  matrix<T> on_host_;
};

// One matrix of a checkpoint, as it is when it is saved.
template <class A>
class saved_matrix {
 public:
  using T = typename A::value_type;

  static constexpr bool on_host = std::is_same_v<A, distributed_matrix<T>>;

  // Collective: the file is made, and the shares are copied where `copies`. A device hashes its share in milliseconds.
  void begin(const std::string& path, const A& a, bool copies) {
    a_ = &a, copies_ = copies;
    file_.emplace(path, a.at(), a.layout());
    a.at().together([&] {
      if (copies) copy_.take(a);
      hash_ = on_host ? 0 : hash_of_share(a);
    });
  }
  // By any thread, until `stop`.
  void write(const std::atomic<bool>& stop) {
    const auto write_strip = [&](index_t first, const matrix_view<const T>& rows) {
      if constexpr (on_host)
        for (index_t i = 0; i < rows.rows(); ++i) hash_ += hash_of_row(*a_, a_->global_row(first + i), &rows(i, 0));
      file_->write(first, rows);
      return !stop;
    };
    if constexpr (on_host)
      if (!copies_) return for_each_strip<T>(a_->local(), write_strip);
    copy_.for_each_strip(write_strip);
  }
  // Collective, when all have written. The hash of the whole.
  std::uint64_t hash() const { return sum_of_all(a_->at(), hash_); }
  // Collective. The file gets its name.
  void finish() {
    file_->finish();
    file_.reset();
  }

 private:
  const A* a_ = nullptr;
  bool copies_ = false;
  share_copy<T> copy_;
  std::optional<npy_in_writing<T>> file_;
  std::uint64_t hash_ = 0;
};

template <class A>
class saved_closure {
 public:
  using T = typename A::value_type;
  static constexpr bool on_host = std::is_same_v<A, distributed_matrix<T>>;

  // Collective, as all below. A holds what is to be closed.
  saved_closure(A& a, distributed_matrix<std::int32_t>* p, const std::string& algebra,
                const checkpoint_options& options)
      : worker_(a.at()), a_(a), p_(p), options_(options) {
    if (!is_on()) return;
    worker_.together([&] {
      if (!io::npy_element<T>)
        throw argument_error("checkpoints hold elements of f32, f64, i32, i64 and bool; those of " + algebra +
                             " are none of these");
      if (worker_.rank() != 0) return;
      prepare_checkpoint_folder(options_.folder);
      lock_.emplace(options_.folder);
      refuse_matrices_of_others(options_.folder);
      remove_left_over(options_.folder);
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
      load_share(path_of(saved_.values), saved_.values_hash, a_);
      if (p_) load_share(path_of(saved_.from), saved_.from_hash, *p_);
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

  // It is there when a later is_due() returns; with every = 0 at once. What is not there when the closure ends, or the
  // run fails, is given up.
  void save(index_t done) {
    if constexpr (io::npy_element<T>) {
      last_ = clock::now();
      if (saved_.values.empty()) forget_old();
      const std::string number = std::to_string(done);
      next_ = problem_;
      next_.done = done;
      next_.values = "values-" + number + ".npy";
      const bool copies = !on_host || (options_.every > 0 && has_room());
      values_.begin(path_of(next_.values), a_, copies);
      if (p_) {
        next_.from = "predecessors-" + number + ".npy";
        from_.begin(path_of(next_.from), *p_, copies);
      }
      if (copies) say("copied in", seconds_since(last_));
      writing_ = std::async(copies ? std::launch::async : std::launch::deferred, [this] {
        values_.write(stop_);
        if (p_) from_.write(stop_);
      });
      if (!copies) writing_.wait();
      if (options_.every == 0) finish();
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
      std::rename(path_of("checkpoint").c_str(), path_of("checkpoint.partial").c_str());
    });
  }

  // When all have written, or until then: the checkpoint takes the place of the one before.
  void finish() {
    if constexpr (io::npy_element<T>) {
      worker_.together([&] { writing_.get(); });
      next_.values_hash = values_.hash();
      if (p_) next_.from_hash = from_.hash();
      // Before the files have their names, so that a run that ends here leaves none that nobody knows.
      worker_.together([&] {
        if (worker_.rank() == 0) write_record_aside(path_of("checkpoint"), next_);
      });
      values_.finish();
      if (p_) from_.finish();
      worker_.together([&] {
        if (worker_.rank() != 0) return;
        keep_record(path_of("checkpoint"));
        for (const std::string& old : {saved_.values, saved_.from})
          if (!old.empty() && old != next_.values && old != next_.from) std::remove(path_of(old).c_str());
      });
      saved_ = next_;
      say("written after", seconds_since(last_));
    }
  }
  void say(const char* what, double seconds) const {
    if (worker_.rank() == 0 && explain_enabled())
      explain("checkpoint after block " + std::to_string(next_.done) + ": " + what + " " + std::to_string(seconds) +
              " s");
  }

  worker& worker_;
  A& a_;
  distributed_matrix<std::int32_t>* p_;
  const checkpoint_options& options_;
  std::optional<folder_lock> lock_;  // worker 0's
  int workers_here_ = 1;
  std::optional<bool> has_room_;
  checkpoint_record problem_, saved_, next_;  // next_: what is being written
  clock::time_point last_ = clock::now();
  saved_matrix<A> values_;
  saved_matrix<distributed_matrix<std::int32_t>> from_;
  std::atomic<bool> stop_ = false;
  std::future<void> writing_;
};

}  // namespace kleene::detail
