// What the gradients of selective products and closures are made of: each element passes its gradient to the one term
// that gave it. Every sum is formed in one order by one thread, so that gradients repeat to the last bit.
#include "kleene/data/parallel.hpp"
#include "kleene/operations/gradients/gemm.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "xla_call.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace kleene::python {

namespace {

// How much of an element's gradient the two factors of its term get, by mul.
struct of_plus {
  template <class T>
  static T left(T, T) {
    return 1;
  }
  template <class T>
  static T right(T, T) {
    return 1;
  }
};
struct of_times {
  template <class T>
  static T left(T, T b) {
    return b;
  }
  template <class T>
  static T right(T a, T) {
    return a;
  }
};
struct of_min {
  template <class T>
  static T left(T a, T b) {
    return T(a <= b);
  }
  template <class T>
  static T right(T a, T b) {
    return T(b < a);
  }
};
struct of_max {
  template <class T>
  static T left(T a, T b) {
    return T(a >= b);
  }
  template <class T>
  static T right(T a, T b) {
    return T(b > a);
  }
};

// Calls call(share) for the one of that name.
template <class F>
void by_share(const std::string& mul, const F& call) {
  if (mul == "plus") return call(of_plus{});
  if (mul == "times") return call(of_times{});
  if (mul == "min") return call(of_min{});
  if (mul == "max") return call(of_max{});
  throw argument_error("no gradient of '" + mul + "'");
}

// Calls body(first, last) for parts of 0 .. count, on as many threads as there is work for.
template <class Body>
void in_parts(index_t count, double elements, int threads, const Body& body) {
  run_team(threads_for(elements, elements_per_thread, static_cast<int>(std::min<index_t>(threads, count))),
           [&](const team_member& member) {
             const index_t each = (count + member.threads - 1) / member.threads;
             body(std::min(count, member.thread * each), std::min(count, (member.thread + 1) * each));
           });
}

template <class T>
struct product_gradient {
  batch_view<const T> g, a, b;
  batch_view<const std::int32_t> witness;
  batch_view<T> to_a, to_b;

  // Rows [first, last) of all matrices: each row of A by one thread.
  template <class Share>
  void rows(Share, index_t first, index_t last) const {
    for (index_t row = first; row < last; ++row) {
      const index_t m = row / g.rows(), i = row % g.rows();
      for (index_t j = 0; j < g.cols(); ++j)
        if (const index_t k = witness(m, i, j); k >= 0)
          to_a(m, i, k) += g(m, i, j) * Share::left(a(m, i, k), b(m, k, j));
    }
  }
  // Columns [first, last) of each matrix: each column of B by one thread.
  template <class Share>
  void columns(Share, index_t first, index_t last) const {
    for (index_t m = 0; m < g.extent(0); ++m)
      for (index_t i = 0; i < g.rows(); ++i)
        for (index_t j = first; j < last; ++j)
          if (const index_t k = witness(m, i, j); k >= 0)
            to_b(m, k, j) += g(m, i, j) * Share::right(a(m, i, k), b(m, k, j));
  }
};

// Adds both gradients to what is there.
template <class T>
void add_gradients_of(const context& ctx, const std::string& mul, const product_gradient<T>& all) {
  const double elements = double(all.g.size());
  by_share(mul, [&](auto share) {
    in_parts(all.g.extent(0) * all.g.rows(), elements, ctx.threads(),
             [&](index_t first, index_t last) { all.rows(share, first, last); });
    in_parts(all.g.cols(), elements, ctx.threads(),
             [&](index_t first, index_t last) { all.columns(share, first, last); });
  });
}

template <class T>
void add_product_gradient(const std::string& mul, const input_array& g, const input_array& witness,
                          const input_array& a, const input_array& b, const output_array& to_a,
                          const output_array& to_b, int threads) {
  const product_gradient<T> all{view_of<3, T>("g", g),       view_of<3, T>("a", a),
                                view_of<3, T>("b", b),       view_of<3, std::int32_t>("witness", witness),
                                view_of<3, T>("to_a", to_a), view_of<3, T>("to_b", to_b)};
  run({threads, nb::none()}, [&](const context& ctx, attention&) { add_gradients_of(ctx, mul, all); });
}

template <class T>
void set_log_sum_gradient(const input_array& g, const input_array& a, const input_array& b, const input_array& c,
                          const output_array& to_a, const output_array& to_b, int threads) {
  const auto of_g = view_of<3, T>("g", g), of_a = view_of<3, T>("a", a), of_b = view_of<3, T>("b", b),
             of_c = view_of<3, T>("c", c), into_a = view_of<3, T>("to_a", to_a), into_b = view_of<3, T>("to_b", to_b);
  run({threads, nb::none()}, [&](const context& ctx, attention&) {
    gemm_gradients(ctx, log_plus<T>{}, of_a, of_b, of_c, of_g, into_a, into_b);
  });
}

// For programs of XLA's: g, a, b, and the witness or over log_plus the product; the gradients of a and b.
template <class T>
void set_gradients_for_xla(const xla_call& call) {
  host_work work(call);
  const std::string mul = call.text("mul");
  call.for_each_batch([&](const std::vector<xla_array>& x, index_t count) {
    const auto in = [&](int i) { return x.at(i).template batch<const T, memory::host>(count); };
    const auto g = in(0), a = in(1), b = in(2);
    const auto to_a = x.at(4).template batch<T, memory::host>(count),
               to_b = x.at(5).template batch<T, memory::host>(count);
    if (mul == "log_plus") return gemm_gradients(work.get(), log_plus<T>{}, a, b, in(3), g, to_a, to_b);
    std::fill_n(to_a.data(), to_a.size(), T{});
    std::fill_n(to_b.data(), to_b.size(), T{});
    const auto witness = x[3].template batch<const std::int32_t, memory::host>(count);
    add_gradients_of(work.get(), mul, product_gradient<T>{g, a, b, witness, to_a, to_b});
  });
}

// Of each row of predecessors, a tree: sums(v) := g(v) and all that is below v.
template <class T>
void sum_subtrees(const matrix_view<const std::int32_t>& predecessors, const matrix_view<T>& sums, index_t first,
                  index_t last) {
  const index_t n = predecessors.cols();
  std::vector<std::int32_t> children(n), leaves;
  for (index_t i = first; i < last; ++i) {
    std::fill(children.begin(), children.end(), 0);
    for (index_t v = 0; v < n; ++v)
      if (predecessors(i, v) >= 0) ++children[predecessors(i, v)];
    for (index_t v = 0; v < n; ++v)
      if (children[v] == 0 && predecessors(i, v) >= 0) leaves.push_back(static_cast<std::int32_t>(v));
    while (!leaves.empty()) {
      const std::int32_t v = leaves.back(), parent = predecessors(i, v);
      leaves.pop_back();
      sums(i, parent) += sums(i, v);
      if (--children[parent] == 0 && predecessors(i, parent) >= 0) leaves.push_back(parent);
    }
  }
}

template <class T>
void add_subtrees(const input_array& predecessors, const output_array& sums, int threads) {
  const auto p = view_of<2, std::int32_t>("predecessors", predecessors);
  const auto s = view_of<2, T>("sums", sums);
  run({threads, nb::none()}, [&](const context& ctx, attention&) {
    in_parts(p.rows(), double(p.size()), ctx.threads(),
             [&](index_t first, index_t last) { sum_subtrees<T>(p, s, first, last); });
  });
}

template <class F>
auto by_float(const nb::dlpack::dtype& type, const F& call) {
  if (type == nb::dtype<float>()) return call(std::type_identity<float>{});
  if (type == nb::dtype<double>()) return call(std::type_identity<double>{});
  refuse_array("a gradient", type_words(type), "float32 or float64");
}

}  // namespace

xla_ffi::error* matmul_gradient_on_host(xla_ffi::frame* frame) {
  return answer(frame, [](const xla_call& call) {
    call.by_float([&]<class T>(std::type_identity<T>) { set_gradients_for_xla<T>(call); });
  });
}

void add_gradients(nb::module_& m) {
  m.def("add_product_gradient",
        [](const std::string& mul, const input_array& g, const input_array& witness, const input_array& a,
           const input_array& b, const output_array& to_a, const output_array& to_b, int threads) {
          by_float(g.dtype(), [&]<class T>(std::type_identity<T>) {
            add_product_gradient<T>(mul, g, witness, a, b, to_a, to_b, threads);
          });
        });
  m.def("set_log_sum_gradient",
        [](const input_array& g, const input_array& a, const input_array& b, const input_array& c,
           const output_array& to_a, const output_array& to_b, int threads) {
          by_float(c.dtype(),
                   [&]<class T>(std::type_identity<T>) { set_log_sum_gradient<T>(g, a, b, c, to_a, to_b, threads); });
        });
  m.def("add_subtrees", [](const input_array& predecessors, const output_array& sums, int threads) {
    by_float(sums.dtype(), [&]<class T>(std::type_identity<T>) { add_subtrees<T>(predecessors, sums, threads); });
  });
}

}  // namespace kleene::python
