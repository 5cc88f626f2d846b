// Sequences in device memory, by the number of an algebra's row or by the type of keys: each family of kernels is a
// unit of nvcc's. All work is put on the context's stream. error(device): this build has no CUDA.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"
#include "kleene/operations/own/plain/ordered.hpp"
#include "kleene/streaming/base/join_kind.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace kleene::python {

// Elements of a row's type; segments by offsets, or none of them: one sequence.
struct device_sequence {
  const void* values;
  index_t count;
  const std::int64_t* offsets;  // segments + 1 of them, trusted; null: one sequence
  index_t segments;
  void* out;
};

// Scans into out[0 .. count), and the sum of each segment into out[0 .. segments). Nothing waits; sums of floats repeat
// to the last bit.
void scan_on_device(const context& ctx, int row, const device_sequence& x, bool exclusive);
void reduce_segments_on_device(const context& ctx, int row, const device_sequence& x);

// What keys are compared as, by their numbers in _device_sequences.py.
enum class key_type : int { f32, f64, i32, i64 };

// call(std::type_identity<the type>{}).
template <class Call>
auto with_key_type(key_type type, const Call& call) {
  switch (type) {
    case key_type::f32:
      return call(std::type_identity<float>{});
    case key_type::f64:
      return call(std::type_identity<double>{});
    case key_type::i32:
      return call(std::type_identity<std::int32_t>{});
    case key_type::i64:
      return call(std::type_identity<std::int64_t>{});
  }
  throw argument_error("no type of keys: " + std::to_string(static_cast<int>(type)));
}

// Sorts, merges and set operations, of keys in device memory; how many keys there are in the result. Positions are of
// the result alone, and may be null; those of a's keys are counted from 0, those of b's go on from there. The order of
// a and b is trusted. Set operations wait for their count, others for nothing.
index_t sort_on_device(const context& ctx, key_type type, bool descends, const plain::ordered_request& r);
index_t merge_on_device(const context& ctx, key_type type, bool descends, const plain::ordered_request& r);
index_t set_operation_on_device(const context& ctx, key_type type, bool descends, const plain::ordered_request& r);

// A join in two steps, as plan_join's. The context and the keys outlive it.
class device_join {
 public:
  virtual ~device_join() = default;
  virtual index_t rows() const = 0;                                // waits
  virtual void fill(std::int64_t* left, std::int64_t* right) = 0;  // rows() positions each
};
struct device_keys {
  const void* keys;
  index_t count;
};
std::unique_ptr<device_join> plan_join_on_device(const context& ctx, key_type type, join_kind kind,
                                                 const device_keys& a, const device_keys& b);

// "inner", "left", "right", "outer"; argument_error for others.
join_kind join_kind_of(const std::string& name);

}  // namespace kleene::python
