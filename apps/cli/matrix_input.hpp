// Matrices for gemm and closure: .npy and Matrix Market arrays as they are, Matrix Market coordinate files and graphs
// spread out over the algebra's zero.
#pragma once

#include "graph_input.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/io/graph.hpp"

#include <span>
#include <string>
#include <utility>
#include <variant>

namespace kleene::cli {

struct matrix_input {
  std::variant<matrix<f32>, matrix<f64>, matrix<i32>, matrix<i64>, coo<f64>, coo<i64>> values;
  std::string path;
  bool text = false;          // numbers written out: their type is ours to choose
  bool is_graph = false;      // a graph file: its entries are arcs
  std::string description{};  // of an edge list: how it was read
  labels names{};             // of rows and columns, as messages have them

  index_t rows() const;
  index_t cols() const;
  // The element type that the values have, or that integers call for which are written out or in 64 bits (NumPy's
  // default); `factors` as in type_for_integers.
  std::string natural_type(const std::string& algebra, double factors) const;
  // The element type for people: with a word about int64 of a file that is narrower, or wider, here.
  std::string type_words(const std::string& dtype) const;
  // The integers among the values; empty where they are floats or narrower.
  std::span<const std::int64_t> integers() const;
};

matrix_input read_matrix_input(const input_flags& flags, const shared_flags& shared);

// value_error for an element of a dense file that is outside the algebra's domain.
template <class S>
void require_domain(const matrix_input& input, const matrix<value_of<S>>& values) {
  if constexpr (has_domain<S>)
    for (index_t i = 0; i < values.rows(); ++i)
      for (index_t j = 0; j < values.cols(); ++j)
        if (!S::in_domain(values(i, j)))
          throw value_error(fmt::format("{}: element ({}, {}) is {}, {}", input.path, input.names.text(i),
                                        input.names.text(j), values(i, j), domain_words<S>()));
}

// A dense matrix of the algebra's element type. Values that it cannot hold are refused (value_error); duplicate entries
// are combined by add.
template <class S>
matrix<value_of<S>> take_matrix(matrix_input& input) {
  using T = value_of<S>;
  return std::visit(
      [&](auto& values) {
        using V = std::remove_cvref_t<decltype(values)>;
        using From = typename V::value_type;
        if constexpr (std::is_same_v<V, coo<From>>) {
          const sparse_values<T> entries = values_as<S>(values, input.path, input.names, input.is_graph);
          matrix<T> m(values.rows, values.cols, S::zero());
          for (std::size_t e = 0; e < entries.size(); ++e) {
            T& element = m(values.row[e], values.col[e]);
            if constexpr (can_overflow<S>)
              if (element != S::zero() && S::overflows(S::add(widen<S>(element), widen<S>(entries[e]))))
                throw value_error(fmt::format("{}: the entries at ({}, {}) together are no {}", input.path,
                                              input.names.text(values.row[e]), input.names.text(values.col[e]),
                                              type_name<T>));
            element = better<S>(element, entries[e]);
          }
          return m;
        } else if constexpr (std::is_same_v<From, T>) {
          require_domain<S>(input, values);
          return std::move(values);
        } else {
          matrix<T> m(values.rows(), values.cols(), uninitialised{});
          for (index_t i = 0; i < m.rows(); ++i)
            for (index_t j = 0; j < m.cols(); ++j) {
              const std::optional<T> value = converted<T>(values(i, j));
              if (!value)
                throw value_error(fmt::format("{}: element ({}, {}) is {}, which is no {}{}", input.path,
                                              input.names.text(i), input.names.text(j), values(i, j), type_name<T>,
                                              range_hint<T>));
              m(i, j) = *value;
            }
          require_domain<S>(input, m);
          return m;
        }
      },
      input.values);
}

}  // namespace kleene::cli
