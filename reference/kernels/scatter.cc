// Ops that put slices at the places that coordinates name, ScatterNd and TensorScatter*, and
// DynamicPartition, which shares rows out.

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "graph/limits.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/variable_access.h"

namespace tagflow::reference {
namespace {

constexpr int64_t kNowhere = -1;

enum class Combine { kSet, kAdd, kSubtract, kLower, kRaise };

// Slices of a tensor, one for each row of coordinates.
struct Slices {
  std::vector<int64_t> rows;  // which slice of the tensor, or kNowhere
  int64_t size = 0;           // elements of a slice
};

// Whether coordinates outside of the tensor are passed over, as the attr asks.
Result<bool> PassesOver(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string policy, StringAttr(node, "bad_indices_policy"));
  if (policy == "IGNORE") return true;
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return false;
  return InvalidArgument("bad_indices_policy must be DEFAULT, ERROR or IGNORE, not '" + policy +
                         "'");
}

// INVALID_ARGUMENT unless updates have the shape of indices without its last dimension, and then
// that of a slice. Coordinates without dimensions, of which a vector of indices holds one, name the
// whole tensor; TensorFlow takes them for one that has no elements.
Status CheckShapes(DimsView dims, const Tensor& indices, const Tensor& updates) {
  const bool has_depth = indices.rank() > 0 && indices.dims().back() > 0;
  if (indices.rank() < (has_depth ? 2 : 1) || updates.rank() < 1) {
    return InvalidArgument("indices must be rows of coordinates and updates at least a vector; " +
                           DimsString(indices.dims()) + " and " + DimsString(updates.dims()) +
                           " are not");
  }
  const int64_t depth = indices.dims().back();
  const bool is_nothing =
      depth == 0 && *NumElements(dims) == 0 && (indices.rank() > 1 || updates.dims().front() == 0);
  if ((depth < 1 && !is_nothing) || depth > kMostIndexedDimensions ||
      depth > static_cast<int64_t>(dims.size())) {
    return InvalidArgument("coordinates must have from 1 to " +
                           std::to_string(kMostIndexedDimensions) + " dimensions, no more than " +
                           DimsString(dims) + " has, not " + std::to_string(depth));
  }
  Dims expected(indices.dims().begin(), indices.dims().end() - 1);
  expected.insert(expected.end(), dims.begin() + depth, dims.end());
  if (std::ranges::equal(expected, updates.dims())) return Status();
  return InvalidArgument("updates must have shape " + DimsString(expected) + " for indices of " +
                         DimsString(indices.dims()) + " into " + DimsString(dims) + ", not " +
                         DimsString(updates.dims()));
}

// The slice that coordinates name, or kNowhere when they are outside.
int64_t RowAt(const int64_t* coordinates, DimsView dims) {
  int64_t row = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (coordinates[d] < 0 || coordinates[d] >= dims[d]) return kNowhere;
    row = row * dims[d] + coordinates[d];
  }
  return row;
}

// Reads the coordinates of slices of a tensor of shape `dims`.
//   indices: integers [..., depth]
//   Errors: INVALID_ARGUMENT (shapes that do not fit, coordinates outside, an unknown policy)
Result<Slices> ReadSlices(const Node& node, DimsView dims, const Tensor& indices,
                          const Tensor& updates) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool passes_over, PassesOver(node));
  TAGFLOW_RETURN_IF_ERROR(CheckShapes(dims, indices, updates));
  if (*NumElements(dims) == 0 && indices.num_elements() > 0) {
    return InvalidArgument("there is nowhere to put updates in a tensor of shape " +
                           DimsString(dims));
  }
  const size_t depth = static_cast<size_t>(indices.dims().back());
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> coordinates, IndexValues(indices));
  Slices slices;
  slices.size = ProductOf(dims, depth, dims.size());
  for (size_t at = 0; at < coordinates.size(); at += depth) {
    slices.rows.push_back(RowAt(coordinates.data() + at, dims.first(depth)));
    if (slices.rows.back() == kNowhere && !passes_over) {
      return InvalidArgument("row " + std::to_string(at / depth) + " of the indices, " +
                             DimsString(DimsView(coordinates).subspan(at, depth)) +
                             ", is outside of shape " + DimsString(dims));
    }
  }
  return slices;
}

// Whichever of two is not beaten; a NaN beats nothing and is beaten by nothing.
template <RealElement C>
C Extreme(C value, C update, Combine combine) {
  return (combine == Combine::kLower ? update < value : update > value) ? update : value;
}

template <typename C>
C Combined(const C& value, const C& update, Combine combine) {
  if (combine == Combine::kSet) return update;
  if constexpr (std::same_as<C, std::string>) {
    return value + update;
  } else {
    if (combine == Combine::kAdd) return Plus(value, update);
    if (combine == Combine::kSubtract) return Minus(value, update);
    if constexpr (RealElement<C>) return Extreme(value, update, combine);
  }
  return value;
}

// A tensor of these values in which each slice is changed by its updates, one after the other.
template <typename C>
Result<Tensor> Scattered(DType dtype, DimsView dims, std::vector<C> values, const Slices& slices,
                         const Tensor& updates, Combine combine) {
  const std::vector<C> by = Load<C>(updates);
  for (size_t i = 0; i < slices.rows.size(); ++i) {
    if (slices.rows[i] == kNowhere) continue;
    for (int64_t j = 0; j < slices.size; ++j) {
      C& value = values[static_cast<size_t>(slices.rows[i] * slices.size + j)];
      value = Combined(value, by[i * static_cast<size_t>(slices.size) + static_cast<size_t>(j)],
                       combine);
      // The next difference hangs on whether this one is true.
      if constexpr (std::same_as<C, int64_t>) {
        if (dtype == DType::kBool) value = value != 0;
      }
    }
  }
  return Store(dtype, dims, values);
}

constexpr DTypeSet kWithText = kNumbers | DTypeSet{DType::kBool, DType::kString};

//   tensor: T, rank >= 1; indices: [..., depth]; updates: [..., the rest of tensor's shape]
template <Combine combine>
Kernel TensorScatter(DTypeSet dtypes) {
  return [dtypes](KernelContext& context) -> Status {
    const Tensor& tensor = context.inputs[0];
    const Tensor& updates = context.inputs[2];
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, tensor.dtype(), updates.dtype()));
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, tensor.dtype(), dtypes));
    TAGFLOW_ASSIGN_OR_RETURN(const Slices slices,
                             ReadSlices(context.node, tensor.dims(), context.inputs[1], updates));
    TAGFLOW_ASSIGN_OR_RETURN(
        context.outputs[0],
        WithComputingType(tensor.dtype(), [&]<typename C>(Computing<C>) -> Result<Tensor> {
          return Scattered<C>(tensor.dtype(), tensor.dims(), Load<C>(tensor), slices, updates,
                              combine);
        }));
    return Status();
  };
}

// The same of a variable's value. What the node itself says is wrong before there is a variable.
Kernel OfVariable(By by, const Kernel& scatter, DTypeSet dtypes) {
  return [change = Replacing(by, scatter), dtypes](KernelContext& context) -> Status {
    const DType dtype = context.inputs[2].dtype();
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, dtypes));
    TAGFLOW_RETURN_IF_ERROR(PassesOver(context.node).status());
    return change(context);
  };
}

// The sums of the updates at each place; text is put together, and true is had by one true.
//   indices: [..., depth]; updates: T [..., the rest of shape]; shape: vector
//   output: T, of that shape, zero (empty, false) where nothing is put
Status ScatterNd(KernelContext& context) {
  const Tensor& updates = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType("ScatterNd", updates.dtype(), kWithText));
  if (context.inputs[2].rank() != 1) {
    return InvalidArgument("shape must be a vector, not of shape " +
                           DimsString(context.inputs[2].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, IndexValues(context.inputs[2]));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(const Slices slices,
                           ReadSlices(context.node, dims, context.inputs[0], updates));
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[0],
      WithComputingType(updates.dtype(), [&]<typename C>(Computing<C>) -> Result<Tensor> {
        std::vector<C> zeros(static_cast<size_t>(*NumElements(dims)));
        return Scattered<C>(updates.dtype(), dims, std::move(zeros), slices, updates,
                            Combine::kAdd);
      }));
  return Status();
}

// The rows of data whose partition is p, in order, for each p in [0, num_partitions).
//   data: T, shape that begins as the partitions'; partitions: int32
Status DynamicPartition(KernelContext& context) {
  const Tensor& data = context.inputs[0];
  const DimsView dims = data.dims();
  const DimsView prefix = context.inputs[1].dims();
  if (dims.size() < prefix.size() || !std::ranges::equal(prefix, dims.first(prefix.size()))) {
    return InvalidArgument("data of shape " + DimsString(dims) +
                           " must begin with the shape of its partitions, " + DimsString(prefix));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> partitions, IndexValues(context.inputs[1]));
  const int64_t count = static_cast<int64_t>(context.outputs.size());
  std::vector<std::vector<int64_t>> rows(context.outputs.size());
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (partitions[i] < 0 || partitions[i] >= count) {
      return InvalidArgument("partitions[" + std::to_string(i) +
                             "] = " + std::to_string(partitions[i]) + " is not in [0, " +
                             std::to_string(count) + ")");
    }
    rows[static_cast<size_t>(partitions[i])].push_back(static_cast<int64_t>(i));
  }
  const int64_t size = ProductOf(dims, prefix.size(), dims.size());
  for (size_t p = 0; p < rows.size(); ++p) {
    Dims shape(dims.begin() + static_cast<std::ptrdiff_t>(prefix.size()), dims.end());
    shape.insert(shape.begin(), static_cast<int64_t>(rows[p].size()));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[p], Tensor::Allocate(data.dtype(), shape));
    if (context.outputs[p].num_elements() == 0) continue;
    int64_t next = 0;
    for (int64_t row : rows[p])
      CopyElements(data, row * size, context.outputs[p], size * next++, size);
  }
  return Status();
}

}  // namespace

Status RegisterScatterKernels(KernelRegistry& registry) {
  const DTypeSet with_bool = kNumbers | DTypeSet{DType::kBool};
  return RegisterAll(registry,
                     {{"ScatterNd", ScatterNd},
                      {"ScatterNdNonAliasingAdd", TensorScatter<Combine::kAdd>(with_bool)},
                      {"TensorScatterUpdate", TensorScatter<Combine::kSet>(kWithText)},
                      {"TensorScatterAdd", TensorScatter<Combine::kAdd>(kNumbers)},
                      {"TensorScatterSub", TensorScatter<Combine::kSubtract>(kNumbers)},
                      {"TensorScatterMin", TensorScatter<Combine::kLower>(kReals)},
                      {"TensorScatterMax", TensorScatter<Combine::kRaise>(kReals)},
                      {"DynamicPartition", DynamicPartition}});
}

Status RegisterScatterVariableKernels(KernelRegistry& registry) {
  const DTypeSet with_bool = kNumbers | DTypeSet{DType::kBool};
  const std::tuple<std::string, Kernel, DTypeSet> changes[] = {
      {"Update", TensorScatter<Combine::kSet>(kWithText), kWithText},
      {"Add", TensorScatter<Combine::kAdd>(with_bool), with_bool},
      {"Sub", TensorScatter<Combine::kSubtract>(with_bool), with_bool},
      {"Min", TensorScatter<Combine::kLower>(kReals), kReals},
      {"Max", TensorScatter<Combine::kRaise>(kReals), kReals}};
  for (const auto& [name, change, dtypes] : changes) {
    TAGFLOW_RETURN_IF_ERROR(
        registry.Register("ScatterNd" + name, OfVariable(By::kReference, change, dtypes)));
    TAGFLOW_RETURN_IF_ERROR(
        registry.Register("ResourceScatterNd" + name, OfVariable(By::kHandle, change, dtypes)));
  }
  return Status();
}

}  // namespace tagflow::reference
