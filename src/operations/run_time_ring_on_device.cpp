// Products over rings at run time on CUDA devices: gemm's checks, and kernels that NVRTC made, or an earlier process.
#include "operations/run_time_ring_on_device.hpp"

#include "kleene/data/error.hpp"
#include "kleene/operations/detail/gemm_checked.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "operations/kept_files.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

namespace kleene {

namespace {

namespace fs = std::filesystem;
using kernels::cuda::any_ring;
using kernels::cuda::ring_facts;
using kernels::cuda::ring_kernels;
using kernels::cuda::ring_part;

// Faults are read by name long after the ring may be gone.
const char* lasting(const std::string& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::lock_guard lock(mutex);
  return names.insert(name).first->c_str();
}

ring_facts facts_of(const ring_text& text, const std::string& type) {
  ring_facts facts{lasting(text.name), text.is_selective, !text.in_domain.empty()};
  facts.has_closure = !text.one.empty() && (text.is_selective || text.is_idempotent) && text.is_distributive;
  if (type == "float") facts.signs = kernels::cuda::signs_of(text.computes_as);
  return facts;
}

// Names, sizes and times of the headers that device code may include; looked at once a process.
std::string stamp_of_headers(const std::vector<std::string>& folders) {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::string> known;
  const std::lock_guard lock(mutex);
  std::string& found = known[folders];
  if (!found.empty()) return found;
  std::set<fs::path> files;
  std::error_code none;
  for (const fs::path folder : folders)
    for (const char* const room : {"algebra", "data", "gpu", "kernels"})
      for (fs::recursive_directory_iterator at(folder / "kleene" / room, none), end; at != end; at.increment(none))
        if (at->is_regular_file(none)) files.insert(at->path());
  for (const fs::path& file : files) found += kept::stamp(file);
  return found;
}

// A kept file has the kernels' names in the code, a line each, an empty line, and the code.
std::string file_of(const nvrtc::compiled& kernels) {
  std::string text;
  for (const std::string& name : kernels.names) text += name + '\n';
  return text + '\n' + kernels.code;
}
nvrtc::compiled compiled_of(const std::string& file) {
  nvrtc::compiled kernels;
  std::istringstream in(file);
  for (std::string name; std::getline(in, name) && !name.empty();) kernels.names.push_back(name);
  kernels.code = file.substr(static_cast<std::size_t>(in.tellg()));
  return kernels;
}

thread_local ring_kernels* launching = nullptr;  // the launchers of checked products are plain functions

template <class T>
void multiply(const context& ctx, const plain::product& p, ring_kernels& ring) {
  using S = any_ring<T>;
  using G = kernels::gemm_arguments<S>;
  const auto on_device = []<class E>(const plain::array& x, E*) {
    const batch_view<E> v = x.view<E>();
    return view<E, 3, memory::device>(v.data(), v.extents(), v.strides());
  };
  detail::options_for<S> options;
  if (p.alpha) options.alpha = *static_cast<const T*>(p.alpha);
  if (p.beta) options.beta = *static_cast<const T*>(p.beta), S::not_beta = *options.beta == T(0) ? T(1) : T(0);
  if (p.source.data) options.source = on_device(p.source, static_cast<const T*>(nullptr));
  if (p.mask.data) options.mask = on_device(p.mask, static_cast<const bool*>(nullptr));
  options.mask_complement = p.mask_complement, options.replace = p.replace, options.check_domain = p.check_domain;
  S::name = ring.facts().name;
  launching = &ring;
  detail::checked_gemm<S, none, T>::run(
      ctx, p.a.view<const T>(), p.b.view<const T>(), p.c.view<T>(), p.witness.view<std::int32_t>(), options,
      [](const context& on, const G& g) { kernels::cuda::launch_gemm<T>(on, g, *launching); }, nullptr);
}

template <class T>
closure_info close(const context& ctx, const plain::closures& p, const closure_options& options, ring_kernels& ring) {
  using S = any_ring<T>;
  S::name = ring.facts().name;
  const batch_view<T> all = p.a.view<T>();
  detail::check_closure(detail::facts_of(all), {}, options.block);
  closure_info info;
  for (index_t m = 0; m < all.extent(0); ++m) {
    const index_t n = p.sizes ? p.sizes[m] : all.rows();
    if (n < 0 || n > all.rows())
      throw argument_error("matrix " + std::to_string(m) + " of " + std::to_string(all.rows()) + " rows cannot have " +
                           std::to_string(n) + " vertices");
    if (n > 0)
      info = detail::run_as_call(ctx, detail::call_over<S>("closure", {n, n, -1}), [&] {
        return kernels::cuda::launch_closure<T>(ctx, all[m].block(0, 0, n, n), options, ring);
      });
    if (p.diverging) p.diverging[m] = n > 0 ? static_cast<std::int32_t>(info.diverging) : -1;
  }
  const double n = static_cast<double>(all.rows());
  info.block = options.block > 0 ? options.block : closure_block, info.operations = 2 * n * n * n;
  return info;
}

// Calls work(T{}) with the element type of that name.
template <class Work>
void with_type(const std::string& name, const Work& work) {
  if (name == "float") work(float{});
  else if (name == "double") work(double{});
  else if (name == "std::int32_t") work(std::int32_t{});
  else work(std::int64_t{});
}

}  // namespace

ring_on_device::ring_on_device(const ring_text& text, const std::string& type, const compile_options& options)
    : ring_kernels(facts_of(text, type)),
      type_(type),
      unit_(kernels::cuda::text_of_unit(ring_struct(text, type))),
      options_(options) {
  with_type(type, [&]<class T>(T) { unit_ += kernels::cuda::assertions_for<T>(); });
}

void ring_on_device::run(const context& ctx, const plain::product& request) {
  with_type(type_, [&]<class T>(T) { multiply<T>(ctx, request, *this); });
}

closure_info ring_on_device::run(const context& ctx, const plain::closures& request, const closure_options& options) {
  if (!facts().has_closure)
    throw argument_error(std::string(facts().name) + " has no closure on a device: its add is not idempotent");
  if (request.predecessors.data)
    throw argument_error(std::string("closures over a ring at run time on a device come without predecessors (") +
                         facts().name + "): ask a CPU context for them");
  closure_info info;
  with_type(type_, [&]<class T>(T) { info = close<T>(ctx, request, options, *this); });
  return info;
}

void ring_on_device::compile_for(int capability) {
  std::size_t bytes = 0;
  with_type(type_, [&]<class T>(T) { bytes = sizeof(T); });
  for (const ring_part& part : kernels::cuda::parts_of(bytes, facts())) code(part, capability, false);
}

// NVRTC's version is no part of the name: to ask for it takes 20 ms, and what any of them made serves.
nvrtc::compiled ring_on_device::code(const ring_part& part, int capability, bool again) {
  nvrtc::unit unit{unit_, kernels::cuda::kernels_of(part, facts().signs), header_folders(options_), capability};
  std::string made_of = unit.text + std::to_string(capability) + '\n' + stamp_of_headers(unit.folders);
  for (const std::string& kernel : unit.kernels) made_of += kernel + '\n';
  if (!options_.nvrtc.empty()) made_of += kept::stamp(options_.nvrtc);
  const fs::path path = kept::folder(options_.cache) / (kept::digest(made_of) + ".cubin");
  if (!again)
    if (const auto file = kept::read(path)) return compiled_of(*file);
  const nvrtc::compiled made = nvrtc::open(options_.nvrtc).compile(unit);
  const kept::workshop in(path);
  std::ofstream(in.at() / "ring.cubin", std::ios::binary) << file_of(made);
  in.keep("ring.cubin");
  return made;
}

}  // namespace kleene
