// Definitions of einsum, for an algebra of your own: include this instead of einsum.hpp.
#pragma once

#include "kleene/operations/einsum.hpp"
#include "kleene/operations/gemm.inl.hpp"
#include "kleene/operations/gemv.inl.hpp"
