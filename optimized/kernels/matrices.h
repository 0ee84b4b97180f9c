#ifndef TAGFLOW_OPTIMIZED_KERNELS_MATRICES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_MATRICES_H_

// What the kernels of whole matrices share: what is asked of a tensor that holds a batch of them
// along its last two dimensions, and how they are bound for the wide types.

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "optimized/kernel.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

inline constexpr DTypeSet kMatrixTypes = kComplexes | SetOf(DType::kFloat, DType::kDouble);

// REQUIRES: of both, a rank of 2 at least
inline DimsView BatchOf(const Tensor& tensor) {
  return tensor.dims().first(tensor.dims().size() - 2);
}
inline Dims BatchWith(const Tensor& tensor, std::initializer_list<int64_t> sides) {
  const DimsView batch = BatchOf(tensor);
  Dims dims(batch.begin(), batch.end());
  dims.insert(dims.end(), sides);
  return dims;
}

// How many matrices of rows x columns a tensor holds; 0 if it holds no element.
inline int64_t CountOf(const Tensor& tensor, int64_t rows, int64_t columns) {
  return tensor.num_elements() == 0 ? 0 : tensor.num_elements() / (rows * columns);
}

inline Status RequireMatrices(const Tensor& input, std::string_view name) {
  if (input.rank() >= 2) return Status();
  return InvalidArgument(std::string(name) + " must hold matrices, but has shape " +
                         DimsString(input.dims()));
}
inline Status RequireSquares(const Tensor& input, std::string_view name) {
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(input, name));
  const DimsView sides = input.dims().last(2);
  if (sides[0] == sides[1]) return Status();
  return InvalidArgument(std::string(name) + " must hold square matrices, but has shape " +
                         DimsString(input.dims()));
}

// make(Computing<W>()) with the wide type W of a dtype of `dtypes`.
template <typename F>
Result<BoundKernel> BindWide(const Binding& binding, DTypeSet dtypes, F make) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, dtypes));
  if (IsComplex(dtype)) return make(Computing<std::complex<double>>());
  return make(Computing<double>());
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_MATRICES_H_
