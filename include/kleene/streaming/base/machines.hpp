// One signature for both machines. A family of operations is a class of static functions on each of them,
// detail::cpu::scans and detail::cuda::scans<Grain>; a public function picks one by its context.
//
// A unit that saw scan.hpp alone knows the CPU's, one that saw cuda/scan.cuh knows both. What it knows is the last
// template parameter of each public function, `On`, and so a part of the name that the linker sees: a program may have
// units of either kind, of either compiler. An inline function or a template of the caller's that calls these has one
// name and two meanings there: it belongs in units of one kind. (That parameter's default is spelled out each time: as
// an alias template it would be looked up once a unit, at its first use, by some compilers.)
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"
#include "kleene/streaming/base/grain.hpp"

#include <string>
#include <type_traits>

namespace kleene {

namespace detail::cpu {

struct joins;
struct load_balancing;
struct merges;
struct radix_sorts;
struct reductions;
struct scans;
struct searches;
struct segmented;
struct set_operations;
struct sorts;

}  // namespace detail::cpu

namespace detail {

// Cuda is void where a unit has no CUDA form.
template <class Cpu, class Cuda>
struct machines {
  using cpu = Cpu;
  using cuda = Cuda;
};

template <class Cpu, class Grain>
struct family {};

// What a unit knows of a family; a cuda/X.cuh overloads it for its own.
template <class Cpu, class Grain>
machines<Cpu, void> machines_of(family<Cpu, Grain>);

// error(device) unless the context works on the CPU. name: the operation, header: its path without the suffix.
inline void require_cpu(const context& ctx, const char* name, const char* header) {
  if (ctx.kind() != device_kind::cpu)
    throw error(fault_code::device, std::string(name) + ": this context works on " + ctx.describe() +
                                        "; include <kleene/" + header + ".cuh> and compile with nvcc");
}

// call(on), `on` being the family on the machine where the context works.
template <class On, class Call>
auto dispatch(const context& ctx, const char* name, const Call& call) {
  using cpu = typename On::cpu;
  if constexpr (std::is_void_v<typename On::cuda>) {
    require_cpu(ctx, name, cpu::header);
    return call(cpu());
  } else {
    if (ctx.kind() == device_kind::cpu) return call(cpu());
    return run_as_call(ctx, {name}, [&] { return call(typename On::cuda()); });
  }
}

}  // namespace detail
}  // namespace kleene
