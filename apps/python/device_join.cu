// Joins of ascending keys on CUDA devices.
#include "kleene/streaming/cuda/join.cuh"

#include "device_sequences.hpp"

namespace kleene::python {

namespace {

template <class T>
class join_of_keys final : public device_join {
 public:
  join_of_keys(const context& ctx, join_kind kind, const T* a, index_t a_count, const T* b, index_t b_count)
      : plan_(plan_join(ctx, kind, a, a + a_count, b, b + b_count)) {}
  index_t rows() const override { return plan_.rows(); }
  void fill(std::int64_t* left, std::int64_t* right) override { plan_.fill(left, right); }

 private:
  decltype(plan_join(std::declval<const context&>(), join_kind::inner, std::declval<const T*>(),
                     std::declval<const T*>(), std::declval<const T*>(), std::declval<const T*>())) plan_;
};

}  // namespace

std::unique_ptr<device_join> plan_join_on_device(const context& ctx, key_type type, join_kind kind,
                                                 const device_keys& a, const device_keys& b) {
  return with_key_type(type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<device_join> {
    return std::make_unique<join_of_keys<T>>(ctx, kind, static_cast<const T*>(a.keys), a.count,
                                             static_cast<const T*>(b.keys), b.count);
  });
}

}  // namespace kleene::python
