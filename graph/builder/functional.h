#ifndef TAGFLOW_GRAPH_BUILDER_FUNCTIONAL_H_
#define TAGFLOW_GRAPH_BUILDER_FUNCTIONAL_H_

// Loops over the rows of tensors: Map, Scan and the folds. `elements` are one or more tensors of
// the same first dimension n; row i of each goes to the function together. All are WhileLoops over
// TensorArrays: iterations that do not depend on each other may run at once.

#include <functional>
#include <string>

#include "graph/builder/output.h"
#include "graph/builder/scope.h"

namespace tagflow {

// Given row i of each element, any number of results.
using MapFunction = std::function<OutputList(const Scope&, const OutputList& row)>;
// Given the accumulators and row i of each element, the accumulators' next values.
using FoldFunction =
    std::function<OutputList(const Scope&, const OutputList& accumulators, const OutputList& row)>;

struct MapOptions {
  std::string name = {};             // "": "map", "scan", "foldl", "foldr"
  int64_t parallel_iterations = 10;  // at least 1
  bool back_prop = true;
  bool swap_memory = false;
  bool reverse = false;  // Scan only: from the last row to the first
};

// The results for every row, each stacked along a new first dimension.
//   Errors: INVALID_ARGUMENT for no elements, or a scalar among them; WhileLoop's. When the step
//   runs: elements of different first dimension.
OutputList Map(const Scope& scope, const MapFunction& function, const OutputList& elements,
               const MapOptions& options = {});

// The accumulators after every row, each stacked along a new first dimension. Without `initial`,
// the first row (in reverse: the last) is what they start from, and their first value.
//   Errors: as Map; without `initial`, n = 0 fails the step.
OutputList Scan(const Scope& scope, const FoldFunction& function, const OutputList& elements,
                const OutputList& initial = {}, const MapOptions& options = {});

// The accumulators after all rows, first to last (FoldL) or last to first (FoldR). Without
// `initial` they start from the row that comes first.
//   Errors: as Scan.
OutputList FoldL(const Scope& scope, const FoldFunction& function, const OutputList& elements,
                 const OutputList& initial = {}, const MapOptions& options = {});
OutputList FoldR(const Scope& scope, const FoldFunction& function, const OutputList& elements,
                 const OutputList& initial = {}, const MapOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_FUNCTIONAL_H_
