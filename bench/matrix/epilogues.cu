// Products with a bias and a GELU in the kernel that sums them, or with the greatest element of each row beside C;
// against the plain product.
#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/epilogues.hpp"
#include "kleene/operations/own/gemm.inl.cuh"
#include "matrix/problem.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kleene::bench {

namespace {

// The product with an epilogue, against the plain one.
template <class Epilogue>
void add_row(streaming_runs& runs, const std::string& name, const random_operands<bf16>& operands, bf16* c,
             const Epilogue& finish, const std::function<bool()>& right) {
  enable_cuda<plus_times<bf16>, Epilogue, bf16>();
  const index_t size = operands.size.m;
  device_buffer<bf16> plain(size * size);
  const auto as_matrix = [&](bf16* p) { return view<bf16, 2, memory::device>(p, {size, size}, {size, 1}); };
  runs.add({name,
            2 * size * size,
            2e-3 * size * size * size,
            "Tops",
            [&] {
              gemm(runs.ctx, plus_times<bf16>{}, operands.view_a(), operands.view_b(), as_matrix(c),
                   gemm_options{.epilogue = finish});
            },
            right,
            {{"Kleene, plain",
              [&] { gemm(runs.ctx, plus_times<bf16>{}, operands.view_a(), operands.view_b(), as_matrix(plain)); }}},
            0,
            0.97});
}

struct bias_value {
  __device__ float operator()(index_t j) const { return bias(j); }
  __host__ __device__ static float bias(index_t j) { return static_cast<float>(j % 64) / 16 - 2; }
};

void bench_bias_and_gelu(streaming_runs& runs, index_t size) {
  const shape s{size, size, size};
  const std::string name = "bf16, " + s.name() + ", bias by column and GELU";
  if (!runs.wants(name)) return;
  const random_operands<bf16> operands(s);
  device_buffer<float> bias(size);
  device_buffer<bf16> c(size * size);
  fill(static_cast<float*>(bias), size, bias_value{});
  const auto finish = epilogues::then(epilogues::bias_by_column<float>(bias), epilogues::gelu{});
  const auto right = [&] {
    for (const sample& e : samples_of(operands, static_cast<const bf16*>(c))) {
      const double x = e.sum + bias_value::bias(e.col), exact = 0.5 * x * std::erfc(-x / std::sqrt(2.0));
      if (std::abs(e.stored - exact) > 0x1p-8 * std::abs(exact) + 1e-6 * e.magnitude) return false;
    }
    return true;
  };
  add_row(runs, name, operands, c, finish, right);
}

void bench_row_max(streaming_runs& runs, index_t size) {
  const shape s{size, size, size};
  const std::string name = "bf16, " + s.name() + ", row max beside the output";
  if (!runs.wants(name)) return;
  const random_operands<bf16> operands(s);
  device_buffer<float> greatest(size);
  device_buffer<bf16> c(size * size);
  const auto finish = epilogues::row_max(static_cast<float*>(greatest));
  const auto right = [&] {  // of some rows
    std::vector<bf16> row(size);
    for (index_t i = 0; i < size; i += 129) {
      float found;
      require_cuda(cudaMemcpy(&found, greatest + i, sizeof found, cudaMemcpyDeviceToHost), "reading a maximum");
      require_cuda(cudaMemcpy(row.data(), c + i * size, size * sizeof(bf16), cudaMemcpyDeviceToHost), "reading a row");
      if (found != *std::max_element(row.begin(), row.end())) return false;
    }
    return error_of(operands, static_cast<const bf16*>(c)) <= 0x1p-7;
  };
  add_row(runs, name, operands, c, finish, right);
}

}  // namespace

void bench_epilogues(streaming_runs& runs) {
  for (const index_t size : {4096, 8192}) bench_bias_and_gelu(runs, size);
  bench_row_max(runs, 8192);
}

}  // namespace kleene::bench
