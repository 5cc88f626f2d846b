#include "no_arc.hpp"

#include "dispatch.hpp"
#include "labels.hpp"
#include "refused_line.hpp"
#include "session.hpp"
#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace kleene::cli {

namespace {

// What no path is in an algebra over T, and what costs nothing there; whether it chooses between paths.
template <class T>
struct algebra_ends {
  T zero = std::numeric_limits<T>::max(), one{};
  bool chooses = false;
};
template <class T>
algebra_ends<T> ends_of(const std::string& algebra) {
  algebra_ends<T> ends;
  with_algebra(algebra, type_name<T>, [&](auto s) {
    using S = decltype(s);
    ends.zero = static_cast<T>(S::zero());
    ends.chooses = is_selective<S>;
    if constexpr (full_semiring<S>) ends.one = static_cast<T>(S::one());
  });
  return ends;
}

// What means that there is no arc in a dense matrix of T.
template <class T>
T no_arc(const input_flags& flags, T zero, const io::dense_facts& facts) {
  const std::string& word = flags.no_arc;
  if (word.empty()) return facts.truths ? T(0) : zero;
  if (word == "max") return facts.largest > 0 ? static_cast<T>(facts.largest) : std::numeric_limits<T>::max();
  T value{};
  const auto [stop, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (wrong != std::errc{} || stop != word.data() + word.size())
    throw error(fault_code::usage, fmt::format("--no-arc {}: the matrix in {} is of {}, which has no such number", word,
                                               flags.file, type_name<T>));
  return value;
}

// The least positive one of those below.
constexpr std::int32_t least_sentinel = std::numeric_limits<std::int32_t>::max() / 2;
// Whether a number is one that stands for no path in files, and is hardly ever a weight.
bool means_no_path(std::int64_t value) {
  constexpr auto i32_most = std::int64_t{std::numeric_limits<std::int32_t>::max()};
  constexpr auto i64_most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t most : {i32_most, i64_most})
    if (value == most || value == -most - 1 || value == most / 2 || value == -(most / 2)) return true;
  return value == std::int64_t{std::numeric_limits<std::uint32_t>::max()};
}
bool means_no_path(float value) { return value == std::numeric_limits<float>::max(); }
bool means_no_path(double value) {
  if (value == std::numeric_limits<double>::max()) return true;
  return value < 3.5e38 && means_no_path(static_cast<float>(value));  // 3.4028235e+38 is the largest float, as text
}
bool means_no_path(std::int32_t value) { return means_no_path(std::int64_t{value}); }
// The types in which such a number can be a weight.
template <class T>
const char* types_for(T value) {
  return std::abs(static_cast<double>(value)) <= 0x1p63 ? "i64 or f64" : "f64";
}

template <class T>
bool is_finite(T value) {
  if constexpr (std::is_integral_v<T>) return true;
  else return std::isfinite(value);
}
template <class T>
bool is_same(T a, T b) {
  return a == b || (a != a && b != b);  // NaN equals nothing
}

// --no-arc as it takes a number, which may have a sign.
template <class T>
std::string flag_for(T value) {
  return fmt::format("--no-arc{}{}", value < 0 ? "=" : " ", value);
}

template <class T>
std::string minus_one_words(T absent) {
  return fmt::format("and no other element is negative: does it mean no arc (--no-arc -1), or is it a weight ({})?",
                     flag_for(absent));
}

// Whole numbers of which all between two vertices are 0 or 1, and of either kind, say which of them an arc joins: the
// place of the first 0; -1 of other matrices, and of those in which something else means no arc.
template <class T>
index_t first_zero_of_truths(const matrix<T>& m, T absent) {
  index_t zeros = 0, ones = 0, first = -1;
  if (!std::is_integral_v<T> || std::find(m.data(), m.data() + m.size(), absent) != m.data() + m.size()) return -1;
  for (index_t e = 0; e < m.size(); ++e) {
    const T value = m.data()[e];
    if (e / m.cols() == e % m.cols()) continue;
    if (value != 0 && value != 1) return -1;
    value == 0 ? ++zeros : ++ones;
    if (value == 0 && first < 0) first = e;
  }
  return zeros > 0 && ones > 0 ? first : -1;
}
template <class T>
std::string zero_words(T absent) {
  return fmt::format(
      "and all others between two vertices are 0 or 1: does 0 mean no arc (--no-arc 0), or is it a "
      "weight ({})?",
      flag_for(absent));
}

template <class T>
class dense_reader {
 public:
  dense_reader(const io::dense_file& dense, const matrix<T>& m, const input_flags& flags, const std::string& algebra)
      : dense_(dense),
        m_(m),
        flags_(flags),
        algebra_(algebra),
        ends_(ends_of<T>(algebra)),
        absent_(no_arc(flags, ends_.zero, dense.facts)) {}

  using weight = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  coo<weight> arcs() const {
    coo<weight> list{m_.rows(), m_.cols(), {}, {}, {}};
    index_t minus_ones = 0, first_row = 0, first_col = 0;
    bool other_negatives = false;
    for (index_t i = 0; i < m_.rows(); ++i)
      for (index_t j = 0; j < m_.cols(); ++j) {
        const T value = m_(i, j);
        if (is_same(value, absent_)) continue;
        if (!(value >= 0 && value < T(least_sentinel))) {  // which few elements are
          if (!is_finite(value) && value == ends_.zero) continue;
          const bool is_one = value == ends_.one && (i == j || !flags_.no_arc.empty());
          if (!is_finite(value) && !is_one) refuse_infinite(value, i, j);
          if (flags_.no_arc.empty() && means_no_path(value) && !is_one) refuse_no_path(value, i, j);
          if (value == T(-1) && minus_ones++ == 0) first_row = i, first_col = j;
          other_negatives |= value < 0 && value != T(-1);
        }
        list.add(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), static_cast<weight>(value));
      }
    if (flags_.no_arc.empty() && minus_ones > 0 && !other_negatives)
      refuse(T(-1), first_row, first_col, minus_one_words(absent_));
    if (flags_.no_arc.empty() && !dense_.facts.truths)
      if (const index_t zero = first_zero_of_truths(m_, absent_); zero >= 0)
        refuse(T(0), zero / m_.cols(), zero % m_.cols(), zero_words(absent_));
    return list;
  }

  std::string description(const coo<weight>& arcs) const {
    if (flags_.no_arc.empty() && dense_.facts.truths) return "a matrix of bool, in which False means no arc";
    if (flags_.no_arc.empty() && arcs.entries() == m_.size() && std::ranges::count(arcs.value, weight{0}) > 0)
      return fmt::format("a matrix of {}, in which every element is an arc, zeros too (--no-arc 0 if 0 means none)",
                         type_name<T>);
    return fmt::format("a matrix of {}, in which {} means no arc", type_name<T>, absent_);
  }

 private:
  [[noreturn]] void refuse(T value, index_t i, index_t j, const std::string& what) const {
    const std::string place =
        dense_.format == "Matrix Market" ? place_of(flags_.file, static_cast<double>(value)) : flags_.file;
    throw value_error(fmt::format("{}: element ({}, {}) is {}, {}", place, i + dense_.first_vertex,
                                  j + dense_.first_vertex, value, what));
  }
  [[noreturn]] void refuse_infinite(T value, index_t i, index_t j) const {
    if (value != value) refuse(value, i, j, "which is no number (--no-arc nan: there is no arc)");
    refuse(value, i, j,
           fmt::format("and {} means no arc in {}: if this means none, say so ({}); no weight is infinite", absent_,
                       algebra_, flag_for(value)));
  }
  [[noreturn]] void refuse_no_path(T value, index_t i, index_t j) const {
    refuse(value, i, j,
           fmt::format("which stands for \"no path\" in many files, and {} means no arc here: say which of them does "
                       "({}, or {}, and the other is a weight)",
                       absent_, flag_for(value), flag_for(absent_)));
  }

  const io::dense_file& dense_;
  const matrix<T>& m_;
  const input_flags& flags_;
  const std::string& algebra_;
  algebra_ends<T> ends_;
  T absent_;
};

}  // namespace

io::graph_file graph_of_dense(const io::dense_file& dense, const input_flags& flags, const std::string& algebra) {
  io::graph_file graph;
  std::visit(
      [&](const auto& m) {
        using T = typename std::remove_cvref_t<decltype(m)>::value_type;
        if (m.rows() != m.cols())
          throw shape_error(fmt::format("{}: a graph is a square matrix, and this one is {} x {}", dense.facts.place,
                                        m.rows(), m.cols()));
        require_memory(static_cast<double>(m.size()) * 16, fmt::format("{}: the arcs of a dense matrix", flags.file));
        const dense_reader<T> reader(dense, m, flags, algebra);
        auto arcs = reader.arcs();
        graph.description = reader.description(arcs);
        graph.vertices = m.rows();
        graph.arcs = arcs.entries();
        graph.edges = std::move(arcs);
      },
      dense.values);
  graph.format = dense.format;
  graph.first_vertex = dense.first_vertex;
  return graph;
}

void refuse_no_path_elements(const matrix_input& input, const std::string& algebra) {
  std::visit(
      [&]<class M>(const M& m) {
        using T = typename M::value_type;
        if constexpr (std::is_same_v<M, matrix<T>>) {
          const algebra_ends<T> ends = ends_of<T>(algebra);
          const auto refuse = [&](index_t e, const std::string& what) {
            const T value = m.data()[e];
            throw value_error(fmt::format("{}: element ({}, {}) is {}, {}",
                                          place_of(input.path, static_cast<double>(value)),
                                          input.names.text(e / m.cols()), input.names.text(e % m.cols()), value, what));
          };
          if (!ends.chooses) return;
          index_t minus_one = -1;
          bool other_negatives = false;
          for (index_t e = 0; e < m.size(); ++e) {
            const T value = m.data()[e];
            if (value == ends.zero) continue;
            if (means_no_path(value) && value != ends.one)
              refuse(e, fmt::format("which stands for \"no path\" in many files: say so ({}), or say the type if it is "
                                    "a number (--dtype {})",
                                    flag_for(value), types_for(value)));
            if (value == T(-1) && minus_one < 0) minus_one = e;
            other_negatives |= value < 0 && value != T(-1);
          }
          if (minus_one >= 0 && !other_negatives) refuse(minus_one, minus_one_words(ends.zero));
          if (const index_t zero = first_zero_of_truths(m, ends.zero); zero >= 0) refuse(zero, zero_words(ends.zero));
        }
      },
      input.values);
}

namespace {

// Whether there is an arc from each of at least three vertices to each other one.
bool has_all_pairs(const auto& arcs, index_t n) {
  const std::size_t rows = static_cast<std::size_t>(n), pairs = rows * (rows - 1);
  if (n < 3 || arcs.value.size() < pairs) return false;
  std::vector<bool> is_there(rows * rows);
  std::size_t found = 0;
  for (std::size_t e = 0; e < arcs.value.size(); ++e) {
    const std::size_t at = static_cast<std::size_t>(arcs.row[e]) * rows + static_cast<std::size_t>(arcs.col[e]);
    if (arcs.row[e] == arcs.col[e] || is_there[at]) continue;
    is_there[at] = true;
    ++found;
  }
  return found == pairs;
}

}  // namespace

void refuse_no_path_weights(const io::graph_file& graph, const std::string& path) {
  std::visit(
      [&](const auto& arcs) {
        const auto refuse = [&](std::size_t e, const std::string& why) {
          const labels names(graph.names, graph.first_vertex);
          const std::string place =
              place_of({path, graph.format, names}, arcs.row[e], arcs.col[e], static_cast<double>(arcs.value[e]));
          throw value_error(fmt::format(
              "{}: arc {} -> {} has weight {}, {}: leave such lines out, or say the type if "
              "it is a weight (--dtype {})",
              place, names.text(arcs.row[e]), names.text(arcs.col[e]), arcs.value[e], why, types_for(arcs.value[e])));
        };
        std::size_t minus_one = arcs.value.size();
        bool other_negatives = false;
        for (std::size_t e = 0; e < arcs.value.size(); ++e) {
          const auto value = arcs.value[e];
          if (means_no_path(value)) refuse(e, "which stands for \"no path\" in many files");
          if (value == -1) minus_one = std::min(minus_one, e);
          else other_negatives |= value < 0;
        }
        if (minus_one < arcs.value.size() && !other_negatives && has_all_pairs(arcs, graph.vertices))
          refuse(minus_one, "which seems to stand for \"no path\" in this list of all pairs");
      },
      graph.edges);
}

}  // namespace kleene::cli
