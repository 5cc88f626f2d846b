#include "results.hpp"

#include "kleene/data/matrix.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/io/parquet.hpp"
#include "session.hpp"
#include "text.hpp"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

namespace kleene::cli {

namespace {

bool has_suffix(const std::string& path) {
  const std::size_t name = path.find_last_of('/') + 1, dot = path.find_last_of('.');
  return dot != path.npos && dot > name;
}

bool goes_to_terminal(const std::string& path) {
  return io::atomic_file::is_standard_output(path) && ::isatty(STDOUT_FILENO) == 1;
}

template <class T>
std::string digits(T value) {
  char text[32];
  if constexpr (std::is_same_v<T, bool>) return value ? "1" : "0";
  else return {text, std::to_chars(text, text + sizeof text, value == 0 ? T(0) : value).ptr};  // of -0.0 no sign
}

template <class T>
bool is_negative(T value) {
  if constexpr (std::is_same_v<T, bool>) return false;
  else return value < 0;
}

// The value that stands for none; nothing: it is left out, or infinite where the type has no infinity.
template <class T>
std::optional<T> absent_value(const result_request& request, T absent) {
  switch (request.absent) {
    case absent_choice::largest:
      return std::numeric_limits<T>::max();
    case absent_choice::minus_one:
      return T(-1);
    case absent_choice::infinity:
      if (std::is_integral_v<T>) return {};
      return std::numeric_limits<T>::infinity();
    case absent_choice::by_format:
      break;
  }
  const bool left_out = request.format != result_format::npy && !request.rows;
  if (left_out || (std::is_integral_v<T> && absent != 0 && request.format != result_format::npy)) return {};
  return absent;
}

// What is infinitely far: +inf where that was asked for, else on the side of the algebra's own.
template <class T, class Absent>
T infinity(const result_request& request, Absent absent) {
  const bool below = request.absent == absent_choice::by_format && is_negative(absent);
  return (below ? T(-1) : T(1)) * std::numeric_limits<T>::infinity();
}

// An integer that is an infinity: 1 or -1, else 0.
template <class T>
int infinite_sign(const result_matrix<T>& result, T value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    if (value == result.one && !(value == result.absent)) {
      if (value == std::numeric_limits<T>::max()) return 1;
      if (value == std::numeric_limits<T>::min()) return -1;
    }
  return 0;
}

// A result, between vertices i and j of the matrix, in the type of the file; value_error where that cannot hold it.
template <class Out, class T>
Out as_written(const result_request& request, const result_matrix<T>& result, index_t i, index_t j) {
  const T value = result.values(i, j);
  const Out out = static_cast<Out>(value);
  if constexpr (std::is_integral_v<T> && std::is_floating_point_v<Out>) {
    if (const int sign = infinite_sign(result, value))
      return static_cast<Out>(sign) * std::numeric_limits<Out>::infinity();
    if (static_cast<long double>(out) != static_cast<long double>(value))
      throw value_error(
          fmt::format("{}: a file of f64, for the infinity where there is no path, cannot hold {}, from {} to "
                      "{}, exactly: --absent max keeps integers",
                      request.path, value, result.names->text(result.rows ? (*result.rows)[i] : i),
                      result.names->text(result.cols ? (*result.cols)[j] : j)));
  }
  return out;
}

template <class T>
class result_writer {
 public:
  result_writer(const result_request& request, const result_matrix<T>& result)
      : request_(request),
        result_(result),
        separator_(request.format == result_format::csv   ? ','
                   : request.format == result_format::tsv ? '\t'
                                                          : ' '),
        absent_(absent_value(request, result.absent)),
        absent_text_(absent_text(request, result.absent)) {}

  void write(int threads) const {
    io::atomic_file out(request_.path);
    out.write(head());
    // Some rows at a time: the threads make them text, one after another goes out.
    const index_t rows = result_.values.rows();
    const index_t some =
        std::max<index_t>(1, std::min<index_t>(rows, (index_t{1} << 18) / std::max<index_t>(1, result_.values.cols())));
    std::vector<std::string> text(static_cast<std::size_t>(some));
    std::vector<std::exception_ptr> refused(static_cast<std::size_t>(some));  // the first row's is told, by any thread
    for (index_t first = 0; first < rows; first += some) {
      const index_t count = std::min(some, rows - first);
      task_queue queue;
      run_team(threads > 0 ? threads : default_threads(), [&](const team_member&) {
        for (index_t i; (i = queue.next()) < count;) {
          try {
            text[i] = row(first + i);
          } catch (...) {
            refused[i] = std::current_exception();
          }
        }
      });
      for (index_t i = 0; i < count; ++i) {
        if (refused[i]) std::rethrow_exception(refused[i]);
        out.write(text[i]);
      }
    }
    out.commit();
  }

  // The pairs as typed columns; Out is f64 for an infinity that T does not have.
  template <class Out>
  void write_parquet() const {
    constexpr auto type = std::is_integral_v<Out>      ? io::parquet_values::i64
                          : std::is_same_v<Out, float> ? io::parquet_values::f32
                                                       : io::parquet_values::f64;
    const Out none = absent_ ? static_cast<Out>(*absent_) : infinity<Out>(request_, result_.absent);
    io::parquet_output out(request_.path, result_.names->names(), result_.names->first(),
                           {.value = result_.title, .values = type});
    for (index_t i = 0; i < result_.values.rows(); ++i)
      for (index_t j = 0; j < result_.values.cols(); ++j) {
        if (!listed(i, j)) continue;
        const bool is_none = checked(i, j) == result_.absent;
        out.add(static_cast<std::int32_t>(vertex(i)), static_cast<std::int32_t>(target(j)),
                is_none ? none : as_written<Out>(request_, result_, i, j));
      }
    out.commit();
  }

 private:
  index_t vertex(index_t row) const { return result_.rows ? index_t{(*result_.rows)[row]} : row; }
  index_t target(index_t col) const { return result_.cols ? index_t{(*result_.cols)[col]} : col; }
  bool is_mtx() const { return request_.format == result_format::mtx; }
  std::string name(index_t v) const { return quoted(result_.names->plain(v), separator_); }
  // Whether the pair is written in a list of pairs.
  bool listed(index_t i, index_t j) const {
    if (!is_mtx() && !result_.loops && vertex(i) == target(j)) return false;
    return request_.absent != absent_choice::by_format || !(result_.values(i, j) == result_.absent);
  }

  // The value, which no other is taken for.
  T checked(index_t i, index_t j) const {
    const T value = result_.values(i, j);
    const bool is_taken = absent_ ? value == *absent_ && !(value == result_.absent)
                                  : absent_text_ == "inf" && infinite_sign(result_, value) > 0;
    if (is_taken)
      throw value_error(fmt::format("{}: {} cannot stand for no path, since it is the value from {} to {}",
                                    request_.path, absent_text_, result_.names->text(vertex(i)),
                                    result_.names->text(target(j))));
    return value;
  }
  std::string number(index_t i, index_t j) const {
    const T value = checked(i, j);
    if (value == result_.absent) return absent_text_;
    const bool by_number = request_.absent == absent_choice::largest || request_.absent == absent_choice::minus_one;
    const int sign = is_mtx() || by_number ? 0 : infinite_sign(result_, value);
    return sign == 0 ? digits(value) : sign < 0 ? "-inf" : "inf";
  }

  std::string head() const {
    const index_t rows = result_.values.rows(), cols = result_.values.cols();
    if (is_mtx()) {
      index_t entries = 0;
      for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < cols; ++j) entries += listed(i, j);
      const bool integers = std::is_integral_v<T> && absent_text_ != "inf";
      return fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n", integers ? "integer" : "real", rows,
                         cols, entries);
    }
    if (!request_.rows) return fmt::format("from{0}to{0}{1}\n", separator_, result_.title);
    std::string line = "from";
    for (index_t j = 0; j < cols; ++j) line += separator_ + name(target(j));
    return line + '\n';
  }

  std::string row(index_t i) const {
    std::string text;
    const index_t cols = result_.values.cols();
    if (request_.rows) {
      text = name(vertex(i));
      for (index_t j = 0; j < cols; ++j) (text += separator_) += number(i, j);
      return text += '\n';
    }
    const std::string from = is_mtx() ? digits(i + 1) : name(vertex(i));
    for (index_t j = 0; j < cols; ++j) {
      if (!listed(i, j)) continue;
      ((text += from) += separator_) += is_mtx() ? digits(j + 1) : name(target(j));
      ((text += separator_) += number(i, j)) += '\n';
    }
    return text;
  }

  const result_request& request_;
  const result_matrix<T>& result_;
  char separator_;
  std::optional<T> absent_;
  std::string absent_text_;
};

// A dense matrix, with another number where there is no value; Out is f64 for an infinity that T does not have.
template <class Out, class T>
void write_dense(const result_request& request, const result_matrix<T>& result, Out absent) {
  const auto& v = result.values;
  require_memory(static_cast<double>(v.size()) * sizeof(Out), "the results with another number for no path");
  matrix<Out> copy(v.rows(), v.cols(), uninitialised{});
  for (index_t i = 0; i < v.rows(); ++i)
    for (index_t j = 0; j < v.cols(); ++j) {
      const bool none = v(i, j) == result.absent;
      copy(i, j) = none ? absent : as_written<Out>(request, result, i, j);
      if (!none && copy(i, j) == absent)
        throw value_error(fmt::format("{}: {} cannot stand for no path, since it is the value from {} to {}",
                                      request.path, absent, result.names->text(result.rows ? (*result.rows)[i] : i),
                                      result.names->text(result.cols ? (*result.cols)[j] : j)));
    }
  if (request.format == result_format::npy) io::write_npy(request.path, copy);
  else io::write_matrix_market(request.path, copy);
}

}  // namespace

result_request request_of(const output_flags& flags) {
  result_request request{.path = flags.path};
  if (flags.path.empty()) {
    if (!flags.format.empty() || !flags.layout.empty() || !flags.absent.empty())
      throw error(fault_code::usage, "--format, --layout and --absent say how --out is written: give --out FILE");
    return request;
  }
  const io::format_row* const row = io::row_of_name(flags.path);
  std::string format = flags.format;
  if (format.empty() && row && row->written && flags.path.ends_with(row->suffix)) format = row->suffix.substr(1);
  if (format.empty() && goes_to_terminal(flags.path)) format = "csv";
  if (format.empty() && has_suffix(flags.path))
    throw error(fault_code::usage,
                fmt::format("--out: nothing is written under the suffix of {} (there are {}; --format "
                            "chooses whatever the name)",
                            flags.path, io::written_suffixes()));
  if (format == "csv") request.format = result_format::csv;
  if (format == "tsv") request.format = result_format::tsv;
  if (format == "mtx") request.format = result_format::mtx;
  if (format == "parquet") request.format = result_format::parquet;
  if (request.format == result_format::npy) refuse_npy_on_terminal("--out", flags.path);
  if (flags.layout == "pairs" && request.format == result_format::npy)
    throw error(fault_code::usage, "--layout pairs is for text (.csv, .tsv, .mtx): .npy is the matrix");
  request.rows = flags.layout == "matrix";
  if (request.format == result_format::parquet) {
    if (request.rows)
      throw error(fault_code::usage,
                  "--layout matrix is for text (.csv, .tsv, .mtx): .parquet has a row for each pair");
    require_parquet("--out", request.path);
  }
  if (flags.absent == "inf") request.absent = absent_choice::infinity;
  if (flags.absent == "max") request.absent = absent_choice::largest;
  if (flags.absent == "-1") request.absent = absent_choice::minus_one;
  return request;
}

namespace {

std::string stem(const std::string& path) { return path.substr(0, path.rfind('/') + 1) + file_stem(path); }

}  // namespace

void refuse_npy_on_terminal(const char* flag, const std::string& path) {
  if (goes_to_terminal(path))
    throw error(fault_code::usage,
                fmt::format("{} writes NumPy's format, whose bytes are nothing for a terminal: name a file", flag));
}

void require_npy_name(const char* flag, const std::string& path) {
  refuse_npy_on_terminal(flag, path);
  if (!path.empty() && has_suffix(path) && !path.ends_with(".npy"))
    throw error(fault_code::usage, fmt::format("{} writes NumPy's format: call {} {}.npy", flag, path, stem(path)));
}

void require_svg_name(const char* flag, const std::string& path) {
  if (has_suffix(path) && !path.ends_with(".svg"))
    throw error(fault_code::usage, fmt::format("{} writes SVG: call {} {}.svg", flag, path, stem(path)));
}

void require_table_name(const char* flag, const std::string& path) {
  if (has_suffix(path) && !path.ends_with(".csv") && !path.ends_with(".tsv"))
    throw error(fault_code::usage,
                fmt::format("{}: {} is written as .csv or .tsv, and has another suffix", flag, path));
}

void require_list_name(const char* flag, const std::string& path) {
  if (!path.ends_with(".txt")) require_table_name(flag, path);
}

void require_matrix_market_name(const char* flag, const std::string& path) {
  if (has_suffix(path) && !path.ends_with(".mtx"))
    throw error(fault_code::usage,
                fmt::format("{} writes the Matrix Market format: call {} {}.mtx", flag, path, stem(path)));
}

bool is_parquet_name(const std::string& path) { return path.ends_with(".parquet"); }

void require_pairs_name(const char* flag, const std::string& path) {
  if (is_parquet_name(path)) return require_parquet(flag, path);
  if (has_suffix(path) && !path.ends_with(".csv") && !path.ends_with(".tsv"))
    throw error(fault_code::usage,
                fmt::format("{}: {} is written as .csv, .tsv or .parquet, and has another suffix", flag, path));
}

void require_parquet(const char* flag, const std::string& path) {
  if (io::atomic_file::is_standard_output(path))
    throw error(fault_code::usage,
                fmt::format("{}: Parquet is written to a file with a name, not to standard output", flag));
  if (!io::has_parquet())
    throw error(fault_code::bad_input,
                fmt::format("{}: this build of Kleene has no Apache Arrow, which writes {}", flag, path));
}

std::string quoted(const std::string& name, char separator) {
  const bool plain = !name.empty() && name.find_first_of("\"\n\r") == name.npos && name.find(separator) == name.npos &&
                     name.front() != ' ' && name.back() != ' ' && name.front() != '#' && name.front() != '%';
  if (plain) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

template <class T>
std::string absent_text(const result_request& request, T absent) {
  if (request.absent == absent_choice::by_format && request.format != result_format::npy && !request.rows) return "";
  if (const std::optional<T> value = absent_value(request, absent)) return digits(*value);
  return request.absent == absent_choice::by_format && is_negative(absent) ? "-inf" : "inf";
}

template <class T>
void write_result(const result_request& request, const result_matrix<T>& result, int threads) {
  if (request.is_plain()) return io::write_npy(request.path, result.values);
  const bool dense = request.format == result_format::npy || (request.format == result_format::mtx && request.rows);
  if (request.format == result_format::parquet) {
    const result_writer<T> writer(request, result);
    if (std::is_integral_v<T> && request.absent == absent_choice::infinity)
      return writer.template write_parquet<double>();
    return writer.template write_parquet<std::conditional_t<std::is_integral_v<T>, std::int64_t, T>>();
  }
  if (!dense) return result_writer<T>(request, result).write(threads);
  if (const std::optional<T> value = absent_value(request, result.absent))
    return write_dense<T>(request, result, *value);
  write_dense<double>(request, result, infinity<double>(request, result.absent));
}

#define KLEENE_RESULT(T)                                      \
  template std::string absent_text(const result_request&, T); \
  template void write_result(const result_request&, const result_matrix<T>&, int);
KLEENE_RESULT(bool)
KLEENE_RESULT(float)
KLEENE_RESULT(double)
KLEENE_RESULT(std::int32_t)
KLEENE_RESULT(std::int64_t)
#undef KLEENE_RESULT

}  // namespace kleene::cli
