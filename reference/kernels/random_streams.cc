// Tested by conformance/ops/random.ops.

#include "reference/kernels/random_streams.h"

#include <string>

#include "reference/kernels/array_util.h"

namespace tagflow::reference {
namespace {

constexpr int32_t kAnyAlg = 3;  // the device's best

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

}  // namespace

Result<Dims> ShapeInput(const KernelContext& context) {
  const Tensor& shape = context.inputs[0];
  if (shape.rank() != 1) {
    return InvalidArgument("the shape must be a vector, but it has shape " +
                           DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, IndexValues(shape));
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  return dims;
}

// A block drawn with the seed as counter under a fixed key.
Result<Philox::Block> MixedSeed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) {
    return InvalidArgument("seed must have shape [2], not " + DimsString(seed.dims()));
  }
  if (seed.dtype() != DType::kInt32 && seed.dtype() != DType::kInt64) {
    return InvalidArgument("seed must be int32 or int64, not " + DTypeName(seed.dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto values, IndexValues(seed));
  const auto first = static_cast<uint64_t>(values[0]);
  const auto second = static_cast<uint64_t>(values[1]);
  Philox mixer({Low(first), High(first), Low(second), High(second)}, {0x3ec8f720, 0x02461e29});
  return mixer.Next();
}

Result<Philox> OfSeed(const Tensor& seed) {
  TAGFLOW_ASSIGN_OR_RETURN(const Philox::Block mixed, MixedSeed(seed));
  return Philox({0, 0, mixed[2], mixed[3]}, {mixed[0], mixed[1]});
}

Result<Philox> OfKey(const KernelContext& context, bool draws) {
  const Tensor& key = context.inputs[1];
  const Tensor& counter = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[3], "alg"));
  if (key.rank() != 1 || key.dim(0) != 1) {
    return InvalidArgument("key must have shape [1], not " + DimsString(key.dims()));
  }
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return InvalidArgument("counter must be a vector of two numbers, but it has shape " +
                           DimsString(counter.dims()));
  }
  const int32_t algorithm = context.inputs[3].scalar<int32_t>();
  if (draws && algorithm != kPhiloxAlg && algorithm != kAnyAlg) {
    return InvalidArgument("there is no random algorithm " + std::to_string(algorithm) +
                           " here: 1 is Philox");
  }
  const uint64_t* at = counter.data<uint64_t>();
  const uint64_t k = key.data<uint64_t>()[0];
  return Philox({Low(at[0]), High(at[0]), Low(at[1]), High(at[1])}, {Low(k), High(k)});
}

}  // namespace tagflow::reference
