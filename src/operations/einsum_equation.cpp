// Equations of einsum: reading them, and saying what is wrong with them.
#include "kleene/operations/einsum_equation.hpp"

#include <algorithm>

namespace kleene {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[noreturn]] void refuse_character(std::string_view text, std::size_t at) {
  const std::string where = "einsum \"" + std::string(text) + "\": ";
  if (text[at] == '.') throw argument_error(where + "there is no ellipsis; name its indices");
  throw argument_error(where + "'" + text[at] + "' at position " + std::to_string(at) +
                       " is no index; indices are letters a to z and A to Z, operands are parted by commas, and one "
                       "-> precedes the output");
}

}  // namespace

void einsum_equation::read_letters(std::string_view text) {
  labels_.reserve(text.size());
  ends_.reserve(4);
  bool has_arrow = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_letter(c)) {
      labels_.push_back(c);
    } else if ((c == ',' || (c == '-' && text.substr(at, 2) == "->")) && !has_arrow) {
      ends_.push_back(static_cast<int>(labels_.size()));
      if (c == '-') has_arrow = true, ++at;
    } else if (!is_space(c)) {
      refuse_character(text, at);
    }
  }
  ends_.push_back(static_cast<int>(labels_.size()));
  if (!has_arrow) add_implicit_output();
}

void einsum_equation::add_implicit_output() {
  std::vector<int> sorted = labels_;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t l = 0; l < sorted.size(); ++l) {
    const bool repeats = (l > 0 && sorted[l] == sorted[l - 1]) || (l + 1 < sorted.size() && sorted[l] == sorted[l + 1]);
    if (!repeats) labels_.push_back(sorted[l]);
  }
  ends_.push_back(static_cast<int>(labels_.size()));
}

// Labels become numbers from 0 on, by rising label.
void einsum_equation::number_labels() {
  const auto output = labels_.begin() + ends_[ends_.size() - 2];
  symbols_.assign(labels_.begin(), output);
  std::sort(symbols_.begin(), symbols_.end());
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end()), symbols_.end());
  const auto called = [&](int label) { return has_letters_ ? std::string(1, char(label)) : std::to_string(label); };
  std::vector<bool> seen(symbols_.size(), false);
  for (auto label = labels_.begin(); label != labels_.end(); ++label) {
    const auto found = std::lower_bound(symbols_.begin(), symbols_.end(), *label);
    if (found == symbols_.end() || *found != *label)
      throw argument_error("einsum: index " + called(*label) + " of the output is in no operand");
    const int number = static_cast<int>(found - symbols_.begin());
    if (label >= output) {
      if (seen[static_cast<std::size_t>(number)])
        throw argument_error("einsum: index " + called(*label) + " is in the output twice");
      seen[static_cast<std::size_t>(number)] = true;
    }
    *label = number;
  }
}

einsum_equation::einsum_equation(std::string_view text) : has_letters_(true) {
  detail::with_memory("einsum", 8.0 * static_cast<double>(text.size()), [&] {
    read_letters(text);
    number_labels();
  });
}

template <class Operands, class Output>
void einsum_equation::read_numbers(const Operands& operands, const Output& output) {
  if (operands.size() == 0) throw argument_error("einsum: there is no operand");
  detail::with_memory("einsum", 16.0 * static_cast<double>(operands.size()), [&] {
    const auto add = [&](const auto& labels) {
      labels_.insert(labels_.end(), labels.begin(), labels.end());
      ends_.push_back(static_cast<int>(labels_.size()));
    };
    for (const auto& labels : operands) add(labels);
    add(output);
    number_labels();
  });
}

einsum_equation::einsum_equation(std::initializer_list<std::initializer_list<int>> operands,
                                 std::initializer_list<int> output) {
  read_numbers(operands, output);
}
einsum_equation::einsum_equation(std::span<const std::vector<int>> operands, std::span<const int> output) {
  read_numbers(operands, output);
}

std::string einsum_equation::name_of(int index) const {
  const int symbol = symbols_[static_cast<std::size_t>(index)];
  return has_letters_ ? std::string(1, char(symbol)) : std::to_string(symbol);
}

std::string einsum_equation::names_of(std::span<const int> indices) const {
  std::string text;
  for (const int index : indices) text += (text.empty() || has_letters_ ? "" : " ") + name_of(index);
  return text;
}

std::string einsum_equation::text() const {
  std::string text;
  for (int o = 0; o < operands(); ++o) text += (o == 0 ? "" : ",") + names_of(operand(o));
  return text + "->" + names_of(output());
}

}  // namespace kleene
