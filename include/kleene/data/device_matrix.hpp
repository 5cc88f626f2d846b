// Owners of dense device memory, and the copies to and from it. device_vector<T>, device_matrix<T> and device_batch<T>
// are row-major, contiguous, 256-byte aligned; they are moved, never copied behind the caller's back.
//
//   device_matrix<float> a = to_device(ctx, m);     matrix<float> m = to_host(ctx, a);     copy(ctx, from, to)
//   local_matrix<float> a = to_context(ctx, m);     on the device or in host memory, wherever the context works
//
// Where the context has an allocator of the caller's (context::cuda(device, allocator)) an owner's memory comes from
// it, and goes back to it in the order of the context's stream, which then lives as long as the owner; work on other
// streams that uses the owner has ended by then. Else it is CUDA's own (cudaMalloc), which outlives contexts.
//   device_vector<float> x = to_device(ctx, v);     std::vector<float> v = to_host(ctx, x);
//
// copy and to_device are asynchronous on a CUDA context where the host memory is pinned, else they return when the host
// memory has been read; to_host waits. Allocation failure throws error(memory) with the number of bytes.
#pragma once

#include "kleene/algebra/half.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/matrix.hpp"

#include <vector>

namespace kleene {

template <class T, int Rank>
class device_array {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved about as bytes");

 public:
  using value_type = T;
  using shape = std::array<index_t, Rank>;

  device_array() = default;
  // Uninitialised elements on the context's device.
  device_array(const context& ctx, const shape& extents) : extents_(extents) {
    if (ctx.kind() != device_kind::cuda)
      throw error(fault_code::device, "device memory needs a CUDA context, this one is " + ctx.describe());
    const int ordinal = ctx.device()->ordinal;
    const std::size_t bytes = detail::bytes_of(extents, sizeof(T));
    const auto& queue = detail::queue_of(ctx);
    if (detail::backend.has_allocator(queue.get()))
      data_ = {static_cast<T*>(detail::backend.allocate(queue.get(), bytes)), {ordinal, queue, bytes}};
    else data_ = {static_cast<T*>(detail::backend.allocate_owned(ordinal, bytes)), {ordinal, nullptr, bytes}};
  }
  device_array(const context& ctx, index_t size)
  requires(Rank == 1)
      : device_array(ctx, shape{size}) {}
  device_array(const context& ctx, index_t rows, index_t cols)
  requires(Rank == 2)
      : device_array(ctx, shape{rows, cols}) {}
  device_array(const context& ctx, index_t count, index_t rows, index_t cols)
  requires(Rank == 3)
      : device_array(ctx, shape{count, rows, cols}) {}

  device_array(device_array&& other) noexcept
      : data_(std::move(other.data_)), extents_(std::exchange(other.extents_, shape{})) {}
  device_array& operator=(device_array&& other) noexcept {
    data_ = std::move(other.data_);
    extents_ = std::exchange(other.extents_, shape{});
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  const shape& extents() const { return extents_; }
  index_t size() const { return view().size(); }
  index_t rows() const { return extents_[Rank - 2]; }
  index_t cols() const { return extents_[Rank - 1]; }
  int device() const { return data_.get_deleter().device; }

  kleene::view<T, Rank, memory::device> view() { return {data(), extents_}; }
  kleene::view<const T, Rank, memory::device> view() const { return {data(), extents_}; }

 private:
  struct release {
    int device = -1;
    std::shared_ptr<detail::cuda_queue> queue;  // whose allocator it came from, if any
    std::size_t bytes = 0;
    void operator()(T* p) const noexcept {
      if (queue) detail::backend.free(queue.get(), p, bytes);
      else detail::backend.free_owned(device, p);
    }
  };
  std::unique_ptr<T, release> data_;
  shape extents_{};
};

template <class T>
using device_vector = device_array<T, 1>;
template <class T>
using device_matrix = device_array<T, 2>;
template <class T>
using device_batch = device_array<T, 3>;

template <class T, int Rank>
view<T, Rank, memory::device> as_view(device_array<T, Rank>& a) {
  return a.view();
}
template <class T, int Rank>
view<const T, Rank, memory::device> as_view(const device_array<T, Rank>& a) {
  return a.view();
}
template <class T, int Rank>
view<const T, Rank, memory::device> as_view(device_array<T, Rank>&& a) = delete;  // a view of a temporary outlives it

// A matrix or batch where a context works: on its device, or in host memory. Programs that take context::best() give it
// to operations on either machine. Its view says `managed`, which contexts of both take; where() says which memory it
// is.
template <class T, int Rank>
class local_array {
 public:
  using value_type = T;
  using shape = std::array<index_t, Rank>;

  local_array() = default;
  // Uninitialised elements.
  local_array(const context& ctx, const shape& extents) {
    if (ctx.kind() == device_kind::cuda) on_device_ = device_array<T, Rank>(ctx, extents);
    else on_host_ = array<T, Rank>(extents, uninitialised{});
    where_ = ctx.kind() == device_kind::cuda ? memory::device : memory::host;
  }
  local_array(const context& ctx, index_t rows, index_t cols)
  requires(Rank == 2)
      : local_array(ctx, shape{rows, cols}) {}
  local_array(const context& ctx, index_t count, index_t rows, index_t cols)
  requires(Rank == 3)
      : local_array(ctx, shape{count, rows, cols}) {}

  memory where() const { return where_; }
  T* data() { return where_ == memory::host ? on_host_.data() : on_device_.data(); }
  const T* data() const { return where_ == memory::host ? on_host_.data() : on_device_.data(); }
  const shape& extents() const { return where_ == memory::host ? on_host_.extents() : on_device_.extents(); }
  index_t rows() const { return extents()[Rank - 2]; }
  index_t cols() const { return extents()[Rank - 1]; }

  kleene::view<T, Rank, memory::managed> view() { return {data(), extents()}; }
  kleene::view<const T, Rank, memory::managed> view() const { return {data(), extents()}; }

 private:
  memory where_ = memory::host;
  array<T, Rank> on_host_;  // one of them is empty
  device_array<T, Rank> on_device_;
};

template <class T>
using local_matrix = local_array<T, 2>;
template <class T>
using local_batch = local_array<T, 3>;

template <class T, int Rank>
view<T, Rank, memory::managed> as_view(local_array<T, Rank>& a) {
  return a.view();
}
template <class T, int Rank>
view<const T, Rank, memory::managed> as_view(const local_array<T, Rank>& a) {
  return a.view();
}
template <class T, int Rank>
view<const T, Rank, memory::managed> as_view(local_array<T, Rank>&& a) = delete;  // a view of a temporary outlives it

namespace detail {

// Which memory an argument is in: what its view's type says, or the argument itself.
template <class M>
constexpr memory space_of(M& argument) {
  if constexpr (requires { argument.where(); }) return argument.where();
  else return std::remove_cvref_t<decltype(as_view(argument))>::space;
}

// One copy of a batch of matrices; strides in elements. A unit stride along rows (or columns) of both sides makes it a
// block copy; other strides go through packed memory.
struct copy_request {
  const void* from;
  void* to;
  std::size_t element;
  std::array<index_t, 3> extents, from_strides, to_strides;
  memory from_space, to_space;
};

// By the driver or a kernel on a CUDA context; on the CPU there is host memory alone (error(device)).
void copy_elements(const context& ctx, const copy_request& request);
// Both sides are in host memory.
void copy_on_host(const copy_request& request);

// A shape, or strides, as those of a batch.
template <std::size_t Rank>
std::array<index_t, 3> as_three(const std::array<index_t, Rank>& of, index_t absent) {
  std::array<index_t, 3> three{absent, absent, absent};
  std::copy(of.begin(), of.end(), three.end() - Rank);
  return three;
}

}  // namespace detail

// Elements of `from` to `to`, which has the same extents: host to device, back, or on the device; on a CPU context in
// host memory. Any strides; the two do not overlap.
template <class From, class To>
void copy(const context& ctx, const From& from, To&& to) {
  const auto source = as_view(from);
  const auto target = as_view(to);
  using S = std::remove_cvref_t<decltype(source)>;
  using D = std::remove_cvref_t<decltype(target)>;
  static_assert(std::is_same_v<typename detail::stored_as<typename S::value_type>::type,
                               typename detail::stored_as<typename D::value_type>::type>,
                "copy does not convert elements");
  static_assert(S::rank == D::rank, "a copy needs equal ranks");
  if (source.extents() != target.extents()) throw shape_error("a copy needs equal extents");
  if (source.empty()) return;
  detail::copy_elements(ctx, {source.data(), target.data(), sizeof(typename S::value_type),
                              detail::as_three(source.extents(), 1), detail::as_three(source.strides(), 0),
                              detail::as_three(target.strides(), 0), detail::space_of(from), detail::space_of(to)});
}

// A copy of a vector, matrix or batch on the context's device.
template <class M>
auto to_device(const context& ctx, const M& m) {
  const auto v = as_view(m);
  using V = std::remove_cvref_t<decltype(v)>;
  device_array<typename V::value_type, V::rank> result(ctx, v.extents());
  copy(ctx, v, result);
  return result;
}

// A copy of a matrix or batch where the context works.
template <class M>
auto to_context(const context& ctx, const M& m) {
  const auto v = as_view(m);
  using V = std::remove_cvref_t<decltype(v)>;
  local_array<typename V::value_type, V::rank> result(ctx, v.extents());
  copy(ctx, m, result);
  return result;
}

// A copy in host memory, complete on return; faults of earlier work are thrown here as by synchronise(). A vector comes
// back as a std::vector.
template <class M>
auto to_host(const context& ctx, const M& m) {
  const auto v = as_view(m);
  using V = std::remove_cvref_t<decltype(v)>;
  using T = typename V::value_type;
  auto result = [&] {
    if constexpr (V::rank > 1) {
      return array<T, V::rank>(v.extents(), uninitialised{});
    } else {
      static_assert(!std::is_same_v<T, bool>, "elements of a std::vector<bool> have no addresses: copy() to a view");
      return std::vector<T>(static_cast<std::size_t>(v.size()));
    }
  }();
  copy(ctx, m, result);
  ctx.synchronise();
  return result;
}

}  // namespace kleene
