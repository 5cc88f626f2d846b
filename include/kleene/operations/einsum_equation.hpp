// The equation of an einsum: which index stands at which axis of each operand and of the output.
//
//   "bik,kj->bij"           letters a to z and A to Z, an index each; white space is skipped, but not in the arrow
//   "ij,jk"                 without an arrow, as NumPy has it: the output has the indices that stand once in all
//                           operands, in the order of the alphabet (A to Z first)
//   "ij->"                  a scalar
//   {{{0, 7}, {7, 3}}, {0, 3}}    numbers instead of letters: as many indices as there are ints
//
// argument_error: another character (an ellipsis, too: name its indices), an index of the output that is in no operand,
// or that the output has twice.
#pragma once

#include "kleene/data/error.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kleene {

class einsum_equation {
 public:
  einsum_equation(const char* text) : einsum_equation(std::string_view(text)) {}
  einsum_equation(const std::string& text) : einsum_equation(std::string_view(text)) {}
  einsum_equation(std::string_view text);
  einsum_equation(std::initializer_list<std::initializer_list<int>> operands, std::initializer_list<int> output);
  einsum_equation(std::span<const std::vector<int>> operands, std::span<const int> output);

  int operands() const { return static_cast<int>(ends_.size()) - 1; }
  // The indices of operand o, and of the output, numbered from 0 to indices() - 1.
  std::span<const int> operand(int o) const { return part(o); }
  std::span<const int> output() const { return part(operands()); }
  int indices() const { return static_cast<int>(symbols_.size()); }
  // What an index, or several, are called in messages: "j", "ij"; "17", "0 17".
  std::string name_of(int index) const;
  std::string names_of(std::span<const int> indices) const;
  // "bik,kj->bij".
  std::string text() const;

 private:
  std::span<const int> part(int p) const {
    const int first = p == 0 ? 0 : ends_[static_cast<std::size_t>(p - 1)], last = ends_[static_cast<std::size_t>(p)];
    return {labels_.data() + first, static_cast<std::size_t>(last - first)};
  }
  void read_letters(std::string_view text);
  template <class Operands, class Output>
  void read_numbers(const Operands& operands, const Output& output);
  void add_implicit_output();
  void number_labels();

  bool has_letters_ = false;
  std::vector<int> labels_;   // of all operands, then of the output
  std::vector<int> ends_;     // where those of each end
  std::vector<int> symbols_;  // what the caller calls each index, rising
};

}  // namespace kleene
