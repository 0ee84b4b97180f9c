// Sparse tensors as three texts, or as three variants, each: their indices, their values and their
// shape; and back, several of them as one.
//
// Tested by conformance/ops/sparse.ops.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/held_tensor.h"
#include "graph/limits.h"
#include "graph/saved/tensor_bytes.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

// ---- Writing ----

// A tensor as element i of texts or of variants.
Status Write(const Tensor& part, Tensor& written, int64_t i) {
  if (written.dtype() == DType::kVariant) {
    written.mutable_data<Variant>()[i] = HeldTensor::Wrap(part);
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(written.mutable_data<std::string>()[i], TensorToBytes(part));
  return Status();
}

//   serialized_sparse: [3]. Whether the parts fit each other is not looked at.
Status SerializeSparse(KernelContext& context) {
  constexpr const char* kMust[] = {"Input indices should be a matrix",
                                   "Input values should be a vector",
                                   "Input shape should be a vector"};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor written,
                           Tensor::Allocate(context.signature.outputs[0].dtype, Dims{3}));
  for (size_t i = 0; i < 3; ++i) {
    const Tensor& part = context.inputs[i];
    if (part.rank() != (i == 0 ? 2 : 1)) {
      return InvalidArgument(kMust[i] + std::string(" but received shape ") +
                             DimsString(part.dims()));
    }
    TAGFLOW_RETURN_IF_ERROR(Write(part, written, static_cast<int64_t>(i)));
  }
  context.outputs[0] = std::move(written);
  return Status();
}

//   The elements are in order. serialized_sparse: [rows, 3], of each row a sparse tensor of one
//   dimension less
Status SerializeManySparse(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 0));
  if (sparse.rank() < 2) {
    return InvalidArgument("Rank of input SparseTensor should be > 1, but saw rank: " +
                           std::to_string(sparse.rank()));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireInOrder(sparse.places));
  if (sparse.dims[0] > kMostListElements) {
    return ResourceExhausted("there are " + std::to_string(sparse.dims[0]) + " rows to write");
  }
  const Tensor shape = ShapeTensor(Dims(sparse.dims.begin() + 1, sparse.dims.end()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor written, Tensor::Allocate(context.signature.outputs[0].dtype,
                                                            Dims{sparse.dims[0], 3}));
  size_t next = 0;
  for (int64_t row = 0; row < sparse.dims[0]; ++row) {
    const auto first = static_cast<int64_t>(next);
    std::vector<Dims> places;
    for (; next < sparse.places.size() && sparse.places[next][0] == row; ++next) {
      places.emplace_back(sparse.places[next].begin() + 1, sparse.places[next].end());
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor indices, PlacesTensor(places, sparse.rank() - 1));
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor values,
                             Rearrange(sparse.values, Dims{static_cast<int64_t>(places.size())},
                                       [&](const Dims& at) { return first + at[0]; }));
    TAGFLOW_RETURN_IF_ERROR(Write(indices, written, 3 * row));
    TAGFLOW_RETURN_IF_ERROR(Write(values, written, 3 * row + 1));
    TAGFLOW_RETURN_IF_ERROR(Write(shape, written, 3 * row + 2));
  }
  context.outputs[0] = std::move(written);
  return Status();
}

// ---- Reading ----

// The tensors that texts or variants stand for.
Result<std::vector<Tensor>> ReadParts(const Tensor& written) {
  if (written.dtype() == DType::kString) return TensorsFromBytes(written.flat<std::string>());
  std::vector<Tensor> parts;
  for (const Variant& variant : written.flat<Variant>()) {
    const auto* held = variant.Get<HeldTensor>();
    if (held == nullptr) {
      return InvalidArgument("Could not get a tensor from serialized_sparse[" +
                             std::to_string(parts.size() / 3) + ", " +
                             std::to_string(parts.size() % 3) + "]");
    }
    parts.push_back(held->tensor());
  }
  return parts;
}

// Sparse tensor number i, whose three parts these are. Its places may be outside of its shape.
struct Part {
  Tensor indices, values, shape;
  int64_t rank() const { return shape.dim(0); }
};
Result<Part> PartAt(const std::vector<Tensor>& parts, size_t i, DType dtype) {
  Part part = {parts[3 * i], parts[3 * i + 1], parts[3 * i + 2]};
  const std::string name = "SparseTensor[" + std::to_string(i) + "]";
  if (part.indices.rank() != 2 || part.values.rank() != 1 || part.shape.rank() != 1) {
    return InvalidArgument("Expected " + name +
                           " to be an index matrix, a values vector and a shape vector, but "
                           "received shapes " +
                           DimsString(part.indices.dims()) + ", " + DimsString(part.values.dims()) +
                           " and " + DimsString(part.shape.dims()));
  }
  if (part.indices.dtype() != DType::kInt64 || part.shape.dtype() != DType::kInt64) {
    return InvalidArgument("Expected indices and shape of " + name + " to be int64");
  }
  if (part.values.dtype() != dtype) {
    return InvalidArgument("Requested SparseTensor of type " + DTypeName(dtype) + " but " + name +
                           ".values.dtype() == " + DTypeName(part.values.dtype()));
  }
  if (part.indices.dim(0) != part.values.dim(0) || part.indices.dim(1) != part.rank()) {
    return InvalidArgument("Expected indices of " + name + " to have a row for each value and a " +
                           "column for each dimension, but their shape is " +
                           DimsString(part.indices.dims()));
  }
  return part;
}

Result<std::vector<Part>> ReadAll(const Tensor& written, DType dtype) {
  if (written.rank() == 0) return InvalidArgument("Serialized sparse should have non-zero rank []");
  if (written.dim(written.rank() - 1) != 3) {
    return InvalidArgument("Serialized sparse should have 3 as the last dimension " +
                           DimsString(written.dims()));
  }
  if (written.num_elements() == 0) {
    return InvalidArgument(
        "Serialized sparse should have at least 1 serialized tensor, but has a "
        "zero dimension " +
        DimsString(written.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, ReadParts(written));
  std::vector<Part> parts;
  for (size_t i = 0; i < tensors.size() / 3; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(parts.emplace_back(), PartAt(tensors, i, dtype));
    if (parts[i].rank() == parts[0].rank()) continue;
    return InvalidArgument("Inconsistent shape across SparseTensors: rank prior to SparseTensor[" +
                           std::to_string(i) + "] was: " + std::to_string(parts[0].rank()) +
                           " but rank of SparseTensor[" + std::to_string(i) +
                           "] is: " + std::to_string(parts[i].rank()));
  }
  return parts;
}

// The shape in which all have room, one beside the other in dimensions before their own.
Result<Dims> ShapeOf(const std::vector<Part>& parts, const Dims& outer) {
  Dims dims(static_cast<size_t>(parts[0].rank()), 0);
  for (const Part& part : parts) {
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t size = part.shape.data<int64_t>()[d];
      if (size < 0) return InvalidArgument("a SparseTensor of shape " + part.shape.DebugString());
      dims[d] = std::max(dims[d], size);
    }
  }
  dims.insert(dims.begin(), outer.begin(), outer.end());
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  return dims;
}

//   serialized_sparse: [..., 3]
//   Outputs: the one sparse tensor, as it is; or of several one in which each is a slice
Status Deserialize(KernelContext& context) {
  const DType dtype = context.signature.outputs[1].dtype;
  TAGFLOW_RETURN_IF_ERROR(RequireTensorDType(dtype));
  const Tensor& written = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Part> parts, ReadAll(written, dtype));
  if (written.rank() == 1) {
    context.outputs = {parts[0].indices, parts[0].values, parts[0].shape};
    return Status();
  }
  const Dims outer(written.dims().begin(), written.dims().end() - 1);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeOf(parts, outer));
  int64_t count = 0;
  for (const Part& part : parts) count += part.values.dim(0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(dtype, Dims{count}));
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor indices,
      Tensor::Allocate(DType::kInt64, Dims{count, static_cast<int64_t>(dims.size())}));
  int64_t* index = indices.mutable_data<int64_t>();
  int64_t done = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Dims slice = PlaceOf(static_cast<int64_t>(i), outer);
    const int64_t* place = parts[i].indices.data<int64_t>();
    const int64_t elements = parts[i].values.dim(0);
    for (int64_t k = 0; k < elements; ++k, place += parts[i].rank()) {
      index = std::ranges::copy(slice, index).out;
      index = std::copy_n(place, parts[i].rank(), index);
    }
    if (elements > 0) CopyElements(parts[i].values, 0, values, done, elements);
    done += elements;
  }
  context.outputs = {std::move(indices), std::move(values), ShapeTensor(dims)};
  return Status();
}

}  // namespace

Status RegisterSparseSerializationKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SerializeSparse", SerializeSparse},
                                {"SerializeManySparse", SerializeManySparse},
                                {"DeserializeSparse", Deserialize},
                                {"DeserializeManySparse", Deserialize}});
}

}  // namespace tagflow::reference
