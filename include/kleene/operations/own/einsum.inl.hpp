// Definitions of einsum, for an algebra of your own: include this instead of einsum.hpp.
#pragma once

#include "kleene/operations/einsum.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "kleene/operations/own/gemv.inl.hpp"
