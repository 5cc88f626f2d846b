#include "arrays.hpp"

namespace kleene::python {

std::string type_words(const nb::dlpack::dtype& type) {
  static constexpr const char* kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const std::string kind = type.code < std::size(kinds) ? kinds[type.code] : "unknown";
  return type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool) ? kind : kind + std::to_string(type.bits);
}

void refuse_array(const char* name, const std::string& found, const char* wanted) {
  throw nb::type_error((std::string(name) + " has " + found + "; wanted: " + wanted).c_str());
}

}  // namespace kleene::python
