// In place of product_gradient.cu where there is no CUDA.
#include "product_gradient.hpp"

namespace kleene::python {

template <class T>
void launch_row_gradients(const context&, gradient_share, const row_gradients<T>&) {
  kleene::detail::refuse_cuda();
}
template void launch_row_gradients<float>(const context&, gradient_share, const row_gradients<float>&);
template void launch_row_gradients<double>(const context&, gradient_share, const row_gradients<double>&);

void clear(const context&, void*, std::size_t) { kleene::detail::refuse_cuda(); }

}  // namespace kleene::python
