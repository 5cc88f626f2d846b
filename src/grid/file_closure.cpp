// Closures from file to file.
#include "kleene/grid/file_closure.hpp"

#include "file_steps.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/integers.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace kleene::detail {

namespace {

// One run: the two files between which the matrix goes, and the note of how far it is.
template <class T>
class file_closure {
 public:
  using values = matrix_view<T>;

  file_closure(const context& ctx, const std::string& from, const std::string& to, const file_closure_options& options,
               const closure_algebra<T>& algebra, bool may_be_repeated)
      : algebra_(algebra),
        ctx_(ctx),
        from_(from),
        to_(replaced_name(to)),
        options_(options),
        found_(find_elements<T>(from)),
        n_(found_.rows) {
    if (ctx.kind() != device_kind::cpu) throw error(fault_code::usage, "closures of files are of the CPU's contexts");
    if (found_.cols != n_)
      throw shape_error("a closure needs a square matrix; " + from + " is " + std::to_string(n_) + "x" +
                        std::to_string(found_.cols));
    if (options.block < 0) throw argument_error("a block of " + std::to_string(options.block) + " vertices");
    if (options.resumable && !may_be_repeated && is_in_place())
      throw argument_error(algebra.name() + ": " + from +
                           " is to be closed in its place by a call that can be resumed; made again after its end, it "
                           "would close the closure, which is another matrix: give the result another name");
    problem_.algebra = algebra.name();
    problem_.type = type_name<T>;
    problem_.n = n_;
    problem_.block = std::min(options.block, std::max<index_t>(n_, 1));
    find_checkpoint();
    const double most = options.memory > 0 ? double(options.memory) : double(available_memory()) / 2;
    plan_ = plan_within(most);
    problem_.block = plan_.block;
    if (explain_enabled())
      explain("closure " + algebra.name() + " of " + from + ", " + std::to_string(n_) + "x" + std::to_string(n_) +
              ": blocks of " + std::to_string(plan_.block) + ", strips of " + std::to_string(plan_.strip) + " rows, " +
              bytes_text(plan_.bytes) + ", " + ctx.describe());
    steps_.emplace(ctx, n_, plan_, algebra);
  }
  // Leaves nothing, unless the run can be resumed.
  ~file_closure() {
    if (!options_.resumable) remove_all();
  }
  file_closure(const file_closure&) = delete;
  file_closure& operator=(const file_closure&) = delete;

  closure_info run() {
    const auto start = std::chrono::steady_clock::now();
    closure_info info;
    info.block = plan_.block;
    info.operations = 2 * double(n_) * double(n_) * double(n_);
    index_t done = 0;
    if (!resume(done)) {
      try {
        prepare();
      } catch (...) {
        remove_all();
        throw;
      }
    }
    const index_t blocks = ceil_div(n_, plan_.block);
    for (; done < blocks && info.diverging < 0; ++done) info.diverging = step(done, info.operations);
    info.exists = info.diverging < 0;
    if (!info.exists) {
      info.operations = 2 * double(n_) * double(n_) * double((done - 1) * plan_.block);
      remove_all();
    } else {
      if (overflow_)
        throw value_error(algebra_.name() + ": a finite result is too large for the element type; use a wider one");
      if (!is_renamed_) rename_synced(part(current_), to_);
      remove_halves();
      std::remove(note().c_str());  // last: a call that finds it knows that the work is done
    }
    info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return info;
  }

 private:
  std::string part(int which) const { return to_ + (which == 0 ? ".0.partial" : ".1.partial"); }
  std::string note() const { return to_ + ".checkpoint"; }
  static std::string name_in_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  void remove_halves() const {
    for (const int which : {0, 1}) std::remove(part(which).c_str());
  }
  void remove_all() const {
    std::remove(note().c_str());  // first: without it a run begins again, and comes to the same
    remove_halves();
  }
  static bool is_there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  }
  bool is_in_place() const {
    std::error_code ignored;  // `to` need not exist
    return std::filesystem::equivalent(from_, to_, ignored);
  }
  row_file<T> open(int which) const { return {part(which), shared_file::mode::write, npy_start<T>(n_, n_).size(), n_}; }
  void create(int which) const {
    const std::string start = npy_start<T>(n_, n_);
    const shared_file file(part(which), shared_file::mode::create, to_);
    file.reserve(start.size() + static_cast<std::uint64_t>(n_ * n_) * sizeof(T));
    file.write(0, start.data(), start.size());
  }

  static std::uint64_t hash_of_rows(index_t first, const values& rows) {
    std::uint64_t sum = 0;
    for (index_t i = 0; i < rows.rows(); ++i)
      for (index_t j = 0; j < rows.cols(); ++j) sum += hash_of(first + i, j, rows(i, j));
    return sum;
  }
  std::uint64_t hash_of_file(const row_file<T>& file) {
    std::uint64_t sum = 0;
    steps_->pass(file, nullptr, n_, 0, [&](index_t first, const values& rows) { sum += hash_of_rows(first, rows); });
    return sum;
  }
  row_file<T> input() const { return {from_, shared_file::mode::read, found_.at, n_}; }

  // What a run that was killed left. One of another problem is refused before the memory is looked at, one of another
  // matrix when the input has been read.
  void find_checkpoint() {
    if (options_.resumable) saved_ = read_record(note());
    if (!saved_) return;
    if (options_.block == 0) problem_.block = saved_->block;
    problem_.input = saved_->input;
    require_same_problem(note(), *saved_, problem_);
  }
  file_closure_plan plan_within(double most) const {
    try {
      return plan_file_closure(n_, sizeof(T), algebra_.accumulator_bytes(), problem_.block, most);
    } catch (const error& e) {
      if (!saved_ || options_.block > 0) throw;
      throw error(e.code(), std::string(e.what()) + "; these are the blocks of " + note() +
                                ": give that much as options.memory to go on from it, or remove it to begin again in "
                                "blocks that fit");
    }
  }

  // Whether there is something to go on from.
  bool resume(index_t& done) {
    if (!saved_) return false;
    done = saved_->done;
    current_ = saved_->values == name_in_folder(part(0)) ? 0 : 1;
    const bool is_done = done == ceil_div(n_, plan_.block);
    if (!is_there(part(current_))) {
      is_renamed_ = is_done && is_there(to_);  // it was killed after that
      if (!is_renamed_)
        throw error(fault_code::bad_input, note() + ": " + part(current_) +
                                               ", which it names, is gone: remove the checkpoint, and start again");
    }
    if (!is_renamed_ || !is_in_place()) problem_.input = hash_of_file(input());  // else gone
    require_same_problem(note(), *saved_, problem_);
    require_whole(is_renamed_ ? to_ : part(current_));
    if (!is_done) create(1 - current_);  // whatever is there: a step writes all of its elements
    return true;
  }
  void require_whole(const std::string& path) {
    const std::string start = npy_start<T>(n_, n_);
    const row_file<T> file(path, shared_file::mode::read, start.size(), n_);
    std::string found(start.size(), ' ');
    file.file().read(0, found.data(), found.size());
    if (found != start || hash_of_file(file) != saved_->values_hash) refuse_changed(path);
  }

  // Copies the input, checks its values and sets the diagonal.
  void prepare() {
    create(0);
    create(1);
    const row_file<T> to = open(0);
    std::uint64_t before = 0, after = 0;
    steps_->pass(input(), &to, n_, 0, [&](index_t first, const values& rows) {
      if (options_.check_domain) check_rows(first, rows);
      if (options_.resumable) before += hash_of_rows(first, rows);
      for (index_t i = 0; i < rows.rows(); ++i) rows(i, first + i) = algebra_.on_diagonal(rows(i, first + i));
      if (options_.resumable) after += hash_of_rows(first, rows);
    });
    problem_.input = before;
    write_note(0, 0, after, to);
  }
  void check_rows(index_t first, const values& rows) const {
    for (index_t i = 0; i < rows.rows(); ++i) {
      const index_t j = algebra_.first_refused(&rows(i, 0), n_);
      if (j < 0) continue;
      const T& value = rows(i, j);
      const std::string place = from_ + ": A(" + std::to_string(first + i) + ", " + std::to_string(j) + ")";
      if (!(value == value)) throw value_error(place + " is NaN");
      throw value_error(place + " = " + to_text(value) + " is outside the domain of " + algebra_.name());
    }
  }

  index_t step(index_t at, double operations) {
    const row_file<T> from = open(current_), to = open(1 - current_);
    std::uint64_t hash = 0;
    const index_t k0 = at * plan_.block, size = std::min(plan_.block, n_ - k0);
    const auto report = [&](index_t rows) {
      const progress_callback& progress = ctx_.progress();
      const double pairs = double(n_) * (double(n_) * double(k0) + double(rows) * double(size));
      if (progress && !progress(2 * pairs, operations)) throw error(fault_code::usage, "interrupted");
    };
    const auto note_rows = [&](index_t first, const values& rows) {
      if (options_.resumable) hash += hash_of_rows(first, rows);
    };
    const index_t bad = steps_->step(k0, from, to, note_rows, report);
    if (bad >= 0) return bad;
    overflow_ |= steps_->take_overflow();
    if (overflow_ && options_.resumable) {  // a run that goes on would not know
      remove_all();
      throw value_error(algebra_.name() + ": a finite result is too large for the element type; use a wider one");
    }
    current_ = 1 - current_;
    write_note(at + 1, current_, hash, to);
    return -1;
  }

  void write_note(index_t done, int which, std::uint64_t hash, const row_file<T>& file) const {
    if (!options_.resumable) return;
    file.file().sync();
    checkpoint_record now = problem_;
    now.done = done;
    now.values = name_in_folder(part(which));
    now.values_hash = hash;
    write_record(note(), now);
  }

  const closure_algebra<T>& algebra_;
  const context& ctx_;
  const std::string from_, to_;
  const file_closure_options options_;
  const npy_elements found_;
  const index_t n_;
  file_closure_plan plan_;
  std::optional<file_steps<T>> steps_;
  checkpoint_record problem_;
  std::optional<checkpoint_record> saved_;  // what a run that was killed left
  int current_ = 0;                         // the file that has the matrix
  bool is_renamed_ = false;                 // and is `to` by now
  bool overflow_ = false;
};

}  // namespace

template <class T>
closure_info close_file(const context& ctx, const std::string& from, const std::string& to,
                        const file_closure_options& options, const closure_algebra<T>& algebra, bool may_be_repeated) {
  return file_closure<T>(ctx, from, to, options, algebra, may_be_repeated).run();
}

#define KLEENE_ELEMENT(T)                                                                  \
  template closure_info close_file(const context&, const std::string&, const std::string&, \
                                   const file_closure_options&, const closure_algebra<T>&, bool);
#include "kleene/grid/detail/elements.def"
#undef KLEENE_ELEMENT

}  // namespace kleene::detail
