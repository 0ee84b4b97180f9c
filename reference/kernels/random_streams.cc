// Tested by conformance/ops/random.ops.

#include "reference/kernels/random_streams.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/element.h"
#include "reference/kernels/variable_access.h"

namespace tagflow::reference {
namespace {

constexpr int32_t kThreeFryAlg = 2;
constexpr int32_t kAnyAlg = 3;  // the device's best

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

}  // namespace

uint64_t AnySeed() {
  std::random_device device;
  return device() | uint64_t{device()} << 32;
}

Result<std::shared_ptr<NodeState>> StateOfNode(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seed, IntAttr(context.node, "seed"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seed2, IntAttr(context.node, "seed2"));
  const bool any = seed == 0 && seed2 == 0;
  const auto state = context.resources.FindOrCreateState(
      context.node.name, any ? AnySeed() : static_cast<uint64_t>(seed),
      any ? AnySeed() : static_cast<uint64_t>(seed2));
  context.accesses.push_back({state.get(), Access::kWhole, true, state->name});
  return state;
}

Result<Philox> TakeFromNode(KernelContext& context, uint64_t blocks) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto state, StateOfNode(context));
  Philox philox(state->seed, state->seed2);
  philox.Skip(state->count);
  state->count += blocks;
  return philox;
}

Result<Dims> ShapeInput(const KernelContext& context, size_t input) {
  const Tensor& shape = context.inputs[input];
  if (shape.dtype() != DType::kInt32 && shape.dtype() != DType::kInt64) {
    return InvalidArgument("the shape must be of int32 or int64, not " + DTypeName(shape.dtype()));
  }
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

Philox GeneratorState::stream() const {
  return Philox({Low(low), High(low), Low(high), High(high)}, {Low(key), High(key)});
}

Result<GeneratorState> TakeFromState(KernelContext& context, int64_t algorithm, uint64_t blocks) {
  if (algorithm == kThreeFryAlg) {
    return Unimplemented("the random algorithm 2, ThreeFry, is not there: 1 is Philox");
  }
  if (algorithm != kPhiloxAlg && algorithm != kAnyAlg) {
    return InvalidArgument("there is no random algorithm " + std::to_string(algorithm) +
                           " here: 1 is Philox");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto variable, FindVariable(context, /*is_write=*/true));
  const Tensor& value = variable->value;
  if (value.dtype() != DType::kInt64 || value.rank() != 1 || value.dim(0) < 3) {
    return InvalidArgument("the state of a generator must be a vector of 3 int64 or more, not " +
                           DTypeName(value.dtype()) + DimsString(value.dims()));
  }
  std::vector<int64_t> words = Load<int64_t>(value);
  const GeneratorState state = {static_cast<uint64_t>(words[0]), static_cast<uint64_t>(words[1]),
                                static_cast<uint64_t>(words[2])};
  // As TensorFlow counts, by words: a carry into an upper word of `blocks` that is all ones is
  // lost.
  const uint64_t low = state.low + blocks;
  const bool is_lost = High(blocks) == UINT32_MAX && Low(low) < Low(blocks);
  words[0] = static_cast<int64_t>(low);
  words[1] = static_cast<int64_t>(state.high + (low < blocks && !is_lost ? 1 : 0));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor moved, Store(DType::kInt64, value.dims(), words));
  variable->value = std::move(moved);
  return state;
}

}  // namespace tagflow::reference
