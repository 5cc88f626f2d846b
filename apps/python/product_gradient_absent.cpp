// In place of product_gradient.cu where there is no CUDA.
#include "product_gradient.hpp"

namespace kleene::python {

template <class T>
void launch_row_gradients(const context&, gradient_share, const row_gradients<T>&) {
  kleene::detail::refuse_cuda();
}
template void launch_row_gradients<float>(const context&, gradient_share, const row_gradients<float>&);
template void launch_row_gradients<double>(const context&, gradient_share, const row_gradients<double>&);

}  // namespace kleene::python
