#ifndef TAGFLOW_REFERENCE_TAPE_ADJOINT_CALLS_H_
#define TAGFLOW_REFERENCE_TAPE_ADJOINT_CALLS_H_

// Calls of ops, at which their derivatives are checked: those of the tape against finite
// differences, those of graphs against the tape.

#include <random>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/tensor.h"

namespace tagflow::reference {

struct AdjointCall {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs = {};
  std::vector<size_t> fixed = {};   // inputs of real numbers by which there is no derivative
  int orders_max = 99;              // how often it can be differentiated
  std::vector<size_t> unused = {};  // outputs that have no derivative

  // Whether its output is differentiated by this input.
  bool Moves(size_t slot) const;
  std::string ToString() const;
};
using AdjointCalls = std::vector<AdjointCall>;

// Doubles between two bounds, the same in each run; floats are for ops that take no doubles.
class Numbers {
 public:
  Tensor operator()(const Dims& dims, double least, double most);
  Tensor Floats(const Dims& dims, double least, double most);

 private:
  std::mt19937 bits_{20};
};

AdjointCalls ActivationCalls();
AdjointCalls ConvolutionCalls();
AdjointCalls DecompositionCalls();
AdjointCalls DiagonalCalls();
AdjointCalls EinsumCalls();
AdjointCalls ImageCalls();
AdjointCalls LinalgCalls();
AdjointCalls MathCalls();
AdjointCalls MatrixCalls();
AdjointCalls NormalizationCalls();
AdjointCalls PoolingCalls();
AdjointCalls RaggedCalls();
AdjointCalls ReductionCalls();
AdjointCalls SegmentCalls();
AdjointCalls SequenceCalls();
AdjointCalls SoftmaxCalls();
AdjointCalls SparseCalls();
AdjointCalls SpecialCalls();

// All of the above, where the op is smooth.
AdjointCalls AllAdjointCalls();

// Of decompositions into square factors, which have derivatives where shapes are known and fit.
AdjointCalls FullDecompositionCalls();

// Where a derivative is a choice, or another number is not one.
AdjointCalls CornerCalls();
// Random numbers, whose samplers do not move as smoothly as the numbers' distribution.
AdjointCalls RandomCalls();

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_ADJOINT_CALLS_H_
