// kleene closure: the dense closure A* of a matrix or graph file.
#include "kleene/operations/closure.hpp"

#include "commands.hpp"
#include "devices.hpp"
#include "grid_work.hpp"
#include "kleene/io/names.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/operations/bits.hpp"
#include "kleene/operations/detail/shortest_paths_range.inl.hpp"
#include "matrix_input.hpp"
#include "no_arc.hpp"
#include "processes.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "session.hpp"
#include "text.hpp"

#include <cmath>
#include <type_traits>

namespace kleene::cli {

namespace {

struct closure_report {
  std::string dtype;
  index_t vertices = 0, entries = 0;  // entries: elements of A* that are not the algebra's zero
  closure_info info{};
  std::string absent{};  // what stands for no path in the file of --out
  std::string zero{};    // of an algebra whose elements are no paths; else empty
};

// The algebra's zero is a number of its own: in min_plus it is not 0, which is a length, but infinity.
std::string entries_words(const closure_report& r) {
  const index_t all = r.vertices * r.vertices, zeros = all - r.entries;
  const std::string some = fmt::format("{} of {}", grouped(r.entries), counted(all, "element", "elements"));
  const bool is_one = r.entries == 1;
  if (!r.zero.empty()) return fmt::format("{} {} other than {}", some, is_one ? "is" : "are", r.zero);
  return fmt::format("{} {} a path, {} {} none", some, is_one ? "has" : "have", grouped(zeros),
                     zeros == 1 ? "has" : "have");
}

void print(const shared_flags& shared, const closure_flags& flags, const matrix_input& input, const context& ctx,
           const closure_report& r) {
  const closure_info& info = r.info;
  if (shared.json) {
    json_object json;
    json.text("file", flags.input.file);
    if (!input.description.empty()) json.text("read_as", input.description);
    json.number("vertices", r.vertices).text("algebra", shared.algebra_name()).text("dtype", r.dtype);
    add_place(json, ctx);
    add_devices(json, shared);
    json.number("block", info.block).number("seconds", info.seconds);
    json.number("gops", info.seconds > 0 ? info.operations / info.seconds / 1e9 : 0.0).boolean("exists", info.exists);
    info.exists ? json.null("diverging") : json.raw("diverging", input.names.json(info.diverging));
    info.exists ? json.number("entries", r.entries) : json.null("entries");
    if (!r.absent.empty()) json.text("absent", r.absent);
    write_answer(json.str());
  } else if (shared.prints_text()) {
    answer text;
    text.line("matrix", fmt::format("{} ({} x {})", flags.input.file, r.vertices, r.vertices));
    if (!input.description.empty()) text.line("read as", input.description);
    text.line("algebra", shared.algebra_name() + " over " + input.type_words(r.dtype));
    if (info.exists) text.line("closure", entries_words(r));
    if (!r.absent.empty()) text.line("no path", "written as " + r.absent + " (--absent chooses another number)");
    text.line("time", seconds_text(info.seconds) + ", " + rate_text(info.operations, info.seconds) + " on " +
                          place_words(ctx, devices_of(shared.device)));
    write_answer(text.str());
  }
}

// Lengths that leave a floating type would be taken for "no path". Where the weights are so large that it can happen,
// the graph is closed once more without them, a bit an arc.
template <class S>
class range_check {
 public:
  explicit range_check(const matrix<value_of<S>>& a) {
    if constexpr (applies) {
      detail::weight_range<S> range;
      for (index_t e = 0; e < a.size(); ++e)
        if (is_arc(a.data()[e])) range.add(a.data()[e]);
      infinite_weights_ = range.infinite;
      if (!range.can_overflow(a.rows())) return;
      const double n = static_cast<double>(a.rows());
      require_memory(n * n / 8, fmt::format("which of {0:.0f} x {0:.0f} elements are paths", n));
      reaches_ = bit_matrix(a.rows(), a.cols());
      for (index_t i = 0; i < a.rows(); ++i)
        for (index_t j = 0; j < a.cols(); ++j)
          if (is_arc(a(i, j))) reaches_.set(i, j, true);
    }
  }
  bool has_infinite_weights() const { return infinite_weights_; }  // which apsp refuses
  // value_error with the first element of the closure that is too large.
  void check(const matrix_input& input, const matrix<value_of<S>>& closed, int threads) {
    if constexpr (applies) {
      if (reaches_.rows() == 0) return;
      kleene::closure(context::cpu({.threads = threads, .isa = {}}), or_and<bit>{}, reaches_);
      for (index_t i = 0; i < closed.rows(); ++i)
        for (index_t j = 0; j < closed.cols(); ++j) {
          const auto length = closed(i, j);
          const bool lost = std::isinf(length) && (length == S::zero() ? reaches_(i, j) : !infinite_weights_);
          if (lost)
            throw value_error(
                fmt::format("{}: the length from {} to {} is finite but too large for {}; use {}smaller weights",
                            input.path, input.names.text(i), input.names.text(j), type_name<value_of<S>>,
                            std::is_same_v<value_of<S>, double> ? "" : "f64 or "));
        }
    }
  }

 private:
  static constexpr bool applies = is_selective<S> && detail::can_leave_floats<S>;
  static bool is_arc(const value_of<S>& weight) { return weight == weight && !(weight == S::zero()); }

  bit_matrix reaches_;  // empty: nothing can be lost
  bool infinite_weights_ = false;
};

// Calls refuse(i, j) for the first element that is NaN.
template <class T, class Refuse>
void require_numbers(const matrix<T>& a, const Refuse& refuse) {
  if constexpr (std::is_floating_point_v<T>)
    for (index_t i = 0; i < a.rows(); ++i)
      for (index_t j = 0; j < a.cols(); ++j)
        if (std::isnan(a(i, j))) refuse(i, j);
}

// What the library says of A(0, 1), with the file and the vertices as it has them.
template <class T>
void require_input(const matrix_input& input, const matrix<T>& a) {
  require_numbers(a, [&](index_t i, index_t j) {
    throw value_error(fmt::format("{}: element ({}, {}) is NaN", input.path, input.names.text(i), input.names.text(j)));
  });
}

// Of numbers that are not negative, sums of products are not negative either: where (I - A)^-1 has one that is, the sum
// over all walks has no value. Of others nobody knows.
template <class S>
constexpr bool sums_walks = S::name == std::string_view("plus_times") && std::is_floating_point_v<value_of<S>>;

template <class T>
bool has_negative(const matrix<T>& a) {
  return std::any_of(a.data(), a.data() + a.size(), [](const T& value) { return value < T{0}; });
}

template <class T>
void require_sums(const matrix_input& input, const matrix<T>& closed) {
  for (index_t i = 0; i < closed.rows(); ++i)
    for (index_t j = 0; j < closed.cols(); ++j)
      if (closed(i, j) < T{0})
        throw value_error(
            fmt::format("{}: the closure does not exist over plus_times: the sum over all walks from {} to {} grows "
                        "without end ((I - A)^-1 has {} there, and no element of A is negative)",
                        input.path, input.names.text(i), input.names.text(j), number_text(closed(i, j))));
}

// Floats are IEEE's: a sum over walks that leaves the type is infinite, and infinity times 0 is no number, at elements
// that have nothing to do with it.
template <class T>
void require_defined(const matrix_input& input, const std::string& algebra, const matrix<T>& closed) {
  require_numbers(closed, [&](index_t i, index_t j) {
    throw value_error(
        fmt::format("{}: the closure over {} cannot be computed in {}: on the way to ({}, {}) a sum over "
                    "walks is infinite, or too large for the type",
                    input.path, algebra, type_name<T>, input.names.text(i), input.names.text(j)));
  });
}

// Over a ring the closure is the inverse of I - A, by elimination: no pivot says nothing of how sums grow.
template <class S>
std::string why_not_closed(const std::string& place, bool has_infinite_weights) {
  constexpr std::string_view name = S::name;
  if (name == "plus_times" || name == "xor_and")
    return fmt::format(
        "no closure over {} was found: the pivot of {} is 0. Either I - A has no inverse, or the "
        "vertices want another order: rows are not exchanged",
        name, place);
  return fmt::format("the closure does not exist over {}: it {} without end at {}{}", name,
                     is_selective<S> ? "improves" : "grows", place,
                     path_algebras::accepts<S> && !has_infinite_weights ? " (kleene apsp shows the cycle)" : "");
}

// Closes `a`, and leaves predecessors in `p` where it has elements.
template <class S>
closure_info close(S s, const context& ctx, const std::vector<int>& devices, matrix<value_of<S>>& a,
                   matrix<std::int32_t>& p) {
  if (devices.size() > 1) return close_on_grid<S>(ctx, devices, a, p);
  if (ctx.kind() != device_kind::cuda) {
    if constexpr (path_algebras::accepts<S>)
      if (p.size() > 0) return closure(ctx, s, a, p);
    return closure(ctx, s, a);
  }
  auto there = to_device(ctx, a);
  const auto fetch = [&](const closure_info& info) {
    if (info.exists) {
      copy(ctx, there, a);
      ctx.synchronise();
    }
    return info;
  };
  if constexpr (path_algebras::accepts<S>)
    if (p.size() > 0) {
      auto predecessors = to_device(ctx, p);
      const closure_info info = fetch(closure(ctx, s, there, predecessors));
      if (info.exists) {
        copy(ctx, predecessors, p);
        ctx.synchronise();
      }
      return info;
    }
  return fetch(closure(ctx, s, there));
}

// The rows of --sources, in its order.
template <class T>
matrix<T> rows_of(const matrix<T>& all, const std::vector<std::int32_t>& rows) {
  matrix<T> some(static_cast<index_t>(rows.size()), all.cols(), uninitialised{});
  for (index_t i = 0; i < some.rows(); ++i) std::copy_n(&all(rows[i], 0), all.cols(), &some(i, 0));
  return some;
}

template <class S>
void write_outputs(const shared_flags& shared, const closure_flags& flags, const matrix_input& input,
                   const std::vector<std::int32_t>& sources, matrix<value_of<S>>& a, matrix<std::int32_t>& p,
                   closure_report& report) {
  const result_request request = request_of(flags.out);
  if (!sources.empty()) {
    a = rows_of(a, sources);
    if (p.size() > 0) p = rows_of(p, sources);
  }
  const bool has_absent = std::find(a.data(), a.data() + a.size(), S::zero()) != a.data() + a.size();
  if (!request.path.empty() && has_absent) report.absent = absent_text(request, S::zero());
  if (!request.path.empty())
    write_result<value_of<S>>(
        request,
        {a.view(), S::zero(), &input.names, sources.empty() ? nullptr : &sources, "value", true, nullptr, S::one()},
        shared.threads);
  if (!flags.predecessors.empty()) io::write_npy(flags.predecessors, p);
}

template <class S>
void solve(S s, context& ctx, const shared_flags& shared, const closure_flags& flags, matrix_input& input) {
  using T = value_of<S>;
  const double n = static_cast<double>(input.rows());
  const bool predecessors = !flags.predecessors.empty();
  require_memory(
      n * n * (sizeof(T) + (predecessors ? 4 : 0)),
      fmt::format("{0:.0f} x {0:.0f} elements in {1}{2}", n, type_name<T>, predecessors ? " with predecessors" : ""));
  std::vector<std::int32_t> sources;
  if (!flags.sources.empty())
    for (const std::string& word : io::split_list(flags.sources, "--sources"))
      sources.push_back(input.names.find(word, "--sources", input.path, input.rows()));
  matrix<T> a = take_matrix(input, rules_of<S>());
  require_input(input, a);
  range_check<S> range(a);
  closure_report report{.dtype = type_name<T>, .vertices = a.rows()};
  if constexpr (!path_algebras::accepts<S>) report.zero = number_text(S::zero());
  bool only_sums = false;
  if constexpr (sums_walks<S>) only_sums = !has_negative(a);
  matrix<std::int32_t> p(predecessors ? a.rows() : 0, predecessors ? a.cols() : 0, -1);
  {
    const progress_bar bar(ctx, "closure", shared.prints_text());
    const bool has_zero = std::find(a.data(), a.data() + a.size(), S::zero()) != a.data() + a.size();
    try {
      report.info = close(s, ctx, devices_of(shared.device), a, p);
    } catch (const value_error& wrong) {
      if (std::string_view(wrong.what()).find("too large for the element type") == std::string_view::npos) throw;
      throw value_error(fmt::format(
          "{}: a length is too large for {}: {}", input.path, type_name<T>,
          has_zero && !input.is_graph && shared.dtype.empty()
              ? fmt::format("say --no-arc {}, and the type is found for the lengths", number_text(S::zero()))
              : wider_types(shared.algebra_name(), type_name<T>)));
    }
  }
  if (report.info.exists) {
    range.check(input, a, shared.threads);
    require_defined(input, shared.algebra_name(), a);
    if constexpr (sums_walks<S>)
      if (only_sums) require_sums(input, a);
    report.entries = a.size() - std::count(a.data(), a.data() + a.size(), S::zero());
    write_outputs<S>(shared, flags, input, sources, a, p, report);
  }
  print(shared, flags, input, ctx, report);
  if (!report.info.exists) {
    const std::string place =
        fmt::format("{} {}", input.is_graph ? "vertex" : "row", input.names.text(report.info.diverging));
    throw value_error(fmt::format("{}: {}", flags.input.file, why_not_closed<S>(place, range.has_infinite_weights())));
  }
}

// What apsp and path say of arcs; empty: nothing.
std::string element_above_one(const shared_flags& shared, const matrix_input& input) {
  if (shared.algebra_name() != "max_times") return {};
  double largest = 0;
  std::visit(
      [&]<class V>(const V& values) {
        const auto look = [&](auto value) { largest = std::max(largest, static_cast<double>(value)); };
        if constexpr (requires { values.value; }) std::ranges::for_each(values.value, look);
        else std::for_each_n(values.data(), values.size(), look);
      },
      input.values);
  return largest > 1
             ? fmt::format("{}: the largest element is {}, and probabilities are at most 1", input.path, largest)
             : "";
}

}  // namespace

void run_closure(const shared_flags& shared, const closure_flags& flags) {
  require_one_process("closure");
  require_algebra(closed_algebras::need, shared.algebra_name(), shared.dtype);
  if (!flags.predecessors.empty()) require_algebra(path_algebras::need, shared.algebra_name(), shared.dtype);
  if (!flags.sources.empty() && flags.out.path.empty() && flags.predecessors.empty())
    throw error(fault_code::usage, "--sources says which rows --out and --predecessors have: give one of them");
  require_outputs(shared, {{"--out", flags.out.path}, {"--predecessors", flags.predecessors}},
                  {{"FILE", flags.input.file}, {"--names", flags.input.names}});
  (void)request_of(flags.out);
  require_npy_name("--predecessors", flags.predecessors);
  shared_flags on_first = shared;  // of several devices
  on_first.device = first_device(shared.device);
  auto [ctx, input] = make_context_while(
      on_first, true, flags.input.file, [&] { return read_matrix_input(flags.input, shared); },
      [](const matrix_input& input) { return input.rows(); });
  if (input.rows() != input.cols())
    throw shape_error(fmt::format("{}: a closure needs a square matrix, and this one is {} x {}", input.place,
                                  input.rows(), input.cols()));
  if (!shared.dtype.empty()) note_rounding(shared, flags.input.file, input.integers(), shared.dtype);
  else if (!input.is_graph) refuse_no_path_elements(input, shared.algebra_name());
  const std::string doubt = element_above_one(shared, input);
  const std::string dtype =
      !shared.dtype.empty()
          ? shared.dtype
          : input.natural_type(shared.algebra_name(), std::max<double>(3, static_cast<double>(input.rows())));
  dispatch<closed_algebras>(shared.algebra_name(), dtype,
                            [&, &ctx = ctx, &input = input](auto s) { solve(s, ctx, shared, flags, input); });
  if (!doubt.empty()) note(shared, doubt);  // a refusal needs no second line
}

}  // namespace kleene::cli
