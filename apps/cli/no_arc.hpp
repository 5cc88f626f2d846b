// What means in a file that there is no arc, or no path.
#pragma once

#include "commands.hpp"
#include "kleene/io/graph.hpp"
#include "matrix_input.hpp"

#include <string>

namespace kleene::cli {

// A dense matrix as a graph, of which the description says what means no arc: what --no-arc says, else False of a
// matrix of bool, else the algebra's zero (the largest number, where the algebra is not compiled for such integers).
// An infinity that is the algebra's zero means it in any case; one that is its one is a weight on the diagonal, where
// answers have it, and elsewhere with --no-arc. value_error, by the element's place, for all else that is not finite;
// and without --no-arc for what stands for no path in files that other algebras, options or programs have written: the
// ends of integer types and halves of them, the largest float or double, and -1 where no other element is negative.
io::graph_file graph_of_dense(const io::dense_file& dense, const input_flags& flags, const std::string& algebra);

// value_error for such a number in a dense matrix that is taken as it is, where the algebra chooses between paths; and
// for 0 in one of whole numbers that looks like a matrix of bool.
void refuse_no_path_elements(const matrix_input& input, const std::string& algebra);

// value_error for such a weight in a line of `path`; for -1 where no other weight is negative in a list of all pairs.
void refuse_no_path_weights(const io::graph_file& graph, const std::string& path);

}  // namespace kleene::cli
