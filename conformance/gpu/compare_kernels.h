#ifndef TAGFLOW_CONFORMANCE_GPU_COMPARE_KERNELS_H_
#define TAGFLOW_CONFORMANCE_GPU_COMPARE_KERNELS_H_

// Kernels of the GPU beside those of the CPU, each over tensors large enough for many blocks of
// threads.

#include "conformance/gpu/suite_counts.h"

namespace tagflow::conformance {

// Functions of one number and of two, casts, choices, what moves elements, and sums of tensors: bit
// for bit but for what calls the libraries' functions.
SuiteCounts CompareElementwiseKernels();
// Gathers, scatters, segments and what else goes where indices say: bit for bit.
SuiteCounts CompareIndexingKernels();
// Lists, arrays and stacks of rows, and the tensors that are made of them: bit for bit.
SuiteCounts CompareLists();
// Reductions, products, softmax: as [number.1] compares them, and bit for bit with a second run.
SuiteCounts CompareReducingKernels();
// Random numbers: bit for bit, but for normal ones.
SuiteCounts CompareRandomKernels();
// Ops that read and change variables, training steps among them: bit for bit, but for one by exp.
SuiteCounts CompareVariableKernels();

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_COMPARE_KERNELS_H_
