// expect: device code needs compute capability 8\.0
// wrong: -arch=compute_75
#include "kleene/data/view.hpp"
