// The families of TensorArrays. Every op takes the array's handle, and a float `flow` that carries
// nothing but the order of the accesses.

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "graph/limits.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/tensor_array.h"
#include "reference/kernels/text_handle.h"

namespace tagflow::reference {
namespace {

constexpr char kTypeName[] = "tensorflow::TensorArray";

Tensor HandleTo(std::shared_ptr<StepObject> array) {
  ResourceHandle handle;
  handle.name = array->name;
  handle.type_name = kTypeName;
  handle.object = std::move(array);
  return Tensor::Scalar(std::move(handle));
}

// Gives a handle as output 0, and where there is an output 1 the flow, 0.
Status GiveArray(KernelContext& context, const char* container, std::shared_ptr<StepObject> array) {
  if (context.outputs.size() > 1) context.outputs[1] = Tensor::Scalar(0.0f);
  const bool is_text = context.signature.outputs[0].dtype == DType::kString;
  if (is_text) return GiveNamed(context, container, std::move(array));
  context.outputs[0] = HandleTo(std::move(array));
  return Status();
}

// The array that the first input is the handle of.
Result<TensorArray*> ArrayOf(const KernelContext& context) {
  if (TakesTextHandle(context)) {
    TAGFLOW_ASSIGN_OR_RETURN(const auto object, NamedObject(context));
    auto* const named = dynamic_cast<TensorArray*>(object.get());
    if (named != nullptr) return named;
    return InvalidArgument("'" + object->name + "' is not a TensorArray");
  }
  const Tensor& input = context.inputs[0];
  if (input.num_elements() != 1) {
    return InvalidArgument("the handle of a TensorArray must be a scalar, not of shape " +
                           DimsString(input.dims()));
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  auto* array = dynamic_cast<TensorArray*>(handle.object.get());
  if (array != nullptr) return array;
  return InvalidArgument("Trying to access a handle's resource using the wrong type: resource '" +
                         handle.name + "' is a " +
                         (handle.type_name.empty() ? "nothing" : handle.type_name) +
                         ", not a TensorArray");
}

Status CheckRequested(const TensorArray& array, DType requested) {
  if (array.dtype() == requested) return Status();
  return InvalidArgument("TensorArray dtype is " + DTypeName(array.dtype()) +
                         " but Op requested dtype " + DTypeName(requested) + ".");
}

Status CheckWritten(const TensorArray& array, const Tensor& value) {
  if (array.dtype() == value.dtype()) return Status();
  return InvalidArgument("TensorArray dtype is " + DTypeName(array.dtype()) +
                         " but Op is trying to write dtype " + DTypeName(value.dtype()) + ".");
}

Result<int64_t> ScalarIndex(const Tensor& index) {
  if (index.rank() != 0) {
    return InvalidArgument("TensorArray index must be scalar, but had shape: " +
                           DimsString(index.dims()));
  }
  return SingleIndex(index, "index");
}

Result<std::vector<int64_t>> IndexVector(const Tensor& indices) {
  if (indices.rank() != 1) {
    return InvalidArgument("Expected indices to be a vector, but received shape: " +
                           DimsString(indices.dims()));
  }
  return IndexValues(indices);
}

//   size: int32 scalar >= 0; outputs: handle, flow 0
Status Create(KernelContext& context) {
  if (context.inputs[0].rank() != 0) {
    return InvalidArgument("TensorArray size must be scalar, but had shape: " +
                           DimsString(context.inputs[0].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, SingleIndex(context.inputs[0], "size"));
  if (size < 0) return InvalidArgument("Size should be >= 0.");
  if (size > kMostListElements) {
    return ResourceExhausted("a TensorArray has at most " + std::to_string(kMostListElements) +
                             " elements, not " + std::to_string(size));
  }
  const Node& node = context.node;
  TensorArrayOptions options;
  TAGFLOW_ASSIGN_OR_RETURN(options.dtype, TypeAttr(node, "dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(options.element_shape, ShapeAttr(node, "element_shape"));
  TAGFLOW_ASSIGN_OR_RETURN(options.dynamic_size, BoolAttr(node, "dynamic_size"));
  TAGFLOW_ASSIGN_OR_RETURN(options.clear_after_read, BoolAttr(node, "clear_after_read"));
  if (node.op == "TensorArrayV3") {
    TAGFLOW_ASSIGN_OR_RETURN(options.identical_element_shapes,
                             BoolAttr(node, "identical_element_shapes"));
  }
  const std::string name = node.name + (context.tag.empty() ? "" : " at " + context.tag);
  return GiveArray(context, "_tensor_arrays",
                   context.resources.Adopt(std::make_shared<TensorArray>(name, options, size)));
}

//   handle, flow_in, and of WithShape the dimensions to put before each element's
Status Gradient(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string source, StringAttr(context.node, "source"));
  Dims prepend;
  if (context.inputs.size() > 2) {
    TAGFLOW_ASSIGN_OR_RETURN(prepend, IndexVector(context.inputs[2]));
    TAGFLOW_RETURN_IF_ERROR(NumElements(prepend).status());
  }
  TAGFLOW_ASSIGN_OR_RETURN(auto gradient,
                           array->Gradient(source, prepend, context.resources, context.accesses));
  return GiveArray(context, "_tensor_grads", std::move(gradient));
}

//   handle, index, value, flow_in
Status Write(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarIndex(context.inputs[1]));
  TAGFLOW_RETURN_IF_ERROR(CheckWritten(*array, context.inputs[2]));
  context.outputs[0] = context.inputs[3];
  return array->Write(index, context.inputs[2], context.accesses);
}

//   handle, index, flow_in
Status Read(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarIndex(context.inputs[1]));
  TAGFLOW_RETURN_IF_ERROR(CheckRequested(*array, context.signature.outputs[0].dtype));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], array->Read(index, context.accesses));
  return Status();
}

Result<std::vector<Tensor>> ReadMany(TensorArray& array, const std::vector<int64_t>& indices,
                                     AccessLog& accesses) {
  std::vector<Tensor> values;
  for (int64_t index : indices) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, array.Read(index, accesses));
    values.push_back(std::move(value));
  }
  return values;
}

// The elements of the values, one after the other, under `dims`.
Result<Tensor> Appended(DType dtype, const Dims& dims, const std::vector<Tensor>& values) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, dims));
  int64_t next = 0;
  for (const Tensor& value : values) {
    CopyElements(value, 0, joined, next, value.num_elements());
    next += value.num_elements();
  }
  return joined;
}

Status NothingToJoin(const char* shape_name, const PartialShape& shape, const char* verb) {
  return Unimplemented(std::string("TensorArray has size zero, but ") + shape_name + " " +
                       shape.ToString() +
                       " is not fully defined. Currently only static shapes are supported when " +
                       verb + " zero-size TensorArrays.");
}

// The values stacked along a new first dimension.
Result<Tensor> Stacked(DType dtype, const std::vector<Tensor>& values, const PartialShape& shape) {
  const DimsView first = values[0].dims();
  if (!shape.Accepts(first)) {
    return InvalidArgument("TensorArray was passed element_shape " + shape.ToString() +
                           " which does not match the Tensor at index 0: " + DimsString(first));
  }
  for (size_t i = 1; i < values.size(); ++i) {
    if (ToDims(values[i].dims()) == ToDims(first)) continue;
    return InvalidArgument(
        "TensorArray has inconsistent shapes.  Index 0 has shape: " + DimsString(first) +
        " but index " + std::to_string(i) + " has shape: " + DimsString(values[i].dims()));
  }
  Dims dims = ToDims(first);
  dims.insert(dims.begin(), static_cast<int64_t>(values.size()));
  return Appended(dtype, dims, values);
}

//   handle, indices: vector, flow_in; output: the elements, stacked
//   of the older TensorArrayPack: handle, flow_in; all elements
Status Gather(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_RETURN_IF_ERROR(CheckRequested(*array, dtype));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "element_shape"));
  TAGFLOW_RETURN_IF_ERROR(array->MergeElementShape(shape, context.accesses));
  std::vector<int64_t> indices;
  if (context.node.op == "TensorArrayPack") {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->Size(context.accesses));
    indices.resize(static_cast<size_t>(size));
    std::iota(indices.begin(), indices.end(), int64_t{0});
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(indices, IndexVector(context.inputs[1]));
  }
  if (indices.empty()) {
    if (!shape.fully_known()) return NothingToJoin("element shape", shape, "packing");
    Dims dims = shape.dims();
    dims.insert(dims.begin(), 0);
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(dtype, dims));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto values, ReadMany(*array, indices, context.accesses));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Stacked(dtype, values, shape));
  return Status();
}

// The dimensions of the concatenation of the values along their first.
Result<Dims> ConcatDims(const std::vector<Tensor>& values, const PartialShape& shape) {
  Dims dims;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].rank() == 0) {
      return InvalidArgument("Concat saw a scalar shape at index " + std::to_string(i) +
                             " but requires at least vectors.  Did you mean to call pack?");
    }
    if (i == 0) {
      dims = ToDims(values[0].dims());
      const Dims rest = WithoutDim(dims, 0);
      if (shape.Accepts(rest)) continue;
      return InvalidArgument("TensorArray was passed element_shape_except0 " + shape.ToString() +
                             " but index 0 has (excepting dimension 0) shape: " + DimsString(rest) +
                             " which does not match.");
    }
    const Dims rest = WithoutDim(values[i].dims(), 0);
    if (rest != WithoutDim(dims, 0)) {
      return InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: " +
          DimsString(WithoutDim(dims, 0)) + " but index " + std::to_string(i) +
          " has (excepting dimension 0) shape: " + DimsString(rest));
    }
    // Values without elements may be as long as they like.
    if (__builtin_add_overflow(dims[0], values[i].dim(0), &dims[0])) {
      return InvalidArgument("the concatenated dimension overflows int64");
    }
  }
  return dims;
}

//   handle, flow_in; outputs: the elements one after the other, and how long each was (int64)
Status Concat(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_RETURN_IF_ERROR(CheckRequested(*array, dtype));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape,
                           ShapeAttr(context.node, "element_shape_except0"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->ConcatSize(context.accesses));
  std::vector<int64_t> indices(static_cast<size_t>(size));
  std::iota(indices.begin(), indices.end(), int64_t{0});
  Dims dims;
  std::vector<Tensor> values;
  if (size == 0) {
    if (!shape.fully_known()) return NothingToJoin("element_shape_except0", shape, "concatenating");
    dims = shape.dims();
    dims.insert(dims.begin(), 0);
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(values, ReadMany(*array, indices, context.accesses));
    TAGFLOW_ASSIGN_OR_RETURN(dims, ConcatDims(values, shape));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Appended(dtype, dims, values));
  std::vector<int64_t> lengths;
  for (const Tensor& value : values) lengths.push_back(value.dim(0));
  context.outputs[1] = Tensor::Vector(lengths);
  return Status();
}

Status CheckScatterSize(TensorArray& array, const std::vector<int64_t>& indices,
                        AccessLog& accesses) {
  if (array.dynamic_size() || indices.empty()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array.Size(accesses));
  const int64_t largest = *std::max_element(indices.begin(), indices.end());
  if (largest < size) return Status();
  return InvalidArgument("Max scatter index must be < array size (" + std::to_string(largest) +
                         " vs. " + std::to_string(size) + ")");
}

//   handle, indices: vector, value: one row per index, flow_in
Status Scatter(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const Tensor& value = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(CheckWritten(*array, value));
  if (value.rank() == 0) {
    return InvalidArgument(
        "Input value for unpack must be at least a vector but received shape: []");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto indices, IndexVector(context.inputs[1]));
  if (static_cast<int64_t>(indices.size()) != value.dim(0)) {
    return InvalidArgument("Expected len(indices) == values.shape[0], but saw: " +
                           std::to_string(indices.size()) + " vs. " + std::to_string(value.dim(0)));
  }
  TAGFLOW_RETURN_IF_ERROR(CheckScatterSize(*array, indices, context.accesses));
  const Dims row = WithoutDim(value.dims(), 0);
  for (size_t i = 0; i < indices.size(); ++i) {
    const Tensor element = value.SliceOuter(static_cast<int64_t>(i), 1).Reshaped(row);
    TAGFLOW_RETURN_IF_ERROR(array->Write(indices[i], element, context.accesses));
  }
  context.outputs[0] = context.inputs[3];
  return Status();
}

//   handle, value: one row for each element, flow_in
Status Unpack(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const Tensor& value = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(CheckWritten(*array, value));
  if (value.rank() == 0) {
    return InvalidArgument(
        "Input value for unpack must be at least a vector but received shape: []");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->Size(context.accesses));
  const int64_t count = value.dim(0);
  if (count != size && !(array->dynamic_size() && size < count)) {
    return InvalidArgument("input value must have first dimension equal to the array size (" +
                           std::to_string(count) + " vs. " + std::to_string(size) + ")");
  }
  const Dims row = WithoutDim(value.dims(), 0);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor element = value.SliceOuter(i, 1).Reshaped(row);
    TAGFLOW_RETURN_IF_ERROR(array->Write(i, element, context.accesses));
  }
  context.outputs[0] = context.inputs[2];
  return Status();
}

Status CheckLengths(const std::vector<int64_t>& lengths, const Tensor& value) {
  int64_t total = 0;
  for (int64_t length : lengths) {
    if (length < 0) {
      return InvalidArgument("Expected lengths to be at least 0, but received " +
                             std::to_string(length));
    }
    if (__builtin_add_overflow(total, length, &total)) {
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

Status CheckSplitSize(const TensorArray& array, int64_t size, size_t parts) {
  const int64_t count = static_cast<int64_t>(parts);
  if (size == count || (array.dynamic_size() && size <= count)) return Status();
  return InvalidArgument("TensorArray's size is not equal to the size of lengths (" +
                         std::to_string(size) + " vs. " + std::to_string(count) +
                         "), and the TensorArray is not marked as dynamically resizeable");
}

//   handle, value: any of rank 1 or more, lengths: int64, a row count per index, flow_in
Status Split(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  const Tensor& value = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(CheckWritten(*array, value));
  if (context.inputs[2].rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: " +
                           DimsString(context.inputs[2].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto lengths, IndexValues(context.inputs[2]));
  TAGFLOW_RETURN_IF_ERROR(CheckLengths(lengths, value));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->Size(context.accesses));
  TAGFLOW_RETURN_IF_ERROR(CheckSplitSize(*array, size, lengths.size()));
  int64_t begin = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(array->Write(static_cast<int64_t>(i),
                                         value.SliceOuter(begin, lengths[i]), context.accesses));
    begin += lengths[i];
  }
  array->MarkSplit(static_cast<int64_t>(lengths.size()));
  context.outputs[0] = context.inputs[3];
  return Status();
}

Status Size(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->Size(context.accesses));
  context.outputs[0] = Tensor::Scalar(static_cast<int32_t>(size));
  return Status();
}

Status Close(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  array->Close(context.accesses);
  return Status();
}

}  // namespace

Status RegisterTensorArrayKernels(KernelRegistry& registry) {
  const std::pair<const char*, Kernel> kernels[] = {
      {"TensorArray", Create},         {"TensorArrayGrad", Gradient}, {"TensorArrayWrite", Write},
      {"TensorArrayRead", Read},       {"TensorArrayGather", Gather}, {"TensorArrayConcat", Concat},
      {"TensorArrayScatter", Scatter}, {"TensorArraySplit", Split},   {"TensorArraySize", Size},
      {"TensorArrayClose", Close},
  };
  for (const char* version : {"", "V2", "V3"}) {
    for (const auto& [op, kernel] : kernels) {
      TAGFLOW_RETURN_IF_ERROR(registry.Register(std::string(op) + version, kernel));
    }
  }
  return RegisterAll(registry, {{"TensorArrayGradWithShape", Gradient},
                                {"TensorArrayPack", Gather},
                                {"TensorArrayUnpack", Unpack}});
}

}  // namespace tagflow::reference
