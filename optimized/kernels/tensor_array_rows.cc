// TensorArrays and their elements as rows of one tensor: gather and scatter, concatenate and split.
// Tested by conformance/ops/tensor_array.ops.

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/row_joins.h"
#include "optimized/kernels/tensor_array_access.h"

namespace tagflow::optimized {
namespace {

// ---- Elements to a tensor ----

// The values, one after the other.
std::vector<JoinedPiece> InOrder(const std::vector<Tensor>& values) {
  std::vector<JoinedPiece> pieces;
  pieces.reserve(values.size());
  int64_t next = 0;
  for (const Tensor& value : values) {
    pieces.push_back({value, next});
    next += value.num_elements();
  }
  return pieces;
}

Status NothingToJoin(const char* shape_name, const PartialShape& shape, const char* verb) {
  return Unimplemented(std::string("TensorArray has size zero, but ") + shape_name + " " +
                       shape.ToString() +
                       " is not fully defined. Currently only static shapes are supported when " +
                       verb + " zero-size TensorArrays.");
}

Dims WithCount(int64_t count, DimsView row) {
  Dims dims = {count};
  dims.insert(dims.end(), row.begin(), row.end());
  return dims;
}

// The shape of the values stacked along a new first dimension.
Result<Dims> StackedDims(const std::vector<Tensor>& values, const PartialShape& shape) {
  const DimsView first = values[0].dims();
  if (!shape.Accepts(first)) {
    return InvalidArgument("TensorArray was passed element_shape " + shape.ToString() +
                           " which does not match the Tensor at index 0: " + DimsString(first));
  }
  for (size_t i = 1; i < values.size(); ++i) {
    if (std::ranges::equal(values[i].dims(), first)) continue;
    return InvalidArgument(
        "TensorArray has inconsistent shapes.  Index 0 has shape: " + DimsString(first) +
        " but index " + std::to_string(i) + " has shape: " + DimsString(values[i].dims()));
  }
  return WithCount(static_cast<int64_t>(values.size()), first);
}

std::vector<int64_t> FirstIndices(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), int64_t{0});
  return indices;
}

//   handle, indices: vector, flow_in; output: the elements, stacked
//   of the older TensorArrayPack: handle, flow_in; all elements
Result<BoundKernel> BindGather(const Binding& binding, JoinPieces join) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(binding.node, "element_shape"));
  const DType dtype = binding.output_dtype(0);
  if (!IsTensorDType(dtype)) return NoKernelFor(binding, dtype);
  const bool is_all = binding.node.op == "TensorArrayPack";
  return BoundKernel([shape, dtype, is_all, join](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    TAGFLOW_RETURN_IF_ERROR(CheckRequested(*array, dtype));
    TAGFLOW_RETURN_IF_ERROR(array->MergeElementShape(shape));
    std::vector<int64_t> indices;
    if (is_all) {
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->Size());
      indices = FirstIndices(size);
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(indices, IndexVector(context.input(1)));
    }
    std::vector<Tensor> values;
    values.reserve(indices.size());
    for (const int64_t index : indices) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor value, array->Read(index));
      values.push_back(std::move(value));
    }
    Dims dims;
    if (values.empty()) {
      if (!shape.fully_known()) return NothingToJoin("element shape", shape, "packing");
      dims = WithCount(0, shape.dims());
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(dims, StackedDims(values, shape));
    }
    return join(context, dtype, dims, InOrder(values));
  });
}

// The shape of the values one after the other, along their first dimension.
Result<Dims> ConcatDims(const std::vector<Tensor>& values, const PartialShape& shape) {
  int64_t rows = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].rank() == 0) {
      return InvalidArgument("Concat saw a scalar shape at index " + std::to_string(i) +
                             " but requires at least vectors.  Did you mean to call pack?");
    }
    const DimsView rest = values[i].dims().subspan(1);
    if (i == 0 && !shape.Accepts(rest)) {
      return InvalidArgument("TensorArray was passed element_shape_except0 " + shape.ToString() +
                             " but index 0 has (excepting dimension 0) shape: " + DimsString(rest) +
                             " which does not match.");
    }
    const DimsView wanted = values[0].dims().subspan(1);
    if (!std::ranges::equal(rest, wanted)) {
      return InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: " +
          DimsString(wanted) + " but index " + std::to_string(i) +
          " has (excepting dimension 0) shape: " + DimsString(rest));
    }
    // Values without elements may be as long as they like.
    if (__builtin_add_overflow(rows, values[i].dim(0), &rows)) {
      return InvalidArgument("the concatenated dimension overflows int64");
    }
  }
  return WithCount(rows, values[0].dims().subspan(1));
}

//   handle, flow_in; outputs: the elements one after the other, and how long each was (int64)
Result<BoundKernel> BindConcat(const Binding& binding, JoinPieces join) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape,
                           ShapeAttr(binding.node, "element_shape_except0"));
  const DType dtype = binding.output_dtype(0);
  if (!IsTensorDType(dtype)) return NoKernelFor(binding, dtype);
  return BoundKernel([shape, dtype, join](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    TAGFLOW_RETURN_IF_ERROR(CheckRequested(*array, dtype));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->ConcatSize());
    std::vector<Tensor> values;
    for (int64_t i = 0; i < size; ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor value, array->Read(i));
      values.push_back(std::move(value));
    }
    Dims dims;
    if (size == 0) {
      if (!shape.fully_known()) {
        return NothingToJoin("element_shape_except0", shape, "concatenating");
      }
      dims = WithCount(0, shape.dims());
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(dims, ConcatDims(values, shape));
    }
    TAGFLOW_RETURN_IF_ERROR(join(context, dtype, dims, InOrder(values)));
    std::vector<int64_t> lengths;
    for (const Tensor& value : values) lengths.push_back(value.dim(0));
    context.output(1) = Tensor::Vector(lengths);
    return Status();
  });
}

// ---- A tensor to elements ----

Status CheckWritten(const TensorArray& array, const Tensor& value) {
  if (array.dtype() == value.dtype()) return Status();
  return InvalidArgument("TensorArray dtype is " + DTypeName(array.dtype()) +
                         " but Op is trying to write dtype " + DTypeName(value.dtype()) + ".");
}

//   handle, indices: vector, value: one row per index, flow_in
Status Scatter(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const Tensor& value = context.input(2);
  TAGFLOW_RETURN_IF_ERROR(CheckWritten(*array, value));
  if (value.rank() == 0) {
    return InvalidArgument(
        "Input value for unpack must be at least a vector but received shape: []");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto indices, IndexVector(context.input(1)));
  if (static_cast<int64_t>(indices.size()) != value.dim(0)) {
    return InvalidArgument("Expected len(indices) == values.shape[0], but saw: " +
                           std::to_string(indices.size()) + " vs. " + std::to_string(value.dim(0)));
  }
  if (!indices.empty()) {
    TAGFLOW_RETURN_IF_ERROR(array->CheckScatter(*std::ranges::max_element(indices)));
  }
  const DimsView row = value.dims().subspan(1);
  for (size_t i = 0; i < indices.size(); ++i) {
    Tensor element = value.SliceOuter(static_cast<int64_t>(i), 1).Reshaped(row);
    TAGFLOW_RETURN_IF_ERROR(array->Write(indices[i], std::move(element)));
  }
  context.output(0) = context.Take(3);
  return Status();
}

//   handle, value: one row for each element, flow_in
Status Unpack(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const Tensor& value = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(CheckWritten(*array, value));
  if (value.rank() == 0) {
    return InvalidArgument(
        "Input value for unpack must be at least a vector but received shape: []");
  }
  TAGFLOW_RETURN_IF_ERROR(array->CheckUnpack(value.dim(0)));
  const DimsView row = value.dims().subspan(1);
  for (int64_t i = 0; i < value.dim(0); ++i) {
    TAGFLOW_RETURN_IF_ERROR(array->Write(i, value.SliceOuter(i, 1).Reshaped(row)));
  }
  context.output(0) = context.Take(2);
  return Status();
}

Status CheckLengths(const IntView& lengths, const Tensor& value) {
  int64_t total = 0;
  for (int64_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) {
      return InvalidArgument("Expected lengths to be at least 0, but received " +
                             std::to_string(lengths[i]));
    }
    if (__builtin_add_overflow(total, lengths[i], &total)) {
      return InvalidArgument("the sum of lengths overflows int64");
    }
  }
  if (value.rank() == 0) {
    return InvalidArgument("Expected value to be at least a vector, but received shape: []");
  }
  if (total == value.dim(0)) return Status();
  return InvalidArgument(
      "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is " +
      std::to_string(total) + " and value's shape is: " + DimsString(value.dims()));
}

//   handle, value: any of rank 1 or more, lengths: int64, a row count per index, flow_in
Status Split(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const Tensor& value = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(CheckWritten(*array, value));
  if (context.input(2).rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: " +
                           DimsString(context.input(2).dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView lengths, IntView::Of(context.input(2)));
  TAGFLOW_RETURN_IF_ERROR(CheckLengths(lengths, value));
  TAGFLOW_RETURN_IF_ERROR(array->CheckSplit(lengths.size()));
  int64_t begin = 0;
  for (int64_t i = 0; i < lengths.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(array->Write(i, value.SliceOuter(begin, lengths[i])));
    begin += lengths[i];
  }
  array->MarkSplit(lengths.size());
  context.output(0) = context.Take(3);
  return Status();
}

}  // namespace

Status RegisterTensorArrayRowsKernels(KernelRegistry& registry) {
  for (const std::string version : {"", "V2", "V3"}) {
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, {{"TensorArrayScatter" + version, Bind<Scatter>},
                                                   {"TensorArraySplit" + version, Bind<Split>}}));
  }
  return RegisterAll(registry, {{"TensorArrayUnpack", Bind<Unpack>}});
}

Result<BoundKernel> BindArrayJoin(const Binding& binding, JoinPieces join) {
  const bool concatenates = binding.node.op.starts_with("TensorArrayConcat");
  return concatenates ? BindConcat(binding, join) : BindGather(binding, join);
}

}  // namespace tagflow::optimized
