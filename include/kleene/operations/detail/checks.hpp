// The checks of operations before anything runs: shapes, overlap, domains. Each message names the argument and the
// numbers.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/algebra/concepts.hpp"
#include "kleene/algebra/half.hpp"
#include "kleene/algebra/numbers.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/data/matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace kleene {

namespace detail {

template <class E>
struct element_of_number : stored_as<E> {};
template <class S>
struct element_of_number<number<S>> {
  using type = value_of<S>;
};

template <class M>
concept has_view = requires(M& m) { as_view(m); };
template <has_view M>
inline constexpr int rank_of_view = std::remove_cvref_t<decltype(as_view(std::declval<M&>()))>::rank;
// The elements of an argument, numbers where they are.
template <class M>
using element_of_view = typename std::remove_cvref_t<decltype(as_view(std::declval<M&>()))>::value_type;
template <class M, class T>
concept has_view_of = has_view<M> && std::is_same_v<typename element_of_number<element_of_view<M>>::type, T>;

// Matrices and batches.
template <class M>
concept viewable = has_view<M> && rank_of_view<M> >= 2;
template <class M, class T>
concept viewable_as = viewable<M> && has_view_of<M, T>;

// An argument whose elements are numbers says the algebra by itself.
template <class M>
concept viewable_numbers = viewable<M> && requires {
  requires std::is_same_v<element_of_view<M>, number<typename element_of_view<M>::algebra>>;
};
template <viewable_numbers M>
using algebra_of = typename element_of_view<M>::algebra;
// An argument of an operation over S: values, or numbers of this algebra and no other.
template <class M, class S>
concept viewable_over =
    viewable<M> && (!viewable_numbers<M> || requires { requires std::is_same_v<algebra_of<M>, S>; });

// What a call over S is called in messages about the device.
template <class S>
call_name call_over(const char* operation, const std::array<index_t, 3>& extents, index_t batch = 1) {
  call_name call{.operation = operation, .extents = extents, .batch = batch};
  if constexpr (requires { S::name; }) call.algebra = S::name;
  call.type = type_name<value_of<S>>;
  return call;
}

// Whatever can be read as a vector, matrix or batch of T, as a batch of T: a vector becomes a column, a matrix a batch
// of one, numbers their values.
// The memory space is gone from the type: require_reach looked at it before.
template <class T, class M>
auto as_batch(M& argument) {
  const auto v = as_view(argument);
  using V = std::remove_cvref_t<decltype(v)>;
  using E = typename V::element_type;
  using Value = typename element_of_number<std::remove_const_t<E>>::type;
  static_assert(std::is_same_v<Value, std::remove_const_t<T>>,
                "the element type is not the one the algebra computes on");
  using Out = std::conditional_t<std::is_const_v<E>, const Value, Value>;
  Out* data = reinterpret_cast<Out*>(v.data());
  if constexpr (V::rank == 3) return batch_view<Out>(data, v.extents(), v.strides());
  else if constexpr (V::rank == 1) return batch_view<Out>(data, {1, v.extent(0), 1}, {0, v.stride(0), 1});
  else return batch_view<Out>(data, {1, v.extent(0), v.extent(1)}, {0, v.stride(0), v.stride(1)});
}

// Whether a definitions header is included, which completes Marker: asked where an operation over S is instantiated.
template <class Marker, class S>
inline constexpr bool is_defined = requires { sizeof(Marker); };

// Refusals are functions of the library (src/operations/checks.cpp): what builds a sentence is compiled once.

// Refuses arguments in memory that the context cannot reach; nothing is copied behind the caller's back.
void require_reach(const context& ctx, const char* name, memory space);
// A kernel that reads a bad address makes the device unusable for the whole process, so the driver is asked what memory
// an address is (a microsecond). Null is left to the checks of extents.
void require_address(const context& ctx, const char* name, const void* p);

template <has_view M>
void require_reach(const context& ctx, const char* name, M& argument) {
  require_reach(ctx, name, space_of(argument));
  const auto v = as_view(argument);
  if (!v.empty()) require_address(ctx, name, v.data());
}

using batch_extents = std::array<index_t, 3>;
std::string shape_of(const batch_extents& extents);
template <class T>
std::string shape_of(const batch_view<T>& v) {
  return shape_of(v.extents());
}

// A batch without the type of its elements, for checks that are compiled once. Of a matrix: a batch of one.
struct batch_facts {
  const void* data = nullptr;
  batch_extents extents{}, strides{};
  index_t element = 0;  // bytes
};
template <class T>
batch_facts facts_of(const batch_view<T>& v) {
  return {v.data(), v.extents(), v.strides(), index_t{sizeof(T)}};
}
template <class T>
batch_facts facts_of(const matrix_view<T>& v) {
  return {v.data(), {1, v.rows(), v.cols()}, {0, v.stride(0), v.stride(1)}, index_t{sizeof(T)}};
}
inline bool is_empty(const batch_facts& x) { return x.extents[0] == 0 || x.extents[1] == 0 || x.extents[2] == 0; }
inline bool is_null(const batch_facts& x) { return !x.data && is_empty(x); }

[[noreturn]] void refuse_missing_data(const char* name, index_t rows, index_t cols);

// Integer sums that could leave so many bits: of products of magnitudes up to a and b, in all so many; scaled, or with
// a source added, where that counts among them.
struct wrapping_sums {
  double products, a, b;
  std::size_t bits;
  bool has_alpha = false, has_source = false;
};
[[noreturn]] void refuse_wrapping_sums(const std::string& algebra, const wrapping_sums& of);
[[noreturn]] void refuse_shape(const char* name, const batch_extents& extents, index_t batch, index_t rows,
                               index_t cols);

// A view may have extents and no data; nothing can be read from it.
template <class V>
void require_data(const char* name, const V& v) {
  if (!v.data() && !v.empty()) refuse_missing_data(name, v.rows(), v.cols());
}

// One matrix, or as many as the batch has.
void require_shape(const char* name, const batch_facts& v, index_t batch, index_t rows, index_t cols);
template <class T>
void require_shape(const char* name, const batch_view<T>& v, index_t batch, index_t rows, index_t cols) {
  require_shape(name, facts_of(v), batch, rows, cols);
}

// What its operands are called where a product is refused, and who looks at the elements of A and B on the CPU.
struct product_call {
  const char *a = "A", *b = "B", *c = "C";
  const char* for_cuda = "include operations/own/gemm.inl.cuh and call enable_cuda";
  bool kernels_check = false;
  const char* operation = "gemm";
};

// Refuse shapes that do not fit: A's columns are B's rows, and C has A's rows and B's columns; a witness has as many
// matrices as C, and k fits its type.
void require_product_shapes(const product_call& call, const batch_extents& a, const batch_extents& b,
                            const batch_extents& c);
void require_witness_shape(const product_call& call, const batch_extents& witness, const batch_extents& c, index_t k);

// Whether two elements of such a view share an address. Exact for a matrix. A batch counts as sharing where no order of
// its strides has each go past all that the shorter ones reach.
bool may_share_elements(const batch_extents& extents, const batch_extents& strides);

// An output in which two elements share an address would be a race.
void require_distinct_elements(const char* name, const batch_facts& v);
template <class T>
void require_distinct_elements(const char* name, const batch_view<T>& v) {
  require_distinct_elements(name, facts_of(v));
}

// Whether two batches can share an element. Exact for blocks of one parent matrix (same leading stride, unit inner
// stride, one matrix each); otherwise by address range, which may call interleaved views overlapping.
bool may_overlap(const batch_facts& x, const batch_facts& y);

// Whether each element of one lies where the other's does. A stride along an extent of 1 leads nowhere: NumPy writes 0.
template <class T, class U>
bool is_same_view(const batch_view<T>& x, const batch_view<U>& y) {
  if (static_cast<const void*>(x.data()) != static_cast<const void*>(y.data())) return false;
  for (int r = 0; r < 3; ++r)
    if (x.extent(r) != y.extent(r) || (x.extent(r) > 1 && x.stride(r) != y.stride(r))) return false;
  return true;
}

void require_disjoint(const char* input, const batch_facts& x, const char* output, const batch_facts& y);
template <class T, class U>
void require_disjoint(const char* input, const batch_view<T>& x, const char* output, const batch_view<U>& y) {
  require_disjoint(input, facts_of(x), output, facts_of(y));
}

// Whether n elements in a row lie in the algebra's domain. 64 bytes at a time, each with a sign of its own width, which
// compile to vector code.
template <class S, class T>
bool all_in_domain(const T* first, index_t n) {
  using sign = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;
  constexpr index_t block = std::max<index_t>(64 / sizeof(T), 1);
  index_t at = 0;
  if (n < block) {
    while (at < n && S::in_domain(first[at])) ++at;
    return at == n;
  }
  sign outside[block]{};
  for (; at + block <= n; at += block)
    for (index_t l = 0; l < block; ++l) outside[l] |= static_cast<sign>(!S::in_domain(first[at + l]));
  for (; at < n; ++at) outside[0] |= static_cast<sign>(!S::in_domain(first[at]));
  return std::all_of(outside, outside + block, [](sign s) { return s == 0; });
}

// Every element of v lies in the algebra's domain, or value_error with the first that does not.
template <class S, class T>
void require_domain(const char* name, const batch_view<T>& v) {
  if constexpr (has_domain<S>) {
    const bool whole_rows = v.stride(2) == 1 && (v.rows() == 1 || v.stride(1) == v.cols());
    const bool contiguous = whole_rows && (v.extent(0) == 1 || v.stride(0) == v.rows() * v.cols());
    if (contiguous && all_in_domain<S>(v.data(), v.size())) return;
    for (index_t b = 0; b < v.extent(0); ++b)
      for (index_t i = 0; i < v.rows(); ++i) {
        const T* row = v.data() + b * v.stride(0) + i * v.stride(1);
        if (v.stride(2) == 1 && all_in_domain<S>(row, v.cols())) continue;
        for (index_t j = 0; j < v.cols(); ++j)
          if (const T value = row[j * v.stride(2)]; !S::in_domain(value))
            throw value_error(std::string(name) + "(" + std::to_string(i) + ", " + std::to_string(j) +
                              ") = " + to_text(value) + " is outside the domain of " + name_of<S>());
      }
  }
}

// Of a closure's matrix also NaN is refused.
template <class S>
bool is_welcome(const value_of<S>& value) {
  bool inside = true;
  if constexpr (has_domain<S>) inside = S::in_domain(value);
  return inside & (value == value);
}

// The first row with a value that is NaN or outside the domain; -1: there is none.
template <class S>
index_t unwelcome_row(const matrix_view<const value_of<S>>& a) {
  for (index_t i = 0; i < a.rows(); ++i) {
    const value_of<S>* const row = a.data() + i * a.stride(0);
    bool good = true;
    if (a.stride(1) == 1)  // whole vectors
      for (index_t j = 0; j < a.cols(); ++j) good &= is_welcome<S>(row[j]);
    else
      for (index_t j = 0; j < a.cols(); ++j) good &= is_welcome<S>(row[j * a.stride(1)]);
    if (!good) return i;
  }
  return -1;
}

// Refuses NaN and values outside the domain, with their position: `name` and "row, column)".
template <class S>
void check_values(const matrix_view<const value_of<S>>& a, const std::string& name) {
  const index_t i = unwelcome_row<S>(a);
  for (index_t j = 0; i >= 0 && j < a.cols(); ++j) {
    const value_of<S> value = a(i, j);
    if (is_welcome<S>(value)) continue;
    const std::string place = name + std::to_string(i) + ", " + std::to_string(j) + ")";
    if (!(value == value)) throw value_error(place + " is NaN");
    throw value_error(place + " = " + to_text(value) + " is outside the domain of " + name_of<S>());
  }
}

// The largest magnitude in v.
template <class T>
double largest_magnitude(const batch_view<T>& v) {
  double largest = 0;
  for (index_t b = 0; b < v.extent(0); ++b)
    for (index_t i = 0; i < v.rows(); ++i)
      for (index_t j = 0; j < v.cols(); ++j) largest = std::max(largest, std::abs(static_cast<double>(v(b, i, j))));
  return largest;
}

}  // namespace detail

// A vector (as a column), matrix or batch of T as an option: null where absent. Made from anything that as_view
// accepts.
template <class T>
class operand {
 public:
  operand() = default;
  template <class M>
  requires(!std::is_same_v<std::remove_cvref_t<M>, operand>) && detail::has_view<const M>
  operand(const M& m) : view_(detail::as_batch<const T>(m)), space_(detail::space_of(m)) {}

  const batch_view<const T>& view() const { return view_; }
  memory space() const { return space_; }
  explicit operator bool() const { return !view_.is_null(); }

 private:
  batch_view<const T> view_{};
  memory space_ = memory::host;
};

}  // namespace kleene
