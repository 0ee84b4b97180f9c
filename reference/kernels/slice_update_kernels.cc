// Ops that write part of a tensor: StridedSliceGrad, TensorStridedSliceUpdate, StridedSliceAssign,
// ResourceStridedSliceAssign; InplaceUpdate, InplaceAdd, InplaceSub.

#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/strided_slice.h"
#include "reference/kernels/variable_access.h"

namespace tagflow::reference {
namespace {

Result<DenseSlice> SliceOf(const KernelContext& context, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseSlice sparse, ReadSlice(context));
  return MakeDense(sparse, dims);
}

// `target` with `value`, which has the slice's shape, in the place of the slice.
Result<Tensor> WithSlice(const KernelContext& context, const Tensor& target,
                         const DenseSlice& slice, const Tensor& value) {
  const std::vector<int64_t> strides = StridesOf(target.dims());
  std::vector<int64_t> places;
  ForEachPlace(value.dims(), [&](const Dims& at) { places.push_back(slice.Element(at, strides)); });
  return Changed(context.node.op, target, places, value, Change::kSet);
}

//   shape: vector, the shape of what was sliced; dy: of the slice's shape; output: zeros around it
Status StridedSliceGrad(KernelContext& context) {
  const Tensor& shape = context.inputs[0];
  const Tensor& dy = context.inputs[4];
  if (shape.rank() != 1) {
    return InvalidArgument("shape must be 1-D, got shape " + DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(shape));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zeros, Tensor::Allocate(dy.dtype(), dims));
  TAGFLOW_ASSIGN_OR_RETURN(const DenseSlice slice, SliceOf(context, dims));
  if (ToDims(dy.dims()) != slice.OutputDims()) {
    return InvalidArgument("shape of dy was " + DimsString(dy.dims()) + " instead of " +
                           DimsString(slice.OutputDims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], WithSlice(context, zeros, slice, dy));
  return Status();
}

// `value` broadcast to the shape of a slice; it may have more dimensions of size 1 in front.
Result<Tensor> BroadcastToSlice(const Tensor& value, const Dims& dims) {
  Dims from = ToDims(value.dims());
  while (from.size() > dims.size() && from[0] == 1) from.erase(from.begin());
  const Result<Dims> both = BroadcastShape(from, dims);
  if (!both.ok() || *both != dims) {
    return InvalidArgument("Cannot broadcast input shape " + DimsString(value.dims()) +
                           " into final shape " + DimsString(dims));
  }
  const std::vector<int64_t> source = BroadcastIndices(from, dims);
  int64_t next = 0;
  return Rearrange(value, dims, [&](const Dims&) { return source[static_cast<size_t>(next++)]; });
}

// `target` with the fifth input, broadcast, where the slice is that the node names.
Result<Tensor> Updated(const KernelContext& context, const Tensor& target) {
  TAGFLOW_ASSIGN_OR_RETURN(const DenseSlice slice, SliceOf(context, target.dims()));
  const Dims dims = slice.OutputDims();
  if (ProductOf(dims, 0, dims.size()) == 0) return target;  // whatever the value's shape
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor value, BroadcastToSlice(context.inputs[4], dims));
  return WithSlice(context, target, slice, value);
}

Status TensorStridedSliceUpdate(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Updated(context, context.inputs[0]));
  return Status();
}

//   ref: reference; output_ref: ref
Status StridedSliceAssign(KernelContext& context) {
  Variable& variable = *context.variables[0];
  LogAccess(context, variable, true);
  TAGFLOW_RETURN_IF_ERROR(CheckInitialized(variable));
  TAGFLOW_ASSIGN_OR_RETURN(variable.value, Updated(context, variable.value));
  context.output_variables[0] = context.variables[0];
  return Status();
}

//   ref: handle
Status ResourceStridedSliceAssign(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, FindVariable(context, true));
  const DType dtype = context.inputs[4].dtype();
  if (variable->dtype != dtype) return WrongDType("update", variable->dtype, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(variable->value, Updated(context, variable->value));
  return Status();
}

//   x: [n, …]; i: vector of rows, counted modulo n; v: a row for each
// Despite their names these leave x as it is: TensorFlow writes into the buffer that x has.
Status ChangeRows(KernelContext& context, Change change) {
  const Tensor& x = context.inputs[0];
  const Tensor& rows_input = context.inputs[1];
  const Tensor& v = context.inputs[2];
  if (rows_input.rank() != 1) {
    return InvalidArgument("i must be a vector, not of shape " + DimsString(rows_input.dims()));
  }
  Dims wanted = ToDims(x.dims());
  if (!wanted.empty()) wanted[0] = rows_input.num_elements();
  if (wanted.empty() || ToDims(v.dims()) != wanted) {
    return InvalidArgument("x and v shape doesn't match: " + DimsString(x.dims()) + " and " +
                           DimsString(v.dims()) + " for " +
                           std::to_string(rows_input.num_elements()) + " rows");
  }
  if (x.num_elements() == 0 || v.num_elements() == 0) {
    context.outputs[0] = x;
    return Status();
  }
  if (change != Change::kSet && !kNumbers.contains(x.dtype())) {
    return InvalidArgument("Unsupported data type: " + DTypeName(x.dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, IndexValues(rows_input));
  const int64_t width = ProductOf(x.dims(), 1, x.dims().size());
  std::vector<int64_t> places;
  for (const int64_t row : rows) {
    const int64_t inside = (row % x.dim(0) + x.dim(0)) % x.dim(0);
    for (int64_t w = 0; w < width; ++w) places.push_back(inside * width + w);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Changed(context.node.op, x, places, v, change));
  return Status();
}

Status InplaceUpdate(KernelContext& context) { return ChangeRows(context, Change::kSet); }
Status InplaceAdd(KernelContext& context) { return ChangeRows(context, Change::kAdd); }
Status InplaceSub(KernelContext& context) { return ChangeRows(context, Change::kSubtract); }

}  // namespace

Status RegisterSliceUpdateKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StridedSliceGrad", StridedSliceGrad},
                                {"TensorStridedSliceUpdate", TensorStridedSliceUpdate},
                                {"StridedSliceAssign", StridedSliceAssign},
                                {"ResourceStridedSliceAssign", ResourceStridedSliceAssign},
                                {"InplaceUpdate", InplaceUpdate},
                                {"InplaceAdd", InplaceAdd},
                                {"InplaceSub", InplaceSub}});
}

}  // namespace tagflow::reference
