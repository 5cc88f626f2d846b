// Definition of closure_algebra_of.
#pragma once

#include "kleene/operations/detail/closure_algebra.hpp"
#include "kleene/operations/detail/closure_blocks.inl.hpp"

namespace kleene::detail {

template <class S>
class closure_steps_of final : public closure_steps<value_of<S>> {
 public:
  using values = typename closure_steps<value_of<S>>::values;
  using vertices = typename closure_steps<value_of<S>>::vertices;

  closure_steps_of(const context& ctx, index_t block, bool with_predecessors)
      : blocks_(ctx, block, kernels::closure_leaf, with_predecessors) {}

  index_t close(const values& a, const vertices& p) override { return blocks_.close(a, p); }
  void multiply(const values& left, const values& right, const values& c, bool accumulate, const vertices& p,
                const vertices& lookup) override {
    blocks_.multiply(left, right, c, accumulate, p, lookup);
  }
  void reserve(const values& left, const values& right, const values& c, const vertices& p,
               const vertices& lookup) override {
    blocks_.reserve_product(left, right, c, p, lookup);
  }
  bool take_overflow() override { return blocks_.take_overflow(); }

 private:
  blocked_closure<S> blocks_;
};

template <class S>
class closure_algebra_from final : public closure_algebra<value_of<S>> {
 public:
  using T = value_of<S>;

  std::string name() const override { return name_of<S>(); }
  std::size_t accumulator_bytes() const override { return sizeof(accumulator_of<S>); }
  T zero() const override { return S::zero(); }
  T one() const override { return S::one(); }
  T on_diagonal(const T& value) const override {
    if constexpr (has_unit_star<S>) return normalise<S>(S::add(widen<S>(S::one()), widen<S>(value)));
    else return value;
  }
  index_t first_refused(const T* row, index_t count) const override {
    const auto is_welcome = [](const T& value) {
      bool inside = true;
      if constexpr (has_domain<S>) inside = S::in_domain(value);
      return inside & (value == value);
    };
    bool good = true;
    for (index_t j = 0; j < count; ++j) good &= is_welcome(row[j]);
    for (index_t j = 0; !good; ++j)
      if (!is_welcome(row[j])) return j;
    return -1;
  }
  bool leads_nearer(const matrix_view<T>& a, const matrix_view<std::int32_t>& p, index_t root) const override {
    if constexpr (is_selective<S>) return detail::leads_nearer<S>(a, p, root);
    else return true;
  }
  T better(const T& old, const T& length, const T& arc) const override {
    return normalise<S>(S::add(widen<S>(old), S::mul(widen<S>(length), widen<S>(arc))));
  }
  std::unique_ptr<closure_steps<T>> steps(const context& ctx, index_t block, bool with_predecessors) const override {
    return std::make_unique<closure_steps_of<S>>(ctx, block, with_predecessors);
  }
};

template <class S>
const closure_algebra<typename S::value_type>& closure_algebra_of() {
  static const closure_algebra_from<S> algebra;
  return algebra;
}

}  // namespace kleene::detail
