// The part of the standard library that Kleene's device code uses, and what its host code has in the same headers, as
// far as declarations of device code name it. libc++'s for CUDA would do, but it comes with the toolkit or one more
// wheel, and reading it takes NVRTC four times as long as all of ours.
#include "gpu/nvrtc.hpp"

namespace kleene::nvrtc {

namespace {

constexpr const char* types = R"(#pragma once
namespace std {
using size_t = decltype(sizeof(0));
using ptrdiff_t = long;
using nullptr_t = decltype(nullptr);
enum class byte : unsigned char {};
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;

template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  using type = integral_constant;
  constexpr operator T() const { return V; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <class A, class B> inline constexpr bool is_same_v = false;
template <class A> inline constexpr bool is_same_v<A, A> = true;
template <bool Condition, class A, class B> struct conditional { using type = A; };
template <class A, class B> struct conditional<false, A, B> { using type = B; };
template <bool Condition, class A, class B> using conditional_t = typename conditional<Condition, A, B>::type;
template <bool Condition, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool Condition, class T = void> using enable_if_t = typename enable_if<Condition, T>::type;

template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_volatile { using type = T; };
template <class T> struct remove_volatile<volatile T> { using type = T; };
template <class T> using remove_cv_t = typename remove_volatile<remove_const_t<T>>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T> struct remove_pointer { using type = T; };
template <class T> struct remove_pointer<T*> { using type = T; };
template <class T> struct remove_pointer<T* const> { using type = T; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;

template <class T, class... Of> inline constexpr bool is_one_of = (is_same_v<remove_cv_t<T>, Of> || ...);
template <class T> inline constexpr bool is_integral_v =
    is_one_of<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
              long long, unsigned long long>;
template <class T> inline constexpr bool is_floating_point_v = is_one_of<T, float, double>;
template <class T> inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T> inline constexpr bool is_unsigned_v = false;
template <class T> requires is_integral_v<T> inline constexpr bool is_unsigned_v<T> = T(-1) > T(0);
template <class T> inline constexpr bool is_empty_v = __is_empty(T);
template <class T> inline constexpr bool is_trivial_v = __is_trivial(T);
template <class T> inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T> inline constexpr bool is_trivially_copy_constructible_v = __is_trivially_constructible(T, const T&);
template <class T> inline constexpr bool is_trivially_destructible_v = __has_trivial_destructor(T);
template <class T, class... From> inline constexpr bool is_constructible_v = __is_constructible(T, From...);
template <class T> inline constexpr bool is_default_constructible_v = __is_constructible(T);
template <class T> inline constexpr bool is_copy_assignable_v = __is_assignable(T&, const T&);

template <class T> T&& declval() noexcept;
template <class F, class... A> inline constexpr bool is_invocable_v = requires { declval<F>()(declval<A>()...); };
template <class A, class B> using common_type_t = remove_cvref_t<decltype(true ? declval<A>() : declval<B>())>;
template <class T> constexpr T&& forward(remove_reference_t<T>& x) { return static_cast<T&&>(x); }
template <class T> constexpr remove_reference_t<T>&& move(T&& x) { return static_cast<remove_reference_t<T>&&>(x); }

template <class A, class B> concept same_as = is_same_v<A, B> && is_same_v<B, A>;
template <class A, class B> concept convertible_to = __is_convertible_to(A, B);
template <class T> concept integral = is_integral_v<T>;
template <class T> concept unsigned_integral = is_unsigned_v<T>;
template <class T> concept floating_point = is_floating_point_v<T>;
}  // namespace std
using std::uintptr_t;
)";

constexpr const char* numbers = R"(#pragma once
#include <type_traits>
namespace std {
using ::memcpy;
template <class To, class From> constexpr To bit_cast(const From& x) { return __builtin_bit_cast(To, x); }

template <class T> struct numeric_limits { static constexpr bool has_infinity = false, has_quiet_NaN = false; };
template <class T> requires is_integral_v<T>
struct numeric_limits<T> {
  static constexpr bool has_infinity = false, has_quiet_NaN = false;
  static constexpr T max() { return is_unsigned_v<T> ? T(-1) : T((1ull << (8 * sizeof(T) - 1)) - 1); }
  static constexpr T lowest() { return is_unsigned_v<T> ? T(0) : T(-max() - 1); }
  static constexpr T min() { return lowest(); }
};
template <> struct numeric_limits<float> {
  static constexpr bool has_infinity = true, has_quiet_NaN = true;
  static constexpr float infinity() { return bit_cast<float>(0x7f800000u); }
  static constexpr float quiet_NaN() { return bit_cast<float>(0x7fc00000u); }
  static constexpr float max() { return bit_cast<float>(0x7f7fffffu); }
  static constexpr float min() { return bit_cast<float>(0x00800000u); }
  static constexpr float lowest() { return -max(); }
};
template <> struct numeric_limits<double> {
  static constexpr bool has_infinity = true, has_quiet_NaN = true;
  static constexpr double infinity() { return bit_cast<double>(0x7ff0000000000000ull); }
  static constexpr double quiet_NaN() { return bit_cast<double>(0x7ff8000000000000ull); }
  static constexpr double max() { return bit_cast<double>(0x7fefffffffffffffull); }
  static constexpr double min() { return bit_cast<double>(0x0010000000000000ull); }
  static constexpr double lowest() { return -max(); }
};

template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> constexpr T gcd(T a, T b) { return b == 0 ? a : gcd(b, T(a % b)); }

using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow; using ::fma;
using ::fmin; using ::fmax;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::sin; using ::cos; using ::tan; using ::sinh; using ::cosh; using ::tanh; using ::atan2;
using ::floor; using ::ceil; using ::trunc; using ::round; using ::isnan; using ::isinf; using ::isfinite;
}  // namespace std
#ifndef INFINITY
#define INFINITY (std::numeric_limits<float>::infinity())
#endif
)";

// std::array and std::optional lie in memory as those of the host do: arguments of kernels have them. Strings are
// declared, since functions of the host give them.
constexpr const char* holders = R"(#pragma once
#include <type_traits>
namespace std {
template <class T, size_t N>
struct array {
  T elements[N];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
};
template <class T> struct tuple_size;
template <size_t I, class T> struct tuple_element;
template <class T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <class T, size_t N> struct tuple_size<const array<T, N>> : integral_constant<size_t, N> {};
template <size_t I, class T, size_t N> struct tuple_element<I, array<T, N>> { using type = T; };
template <size_t I, class T, size_t N> struct tuple_element<I, const array<T, N>> { using type = const T; };
template <size_t I, class T, size_t N> constexpr T& get(array<T, N>& a) { return a.elements[I]; }
template <size_t I, class T, size_t N> constexpr const T& get(const array<T, N>& a) { return a.elements[I]; }

template <class T>
struct optional {
  T value;
  bool has_value;
};

struct string {
  string(const char*);
};
}  // namespace std
)";

// Of headers of the host's: what arguments of kernels are made of.
constexpr const char* views = R"(#pragma once
#include <cstdint>
namespace kleene {
using index_t = std::int64_t;
}
)";
constexpr const char* contexts = R"(#pragma once
namespace kleene {
enum class instruction_set : int { baseline };
}
)";
constexpr const char* grids = R"(#pragma once
namespace kleene::gpu {
unsigned grid_of(long blocks);
}
)";
constexpr const char* tensor_maps = R"(#pragma once
struct CUtensorMap;
)";
constexpr const char* nothing = "#pragma once\n";

constexpr const char* is_types = "#include \"kleene/nvrtc/types\"\n";
constexpr const char* is_numbers = "#include \"kleene/nvrtc/numbers\"\n";
constexpr const char* is_holders = "#include \"kleene/nvrtc/holders\"\n";

}  // namespace

const std::vector<header>& headers() {
  static const std::vector<header> all{{"kleene/nvrtc/types", types},
                                       {"kleene/nvrtc/numbers", numbers},
                                       {"kleene/nvrtc/holders", holders},
                                       {"type_traits", is_types},
                                       {"concepts", is_types},
                                       {"cstdint", is_types},
                                       {"cstddef", is_types},
                                       {"utility", is_types},
                                       {"limits", is_numbers},
                                       {"cmath", is_numbers},
                                       {"numeric", is_numbers},
                                       {"algorithm", is_numbers},
                                       {"bit", is_numbers},
                                       {"cstring", is_numbers},
                                       {"array", is_holders},
                                       {"optional", is_holders},
                                       {"string", is_holders},
                                       {"kleene/data/view.hpp", views},
                                       {"kleene/data/context.hpp", contexts},
                                       {"kleene/gpu/host/grid.hpp", grids},
                                       {"cuda.h", tensor_maps},
                                       {"cuda_runtime.h", nothing},
                                       {"nv/target", nothing}};
  return all;
}

}  // namespace kleene::nvrtc
