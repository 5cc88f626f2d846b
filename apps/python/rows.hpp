// The rows of algebra/catalog.def by number: Python asks for one by name and type once, and passes its number on.
#pragma once

#include "kleene/algebra/catalog.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace kleene::python {

// A table of one function a row, made by make(algebra{}); null where the algebra has no such function.
template <class Function, class Make>
std::vector<Function> function_rows(const Make& make) {
  std::vector<Function> rows;
  for_each_algebra([&](auto s) { rows.push_back(make(s)); });
  return rows;
}

// The function of a row. What Python passes has been looked up before: another number is a fault of the package.
template <class Function>
Function function_of(const std::vector<Function>& rows, int row, const char* operation) {
  if (row < 0 || row >= static_cast<int>(rows.size()) || !rows[row])
    throw std::out_of_range(std::string(operation) + ": no row " + std::to_string(row));
  return rows[row];
}

}  // namespace kleene::python
