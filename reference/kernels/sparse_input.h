#ifndef TAGFLOW_REFERENCE_KERNELS_SPARSE_INPUT_H_
#define TAGFLOW_REFERENCE_KERNELS_SPARSE_INPUT_H_

// Sparse tensors as ops take and give them: the places of the elements that are there, their
// values, and the shape of the whole.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/kernel.h"

namespace tagflow::reference {

struct SparseInput {
  std::vector<Dims> places;  // one for each value
  Tensor values;
  Dims dims;

  size_t rank() const { return dims.size(); }
};

// The sparse tensor that three inputs are: indices, integers [n, rank]; values [n]; shape, integers
// [rank]. Places may be in any order, and one may come twice.
//   Errors: INVALID_ARGUMENT where the shapes of the inputs do not fit together, `shape` is not
//   that of a tensor (NumElements), or a place is outside of it
Result<SparseInput> ReadSparse(const Tensor& indices, const Tensor& values, const Tensor& shape);
// The same of the inputs from `first` on.
Result<SparseInput> ReadSparse(const KernelContext& context, size_t first);

// The places that a matrix of indices holds, a row each.   Errors: INVALID_ARGUMENT: no matrix
Result<std::vector<Dims>> ReadPlaces(const Tensor& indices);

bool IsInside(const Dims& place, const Dims& dims);
// OK if all places are inside of the shape.   Errors: INVALID_ARGUMENT naming the first that is not
Status RequireInside(const std::vector<Dims>& places, const Dims& dims);
// OK if each place comes behind the one before.   Errors: INVALID_ARGUMENT, likewise
Status RequireInOrder(const std::vector<Dims>& places);

// "indices[3] = [0,1]"
std::string PlaceText(const std::vector<Dims>& places, size_t i);

// The number of a place among all of its shape.   REQUIRES: it is inside
int64_t NumberOf(const Dims& place, const Dims& dims);
// The inverse.   REQUIRES: a number of the shape
Dims PlaceOf(int64_t number, const Dims& dims);

// int64 [n, rank]
Result<Tensor> PlacesTensor(const std::vector<Dims>& places, size_t rank);
// int64 [rank]
Tensor ShapeTensor(const Dims& dims);
// Two outputs become the places and the values of the elements of these numbers.
Status SetElements(KernelContext& context, size_t places_port, size_t values_port,
                   const SparseInput& sparse, const std::vector<int64_t>& elements);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_SPARSE_INPUT_H_
