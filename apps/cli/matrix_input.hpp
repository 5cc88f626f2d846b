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
  std::string format{};       // of a graph: its name in the table of formats
  labels names{};             // of rows and columns, as messages have them
  std::string place{};        // of the extents, as io::dense_facts has it; of a graph, which is square, empty

  bool is_edge_list() const { return !description.empty(); }  // numbered from its least vertex
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

// A dense matrix of elements of an algebra. Takes the values out of the input. Those that the type cannot hold, or that
// are outside the algebra's domain, are refused (value_error); duplicate entries are combined. T: f32, f64, i32, i64,
// bool, and of products i8, u8, f16, bf16.
template <class T>
matrix<T> take_matrix(matrix_input& input, const element_rules<T>& rules);

}  // namespace kleene::cli
