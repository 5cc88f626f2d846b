// What --version prints.
#pragma once

#include <string>

namespace kleene::cli {

// "kleene 0.1.0 (339b922e1c)", or without the commit, where the build does not know it.
std::string version_line();

}  // namespace kleene::cli
