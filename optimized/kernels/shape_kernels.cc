// Ops about a tensor's shape: asking for it, and giving the same elements, or bytes, another one.

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/parts.h"

namespace tagflow::optimized {
namespace {

// ---- Asking ----

// output i: out_type [rank of input i]
Result<BoundKernel> BindShape(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  return BoundKernel([dtype](KernelContext& context) -> Status {
    for (int i = 0; i < context.num_inputs(); ++i) {
      const DimsView dims = context.input(i).dims();
      TAGFLOW_RETURN_IF_ERROR(
          SetIndices(context, i, dtype, SmallDims(1, static_cast<int64_t>(dims.size())), dims));
    }
    return Status();
  });
}

Result<BoundKernel> BindSize(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  return BoundKernel([dtype](KernelContext& context) {
    const int64_t size = context.input(0).num_elements();
    return SetIndices(context, 0, dtype, {}, {&size, 1});
  });
}

Result<BoundKernel> BindRank(const Binding&) {
  return BoundKernel([](KernelContext& context) {
    context.output(0).SetScalar<int32_t>(context.input(0).rank());
    return Status();
  });
}

// ---- Reshape ----

Status WrongSize(int64_t elements, const std::string& wanted) {
  return InvalidArgument("Input to reshape is a tensor with " + std::to_string(elements) +
                         " values, but the requested shape " + wanted);
}

// What -1 stands for. Where the sizes hold a zero, zeros on both sides are left out of the
// division, so that [2,0] to [0,-1] gives [0,2].
Result<int64_t> InferredSize(DimsView from, const SmallDims& sizes) {
  const bool has_zero = std::ranges::find(sizes, 0) != sizes.end();
  SmallDims known;
  SmallDims divided;
  for (const int64_t size : sizes) {
    if (size > 0) known.push_back(size);
  }
  for (const int64_t dim : from) {
    if (dim > 0 || !has_zero) divided.push_back(dim);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t divisor, NumElements(known));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(divided));
  if (divided.size() == from.size() && elements % divisor != 0) {
    return WrongSize(elements, "requires a multiple of " + std::to_string(divisor));
  }
  return elements / divisor;
}

// Puts a size in the place of the -1, if there is one.
Status CompleteSizes(DimsView from, SmallDims& sizes) {
  int64_t* inferred = nullptr;
  for (int64_t& size : sizes) {
    if (size >= 0) continue;
    if (size < -1)
      return InvalidArgument("a size must be non-negative, not " + std::to_string(size));
    if (inferred != nullptr) return InvalidArgument("Only one input size may be -1");
    inferred = &size;
  }
  if (inferred == nullptr) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(*inferred, InferredSize(from, sizes));
  return Status();
}

//   tensor: any; shape: integers, rank 1 (or 0: one size), at most one -1
Status Reshape(KernelContext& context) {
  const Tensor& shape = context.input(1);
  if (shape.rank() > 1) {
    return InvalidArgument("sizes input must be 1-D, not " + DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(SmallDims sizes, IndexValues(shape));
  TAGFLOW_RETURN_IF_ERROR(CompleteSizes(context.input(0).dims(), sizes));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(sizes));
  const int64_t given = context.input(0).num_elements();
  if (elements != given) return WrongSize(given, "has " + std::to_string(elements));
  SetReshaped(context, 0, 0, sizes);
  return Status();
}

Result<BoundKernel> BindReshape(const Binding&) { return BindPart(ReshapePart{}, Reshape); }

// ---- Dimensions of size 1 ----

//   dim: one integer in [-1 - rank, rank]
Status ExpandDims(KernelContext& context) {
  SmallDims dims(context.input(0).dims());
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t dim, OnlyInt(context.input(1), "dim"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis,
                           CanonicalAxis(dim, static_cast<int64_t>(dims.size()) + 1, "dim"));
  dims.insert(static_cast<size_t>(axis), 1);
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  SetReshaped(context, 0, 0, dims);
  return Status();
}

Result<BoundKernel> BindExpandDims(const Binding&) { return BindPart(ReshapePart{}, ExpandDims); }

// Dimensions without those that `named` lists; without all of size 1 when it lists none.
Result<SmallDims> Squeezed(DimsView dims, const std::vector<int64_t>& named) {
  SmallDims squeezed;
  SmallDims marked(dims.size(), 0);
  for (const int64_t name : named) {
    TAGFLOW_ASSIGN_OR_RETURN(
        const int64_t axis, CanonicalAxis(name, static_cast<int64_t>(dims.size()), "squeeze_dims"));
    const size_t d = static_cast<size_t>(axis);
    if (dims[d] != 1) {
      return InvalidArgument("Can not squeeze dim[" + std::to_string(d) +
                             "], expected a dimension of 1, got " + std::to_string(dims[d]));
    }
    marked[d] = 1;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (named.empty() ? dims[d] != 1 : marked[d] == 0) squeezed.push_back(dims[d]);
  }
  return squeezed;
}

Result<BoundKernel> BindSqueeze(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList named, ListAttr(binding.node, "squeeze_dims"));
  return BindPart(ReshapePart{}, [named = named.ints](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, Squeezed(context.input(0).dims(), named));
    SetReshaped(context, 0, 0, dims);
    return Status();
  });
}

Result<BoundKernel> BindEnsureShape(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(binding.node, "shape"));
  return BoundKernel([shape](KernelContext& context) -> Status {
    const DimsView dims = context.input(0).dims();
    if (!shape.Accepts(dims)) {
      return InvalidArgument("Shape of tensor " + DimsString(dims) +
                             " is not compatible with expected shape " + shape.ToString() + ".");
    }
    context.output(0) = context.Take(0);
    return Status();
  });
}

// ---- Bitcast ----

// Elements of another size take the last dimension to themselves, or bring one along.
Result<SmallDims> BitcastDims(DimsView from, int64_t from_width, int64_t to_width) {
  SmallDims dims(from);
  if (from_width > to_width) {
    dims.push_back(from_width / to_width);
  } else if (from_width < to_width) {
    const int64_t wanted = to_width / from_width;
    if (dims.empty() || dims.back() != wanted) {
      return InvalidArgument("Cannot bitcast to elements " + std::to_string(wanted) +
                             " times as wide: that is not the last dimension of " +
                             DimsString(from));
    }
    dims.pop_back();
  }
  return dims;
}

bool IsNumber(DType dtype) { return IsInteger(dtype) || IsFloating(dtype) || IsComplex(dtype); }

Result<BoundKernel> BindBitcast(const Binding& binding) {
  const DType from = binding.input_dtype(0);
  const DType to = binding.output_dtype(0);
  for (const DType dtype : {from, to}) {
    if (!IsNumber(dtype)) return NoKernelFor(binding, dtype);
  }
  return BoundKernel([from, to](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims,
                             BitcastDims(input.dims(), static_cast<int64_t>(DTypeSize(from)),
                                         static_cast<int64_t>(DTypeSize(to))));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, to, dims));
    std::memcpy(out->mutable_raw_data(), input.raw_data(), input.byte_size());
    return Status();
  });
}

}  // namespace

Status RegisterShapeKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Bitcast", BindBitcast));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("EnsureShape", BindEnsureShape));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ExpandDims", BindExpandDims));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Rank", BindRank));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Reshape", BindReshape));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Shape", BindShape));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ShapeN", BindShape));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Size", BindSize));
  return registry.Register("Squeeze", BindSqueeze);
}

}  // namespace tagflow::optimized
