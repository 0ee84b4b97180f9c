#ifndef TAGFLOW_OPTIMIZED_KERNELS_SPARSE_INPUT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SPARSE_INPUT_H_

// Sparse tensors as three inputs and outputs of a kernel: indices [n, rank], values [n], and the
// shape [rank] of the whole.

#include <cstdint>
#include <span>
#include <utility>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

// The places that the rows of a matrix of indices are. The tensor outlives it.
class Places {
 public:
  //   Errors: INVALID_ARGUMENT: no matrix
  static Result<Places> Of(const Tensor& indices);

  int64_t size() const { return size_; }
  int64_t rank() const { return rank_; }
  int64_t at(int64_t i, int64_t d) const { return numbers_[i * rank_ + d]; }
  // Whether place i comes before (< 0), is (0), or comes behind (> 0) the other.
  int Compare(int64_t i, const Places& other, int64_t j) const;
  // Compare(i - 1, *this, i), of neighbours
  int CompareWithNext(int64_t i) const { return Compare(i, *this, i + 1); }
  bool IsInside(int64_t i, DimsView dims) const;

  // OK if all are inside of the shape.   Errors: INVALID_ARGUMENT naming the first that is not
  Status RequireInside(DimsView dims) const;
  // OK if each comes behind the one before.   Errors: INVALID_ARGUMENT, likewise
  Status RequireInOrder() const;
  // INVALID_ARGUMENT: place i is outside
  Status Outside(int64_t i, DimsView dims) const;

  // The number of place i along its first dims.size() dimensions.   REQUIRES: inside
  int64_t NumberOf(int64_t i, DimsView dims) const {
    int64_t number = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      number = number * dims[d] + at(i, static_cast<int64_t>(d));
    }
    return number;
  }

 private:
  explicit Places(IntView numbers) : numbers_(std::move(numbers)) {}

  IntView numbers_;
  int64_t size_ = 0;
  int64_t rank_ = 0;
};

// The coordinates of place `number` of a shape.   REQUIRES: there is such a place
void PutPlace(int64_t number, DimsView dims, int64_t* place);

struct SparseInput {
  Places places;
  const Tensor& values;
  SmallDims dims;
};

// The sparse tensor that three inputs are. Places may be in any order, and one may come twice.
//   Errors: INVALID_ARGUMENT where their shapes do not fit together, the third is not the shape of
//   a tensor (NumElements), or a place is outside of it
Result<SparseInput> SparseInputOf(const Tensor& indices, const Tensor& values, const Tensor& shape);
// The same of the inputs from `first` on.
Result<SparseInput> SparseInputAt(const KernelContext& context, int first);

// Two outputs become the places and the values of the elements of these numbers.
//   Errors: RESOURCE_EXHAUSTED
Status SetElements(KernelContext& context, int places_output, int values_output,
                   const SparseInput& sparse, std::span<const int64_t> elements);
// Output i becomes an int64 vector.
Status SetShape(KernelContext& context, int i, DimsView dims);
// Output i becomes an int64 matrix [rows, columns], to be filled.
Result<int64_t*> SetMatrix(KernelContext& context, int i, int64_t rows, int64_t columns);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SPARSE_INPUT_H_
