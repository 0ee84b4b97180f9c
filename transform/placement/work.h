#ifndef TAGFLOW_TRANSFORM_PLACEMENT_WORK_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_WORK_H_

// How much one firing of a node does, from the shapes that are known before anything runs.
//
// A dimension that is not known counts as so many (CostOptions::unknown_dim), a tensor of unknown
// rank as one such dimension. What is counted by op:
//
//   hands on or describes a tensor (Identity, Reshape, Shape, Switch, …)   nothing
//   moves elements (Concat, Gather, Transpose, …)        bytes of inputs and outputs
//   a product of matrices                                and 2 m k n operations; of an Einsum, as
//   of
//                                                        the product of its first two inputs
//   Exp, Tanh, Pow, random numbers, …                    and 10 operations for each element
//   Unique, TopK, …                                      and n log2(n) for n elements
//   Cholesky, MatrixInverse, MatrixSolve, …              and n^3 for each matrix of n rows
//   everything else                                      and an operation for each element
//
// where "each element" is of the largest input or output.
//
// Tested by work_test.cc.

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/partial_shape.h"

namespace tagflow {

struct Work {
  double operations = 0;
  double bytes = 0;  // read and written
};

// The ops that are not of the last line above, by name.
std::vector<std::string> OpsOfKnownWork();

double ElementsOf(const PartialShape& shape, double unknown_dim);
// What a tensor of the shape takes when it crosses; of a string 32 bytes an element, of a variant
// 64, of a handle 16.
double BytesOf(const PartialShape& shape, DType dtype, double unknown_dim);

// inputs, outputs: the node's shapes, as many as its signature says
Work WorkOf(const Node& node, const Signature& signature, const std::vector<PartialShape>& inputs,
            const std::vector<PartialShape>& outputs, double unknown_dim);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_WORK_H_
