// What a closure on a grid of GPUs will take, from rates that were measured: for machines that are not at hand.
//
//   const closure_model m = model_closure({.nodes = 512, .gpus = 8}, 1'048'576);
//   m.seconds, m.efficiency, m.bytes       // docs/scale.md derives it
//
// The closure is that of device_closure.hpp: n / block steps. Each has products in bulk on one stream, and on another
// what the next step waits for: its rows and columns, its block, and the panels that go from GPU to GPU. A step takes
// the longer of the two. Nothing is hidden before the first.
//
// Contract
//   defaults     an H200 over min-plus f32 of one sign, eight to a node. Measured: pairs (its products), bandwidth (a
//                copy's), step (on four of them; the model is within 5 % of every closure in
//                bench/results/h200/scale.json), memory. Not measured: link, the network.
//   errors       argument_error for what is not positive; error(memory), with both numbers, where a GPU's part of the
//                problem does not fit, in blocks of the size that is asked for, or of any.
#pragma once

#include "kleene/data/view.hpp"

#include <cstddef>

namespace kleene {

struct gpu_cluster {
  int nodes = 1, gpus = 8;     // gpus: of a node
  double pairs = 16.8e12;      // of one GPU, a second: one mul and one add each
  double bandwidth = 4.28e12;  // bytes a second that one GPU's memory gives or takes
  double link = 300e9;         // bytes a second from GPU to GPU of a node
  double network = 50e9;       // bytes a second that reach a GPU from other nodes
  double step = 0.7e-3;        // seconds that a step costs beside its work: launches and events
  double memory = 141e9;       // bytes of a GPU
};

struct closure_model {
  int rows = 0, cols = 0;  // of the grid: as square as can be, no more rows than columns
  index_t block = 0;
  // Seconds of a step: the bulk, in which each element of the share is read and written once beside its pairs; and
  // products ahead, the diagonal block and the panels, which the bulk hides or not.
  double bulk = 0, ahead = 0, diagonal = 0, panels = 0;
  bool is_hidden() const { return ahead + diagonal + panels <= bulk; }
  double seconds = 0;
  double efficiency = 0;  // of all GPUs' pairs
  double bytes = 0;       // on each GPU: its share, panels, and panels packed for products
};

// n vertices, elements of so many bytes. block 0: the power of two from 256 to 4096 that takes least time, of those
// that fit.
closure_model model_closure(const gpu_cluster& machine, index_t n, std::size_t element = 4, index_t block = 0);

}  // namespace kleene
