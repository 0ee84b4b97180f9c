// Ops that give a tensor with part of it written: StridedSliceGrad, TensorStridedSliceUpdate,
// InplaceUpdate, InplaceAdd, InplaceSub.

#include <string>

#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/part_update.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/strided_slice.h"

namespace tagflow::optimized {
namespace {

// ---- By ranges ----

}  // namespace

//   shape: vector, the shape of what was sliced; begin, end, strides: as of StridedSlice
//   dy: of the slice's shape; output: zeros around it
Result<SlicedFrom> SlicedFromOf(const KernelContext& context, const SliceMasks& masks) {
  const Tensor& shape = context.input(0);
  const Tensor& dy = context.input(4);
  if (shape.rank() != 1) {
    return InvalidArgument("shape must be 1-D, got shape " + DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, IndexValues(shape));
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  TAGFLOW_ASSIGN_OR_RETURN(const Part part, StridedPart(masks, context.input(1), context.input(2),
                                                        context.input(3), dims));
  if (!SameDims(dy.dims(), part.dims)) {
    return InvalidArgument("shape of dy was " + DimsString(dy.dims()) + " instead of " +
                           DimsString(part.dims));
  }
  return SlicedFrom{dims, part};
}

namespace {

Status StridedSliceGrad(KernelContext& context, const SliceMasks& masks) {
  const Tensor& dy = context.input(4);
  TAGFLOW_ASSIGN_OR_RETURN(const SlicedFrom from, SlicedFromOf(context, masks));
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(dy.dtype(), from.dims));
  return UpdatePart(context.output(0), from.part, dy);
}

//   input: any; value: broadcasts to the slice; output: the input with the value in the slice
Status TensorStridedSliceUpdate(KernelContext& context, const SliceMasks& masks) {
  TAGFLOW_ASSIGN_OR_RETURN(const Part part, StridedPart(masks, context.input(1), context.input(2),
                                                        context.input(3), context.input(0).dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, SetCopy(context, 0, 0));
  return UpdatePart(*out, part, context.input(4));
}

template <Status (*kernel)(KernelContext& context, const SliceMasks& masks)>
Result<BoundKernel> BindRanges(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::Of(binding.node));
  return BoundKernel([masks](KernelContext& context) { return kernel(context, masks); });
}

// ---- By rows ----

Status CheckRows(const Tensor& x, const Tensor& rows, const Tensor& v) {
  if (rows.rank() != 1) {
    return InvalidArgument("i must be a vector, not of shape " + DimsString(rows.dims()));
  }
  if (x.rank() > 0 && v.rank() > 0 && v.dim(0) == rows.dim(0) &&
      SameDims(v.dims().subspan(1), x.dims().subspan(1))) {
    return Status();
  }
  return InvalidArgument("x and v shape doesn't match: " + DimsString(x.dims()) + " and " +
                         DimsString(v.dims()) + " for " + std::to_string(rows.dim(0)) + " rows");
}

//   x: [n, …]; i: vector of rows, counted modulo n; v: a row for each
// Despite their names these leave x as it is for others: TensorFlow writes into the buffer that x
// has.
Status ChangeRows(KernelContext& context, ChangeFunction change) {
  const Tensor& v = context.input(2);
  TAGFLOW_RETURN_IF_ERROR(CheckRows(context.input(0), context.input(1), v));
  if (context.input(0).num_elements() == 0 || v.num_elements() == 0) {
    context.output(0) = context.Take(0);
    return Status();
  }
  if (change == nullptr) return InvalidArgument("Unsupported data type: " + DTypeName(v.dtype()));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView rows, IntView::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, SetCopy(context, 0, 0));
  const Mover& mover = MoverOf(out->dtype());
  const int64_t count = out->dim(0);
  const int64_t size = out->num_elements() / count;
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int64_t row = (rows[i] % count + count) % count;
    change(mover.At(out->mutable_raw_data(), row * size), mover.At(v.raw_data(), i * size), size,
           1);
  }
  return Status();
}

template <Change change>
Result<BoundKernel> BindRows(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  const bool is_possible = change == Change::kSet || Contains(kNumbers, dtype);
  return BoundKernel([apply = is_possible ? FindChange(change, dtype) : nullptr](
                         KernelContext& context) { return ChangeRows(context, apply); });
}

}  // namespace

Status RegisterSliceUpdateKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {
                         {"InplaceAdd", BindRows<Change::kAdd>},
                         {"InplaceSub", BindRows<Change::kSubtract>},
                         {"InplaceUpdate", BindRows<Change::kSet>},
                         {"StridedSliceGrad", BindRanges<StridedSliceGrad>},
                         {"TensorStridedSliceUpdate", BindRanges<TensorStridedSliceUpdate>},
                     });
}

}  // namespace tagflow::optimized
