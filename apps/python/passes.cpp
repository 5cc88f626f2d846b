// Passes over large arrays that the package makes around a call of the library: NumPy's own would be on one thread, and
// several of them.
#include "kleene/algebra/semirings.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>

namespace kleene::python {

namespace {

namespace passes {  // alone with the kernels' names

using namespace kernels::cpu;

// Copies floats, and looks for the largest finite magnitude among them. As integers, magnitudes of floats are in order.
template <class T>
struct copying {
  using bits = counter_of<T>;
  const T* from;
  T* to;  // `from` where nothing is to be copied
  index_t count;
  T largest = 0;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    using V = vector_of<bits, Bytes>;
    constexpr index_t width = Bytes / index_t{sizeof(T)};
    constexpr bits magnitude = std::numeric_limits<bits>::max();
    constexpr bits infinite = std::bit_cast<bits>(std::numeric_limits<T>::infinity());
    V most{};
    index_t i = 0;
    for (; i + width <= count; i += width) {
      V v;
      std::memcpy(&v, from + i, Bytes);
      if (to != from) std::memcpy(to + i, &v, Bytes);
      v &= magnitude;
      v = v < infinite ? v : V{};
      most = v > most ? v : most;
    }
    for (index_t l = 0; l < width; ++l) add(most[l]);
    for (; i < count; ++i) {
      to[i] = from[i];
      if (const bits v = std::bit_cast<bits>(to[i]) & magnitude; v < infinite) add(v);
    }
  }

 private:
  void add(bits v) { largest = std::max(largest, std::bit_cast<T>(v)); }
};

// Lengths of int32 as SciPy has them: float64, inf where there is no path.
struct widening_lengths {
  const std::int32_t* from;
  double* to;
  index_t count;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    using V = vector_of<double, Bytes>;
    using I = vector_of<std::int32_t, Bytes / 2>;
    constexpr index_t width = Bytes / 8;
    constexpr std::int32_t none = min_plus<std::int32_t>::zero();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    index_t i = 0;
    for (; i + width <= count; i += width) {
      I v;
      std::memcpy(&v, from + i, sizeof v);
      V wide = __builtin_convertvector(v, V);
      wide = wide == double(none) ? infinity - V{} : wide;
      std::memcpy(to + i, &wide, Bytes);
    }
    for (; i < count; ++i) to[i] = from[i] == none ? infinity : double(from[i]);
  }
};

// Predecessors where there is none: -1 here, -9999 in SciPy.
struct marking {
  std::int32_t* at;
  index_t count;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    using V = vector_of<std::int32_t, Bytes>;
    constexpr index_t width = Bytes / 4;
    index_t i = 0;
    for (; i + width <= count; i += width) {
      V v;
      std::memcpy(&v, at + i, Bytes);
      v = v < 0 ? V{} - 9999 : v;
      std::memcpy(at + i, &v, Bytes);
    }
    for (; i < count; ++i) at[i] = at[i] < 0 ? -9999 : at[i];
  }
};

// Runs work(first, count, isa) on parts of `elements` elements that a cache of the second level holds.
template <class Work>
void in_parts(index_t elements, int threads, const Work& work) {
  constexpr index_t each = index_t{1} << 16;
  run(call_options{threads, nb::none()}, [&](const context& ctx, attention&) {
    task_queue parts;
    run_tasks(threads_for(double(elements), elements_per_thread, ctx.threads()), [&](const team_member&) {
      for (index_t first; (first = parts.next() * each) < elements;)
        work(first, std::min(each, elements - first), ctx.isa());
    });
    return 0;
  });
}

template <class T>
double copy_largest_of(const input_array& from, const output_array& to, int threads) {
  const auto source = span_of<T>("source", from), target = span_of<T>("out", to);
  if (source.size() != target.size()) throw argument_error("a copy to another number of elements");
  T largest = 0;
  std::mutex lock;
  in_parts(static_cast<index_t>(source.size()), threads, [&](index_t first, index_t count, instruction_set isa) {
    copying<T> part{source.data() + first, target.data() + first, count};
    kernels::cpu::run_on(isa, part);
    const std::lock_guard held(lock);
    largest = std::max(largest, part.largest);
  });
  return static_cast<double>(largest);
}

}  // namespace passes
}  // namespace

void add_passes(nb::module_& m) {
  // Vectors, contiguous: of float32 or float64, and the two may be one.
  m.def("copy_largest", [](const input_array& from, const output_array& to, int threads) {
    const bool wide = from.dtype() == nb::dtype<double>();
    return wide ? passes::copy_largest_of<double>(from, to, threads)
                : passes::copy_largest_of<float>(from, to, threads);
  });
  m.def("lengths_for_scipy", [](const input_array& lengths, const output_array& out, int threads) {
    const auto from = span_of<std::int32_t>("lengths", lengths);
    const auto to = span_of<double>("out", out);
    if (from.size() != to.size()) throw argument_error("a copy to another number of elements");
    passes::in_parts(static_cast<index_t>(from.size()), threads,
                     [&](index_t first, index_t count, instruction_set isa) {
                       passes::widening_lengths part{from.data() + first, to.data() + first, count};
                       kernels::cpu::run_on(isa, part);
                     });
  });
  m.def("predecessors_for_scipy", [](const output_array& predecessors, int threads) {
    const auto all = span_of<std::int32_t>("predecessors", predecessors);
    passes::in_parts(static_cast<index_t>(all.size()), threads, [&](index_t first, index_t count, instruction_set isa) {
      passes::marking part{all.data() + first, count};
      kernels::cpu::run_on(isa, part);
    });
  });
}

}  // namespace kleene::python
