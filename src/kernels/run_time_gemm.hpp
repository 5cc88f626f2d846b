// Products on a CUDA device over a ring that is known only when the program runs: the kernels of gemm/simt, compiled by
// NVRTC for the ring, launched by host code that is compiled once for each element type.
//
//   unit      #include's of gemm/simt, `struct ring` (text_of_unit)
//   parts     what is compiled, kept and loaded together
#pragma once

#include "gpu/nvrtc.hpp"
#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/closure_arguments.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::kernels::cuda {

// Stands for all rings over T where the host needs an algebra: of their functions it knows none.
template <class T>
struct any_ring {
  using value_type = T;
  static constexpr bool is_selective = true;
  static inline thread_local const char* name = "a ring";
  static inline thread_local T not_beta{};
  static T zero() { return not_beta; }  // gemm compares beta with it: the device reads D whatever beta is
  static T add(T a, T b);
  static T mul(T a, T b);
  static bool in_domain(T) { return true; }
};

// For which signs of operands there are kernels beside those for any (algebra/signs.hpp).
struct ring_signs {
  bool non_negative = false, non_positive = false;
};
// Those of an algebra of the library's by its name, which a ring over f32 computes as.
constexpr ring_signs signs_of(std::string_view algebra) {
  for (const char* const known : {"min_plus", "max_plus", "min_times", "max_times", "min_max", "max_min"})
    if (algebra == known) return {true, algebra == "max_plus"};
  return {};
}

struct ring_facts {
  const char* name;  // lives as long as the process: the device reports it
  bool is_selective = false, has_domain = false, has_closure = false;
  ring_signs signs{};
};
// The row for large products.
constexpr workload usual_row_of(std::size_t element, bool is_selective, bool with_witness) {
  const int bytes = static_cast<int>(element);
  return workload_of(bytes, bytes, false, !with_witness && !is_selective, false, with_witness);
}

// What is compiled, kept and loaded together: packing, passes over operands and the last step of split-K; the products
// of a row of tile policies; what closures have beside products.
struct ring_part {
  enum kind_type : int { operands, products, closures } kind = operands;
  workload row{};  // of products
};
inline bool finds_witnesses(workload row) { return row == workload::witness || row == workload::witness_eight_bytes; }
std::vector<std::string> kernels_of(const ring_part& part, const ring_signs& signs);
// All that operations over elements of so many bytes may need.
std::vector<ring_part> parts_of(std::size_t element, const ring_facts& facts);
// The unit of `struct ring`, which is given as text.
std::string text_of_unit(const std::string& ring);
// Assertions for the end of a unit over T, that the device has kernels' arguments as the host does.
template <class T>
std::string assertions_for();

// A ring's kernels on devices; compiled when they are first asked for.
class ring_kernels {
 public:
  explicit ring_kernels(const ring_facts& facts) : facts_(facts) {}
  virtual ~ring_kernels() = default;
  const ring_facts& facts() const { return facts_; }
  // The kernels of a part on a device, in the order of kernels_of, as addresses to launch. error(device), and what
  // code() throws.
  const std::vector<const void*>& of(const ring_part& part, int capability);

 protected:
  // Compiled now, or kept; again: what was kept cannot be loaded.
  virtual nvrtc::compiled code(const ring_part& part, int capability, bool again) = 0;

 private:
  ring_facts facts_;
  std::mutex mutex_;
  std::map<std::array<int, 3>, std::vector<const void*>> loaded_;  // by capability, kind and row
};

// Puts a product on the context's stream. any_ring<T>::name has been set.
template <class T>
void launch_gemm(const context& ctx, const gemm_arguments<any_ring<T>>& g, ring_kernels& ring);

// A* in place, when it returns; the memory has been checked. value_error for NaN and what is outside the domain.
template <class T>
closure_info launch_closure(const context& ctx, const matrix_view<T>& a, const closure_options& options,
                            ring_kernels& ring);

// X(T) for each type of elements that a ring at run time may have.
#define KLEENE_FOR_RING_TYPES(X) X(float) X(double) X(std::int32_t) X(std::int64_t)

}  // namespace kleene::kernels::cuda
