// Ops that put tensors together along a dimension, and Unpack, which takes them apart.

#include <span>
#include <string>
#include <utility>

#include "reference/kernels/array_kernels.h"
#include "reference/kernels/array_util.h"

namespace tagflow::reference {
namespace {

Result<int64_t> AxisAttr(const KernelContext& context, int64_t rank) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(context.node, "axis"));
  return CanonicalAxis(axis, rank,
                       "axis = " + std::to_string(axis) + " not in [" + std::to_string(-rank) +
                           ", " + std::to_string(rank) + ")");
}

// Copies a part that is [begin, begin + size of the part) along `axis` of `whole`, or back.
enum class Direction { kIntoWhole, kIntoPart };
void CopyPart(Tensor& whole, Tensor& part, size_t axis, int64_t part_size, int64_t begin,
              Direction direction) {
  if (whole.num_elements() == 0) return;  // a dimension may be as long as any
  const DimsView dims = whole.dims();
  const int64_t outer = ProductOf(dims, 0, axis);
  const int64_t inner = ProductOf(dims, axis + 1, dims.size());
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t in_whole = (o * dims[axis] + begin) * inner;
    const int64_t in_part = o * part_size * inner;
    if (direction == Direction::kIntoWhole) {
      CopyElements(part, in_part, whole, in_whole, part_size * inner);
    } else {
      CopyElements(whole, in_whole, part, in_part, part_size * inner);
    }
  }
}

//   values: n of one shape; output: that shape with n at `axis`
Status Pack(KernelContext& context) {
  std::vector<Tensor>& values = context.inputs;
  const Dims dims = ToDims(values[0].dims());
  for (size_t i = 1; i < values.size(); ++i) {
    if (ToDims(values[i].dims()) == dims) continue;
    return InvalidArgument(
        "Shapes of all inputs must match: values[0].shape = " + DimsString(dims) + " != values[" +
        std::to_string(i) + "].shape = " + DimsString(values[i].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           AxisAttr(context, static_cast<int64_t>(dims.size()) + 1));
  Dims packed = dims;
  packed.insert(packed.begin() + axis, static_cast<int64_t>(values.size()));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(values[0].dtype(), packed));
  for (size_t i = 0; i < values.size(); ++i) {
    CopyPart(context.outputs[0], values[i], static_cast<size_t>(axis), 1, static_cast<int64_t>(i),
             Direction::kIntoWhole);
  }
  return Status();
}

//   values: n of one shape, with 1 first; output: of the shape that the attr says, with n first
Status ParallelConcat(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "shape"));
  const auto count = static_cast<int64_t>(context.inputs.size());
  if (!shape.fully_known() || shape.rank() == 0 || shape.dim(0) != count) {
    return InvalidArgument("the attr shape must be known and have " + std::to_string(count) +
                           " first, not " + shape.ToString());
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined,
                           Tensor::Allocate(context.inputs[0].dtype(), shape.dims()));
  Dims part = shape.dims();
  part[0] = 1;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    if (ToDims(context.inputs[i].dims()) != part) {
      return InvalidArgument("value and update shape doesn't match: " + shape.ToString() + " vs. " +
                             DimsString(context.inputs[i].dims()));
    }
    CopyPart(joined, context.inputs[i], 0, 1, static_cast<int64_t>(i), Direction::kIntoWhole);
  }
  context.outputs[0] = std::move(joined);
  return Status();
}

Status Unpack(KernelContext& context) {
  Tensor& value = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, AxisAttr(context, value.rank()));
  const int64_t count = static_cast<int64_t>(context.outputs.size());
  if (value.dims()[static_cast<size_t>(axis)] != count) {
    return InvalidArgument("Input shape axis " + std::to_string(axis) + " must equal " +
                           std::to_string(count) + ", got shape " + DimsString(value.dims()));
  }
  const Dims dims = WithoutDim(value.dims(), axis);
  for (int64_t i = 0; i < count; ++i) {
    Tensor& part = context.outputs[static_cast<size_t>(i)];
    TAGFLOW_ASSIGN_OR_RETURN(part, Tensor::Allocate(value.dtype(), dims));
    CopyPart(value, part, static_cast<size_t>(axis), 1, i, Direction::kIntoPart);
  }
  return Status();
}

// The size of the concatenation along `axis`, given that all else agrees.
Result<int64_t> JoinedSize(std::span<const Tensor> values, size_t axis) {
  const DimsView first = values[0].dims();
  int64_t size = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const DimsView dims = values[i].dims();
    const std::string shapes = "shape[0] = " + DimsString(first) + " vs. shape[" +
                               std::to_string(i) + "] = " + DimsString(dims);
    if (dims.size() != first.size()) {
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: " + shapes);
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d == axis || dims[d] == first[d]) continue;
      return InvalidArgument("ConcatOp : Dimension " + std::to_string(d) +
                             " in both shapes must be equal: " + shapes);
    }
    if (__builtin_add_overflow(size, dims[axis], &size)) {
      return InvalidArgument("ConcatOp : the concatenated dimension overflows int64");
    }
  }
  return size;
}

Result<Tensor> ConcatValues(std::span<Tensor> values, const Tensor& axis_input) {
  if (!IsLegacyScalar(axis_input)) {
    return InvalidArgument("axis tensor should be a scalar integer, but got shape " +
                           DimsString(axis_input.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, SingleIndex(axis_input, "axis"));
  const int64_t rank = values[0].rank();
  if (rank == 0) {
    return InvalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  }
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t axis,
      CanonicalAxis(given, rank,
                    "ConcatOp : Expected concatenating dimensions in the range [" +
                        std::to_string(-rank) + ", " + std::to_string(rank) + "), but got " +
                        std::to_string(given)));
  const size_t d = static_cast<size_t>(axis);
  Dims dims = ToDims(values[0].dims());
  TAGFLOW_ASSIGN_OR_RETURN(dims[d], JoinedSize(values, d));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(values[0].dtype(), dims));
  int64_t begin = 0;
  for (Tensor& value : values) {
    const int64_t size = value.dims()[d];
    CopyPart(joined, value, d, size, begin, Direction::kIntoWhole);
    begin += size;
  }
  return joined;
}

//   values: n of one rank >= 1, equal but for `axis`; axis: one integer, the last input
Status ConcatV2(KernelContext& context) {
  std::span<Tensor> inputs = context.inputs;
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           ConcatValues(inputs.first(inputs.size() - 1), inputs.back()));
  return Status();
}

// As ConcatV2, the axis first.
Status Concat(KernelContext& context) {
  std::span<Tensor> inputs = context.inputs;
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], ConcatValues(inputs.subspan(1), inputs[0]));
  return Status();
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) text += (d == 0 ? "" : " ") + std::to_string(shape[d]);
  return text + "]";
}

Status CheckOffsetShape(size_t i, const std::vector<int64_t>& shape,
                        const std::vector<int64_t>& first, size_t axis) {
  for (size_t d = 0; d < first.size(); ++d) {
    if (d == axis || shape[d] == first[d]) continue;
    return InvalidArgument("All dimensions except " + std::to_string(axis) + " must match. Input " +
                           std::to_string(i) + " has shape " + ShapeText(shape) +
                           " and doesn't match input 0 with shape " + ShapeText(first) + ".");
  }
  return Status();
}

Result<std::vector<std::vector<int64_t>>> ReadShapes(std::span<const Tensor> inputs) {
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].rank() != 1) {
      return InvalidArgument("input " + std::to_string(i) + " should be a vector, but got shape " +
                             DimsString(inputs[i].dims()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> shape, IndexValues(inputs[i]));
    if (i > 0 && shape.size() != shapes[0].size()) {
      return InvalidArgument("input " + std::to_string(i) + " should contain " +
                             std::to_string(shapes[0].size()) + " elements, but got " +
                             std::to_string(shape.size()));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// Where each of n tensors of the given shapes begins in their concatenation.
//   concat_dim: int32 scalar; shape: n vectors of one length
Status ConcatOffset(KernelContext& context) {
  if (context.inputs[0].rank() != 0) {
    return InvalidArgument("Concat dim tensor should be a scalar integer, but got shape " +
                           DimsString(context.inputs[0].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, SingleIndex(context.inputs[0], "concat_dim"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto shapes,
                           ReadShapes(std::span<const Tensor>(context.inputs).subspan(1)));
  const int64_t rank = static_cast<int64_t>(shapes[0].size());
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           CanonicalAxis(given, rank,
                                         "Concat dim is out of range: " + std::to_string(given) +
                                             " vs. " + std::to_string(rank)));
  std::vector<int64_t> offset(shapes[0].size(), 0);
  for (size_t i = 0; i < shapes.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(CheckOffsetShape(i, shapes[i], shapes[0], static_cast<size_t>(axis)));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[i],
                             IndexTensor(context.inputs[i + 1].dtype(), Dims{rank}, offset));
    int64_t& next = offset[static_cast<size_t>(axis)];
    if (__builtin_add_overflow(next, shapes[i][static_cast<size_t>(axis)], &next)) {
      return InvalidArgument("the concatenated dimension overflows int64");
    }
  }
  return Status();
}

}  // namespace

Status RegisterArrayJoinKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Pack", Pack},
                                {"ParallelConcat", ParallelConcat},
                                {"Unpack", Unpack},
                                {"Concat", Concat},
                                {"ConcatV2", ConcatV2},
                                {"ConcatOffset", ConcatOffset}});
}

}  // namespace tagflow::reference
