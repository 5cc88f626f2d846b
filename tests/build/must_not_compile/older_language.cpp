// expect: Kleene needs C\+\+20
// wrong: -std=c++17
#include "kleene/data/view.hpp"
