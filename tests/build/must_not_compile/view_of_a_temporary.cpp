// expect: deleted function
// The view would outlive the matrix.
#include "kleene/data/matrix.hpp"

kleene::index_t f() {
#ifdef WRONG
  const auto v = kleene::as_view(kleene::matrix<float>(2, 2));
#else
  const kleene::matrix<float> a(2, 2);
  const auto v = kleene::as_view(a);
#endif
  return v.rows();
}
