// Which CUDA devices a build can use, and what is said of one that it cannot.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>

namespace kleene::detail {

// Whether code that was compiled for `architectures` runs on devices of that capability (75 for 7.5). The names are
// those of KLEENE_CUDA_ARCHITECTURES: 90a is machine code for 9.0 alone, 80 for 8.0 to 8.9, 80+ is PTX for all from
// there on; what is no number says nothing, and is taken to fit.
inline bool has_code_for(int capability, const std::string& architectures) {
  std::istringstream names(architectures);
  for (std::string name; names >> name;) {
    const int of = std::atoi(name.c_str());
    const bool alone = name.find('a') != std::string::npos, onwards = name.back() == '+';
    if (of == 0 || capability == of) return true;
    if (!alone && capability > of && (onwards || capability / 10 == of / 10)) return true;
  }
  return false;
}

// Why a device of that name and capability is not used, in a sentence without its full stop; empty where it is.
inline std::string why_device_is_unused(const std::string& name, int capability, const std::string& architectures) {
  const std::string has =
      name + " has compute capability " + std::to_string(capability / 10) + "." + std::to_string(capability % 10);
  if (capability < 80) return has + ", and Kleene uses 8.0 (Ampere) and later";
  if (!has_code_for(capability, architectures)) return has + ", and this build holds code for " + architectures;
  return "";
}

}  // namespace kleene::detail
