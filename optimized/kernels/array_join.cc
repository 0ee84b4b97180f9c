// Ops that put tensors together along a dimension, and Unpack, which takes them apart.

#include <string>

#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

// Puts `part` into `whole` at `begin` along `axis`; the part has `size` there.
void PutPart(const Mover& mover, const Tensor& part, Tensor& whole, size_t axis, int64_t begin,
             int64_t size) {
  const DimsView dims = whole.dims();
  const int64_t outer = ProductOf(dims, 0, axis);
  const int64_t inner = ProductOf(dims, axis + 1, dims.size());
  if (outer == 1) {
    mover.run(part.raw_data(), mover.At(whole.mutable_raw_data(), begin * inner), size * inner);
    return;
  }
  StridedCopy copy;
  copy.Add(outer, size * inner, dims[axis] * inner);
  copy.Add(size * inner, 1, 1);
  copy.Run(mover, part.raw_data(), mover.At(whole.mutable_raw_data(), begin * inner));
}

// ---- Pack and Unpack ----

Status DifferentShapes(const KernelContext& context, int i) {
  return InvalidArgument(
      "Shapes of all inputs must match: values[0].shape = " + DimsString(context.input(0).dims()) +
      " != values[" + std::to_string(i) + "].shape = " + DimsString(context.input(i).dims()));
}

}  // namespace

//   values: n of one shape; output: that shape with n at `axis`
Result<Joint> JointOfPack(const KernelContext& context, int64_t axis_attr) {
  const DimsView dims = context.input(0).dims();
  const int count = context.num_inputs();
  for (int i = 1; i < count; ++i) {
    if (!SameDims(context.input(i).dims(), dims)) return DifferentShapes(context, i);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           CanonicalAxis(axis_attr, static_cast<int64_t>(dims.size()) + 1, "axis"));
  SmallDims packed(dims);
  packed.insert(static_cast<size_t>(axis), count);
  return Joint{0, count, static_cast<size_t>(axis), packed};
}

namespace {

Status Pack(KernelContext& context, const Mover& mover, int64_t axis_attr) {
  TAGFLOW_ASSIGN_OR_RETURN(const Joint joint, JointOfPack(context, axis_attr));
  const Tensor& first = context.input(0);
  const int count = context.num_inputs();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, first.dtype(), joint.dims));
  if (first.rank() == 0) {
    void* data = out->mutable_raw_data();
    for (int i = 0; i < count; ++i) mover.run(context.input(i).raw_data(), mover.At(data, i), 1);
    return Status();
  }
  for (int i = 0; i < count; ++i) {
    PutPart(mover, context.input(i), *out, joint.axis, i, 1);
  }
  return Status();
}

Result<BoundKernel> BindPack(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(binding.node, "axis"));
  const DType dtype = binding.output_dtype(0);
  const auto pack = [axis, &mover = MoverOf(dtype)](KernelContext& context) {
    return Pack(context, mover, axis);
  };
  if (axis != 0 && axis != -1) return BoundKernel(pack);
  return BindPart(VectorPart{dtype, /*takes_tensors=*/axis == 0}, pack);
}

//   values: n of one shape, with 1 first; output: of that shape with n first, as the attr says
Status ParallelConcat(KernelContext& context, DType dtype, const Dims& dims) {
  const DimsView inner = DimsView(dims).subspan(1);
  for (int i = 0; i < context.num_inputs(); ++i) {
    const DimsView part = context.input(i).dims();
    if (part.size() == dims.size() && part[0] == 1 && SameDims(part.subspan(1), inner)) continue;
    return InvalidArgument("value and update shape doesn't match: " + DimsString(dims) + " vs. " +
                           DimsString(part));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims));
  if (out->num_elements() == 0) return Status();
  const Mover& mover = MoverOf(dtype);
  for (int i = 0; i < context.num_inputs(); ++i) PutPart(mover, context.input(i), *out, 0, i, 1);
  return Status();
}

Result<BoundKernel> BindParallelConcat(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(binding.node, "shape"));
  const auto count = static_cast<int64_t>(binding.signature.inputs.size());
  if (!shape.fully_known() || shape.rank() == 0 || shape.dim(0) != count) {
    return InvalidArgument("the attr shape must be known and have " + std::to_string(count) +
                           " first, not " + shape.ToString());
  }
  return BoundKernel([dtype = binding.output_dtype(0), dims = shape.dims()](
                         KernelContext& context) { return ParallelConcat(context, dtype, dims); });
}

}  // namespace

//   value: any shape with `count` at axis; outputs: that shape without the axis
Result<UnpackedParts> PartsOfUnpack(const KernelContext& context, int64_t axis_attr, int count) {
  const DimsView dims = context.input(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           CanonicalAxis(axis_attr, static_cast<int64_t>(dims.size()), "axis"));
  const size_t d = static_cast<size_t>(axis);
  if (dims[d] != count) {
    return InvalidArgument("Input shape axis " + std::to_string(axis) + " must equal " +
                           std::to_string(count) + ", got shape " + DimsString(dims));
  }
  Part part{0, SmallDims(dims), StridesOf(dims)};
  const int64_t step = part.steps[d];
  part.dims.erase(d);
  part.steps.erase(d);
  return UnpackedParts{part, step};
}

namespace {

Status Unpack(KernelContext& context, int64_t axis_attr, int count) {
  TAGFLOW_ASSIGN_OR_RETURN(const UnpackedParts parts, PartsOfUnpack(context, axis_attr, count));
  Part part = parts.first;
  for (int i = 0; i < count; ++i) {
    part.first = i * parts.step;
    TAGFLOW_RETURN_IF_ERROR(SetPart(context, i, 0, part));
  }
  return Status();
}

Result<BoundKernel> BindUnpack(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(binding.node, "axis"));
  const int count = static_cast<int>(binding.signature.outputs.size());
  return BoundKernel(
      [axis, count](KernelContext& context) { return Unpack(context, axis, count); });
}

// ---- Concat ----

// The values are inputs [first, last).
struct Range {
  int first, last;
};

Status CannotJoin(const KernelContext& context, Range values, int i) {
  return InvalidArgument("ConcatOp : the shapes must be equal but for the axis: shape[0] = " +
                         DimsString(context.input(values.first).dims()) + " vs. shape[" +
                         std::to_string(i - values.first) +
                         "] = " + DimsString(context.input(i).dims()));
}

// The size of the concatenation along `axis`, given that all else agrees.
Result<int64_t> JoinedSize(const KernelContext& context, Range values, size_t axis) {
  const DimsView first = context.input(values.first).dims();
  int64_t size = 0;
  for (int i = values.first; i < values.last; ++i) {
    const DimsView dims = context.input(i).dims();
    if (dims.size() != first.size() || !SameDims(dims.first(axis), first.first(axis)) ||
        !SameDims(dims.subspan(axis + 1), first.subspan(axis + 1))) {
      return CannotJoin(context, values, i);
    }
    if (__builtin_add_overflow(size, dims[axis], &size)) return DimensionOverflows();
  }
  return size;
}

//   values: n of one rank >= 1, equal but for the axis; axis: one integer
Result<Joint> JointOf(const KernelContext& context, Range values, int axis_input) {
  const Tensor& axis_value = context.input(axis_input);
  if (!IsLegacyScalar(axis_value)) {
    return InvalidArgument("axis tensor should be a scalar integer, but got shape " +
                           DimsString(axis_value.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, OnlyInt(axis_value, "axis"));
  SmallDims dims(context.input(values.first).dims());
  if (dims.empty()) {
    return InvalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           CanonicalAxis(given, static_cast<int64_t>(dims.size()), "axis"));
  const size_t d = static_cast<size_t>(axis);
  TAGFLOW_ASSIGN_OR_RETURN(dims[d], JoinedSize(context, values, d));
  return Joint{values.first, values.last, d, dims};
}

}  // namespace

Result<Joint> JointOfConcat(const KernelContext& context) {
  return JointOf(context, {1, context.num_inputs()}, 0);
}
Result<Joint> JointOfConcatV2(const KernelContext& context) {
  const int last = context.num_inputs() - 1;
  return JointOf(context, {0, last}, last);
}

namespace {

Status Concat(KernelContext& context, const Mover& mover, const Joint& joint) {
  const DType dtype = context.input(joint.first).dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, joint.dims));
  int64_t begin = 0;
  for (int i = joint.first; i < joint.last; ++i) {
    const int64_t size = context.input(i).dims()[joint.axis];
    PutPart(mover, context.input(i), *out, joint.axis, begin, size);
    begin += size;
  }
  return Status();
}

template <Result<Joint> (*joint_of)(const KernelContext& context)>
Result<BoundKernel> BindJoint(const Binding& binding) {
  const Mover& mover = MoverOf(binding.output_dtype(0));
  const JoinPart part = {/*axis_is_first=*/joint_of == JointOfConcat};
  return BindPart(part, [&mover](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Joint joint, joint_of(context));
    return Concat(context, mover, joint);
  });
}

// ---- ConcatOffset ----

// Input 1 + i as a shape; it must agree with `first` but along the axis.
Result<SmallDims> OffsetShape(const KernelContext& context, int i, size_t rank) {
  const Tensor& input = context.input(i + 1);
  if (input.rank() != 1 || input.dim(0) != static_cast<int64_t>(rank)) {
    return InvalidArgument("input " + std::to_string(i) + " should be a vector of " +
                           std::to_string(rank) + " elements, but got shape " +
                           DimsString(input.dims()));
  }
  return IndexValues(input);
}

Status CheckOffsetShape(int i, DimsView shape, DimsView first, size_t axis) {
  for (size_t d = 0; d < first.size(); ++d) {
    if (d == axis || shape[d] == first[d]) continue;
    return InvalidArgument("All dimensions except " + std::to_string(axis) + " must match. Input " +
                           std::to_string(i) + " has shape " + DimsString(shape) +
                           " and doesn't match input 0 with shape " + DimsString(first) + ".");
  }
  return Status();
}

// Where each of n tensors of the given shapes begins in their concatenation.
//   concat_dim: int32 scalar; shape: n vectors of one length
Status ConcatOffset(KernelContext& context) {
  const Tensor& concat_dim = context.input(0);
  if (concat_dim.rank() != 0) {
    return InvalidArgument("Concat dim tensor should be a scalar integer, but got shape " +
                           DimsString(concat_dim.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, OnlyInt(concat_dim, "concat_dim"));
  const size_t rank = static_cast<size_t>(context.input(1).num_elements());
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims first, OffsetShape(context, 0, rank));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           CanonicalAxis(given, static_cast<int64_t>(rank), "concat_dim"));
  const size_t d = static_cast<size_t>(axis);
  SmallDims offset(rank, 0);
  for (int i = 0; i + 1 < context.num_inputs(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const SmallDims shape, OffsetShape(context, i, rank));
    TAGFLOW_RETURN_IF_ERROR(CheckOffsetShape(i, shape, first, d));
    TAGFLOW_RETURN_IF_ERROR(SetIndices(context, i, context.input(i + 1).dtype(),
                                       SmallDims(1, static_cast<int64_t>(rank)), offset));
    if (__builtin_add_overflow(offset[d], shape[d], &offset[d])) return DimensionOverflows();
  }
  return Status();
}

Result<BoundKernel> BindConcatOffset(const Binding&) { return BoundKernel(ConcatOffset); }

}  // namespace

Status RegisterArrayJoinKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Concat", BindJoint<JointOfConcat>},
                                   {"ConcatOffset", BindConcatOffset},
                                   {"ConcatV2", BindJoint<JointOfConcatV2>},
                                   {"ParallelConcat", BindParallelConcat},
                                   {"Pack", BindPack},
                                   {"Unpack", BindUnpack},
                               });
}

}  // namespace tagflow::optimized
