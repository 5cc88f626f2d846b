// libcu++'s mdspans of device and managed memory (cuda::device_mdspan, cuda::managed_mdspan) as arguments of
// operations: their accessors say where the elements are. Without this header, and for plain mdspans,
// as_view<memory::device>(m).
// (Releases of libcu++ before 3.1, CUDA 13.0 among them, have no such accessors.)
#pragma once

#include "kleene/data/view.hpp"

#include <cuda/mdspan>

#if __has_include(<cuda/__mdspan/host_device_accessor.h>)
namespace kleene {

template <class Accessor>
requires(::cuda::is_device_accessor_v<Accessor> || ::cuda::is_managed_accessor_v<Accessor>)
inline constexpr memory memory_of_accessor<Accessor> =
    ::cuda::is_managed_accessor_v<Accessor> ? memory::managed : memory::device;

}  // namespace kleene
#endif
