// What a closure asks of its algebra where the matrix does not lie in one piece of memory (on a grid, in a file).
// Virtual functions, since each call is a product of panels, a row or a rare search: so what moves the matrix about is
// compiled for the element types, and not for every algebra.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kleene::detail {

// The arithmetic of one elimination, with the memory that it takes.
template <class T>
class closure_steps {
 public:
  using values = matrix_view<T>;
  using vertices = matrix_view<std::int32_t>;  // predecessors; null where not wanted

  virtual ~closure_steps() = default;

  // Closes a diagonal block. Returns the diverging vertex, or -1.
  virtual index_t close(const values& a, const vertices& p) = 0;
  // c = left right (+) c, or c = left right; where p is given, improved elements take lookup(k, j).
  virtual void multiply(const values& left, const values& right, const values& c, bool accumulate, const vertices& p,
                        const vertices& lookup) = 0;
  // Has the workspace of a product of these shapes.
  virtual void reserve(const values& left, const values& right, const values& c, const vertices& p,
                       const vertices& lookup) = 0;
  // Whether a result did not fit the type since the last call.
  virtual bool take_overflow() = 0;
};

template <class T>
class closure_algebra {
 public:
  virtual std::string name() const = 0;
  virtual std::size_t accumulator_bytes() const = 0;
  virtual T zero() const = 0;
  virtual T one() const = 0;
  // What an element of the diagonal is before the first step.
  virtual T on_diagonal(const T& value) const = 0;
  // The first of a row's values that is NaN or outside the domain, or -1.
  virtual index_t first_refused(const T* row, index_t count) const = 0;

  // Of selective algebras. As leads_nearer of closure_repair.inl.hpp; and `old` or the path of that length with one
  // more arc, whichever is better.
  virtual bool leads_nearer(const matrix_view<T>& a, const matrix_view<std::int32_t>& p, index_t root) const = 0;
  virtual T better(const T& old, const T& length, const T& arc) const = 0;

  // For blocks of up to `block` vertices. The context must outlive it.
  virtual std::unique_ptr<closure_steps<T>> steps(const context& ctx, index_t block, bool with_predecessors) const = 0;

 protected:
  ~closure_algebra() = default;
};

// That of S: the catalog's are in the library, others in operations/own/closure.inl.hpp.
template <class S>
const closure_algebra<typename S::value_type>& closure_algebra_of();

}  // namespace kleene::detail
