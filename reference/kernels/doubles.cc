// Tested by conformance/ops/softmax.ops and normalization.ops.

#include "reference/kernels/doubles.h"

#include "reference/kernels/element.h"

namespace tagflow::reference {

std::vector<double> LoadDoubles(const Tensor& tensor) {
  return WithComputingType(tensor.dtype(), [&]<typename C>(Computing<C>) {
    std::vector<double> values;
    if constexpr (RealElement<C>) {
      for (const C& value : Load<C>(tensor)) values.push_back(static_cast<double>(value));
    }
    return values;
  });
}

Result<Tensor> StoreDoubles(DType dtype, DimsView dims, const std::vector<double>& values) {
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Result<Tensor> {
    std::vector<C> rounded;
    if constexpr (FloatElement<C>) {
      for (double value : values) rounded.push_back(static_cast<C>(value));
    }
    return Store(dtype, dims, rounded);
  });
}

}  // namespace tagflow::reference
