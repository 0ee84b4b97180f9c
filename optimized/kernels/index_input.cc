#include "optimized/kernels/index_input.h"

#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {
namespace {

template <typename T>
void Narrow(std::span<const int64_t> values, void* out) {
  T* to = static_cast<T*>(out);
  for (const int64_t value : values) *to++ = static_cast<T>(value);
}

// By width: the low bits of a signed and an unsigned integer are the same.
void NarrowTo(size_t width, std::span<const int64_t> values, void* out) {
  if (width == 1) return Narrow<uint8_t>(values, out);
  if (width == 2) return Narrow<uint16_t>(values, out);
  if (width == 4) return Narrow<uint32_t>(values, out);
  Narrow<uint64_t>(values, out);
}

}  // namespace

bool IsLegacyScalar(const Tensor& tensor) {
  return tensor.rank() == 0 || (tensor.rank() == 1 && tensor.dim(0) == 1);
}

Result<SmallDims> IndexValues(const Tensor& tensor) {
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(tensor));
  SmallDims values;
  values.resize(static_cast<size_t>(view.size()));
  for (int64_t i = 0; i < view.size(); ++i) values[static_cast<size_t>(i)] = view[i];
  return values;
}

Result<int64_t> CanonicalAxis(int64_t axis, int64_t rank, std::string_view what) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  return InvalidArgument(std::string(what) + " must be in [" + std::to_string(-rank) + ", " +
                         std::to_string(rank) + "), but is " + std::to_string(axis));
}

Status SetIndices(KernelContext& context, int i, DType dtype, DimsView dims,
                  std::span<const int64_t> values) {
  if (dtype == DType::kInt32) {
    for (const int64_t value : values) {
      if (value == static_cast<int32_t>(value)) continue;
      return InvalidArgument(std::to_string(value) +
                             " does not fit into int32: set out_type to int64");
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(i, dtype, dims));
  NarrowTo(DTypeSize(dtype), values, out->mutable_raw_data());
  return Status();
}

int64_t ProductOf(DimsView dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product = WrappingProduct(product, dims[i]);
  return product;
}

SmallDims StridesOf(DimsView dims) {
  SmallDims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = WrappingProduct(strides[i], dims[i]);
  return strides;
}

Status DimensionOverflows() {
  return InvalidArgument("a dimension of the result does not fit into int64");
}

}  // namespace tagflow::optimized
