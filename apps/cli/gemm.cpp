// kleene gemm: the product of two dense files, or of generated matrices, over an algebra.
#include "kleene/operations/gemm.hpp"
#include "kleene/data/splitmix64.hpp"

#include "commands.hpp"
#include "devices.hpp"
#include "grid_work.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/npy.hpp"
#include "matrix_input.hpp"
#include "processes.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "session.hpp"
#include "text.hpp"

#include <algorithm>
#include <charconv>

namespace kleene::cli {

namespace {

struct product_shape {
  index_t m = 0, n = 0, k = 0;
};

// "MxNxK", or --size N for N x N x N. error(usage) for anything else.
product_shape asked_shape(const gemm_flags& flags) {
  if (flags.shape.empty()) return {flags.size, flags.size, flags.size};
  std::array<index_t, 3> extents{};
  const char* at = flags.shape.data();
  const char* end = at + flags.shape.size();
  for (int i = 0; i < 3; ++i) {
    const auto [next, failed] = std::from_chars(at, end, extents[i]);
    const bool separated = i == 2 ? next == end : next != end && *next == 'x';
    if (failed != std::errc{} || extents[i] < 0 || !separated)
      throw error(fault_code::usage, "--shape takes MxNxK, such as 512x256x1024, not '" + flags.shape + "'");
    at = next + 1;
  }
  return {extents[0], extents[1], extents[2]};
}

// The same matrix for the same seed on every machine: integers 0 .. 99, or bits, in every element type.
template <class S>
matrix<value_of<S>> generated(index_t rows, index_t cols, splitmix64& random) {
  constexpr std::uint64_t values = is_boolean<S> ? 2 : 100;
  matrix<value_of<S>> m(rows, cols, uninitialised{});
  for (index_t e = 0; e < m.size(); ++e) m.data()[e] = static_cast<value_of<S>>(random() % values);
  return m;
}

template <class T>
struct product {
  matrix<T> c;
  matrix<std::int32_t> witness;          // empty unless asked for
  double seconds = 0, copy_seconds = 0;  // of the product; of the way to the device and back
};

// What C holds: the algebra's values, or over operands of 8 and 16 bits their sums.
template <class S, class T = value_of<S>, class A = accumulator_of<S>>
using result_of = std::conditional_t<(sizeof(T) < 4 && sizeof(A) >= 4), A, T>;

// The seconds from the call of gemm to its last element; with a witness if the matrix for it has elements.
template <class S, class Input, class Output, class Witness>
double timed_gemm(S s, const context& ctx, const Input& a, const Input& b, Output& c, Witness& witness) {
  ctx.synchronise();
  const stopwatch watch;
  bool done = false;
  if constexpr (is_selective<S>)
    if (witness.data()) gemm(ctx, s, a, b, c, witness), done = true;
  if (!done) gemm(ctx, s, a, b, c);
  ctx.synchronise();
  return watch.seconds();
}

template <class S>
product<result_of<S>> multiply_here(S s, const context& ctx, bool wants_witness, const matrix<value_of<S>>& a,
                                    const matrix<value_of<S>>& b) {
  product<result_of<S>> r;
  r.c = matrix<result_of<S>>(a.rows(), b.cols(), uninitialised{});
  if (wants_witness) r.witness = matrix<std::int32_t>(a.rows(), b.cols(), -1);
  r.seconds = timed_gemm(s, ctx, a, b, r.c, r.witness);
  return r;
}

template <class S>
product<result_of<S>> multiply_on_device(S s, const context& ctx, bool wants_witness, const matrix<value_of<S>>& a,
                                         const matrix<value_of<S>>& b) {
  product<result_of<S>> r;
  const stopwatch watch;
  const auto left = to_device(ctx, a), right = to_device(ctx, b);
  device_matrix<result_of<S>> c(ctx, a.rows(), b.cols());
  device_matrix<std::int32_t> witness;
  if (wants_witness) witness = device_matrix<std::int32_t>(ctx, a.rows(), b.cols());
  r.seconds = timed_gemm(s, ctx, left, right, c, witness);
  r.c = to_host(ctx, c);
  if (wants_witness) r.witness = to_host(ctx, witness);
  r.copy_seconds = watch.seconds() - r.seconds;
  return r;
}

// What is said of a product.
struct product_report {
  product_shape shape;
  std::string algebra, dtype, result_dtype;
  double seconds = 0, copy_seconds = 0;

  double operations() const {
    return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  }
};

void print(const shared_flags& shared, const context& ctx, const product_report& r) {
  const bool on_device = ctx.kind() == device_kind::cuda;
  if (shared.json) {
    json_object json;
    json.number("m", r.shape.m).number("n", r.shape.n).number("k", r.shape.k);
    json.text("algebra", r.algebra).text("dtype", r.dtype).text("result_dtype", r.result_dtype);
    add_place(json, ctx);
    add_devices(json, shared);
    json.number("seconds", r.seconds);
    if (on_device) json.number("copy_seconds", r.copy_seconds);
    json.number("gops", r.seconds > 0 ? r.operations() / r.seconds / 1e9 : 0.0);
    write_answer(json.str());
  } else if (shared.prints_text()) {
    answer text;
    text.line("product",
              fmt::format("{} x {} from {} each", r.shape.m, r.shape.n, counted(r.shape.k, "term", "terms")));
    text.line("algebra", r.algebra + " over " + r.dtype + (r.dtype == r.result_dtype ? "" : " into " + r.result_dtype));
    text.line("time", seconds_text(r.seconds) + ", " + rate_text(r.operations(), r.seconds) + " on " +
                          place_words(ctx, devices_of(shared.device)));
    if (on_device) text.line("copies", seconds_text(r.copy_seconds));
    write_answer(text.str());
  }
}

template <class S>
product<result_of<S>> multiply_on_devices(const std::vector<int>& devices, const matrix<value_of<S>>& a,
                                          const matrix<value_of<S>>& b) {
  if constexpr (std::is_same_v<result_of<S>, value_of<S>>) {
    product<value_of<S>> r;
    const stopwatch watch;
    r.c = matrix<value_of<S>>(a.rows(), b.cols(), uninitialised{});
    r.seconds = multiply_on_grid<S>(devices, a, b, r.c);
    r.copy_seconds = watch.seconds() - r.seconds;
    return r;
  } else {
    throw error(fault_code::usage,
                fmt::format("several devices multiply elements of 4 and 8 bytes, and bits; {} are fewer",
                            type_name<value_of<S>>));
  }
}

template <class S>
void multiply_and_print(S s, context& ctx, const shared_flags& shared, const gemm_flags& flags,
                        const matrix<value_of<S>>& a, const matrix<value_of<S>>& b) {
  const auto [c, witness, seconds, copy_seconds] = [&] {
    const progress_bar bar(ctx, "gemm", shared.prints_text());
    if (const std::vector<int> devices = devices_of(shared.device); devices.size() > 1)
      return multiply_on_devices<S>(devices, a, b);
    return ctx.kind() == device_kind::cuda ? multiply_on_device(s, ctx, !flags.witness.empty(), a, b)
                                           : multiply_here(s, ctx, !flags.witness.empty(), a, b);
  }();
  if (!flags.out.empty()) io::write_npy(flags.out, c);
  if (!flags.witness.empty()) io::write_npy(flags.witness, witness);
  print(shared, ctx,
        {{c.rows(), c.cols(), a.cols()},
         S::name,
         type_name<value_of<S>>,
         type_name<result_of<S>>,
         seconds,
         copy_seconds});
}

// Operands of `size` bytes an element, results of `result_size`.
void require_product_memory(const product_shape& shape, std::size_t size, std::size_t result_size, bool witness) {
  const auto [m, n, k] =
      std::array{static_cast<double>(shape.m), static_cast<double>(shape.n), static_cast<double>(shape.k)};
  require_memory(
      (m * k + k * n) * static_cast<double>(size) + m * n * static_cast<double>(result_size + (witness ? 4 : 0)),
      fmt::format("a product of {:.0f} x {:.0f} from {}", m, n, counted(shape.k, "term", "terms")));
}

void run_generated(const shared_flags& shared, const gemm_flags& flags, context& ctx) {
  const product_shape shape = asked_shape(flags);
  dispatch<product_algebras>(shared.algebra_name(), shared.dtype.empty() ? "f32" : shared.dtype, [&]<class S>(S s) {
    require_product_memory(shape, sizeof(value_of<S>), sizeof(result_of<S>), !flags.witness.empty());
    splitmix64 random{flags.seed};
    const auto a = generated<S>(shape.m, shape.k, random);
    const auto b = generated<S>(shape.k, shape.n, random);
    multiply_and_print(s, ctx, shared, flags, a, b);
  });
}

// The narrowest type that both have room in; f64 where an integer meets a float that could not hold it.
std::string common_type(const std::string& a, const std::string& b) {
  if (a == b) return a;
  return a.starts_with('i') && b.starts_with('i') ? "i64" : "f64";
}

// Refuses two inputs in which the same position is a vertex of another number: edge lists are numbered from the least
// vertex that occurs. A matrix (.npy, .mtx) beside a list from 0 or from 1 is multiplied by position.
void require_same_numbers(const matrix_input& a, const matrix_input& b) {
  const int first_a = a.names.first(), first_b = b.names.first();
  const bool by_position = std::max(first_a, first_b) <= 1 && !(a.is_edge_list() && b.is_edge_list());
  if (first_a == first_b || by_position) return;
  throw error(fault_code::bad_input,
              fmt::format("{} numbers vertices from {}, and {} from {}: a product goes by numbers, and their positions "
                          "differ (kleene convert --vertices {}-based makes matrices of both that agree)",
                          a.path, first_a, b.path, first_b, std::min({first_a, first_b, 1})));
}

void run_files(const shared_flags& shared, const gemm_flags& flags, context& ctx) {
  // A file times itself, by whatever names, is read once: a pipe has nothing for the second time. Names of vertices are
  // then the same on both sides, too.
  const bool is_square = io::atomic_file::same_file(flags.files[0], flags.files[1]);
  matrix_input a = read_matrix_input({.file = flags.files[0], .names = {}, .lists = {}}, shared), other;
  if (!is_square) other = read_matrix_input({.file = flags.files[1], .names = {}, .lists = {}}, shared);
  matrix_input& b = is_square ? a : other;
  for (const matrix_input* x : {&a, &b})
    if (!is_square && x->names.named())
      throw error(fault_code::bad_input,
                  fmt::format("{}: its vertices have names, and a product goes by numbers: give matrices "
                              "(kleene convert writes .npy, --write-names the names of its vertices)",
                              x->path));
  if (!is_square) require_same_numbers(a, b);
  if (a.cols() != b.rows())
    throw shape_error(
        fmt::format("{}: A is {} x {}, and B ({}) is {} x {}: a product needs as many columns of A as rows of B",
                    a.place.empty() ? a.path : a.place, a.rows(), a.cols(), b.path, b.rows(), b.cols()));
  const std::string algebra = shared.algebra_name();
  if (!shared.dtype.empty()) {
    note_rounding(shared, a.path, a.integers(), shared.dtype);
    if (!is_square) note_rounding(shared, b.path, b.integers(), shared.dtype);
  }
  const std::string dtype =
      !shared.dtype.empty() ? shared.dtype : common_type(a.natural_type(algebra, 2), b.natural_type(algebra, 2));
  dispatch<product_algebras>(algebra, dtype, [&]<class S>(S s) {
    require_product_memory({a.rows(), b.cols(), a.cols()}, sizeof(value_of<S>), sizeof(result_of<S>),
                           !flags.witness.empty());
    const auto left = take_matrix(a, rules_of<S>());
    if (is_square) return multiply_and_print(s, ctx, shared, flags, left, left);
    multiply_and_print(s, ctx, shared, flags, left, take_matrix(b, rules_of<S>()));
  });
}

}  // namespace

void run_gemm(const shared_flags& shared, const gemm_flags& flags) {
  require_one_process("gemm");
  shared_flags on_first = shared;  // of several devices
  on_first.device = first_device(shared.device);
  if (on_first.device != shared.device && !flags.witness.empty())
    throw error(fault_code::usage, "--witness is for one device, and --device names several");
  context ctx = make_context(on_first);
  if (flags.witness.empty()) require_algebra(product_algebras::need, shared.algebra_name(), shared.dtype);
  else require_algebra(witness_algebras::need, shared.algebra_name(), shared.dtype);
  const bool generates = flags.size >= 0 || !flags.shape.empty();
  if (generates == !flags.files.empty() || (!generates && flags.files.size() != 2))
    throw error(fault_code::usage, "gemm takes two files A B, or one of --size N and --shape MxNxK");
  std::vector<named_file> inputs;
  for (const std::string& file : flags.files) inputs.push_back({"FILES", file});
  require_outputs(shared, {{"--out", flags.out}, {"--witness", flags.witness}}, inputs);
  require_npy_name("--out", flags.out);
  require_npy_name("--witness", flags.witness);
  if (generates) run_generated(shared, flags, ctx);
  else run_files(shared, flags, ctx);
}

}  // namespace kleene::cli
