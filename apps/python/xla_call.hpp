// One call of a program of XLA's: its arrays as batches of matrices, its numbers, and where it runs.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include "call.hpp"
#include "xla_ffi.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kleene::python {

// An array of a call: matrices (..., rows, cols).
struct xla_array {
  const xla_ffi::buffer* buffer;
  index_t first = 0;  // the matrices that are meant: from this one on, and whether there is one for all
  bool is_one = true;

  index_t rows() const { return buffer->extents[buffer->rank - 2]; }
  index_t cols() const { return buffer->extents[buffer->rank - 1]; }
  int leading() const { return static_cast<int>(buffer->rank) - 2; }
  // How many matrices one step along a leading dimension is.
  index_t matrices_below(int axis) const {
    index_t count = 1;
    for (int r = axis + 1; r < leading(); ++r) count *= buffer->extents[r];
    return count;
  }
  template <class T, memory Space>
  batch_view<T, Space> batch(index_t count) const {
    if (buffer->type != xla_ffi::type_of<std::remove_const_t<T>>) throw argument_error("elements of another type");
    const index_t matrix = rows() * cols();
    return {static_cast<T*>(buffer->data) + first * matrix, {count, rows(), cols()}, {is_one ? 0 : matrix, cols(), 1}};
  }
};

class xla_call {
 public:
  // argument_error: not what the package's Python asks for.
  explicit xla_call(const xla_ffi::frame& frame) : frame_(frame) {
    if (frame.arguments.size != sizeof frame.arguments || frame.attributes.size != sizeof frame.attributes)
      throw error(fault_code::internal, "this XLA lays its calls out in another way than Kleene knows");
    for (const xla_ffi::list* arrays : {&frame.arguments, &frame.results})
      for (std::int64_t i = 0; i < arrays->count; ++i) add(arrays->kinds[i], arrays->items[i]);
    for (const xla_array& x : arrays_)
      if (x.leading() != arrays_[0].leading()) throw argument_error("arrays of different ranks");
  }

  // What the program says besides its arrays, by name.
  std::int64_t number(std::string_view name) const {
    const auto& said = *static_cast<const xla_ffi::scalar*>(attribute(name, xla_ffi::is_scalar));
    if (said.type != xla_ffi::type_of<std::int64_t>) throw argument_error("a number of another type");
    std::int64_t found;
    std::memcpy(&found, said.value, sizeof found);
    return found;
  }
  std::string text(std::string_view name) const {
    const auto& said = *static_cast<const xla_ffi::text*>(attribute(name, xla_ffi::is_text));
    return {said.data, said.size};
  }

  cuda_stream stream() const {
    xla_ffi::stream_request asked{sizeof asked, nullptr, frame_.running, nullptr};
    if (frame_.api->get_stream(&asked)) throw error(fault_code::device, "XLA has no stream for this call");
    return static_cast<cuda_stream>(asked.stream);
  }

  // Calls of float and double alone, by the first argument.
  template <class Work>
  void by_float(const Work& work) const {
    const int type = arrays_.at(0).buffer->type;
    if (type == xla_ffi::type_of<float>) return work(std::type_identity<float>{});
    if (type == xla_ffi::type_of<double>) return work(std::type_identity<double>{});
    throw argument_error("elements that are no floats");
  }

  // Calls work(arrays, count), arguments before results, for as few batches as there are: an array has as many matrices
  // along a leading dimension as the others, or one that serves all.
  template <class Work>
  void for_each_batch(const Work& work) const {
    if (!arrays_.empty()) from_axis(arrays_, 0, work);
  }

 private:
  void add(int kind, const void* item) {
    const auto* buffer = static_cast<const xla_ffi::buffer*>(item);
    if (kind != xla_ffi::is_buffer || buffer->rank < 2) throw argument_error("an argument that is no matrix");
    arrays_.push_back({buffer});
  }

  const void* attribute(std::string_view name, int kind) const {
    const xla_ffi::attributes& all = frame_.attributes;
    for (std::int64_t i = 0; i < all.count; ++i)
      if (all.kinds[i] == kind && std::string_view(all.names[i]->data, all.names[i]->size) == name)
        return all.values[i];
    throw argument_error("no attribute " + std::string(name));
  }

  template <class Work>
  static void from_axis(std::vector<xla_array> arrays, int axis, const Work& work) {
    const int leading = arrays[0].leading();
    std::vector<index_t> extents(leading, 1);
    for (const xla_array& x : arrays)
      for (int r = axis; r < leading; ++r)
        if (x.buffer->extents[r] != 1) extents[r] = x.buffer->extents[r];
    for (const xla_array& x : arrays)
      for (int r = axis; r < leading; ++r)
        if (x.buffer->extents[r] != 1 && x.buffer->extents[r] != extents[r]) throw shape_error("batches differ");
    index_t count = 1;
    for (int r = axis; r < leading; ++r) count *= extents[r];
    bool is_regular = true;
    for (xla_array& x : arrays) {
      index_t own = 1;
      for (int r = axis; r < leading; ++r) own *= x.buffer->extents[r];
      x.is_one = own == 1;
      is_regular = is_regular && (own == 1 || own == count);
    }
    if (is_regular) return work(std::as_const(arrays), count);
    for (index_t i = 0; i < extents[axis]; ++i) {
      std::vector<xla_array> part = arrays;
      for (xla_array& x : part)
        if (x.buffer->extents[axis] != 1) x.first += i * x.matrices_below(axis);
      from_axis(std::move(part), axis + 1, work);
    }
  }

  const xla_ffi::frame& frame_;
  std::vector<xla_array> arrays_;
};

// The context that a call works on: the thread's on the host, on a device that of the program's stream, alone with it.
class host_work {
 public:
  explicit host_work(const xla_call&) : borrowed_(most_threads()) {}
  const context& get() { return borrowed_.get(); }
  static std::atomic<int>& most_threads();  // kl.set_threads

 private:
  borrowed_context borrowed_;
};
class device_work {
 public:
  explicit device_work(const xla_call& call);
  const context& get() { return *context_; }

 private:
  const context* context_;
  std::unique_lock<std::mutex> alone_;
};
template <memory Space>
using work_of = std::conditional_t<Space == memory::host, host_work, device_work>;

// A handler's answer: work's errors become XLA's.
template <class Work>
xla_ffi::error* answer(xla_ffi::frame* frame, const Work& work) {
  for (xla_ffi::extension* e = frame->extensions; e; e = e->next) {
    if (e->kind != xla_ffi::asks_for_metadata) continue;
    xla_ffi::metadata& about = *reinterpret_cast<xla_ffi::metadata_request*>(e)->answer;
    about.api.major = xla_ffi::major_version;
    about.api.minor = xla_ffi::minor_version;
    about.traits = 0;  // calls are not recorded in graphs: workspaces may grow
    return nullptr;
  }
  const auto fail = [&](int code, const char* message) {
    xla_ffi::error_request asked{sizeof asked, nullptr, message, code};
    return frame->api->create_error(&asked);
  };
  try {
    work(xla_call(*frame));
    return nullptr;
  } catch (const argument_error& e) {
    return fail(xla_ffi::invalid_argument, e.what());
  } catch (const error& e) {
    const bool memory = e.code() == fault_code::memory, input = e.code() == fault_code::bad_input;
    return fail(memory ? xla_ffi::resource_exhausted : input ? xla_ffi::invalid_argument : xla_ffi::internal, e.what());
  } catch (const std::exception& e) {
    return fail(xla_ffi::internal, e.what());
  }
}

// What JAX registers, by name and machine (xla.cpp).
xla_ffi::handler matmul_on_host, matmul_on_device, matmul_gradient_on_host, matmul_gradient_on_device;

}  // namespace kleene::python
