// Maps of tensors: EmptyTensorMap, TensorMapInsert, TensorMapLookup, …. A map is an immutable
// value: a kernel changes a copy, which shares all that stays as it was.
//
// Tested by conformance/ops/map.ops.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "graph/tensor_map.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/summarize.h"

namespace tagflow::optimized {
namespace {

// The map in input 0.
//   Errors: INVALID_ARGUMENT for what is no scalar that holds a map
Result<const TensorMap*> MapInput(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const TensorMap* map = input.rank() == 0 ? TensorMap::In(input) : nullptr;
  if (map != nullptr) return map;
  return InvalidArgument("input_handle must be a scalar that holds a map, but it is " +
                         input.DebugString());
}

// An op that has a key in input 1.
//   Errors: UNIMPLEMENTED for a key of a dtype whose tensors cannot be told apart
template <Status (*kKernel)(KernelContext&)>
Result<BoundKernel> BindKeyed(const Binding& binding) {
  const DType dtype = binding.input_dtype(1);
  if (!TensorMap::IsKeyDType(dtype)) return NoKernelFor(binding, dtype);
  return Bind<kKernel>(binding);
}

Status NoSuchKey(const Tensor& key) {
  constexpr int64_t kShown = 100;
  return InvalidArgument("the map has no key \"" + Summarize(key, kShown) + "\" of dtype " +
                         DTypeName(key.dtype()) + " and shape " + DimsString(key.dims()));
}

Status Empty(KernelContext& context) {
  context.output(0) = TensorMap::Wrap(TensorMap());
  return Status();
}

//   map, key, value
Status Insert(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap* old, MapInput(context));
  TensorMap map = *old;
  map.Insert(context.Take(1), context.Take(2));
  context.output(0) = TensorMap::Wrap(std::move(map));
  return Status();
}

//   map, key
Status Erase(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap* old, MapInput(context));
  TensorMap map = *old;
  if (!map.Erase(context.input(1))) return NoSuchKey(context.input(1));
  context.output(0) = TensorMap::Wrap(std::move(map));
  return Status();
}

Status Size(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(context));
  if (map->size() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("the map has " + std::to_string(map->size()) +
                           " keys, which is no int32");
  }
  context.output(0).SetScalar(static_cast<int32_t>(map->size()));
  return Status();
}

//   map, key
Status HasKey(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(context));
  const bool has_key = map->Find(context.input(1)) != nullptr;
  context.output(0).SetScalar(has_key);
  return Status();
}

//   map, key
Status Lookup(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(context));
  const Tensor* const value = map->Find(context.input(1));
  if (value == nullptr) return NoSuchKey(context.input(1));
  if (value->dtype() != dtype) {
    return InvalidArgument("the value is of dtype " + DTypeName(value->dtype()) +
                           ", but value_dtype is " + DTypeName(dtype));
  }
  context.output(0) = *value;
  return Status();
}

Result<BoundKernel> BindLookup(const Binding& binding) {
  const DType key = binding.input_dtype(1);
  if (!TensorMap::IsKeyDType(key)) return NoKernelFor(binding, key);
  return BoundKernel(
      [dtype = binding.output_dtype(0)](KernelContext& context) { return Lookup(context, dtype); });
}

// The shape that all keys have.
//   Errors: INVALID_ARGUMENT where they have not, or are of another dtype
Result<DimsView> CommonShape(const TensorMap& map, DType dtype) {
  DimsView common;
  Status status;
  bool is_first = true;
  map.Visit([&](const Tensor& key, const Tensor&) {
    if (is_first) common = key.dims();
    is_first = false;
    if (!status.ok()) return;
    if (key.dtype() != dtype) {
      status = InvalidArgument("a key is of dtype " + DTypeName(key.dtype()) +
                               ", but key_dtype is " + DTypeName(dtype));
    } else if (!std::ranges::equal(key.dims(), common)) {
      status = InvalidArgument("keys of shapes " + DimsString(common) + " and " +
                               DimsString(key.dims()) + " cannot be stacked");
    }
  });
  if (!status.ok()) return status;
  return common;
}

//   output: [keys, ...]
Status StackKeys(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(context));
  if (map->size() == 0) {
    return InvalidArgument("a map without keys has none to stack: of what shape would they be?");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const DimsView key_dims, CommonShape(*map, dtype));
  Dims dims(key_dims.begin(), key_dims.end());
  dims.insert(dims.begin(), map->size());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * keys, context.Allocate(0, dtype, dims));
  const Mover& mover = MoverOf(dtype);
  void* to = keys->mutable_raw_data();
  map->Visit([&](const Tensor& key, const Tensor&) {
    mover.run(key.raw_data(), to, key.num_elements());
    to = mover.At(to, key.num_elements());
  });
  return Status();
}

Result<BoundKernel> BindStackKeys(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!TensorMap::IsKeyDType(dtype)) return NoKernelFor(binding, dtype);
  return BoundKernel([dtype](KernelContext& context) { return StackKeys(context, dtype); });
}

}  // namespace

Status RegisterMapKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"EmptyTensorMap", Bind<Empty>},
                                {"TensorMapInsert", BindKeyed<Insert>},
                                {"TensorMapErase", BindKeyed<Erase>},
                                {"TensorMapSize", Bind<Size>},
                                {"TensorMapHasKey", BindKeyed<HasKey>},
                                {"TensorMapLookup", BindLookup},
                                {"TensorMapStackKeys", BindStackKeys}});
}

}  // namespace tagflow::optimized
