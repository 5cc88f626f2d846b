// One product as every kernel sees it: pointers, extents, strides, and what to do when storing. A plain value; the
// operation above has checked it.
#pragma once

#include "kleene/algebra/signs.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace kleene {

// "No epilogue": the value is stored unchanged. (Also the element type of options that name none.)
struct none {};

// How plus_times over f32 may form its products on a device with tensor cores. full: in f32. tf32: operands keep 11
// bits of their 24. split: each operand is a sum of two such numbers and three of the four products are formed, which
// errs about as much as f32 does; infinite operands give NaN there. And how it may sum: f16_sums, over f16, in f16;
// fast_accumulation, over floats of 8 bits, as tensor cores do by themselves, which keep 14 bits. operations/gemm.hpp
// has the bounds.
enum class float_precision : int { full, split, tf32, f16_sums, fast_accumulation };

namespace kernels {

// Floats of 16 bits between operands of 8 and sums of 32.
template <class S, class Out, class A = accumulator_of<S>>
inline constexpr bool narrows_sums = kleene::detail::is_float<Out> && kleene::detail::is_float<A> &&
                                     sizeof(value_of<S>) < sizeof(Out) && sizeof(Out) < sizeof(A);

// Whether C may hold Out without an epilogue: the algebra's values, its accumulators, f32 in place of the wider
// integers that integers are summed in, or f16 or bf16 in place of the f32 that floats of 8 bits are summed in.
template <class S, class Out, class A = accumulator_of<S>>
inline constexpr bool c_may_hold =
    std::is_same_v<Out, value_of<S>> || std::is_same_v<Out, A> || narrows_sums<S, Out> ||
    (std::is_same_v<Out, float> && std::is_integral_v<A> && !std::is_same_v<A, value_of<S>> && requires(Out x) {
      S::add(x, x);
      S::mul(x, x);
    });

// A lambda with captures as a value that can be made before it is known, and assigned, as kernels' arguments are.
template <class F>
class held_function {
  static_assert(std::is_trivially_copy_constructible_v<F> && std::is_trivially_destructible_v<F>,
                "an epilogue is a plain value: what it captures is trivially copyable");

 public:
  held_function() = default;
  held_function& operator=(const F& f) {
    std::memcpy(bytes_, &f, sizeof f);
    return *this;
  }
  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t row, index_t column) const {
    return reinterpret_cast<const F&>(bytes_)(value, row, column);
  }

 private:
  alignas(F) unsigned char bytes_[sizeof(F)];
};
template <class F>
using held =
    std::conditional_t<std::is_default_constructible_v<F> && std::is_copy_assignable_v<F>, F, held_function<F>>;

// C[b] = epilogue((alpha (x) A[b] B[b]) (+) (beta (x) D[b])), b < batch. A is m x k, B is k x n, the others m x n.
// Strides count elements: {batch, row, column}. Null pointers mean absent. Out is the element type of C.
template <class S, class Epilogue = none, class Out = value_of<S>>
struct gemm_arguments {
  using algebra = S;
  using T = value_of<S>;
  using strides = std::array<index_t, 3>;
  static_assert(!std::is_same_v<accumulator_of<S>, bool>,
                "an algebra over bool adds in a wider type: let it have using accumulator = std::uint8_t");
  static_assert(!std::is_same_v<accumulator_of<S>, long double>, "there are no vectors of long double: take double");
  static_assert(std::is_default_constructible_v<T> && std::is_default_constructible_v<accumulator_of<S>>,
                "elements of a semiring have a default constructor: kernels keep them in arrays");

  // Where C holds sums, D holds such sums too, and all that comes after A B happens in their type: nothing is narrowed
  // (but sums into f16 or bf16, at the end).
  static constexpr bool c_holds_sums = std::is_same_v<Epilogue, none> && !std::is_same_v<Out, T>;
  using source = std::conditional_t<c_holds_sums, Out, T>;  // elements of D
  using combined =
      std::conditional_t<c_holds_sums && !narrows_sums<S, Out>, Out, accumulator_of<S>>;  // what add works on
  using scalar = std::conditional_t<c_holds_sums, combined, scalar_of<S>>;                // alpha and beta
  // Where sums have a wider type than values (the algebra says so by its `scalar`), an epilogue gets the unrounded sum.
  static constexpr bool keeps_sums =
      c_holds_sums || (!std::is_same_v<Epilogue, none> && !std::is_same_v<scalar_of<S>, T>);
  using finished = std::conditional_t<keeps_sums, combined, T>;  // what C, or the epilogue, is given

  index_t batch = 1, m = 0, n = 0, k = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  Out* c = nullptr;
  const source* d = nullptr;
  const bool* mask = nullptr;
  std::int32_t* witness = nullptr;
  // Closures: where given (k x n), an improved element's witness becomes lookup(k, j) and other witnesses stay as they
  // were.
  const std::int32_t* lookup = nullptr;
  strides sa{}, sb{}, sc{}, sd{}, smask{}, switness{}, slookup{};
  const scalar* alpha = nullptr;
  const scalar* beta = nullptr;
  bool mask_complement = false;
  bool replace = false;               // masked-out elements become zero() instead of keeping what C held
  bool check_domain = true;           // CUDA: by the kernels, before C is touched
  std::optional<sign_class> signs{};  // CUDA: promised by the caller
  float_precision precision = float_precision::full;
  held<Epilogue> epilogue{};

  int threads = 1;
  instruction_set isa = instruction_set::baseline;
};

// "gemm min_plus f32 4x4x8 batch 3": how a product is named when it explains itself. type: as type_name has it.
std::string product_text(const std::string& algebra, const char* type, index_t m, index_t n, index_t k, index_t batch);

template <class T>
inline constexpr bool has_epilogue = !std::is_same_v<T, none>;

// An epilogue that reads something for each column may have prepare(column), for even columns: the same function for
// that column and the next, with what it reads for them in registers. Kernels that hold elements in pairs ask for it
// early.
template <class Epilogue>
KLEENE_FUNCTION auto prepared(const Epilogue& epilogue, index_t column) {
  if constexpr (requires { epilogue.prepare(column); }) return epilogue.prepare(column);
  else return epilogue;
}

// Applies an epilogue to a value that C holds as Out. The epilogue may have for_type<Out>(value, row, column): fewer
// instructions, for a result that differs by less than rounding to Out does.
template <class Out, class Epilogue, class V>
KLEENE_FUNCTION auto applied(const Epilogue& epilogue, const V& value, index_t row, index_t column) {
  if constexpr (requires { epilogue.template for_type<Out>(value, row, column); })
    return epilogue.template for_type<Out>(value, row, column);
  else return epilogue(value, row, column);
}

}  // namespace kernels
}  // namespace kleene
