// Maps of tensors: EmptyTensorMap, TensorMapInsert, TensorMapLookup, …. A map is an immutable
// value: a kernel changes a copy, and whoever holds the old one sees no change.

#include <string>
#include <utility>
#include <vector>

#include "graph/tensor_map.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/summarize.h"

namespace tagflow::reference {
namespace {

// The map in input 0, and that a key in input 1 can be one.
//   Errors: INVALID_ARGUMENT, UNIMPLEMENTED (the dtype of the key)
Result<TensorMap> MapOf(const KernelContext& context) {
  if (context.inputs.size() > 1 && !TensorMap::IsKeyDType(context.inputs[1].dtype())) {
    return Unimplemented("a key cannot be a tensor of dtype " +
                         DTypeName(context.inputs[1].dtype()));
  }
  const Tensor& input = context.inputs[0];
  const TensorMap* map = input.rank() == 0 ? TensorMap::In(input) : nullptr;
  if (map != nullptr) return *map;
  return InvalidArgument("input_handle must be a scalar that holds a map, but it is " +
                         input.DebugString());
}

Status NoSuchKey(const Tensor& key) {
  return InvalidArgument("the map has no key \"" + Summarize(key, 100) + "\" of dtype " +
                         DTypeName(key.dtype()) + " and shape " + DimsString(key.dims()));
}

Status Empty(KernelContext& context) {
  context.outputs[0] = TensorMap::Wrap(TensorMap());
  return Status();
}

//   map, key, value
Status Insert(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorMap map, MapOf(context));
  map.Insert(context.inputs[1], context.inputs[2]);
  context.outputs[0] = TensorMap::Wrap(std::move(map));
  return Status();
}

//   map, key
Status Erase(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorMap map, MapOf(context));
  if (!map.Erase(context.inputs[1])) return NoSuchKey(context.inputs[1]);
  context.outputs[0] = TensorMap::Wrap(std::move(map));
  return Status();
}

Status Size(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap map, MapOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt32, {}, {map.size()}));
  return Status();
}

//   map, key
Status HasKey(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap map, MapOf(context));
  context.outputs[0] = Tensor::Scalar<bool>(map.Find(context.inputs[1]) != nullptr);
  return Status();
}

//   map, key
Status Lookup(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap map, MapOf(context));
  const Tensor* value = map.Find(context.inputs[1]);
  if (value == nullptr) return NoSuchKey(context.inputs[1]);
  const DType dtype = context.signature.outputs[0].dtype;
  if (value->dtype() != dtype) {
    return InvalidArgument("the value is of dtype " + DTypeName(value->dtype()) +
                           ", but value_dtype is " + DTypeName(dtype));
  }
  context.outputs[0] = *value;
  return Status();
}

//   output: [keys, ...]
//   Errors: INVALID_ARGUMENT for no keys, and for some of other dtypes or shapes
Status StackKeys(KernelContext& context) {
  const DType dtype = context.signature.outputs[0].dtype;
  if (!TensorMap::IsKeyDType(dtype)) {
    return Unimplemented("a key cannot be a tensor of dtype " + DTypeName(dtype));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap map, MapOf(context));
  std::vector<Tensor> keys;
  map.Visit([&](const Tensor& key, const Tensor&) { keys.push_back(key); });
  if (keys.empty()) {
    return InvalidArgument("a map without keys has none to stack: of what shape would they be?");
  }
  for (const Tensor& key : keys) {
    if (key.dtype() != dtype) {
      return InvalidArgument("a key is of dtype " + DTypeName(key.dtype()) + ", but key_dtype is " +
                             DTypeName(dtype));
    }
    if (ToDims(key.dims()) == ToDims(keys[0].dims())) continue;
    return InvalidArgument("keys of shapes " + DimsString(keys[0].dims()) + " and " +
                           DimsString(key.dims()) + " cannot be stacked");
  }
  Dims dims = ToDims(keys[0].dims());
  dims.insert(dims.begin(), std::ssize(keys));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor stacked, Tensor::Allocate(dtype, dims));
  int64_t at = 0;
  for (const Tensor& key : keys) {
    CopyElements(key, 0, stacked, at, key.num_elements());
    at += key.num_elements();
  }
  context.outputs[0] = std::move(stacked);
  return Status();
}

}  // namespace

Status RegisterMapKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"EmptyTensorMap", Empty},
                                {"TensorMapInsert", Insert},
                                {"TensorMapErase", Erase},
                                {"TensorMapSize", Size},
                                {"TensorMapHasKey", HasKey},
                                {"TensorMapLookup", Lookup},
                                {"TensorMapStackKeys", StackKeys}});
}

}  // namespace tagflow::reference
