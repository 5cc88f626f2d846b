// expect: elimination subtracts and divides
// Boolean matrices have a rank, too, but no elimination finds it.
#include "kleene/operations/gf2.hpp"

#ifdef WRONG
using algebra = kleene::or_and<kleene::bit>;
#else
using algebra = kleene::xor_and<kleene::bit>;
#endif

kleene::index_t f(const kleene::bit_matrix& a) { return kleene::rank(kleene::context::cpu(), algebra{}, a); }
