// Functions of the extension that programs of XLA's call by themselves, without Python (kleene/jax.py).
#include "kleene/data/device.hpp"

#include "module.hpp"
#include "xla_call.hpp"

#include <map>
#include <memory>

namespace kleene::python {

std::atomic<int>& host_work::most_threads() {
  static std::atomic<int> threads{0};
  return threads;
}

namespace {

// The contexts of XLA's streams, which live as long as the process, as these do: nobody says when a stream goes. They
// keep the workspaces of their largest calls.
struct stream_context {
  std::mutex alone;
  context ctx;
};
struct stream_contexts {
  std::mutex lock;
  std::map<cuda_stream, std::unique_ptr<stream_context>> of;
};
stream_contexts& known_streams() {
  static auto& all = *new stream_contexts;
  return all;
}

nb::capsule registered(xla_ffi::handler* handler) {
  return nb::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
}

// {platform: {name: handler}}, as jax.ffi.register_ffi_target takes them.
nb::dict handlers() {
  nb::dict all, host;
  host["matmul"] = registered(matmul_on_host);
  host["matmul_gradient"] = registered(matmul_gradient_on_host);
  all["cpu"] = host;
  if (!has_cuda()) return all;
  nb::dict device;
  device["matmul"] = registered(matmul_on_device);
  device["matmul_gradient"] = registered(matmul_gradient_on_device);
  all["CUDA"] = device;
  return all;
}

void synchronise() {
  stream_contexts& known = known_streams();
  const std::lock_guard held(known.lock);
  for (auto& [stream, of] : known.of) {
    const std::lock_guard alone(of->alone);
    of->ctx.synchronise();
  }
}

}  // namespace

device_work::device_work(const xla_call& call) {
  stream_contexts& known = known_streams();
  const cuda_stream stream = call.stream();
  stream_context* found;
  {
    const std::lock_guard held(known.lock);
    auto& of = known.of[stream];
    if (!of) of.reset(new stream_context{{}, context::cuda(stream)});
    found = of.get();
  }
  alone_ = std::unique_lock(found->alone);
  context_ = &found->ctx;
}

void add_xla(nb::module_& m) {
  nb::module_ xla = m.def_submodule("xla");
  xla.def("handlers", &handlers);
  xla.def("set_threads", [](int threads) { host_work::most_threads() = threads; });
  // Waits for what programs have put on devices, and throws what it found wrong.
  xla.def("synchronise", [] {
    const nb::gil_scoped_release unlocked;
    synchronise();
  });
}

}  // namespace kleene::python
