// A semiring that is known only when the program runs: its C++ text, compiled by the machine's compiler to the same
// kernels that a struct of yours would get (gemm.inl.hpp), for CUDA devices by NVRTC (gemm.inl.cuh).
//
//   const run_time_ring<float> trust({.name = "trust",
//                                     .add = "a < b ? b : a",
//                                     .mul = "a + b > 1 ? a + b - 1 : 0",
//                                     .zero = "0",
//                                     .one = "1",
//                                     .is_selective = true,
//                                     .in_domain = "0 <= v && v <= 1"});
//   gemm(ctx, trust, a, b, c);                   // also with a witness, and options; on a device if ctx and they are
//   closure_info info = closure(ctx, trust, d);  // also with predecessors
//
// Contract
//   text       add and mul are expressions of a and b, in_domain of v (empty: all is welcome), zero and one without
//              arguments, of the element type T (float, double, int or std::int64_t), whose integers wrap around. one
//              may be empty; then there is no closure. kleene::ops and <cmath> may be used; "kleene::ops::max{}(a, b)"
//              is one instruction on a device, "a < b ? b : a" two. The facts are believed: a wrong one gives wrong
//              results. The text is compiled as it is: take it from nobody who may not run programs on the machine.
//   compiler   the first product and the first closure each take seconds, with $CXX, else g++, else clang++; what is
//              made is kept on disk by text, compiler and library, where later processes find it (KLEENE_CACHE, else
//              kleene in XDG_CACHE_HOME, else ~/.cache/kleene). Processes may do so at once. Needs the headers and the
//              archive of this library: by compile_options, else where it was built, as long as that is there, else
//              where it was installed.
//   devices    on a CUDA context kernels are compiled by NVRTC, which needs the headers alone, once for a kind of
//              device and a kind of call: large products, small ones, few tiles, with a witness, closures. It is opened
//              when it is needed: the toolkit's, or that of the wheel nvidia-cuda-nvrtc (compile_options,
//              KLEENE_NVRTC_LIBRARY).
//   calls      as gemm and closure over other algebras, with run_time_product_options: accumulate and check_domain, no
//              alpha, beta, mask, source, epilogue, progress or explanation. Of a CPU context the number of threads
//              counts. On a device closures are of idempotent rings, without predecessors. Copies share what was
//              compiled; a ring may be used by several threads.
//   errors     error(usage): no compiler, or one that refuses the text, with what it says; no headers or archive.
//              error(internal), error(device): what was made cannot be loaded. Those of gemm and closure;
//              argument_error for what devices do not have.
#pragma once

#include "kleene/operations/closure.hpp"
#include "kleene/operations/gemm.hpp"
#include "kleene/operations/own/plain/requests.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace kleene {

struct ring_text {
  std::string name;  // letters, digits and _
  std::string add, mul, zero, one{};
  bool is_idempotent = false, is_selective = false;  // what is selective is idempotent
  bool is_commutative = false, is_distributive = true;
  std::string in_domain{};
  // min_plus, max_plus, min_times, max_times, min_max or max_min, where zero, add and mul are that algebra's: devices
  // then take its instructions (concepts.hpp).
  std::string computes_as{};
};

// What is empty is found as the contract says.
struct compile_options {
  std::string compiler{};              // a command, "g++ -march=native" say
  std::vector<std::string> headers{};  // folders that hold kleene/
  std::string library{};               // libkleene.a, or libkleene_cpu.a of a build with CUDA
  std::string cache{};                 // a folder; made if need be
  std::string nvrtc{};                 // libnvrtc.so, for devices
};

class ring_on_device;

namespace detail {

class compiled_ring {
 public:
  compiled_ring(const ring_text& text, const char* type, const compile_options& options);
  ~compiled_ring();
  const ring_text& text() const { return text_; }
  void run(const context& ctx, plain::product request);
  closure_info run(const context& ctx, plain::closures request, const closure_options& options);
  void compile_for_cuda(int capability);

 private:
  struct part;
  ring_text text_;
  std::string type_;
  compile_options options_;
  std::unique_ptr<part> gemm_, closure_;
  std::unique_ptr<ring_on_device> device_;
};

// A matrix or a batch.
template <class V>
plain::array array_of(const V& v) {
  plain::array a{const_cast<void*>(static_cast<const void*>(v.data())), {1, 1, 1}, {0, 0, 0}};
  for (int r = 0; r < V::rank; ++r) a.extents[3 - V::rank + r] = v.extent(r), a.strides[3 - V::rank + r] = v.stride(r);
  return a;
}

}  // namespace detail

template <class T>
class run_time_ring {
 public:
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
                    std::is_same_v<T, std::int64_t>,
                "elements of a ring at run time are float, double, int or std::int64_t");
  using value_type = T;

  explicit run_time_ring(const ring_text& text, const compile_options& options = {})
      : compiled_(std::make_shared<detail::compiled_ring>(text, type_name_of(), options)) {}
  const ring_text& text() const { return compiled_->text(); }
  detail::compiled_ring& compiled() const { return *compiled_; }

  // Has all that calls need on devices of a compute capability (90 for 9.0) compiled and kept, where there may be
  // none: half a minute. error(usage) as above.
  void compile_for_cuda(int capability) const { compiled_->compile_for_cuda(capability); }

 private:
  static const char* type_name_of() {
    if constexpr (std::is_same_v<T, float>) return "float";
    else if constexpr (std::is_same_v<T, double>) return "double";
    else return sizeof(T) == 4 ? "std::int32_t" : "std::int64_t";
  }
  std::shared_ptr<detail::compiled_ring> compiled_;
};

struct run_time_product_options {
  bool accumulate = false;  // C = A B (+) C
  bool check_domain = true;
};

namespace detail {

template <class A, class B, class C>
plain::product product_of(const context& ctx, A& a, B& b, C& c, const run_time_product_options& options) {
  require_reach(ctx, "A", a), require_reach(ctx, "B", b), require_reach(ctx, "C", c);
  plain::product p{array_of(as_view(a)), array_of(as_view(b)), array_of(as_view(c))};
  if (options.accumulate) p.source = p.c;
  p.check_domain = options.check_domain;
  return p;
}

}  // namespace detail

// C = A B of matrices or batches.
template <class T, detail::viewable_as<T> A, detail::viewable_as<T> B, detail::viewable_as<T> C>
void gemm(const context& ctx, const run_time_ring<T>& ring, A&& a, B&& b, C&& c,
          run_time_product_options options = {}) {
  ring.compiled().run(ctx, detail::product_of(ctx, a, b, c, options));
}

// The same with the smallest k that gave each element.
template <class T, detail::viewable_as<T> A, detail::viewable_as<T> B, detail::viewable_as<T> C,
          detail::viewable_as<std::int32_t> W>
void gemm(const context& ctx, const run_time_ring<T>& ring, A&& a, B&& b, C&& c, W&& witness,
          run_time_product_options options = {}) {
  auto product = detail::product_of(ctx, a, b, c, options);
  detail::require_reach(ctx, "the witness", witness);
  product.witness = detail::array_of(as_view(witness));
  ring.compiled().run(ctx, product);
}

// A* in place, of one matrix.
template <class T, detail::viewable_as<T> A>
closure_info closure(const context& ctx, const run_time_ring<T>& ring, A&& a, closure_options options = {}) {
  detail::require_reach(ctx, "A", a);
  return ring.compiled().run(ctx, {.a = detail::array_of(as_view(a))}, options);
}

template <class T, detail::viewable_as<T> A, detail::viewable_as<std::int32_t> P>
closure_info closure(const context& ctx, const run_time_ring<T>& ring, A&& a, P&& predecessors,
                     closure_options options = {}) {
  detail::require_reach(ctx, "A", a), detail::require_reach(ctx, "the predecessors", predecessors);
  return ring.compiled().run(
      ctx, {.a = detail::array_of(as_view(a)), .predecessors = detail::array_of(as_view(predecessors))}, options);
}

}  // namespace kleene
