// Definitions of contract, for an algebra of your own: include this instead of contract.hpp.
#pragma once

#include "kleene/networks/contract.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "kleene/operations/own/gemv.inl.hpp"
