// Ops about a tensor's shape: asking for it, and giving the same elements, or bytes, another one.

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// out_type of the op, as its signature has it.
DType OutType(const KernelContext& context, size_t output = 0) {
  return context.signature.outputs[output].dtype;
}

Status Shape(KernelContext& context) {
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    const Dims dims = ToDims(context.inputs[i].dims());
    TAGFLOW_ASSIGN_OR_RETURN(
        context.outputs[i],
        IndexTensor(OutType(context, i), Dims{static_cast<int64_t>(dims.size())}, dims));
  }
  return Status();
}

Status Size(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(OutType(context), {}, {context.inputs[0].num_elements()}));
  return Status();
}

Status Rank(KernelContext& context) {
  context.outputs[0] = Tensor::Scalar<int32_t>(context.inputs[0].rank());
  return Status();
}

// The position of the -1 in `sizes`, or -1.
Result<int64_t> InferredPosition(const Dims& sizes) {
  int64_t inferred = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < -1) {
      return InvalidArgument("Size " + std::to_string(i) + " must be non-negative, not " +
                             std::to_string(sizes[i]));
    }
    if (sizes[i] >= 0) continue;
    if (inferred >= 0) {
      return InvalidArgument("Only one input size may be -1, not both " + std::to_string(inferred) +
                             " and " + std::to_string(i));
    }
    inferred = static_cast<int64_t>(i);
  }
  return inferred;
}

Status WrongSize(int64_t elements, const std::string& wanted) {
  return InvalidArgument("Input to reshape is a tensor with " + std::to_string(elements) +
                         " values, but the requested shape " + wanted);
}

// What -1 stands for. Where the sizes hold a zero, zeros on both sides are left out of the
// division, so that [2,0] to [0,-1] gives [0,2].
Result<int64_t> InferredSize(DimsView from, const Dims& sizes) {
  const bool has_zero = std::count(sizes.begin(), sizes.end(), 0) > 0;
  Dims known;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(known),
               [](int64_t size) { return size > 0; });
  Dims divided;
  std::copy_if(from.begin(), from.end(), std::back_inserter(divided),
               [&](int64_t dim) { return dim > 0 || !has_zero; });
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t divisor, NumElements(known));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(divided));
  if (divided.size() == from.size() && elements % divisor != 0) {
    return WrongSize(elements, "requires a multiple of " + std::to_string(divisor));
  }
  return elements / divisor;
}

//   tensor: any; shape: integers, rank 1 (or 0: one size), at most one -1
Status Reshape(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  if (context.inputs[1].rank() > 1) {
    return InvalidArgument("sizes input must be 1-D, not " + DimsString(context.inputs[1].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims sizes, IndexValues(context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t inferred, InferredPosition(sizes));
  if (inferred >= 0) {
    TAGFLOW_ASSIGN_OR_RETURN(sizes[static_cast<size_t>(inferred)],
                             InferredSize(input.dims(), sizes));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(sizes));
  if (elements != input.num_elements()) {
    return WrongSize(input.num_elements(), "has " + std::to_string(elements));
  }
  context.outputs[0] = input.Reshaped(sizes);
  return Status();
}

//   dim: one integer in [-1 - rank, rank]
Status ExpandDims(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  if (context.inputs[1].num_elements() != 1) {
    return InvalidArgument("'dim' must be a tensor with a single value");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t dim, SingleIndex(context.inputs[1], "dim"));
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t axis,
      CanonicalAxis(dim, input.rank() + 1,
                    "Tried to expand dim index " + std::to_string(dim) + " for tensor with " +
                        std::to_string(input.rank()) + " dimensions."));
  Dims dims = ToDims(input.dims());
  dims.insert(dims.begin() + axis, 1);
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  context.outputs[0] = input.Reshaped(dims);
  return Status();
}

// Marks the dimensions that squeeze_dims names; all of size 1 when it names none.
Result<std::vector<bool>> Squeezed(const KernelContext& context, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList attr, ListAttr(context.node, "squeeze_dims"));
  std::vector<bool> squeezed(dims.size(), false);
  const int64_t rank = static_cast<int64_t>(dims.size());
  for (int64_t named : attr.ints) {
    TAGFLOW_ASSIGN_OR_RETURN(
        const int64_t axis,
        CanonicalAxis(named, rank,
                      "Tried to squeeze dim index " + std::to_string(named) + " for tensor with " +
                          std::to_string(rank) + " dimensions."));
    const size_t d = static_cast<size_t>(axis);
    if (dims[d] != 1) {
      return InvalidArgument("Can not squeeze dim[" + std::to_string(d) +
                             "], expected a dimension of 1, got " + std::to_string(dims[d]));
    }
    squeezed[d] = true;
  }
  if (attr.ints.empty()) {
    for (size_t d = 0; d < dims.size(); ++d) squeezed[d] = dims[d] == 1;
  }
  return squeezed;
}

Status Squeeze(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<bool> squeezed, Squeezed(context, input.dims()));
  Dims dims;
  for (size_t d = 0; d < squeezed.size(); ++d) {
    if (!squeezed[d]) dims.push_back(input.dims()[d]);
  }
  context.outputs[0] = input.Reshaped(dims);
  return Status();
}

Status EnsureShape(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "shape"));
  const Tensor& input = context.inputs[0];
  if (!shape.Accepts(input.dims())) {
    return InvalidArgument("Shape of tensor " + DimsString(input.dims()) +
                           " is not compatible with expected shape " + shape.ToString() + ".");
  }
  context.outputs[0] = std::move(context.inputs[0]);
  return Status();
}

// The bytes of the elements, read as another dtype. Elements of another size take the last
// dimension to themselves, or bring one along.
Status Bitcast(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const DType to = OutType(context);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kNumbers));
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, to, kNumbers));
  const auto from_size = static_cast<int64_t>(DTypeSize(input.dtype()));
  const auto to_size = static_cast<int64_t>(DTypeSize(to));
  Dims dims = ToDims(input.dims());
  if (from_size > to_size) {
    dims.push_back(from_size / to_size);
  } else if (from_size < to_size) {
    if (dims.empty() || dims.back() != to_size / from_size) {
      return InvalidArgument("Cannot bitcast from " + DTypeName(input.dtype()) + " to " +
                             DTypeName(to) + ": the last dimension of " + DimsString(dims) +
                             " is not " + std::to_string(to_size / from_size));
    }
    dims.pop_back();
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(to, dims));
  std::memcpy(output.mutable_raw_data(), input.raw_data(), input.byte_size());
  context.outputs[0] = std::move(output);
  return Status();
}

}  // namespace

Status RegisterShapeKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Shape", Shape},
                                {"ShapeN", Shape},
                                {"Size", Size},
                                {"Rank", Rank},
                                {"Reshape", Reshape},
                                {"ExpandDims", ExpandDims},
                                {"Squeeze", Squeeze},
                                {"EnsureShape", EnsureShape},
                                {"Bitcast", Bitcast}});
}

}  // namespace tagflow::reference
