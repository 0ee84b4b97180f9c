#include "optimized/kernels/random_source.h"

#include <algorithm>
#include <random>

#include "optimized/kernels/change.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/variable_access.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {
namespace {

constexpr int64_t kPhiloxAlg = 1;  // in the input alg
constexpr int64_t kThreeFryAlg = 2;
constexpr int64_t kAnyAlg = 3;  // the device's best

Status NoAlgorithm(int64_t algorithm) {
  return InvalidArgument("there is no random algorithm " + std::to_string(algorithm) +
                         " here: 1 is Philox");
}

// Whether a counter that has become `low` by so many blocks more carries into its upper half. As
// TensorFlow counts, by words: not where a carry met an upper word of `blocks` that is all ones.
bool Carries(uint64_t low, uint64_t blocks) {
  const bool is_lost =
      blocks >> 32 == UINT32_MAX && static_cast<uint32_t>(low) < static_cast<uint32_t>(blocks);
  return low < blocks && !is_lost;
}

Result<Philox> StreamOfKey(const KernelContext& context, bool draws) {
  const Tensor& key = context.input(1);
  const Tensor& counter = context.input(2);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t algorithm, ScalarInt(context.input(3), "alg"));
  if (key.rank() != 1 || key.dim(0) != 1) {
    return InvalidArgument("key must have shape [1], not " + DimsString(key.dims()));
  }
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return InvalidArgument("counter must be a vector of two numbers, but it has shape " +
                           DimsString(counter.dims()));
  }
  if (draws && algorithm != kPhiloxAlg && algorithm != kAnyAlg) return NoAlgorithm(algorithm);
  const uint64_t* halves = counter.data<uint64_t>();
  return Philox(*key.data<uint64_t>(), halves[0], halves[1]);
}

}  // namespace

uint64_t BlocksFor(int64_t elements) {
  uint64_t blocks = 0;
  const bool is_too_much =
      __builtin_mul_overflow(static_cast<uint64_t>(elements), kBlocksPerElement, &blocks);
  return is_too_much ? UINT64_MAX : blocks;
}

Result<RandomSource> RandomSource::Of(Kind kind, const Binding& binding, int seed_input) {
  RandomSource source;
  source.kind_ = kind;
  source.seed_input_ = seed_input;
  if (kind != Kind::kNode) return source;
  source.node_ = binding.node.name;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seed, IntAttr(binding.node, "seed"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seed2, IntAttr(binding.node, "seed2"));
  // Seeds of 0 and 0 ask for numbers that nobody can tell before.
  const bool any = seed == 0 && seed2 == 0;
  source.seed_ = any ? AnySeed() : static_cast<uint64_t>(seed);
  source.seed2_ = any ? AnySeed() : static_cast<uint64_t>(seed2);
  return source;
}

Result<Philox> RandomSource::Take(KernelContext& context, uint64_t blocks) const {
  if (kind_ == Kind::kKey) return StreamOfKey(context, blocks > 0);
  if (kind_ == Kind::kSeed) {
    TAGFLOW_ASSIGN_OR_RETURN(const PhiloxBlock mixed, MixedSeed(context.input(seed_input_)));
    return Philox(mixed.LowFirst(0), 0, mixed.LowFirst(1));
  }
  if (kind_ == Kind::kState) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t algorithm, ScalarInt(context.input(1), "algorithm"));
    TAGFLOW_ASSIGN_OR_RETURN(const GeneratorState state, TakeFromState(context, algorithm, blocks));
    return state.stream();
  }
  const auto state = StateOf(context);
  const uint64_t taken = state->count.fetch_add(blocks, std::memory_order_relaxed);
  return Philox(state->seed, 0, state->seed2).From(taken);
}

std::shared_ptr<NodeState> RandomSource::StateOf(KernelContext& context) const {
  return context.session().FindOrCreateState(node_, seed_, seed2_);
}

Result<GeneratorState> TakeFromState(KernelContext& context, int64_t algorithm, uint64_t blocks) {
  if (algorithm == kThreeFryAlg) {
    return Unimplemented("the random algorithm 2, ThreeFry, is not there: 1 is Philox");
  }
  if (algorithm != kPhiloxAlg && algorithm != kAnyAlg) return NoAlgorithm(algorithm);
  GeneratorState state{};
  TAGFLOW_RETURN_IF_ERROR(
      ChangeVariable(context, By::kHandle, [&](Variable::Contents& contents) -> Status {
        Tensor& value = contents.value;
        if (value.dtype() != DType::kInt64 || value.rank() != 1 || value.dim(0) < 3) {
          return InvalidArgument(
              "the state of a generator must be a vector of 3 int64 or more, not " +
              DTypeName(value.dtype()) + DimsString(value.dims()));
        }
        TAGFLOW_RETURN_IF_ERROR(MakeUnique(value));
        int64_t* words = value.mutable_data<int64_t>();
        state = {static_cast<uint64_t>(words[0]), static_cast<uint64_t>(words[1]),
                 static_cast<uint64_t>(words[2])};
        const uint64_t low = state.low + blocks;
        words[0] = static_cast<int64_t>(low);
        words[1] = static_cast<int64_t>(state.high + (Carries(low, blocks) ? 1 : 0));
        return Status();
      }));
  return state;
}

uint64_t AnySeed() {
  std::random_device device;
  return device() | uint64_t{device()} << 32;
}

Result<Dims> ShapeInput(const KernelContext& context, int input) {
  const Tensor& shape = context.input(input);
  if (shape.dtype() != DType::kInt32 && shape.dtype() != DType::kInt64) {
    return InvalidArgument("the shape must be of int32 or int64, not " + DTypeName(shape.dtype()));
  }
  if (shape.rank() != 1) {
    return InvalidArgument("the shape must be a vector, but it has shape " +
                           DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(shape));
  Dims dims = view.values();
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  return dims;
}

namespace {

Result<IntRange> ReadRange(const Tensor& low, const Tensor& high) {
  IntRange range{};
  TAGFLOW_ASSIGN_OR_RETURN(range.low, ScalarInt(low, "minval"));
  TAGFLOW_ASSIGN_OR_RETURN(range.high, ScalarInt(high, "maxval"));
  if (range.low < range.high) return range;
  return InvalidArgument("minval must be less than maxval, but they are " +
                         std::to_string(range.low) + " and " + std::to_string(range.high));
}

// The number of the input minval.
constexpr int LowOf(RandomSource::Kind kind) {
  switch (kind) {
    case RandomSource::Kind::kNode:
      return 1;
    case RandomSource::Kind::kSeed:
      return 2;
    case RandomSource::Kind::kState:
      return 3;
    case RandomSource::Kind::kKey:
      break;
  }
  return 4;
}

}  // namespace

Result<IntRange> RangeInput(const KernelContext& context, RandomSource::Kind kind, int64_t count) {
  const Tensor& low = context.input(LowOf(kind));
  const Tensor& high = context.input(LowOf(kind) + 1);
  if (count > 0 || kind == RandomSource::Kind::kState) return ReadRange(low, high);
  if (kind == RandomSource::Kind::kNode) {
    TAGFLOW_RETURN_IF_ERROR(ScalarInt(low, "minval").status());
    TAGFLOW_RETURN_IF_ERROR(ScalarInt(high, "maxval").status());
  }
  return IntRange{};
}

Result<PhiloxBlock> MixedSeed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) {
    return InvalidArgument("seed must have shape [2], not " + DimsString(seed.dims()));
  }
  if (seed.dtype() != DType::kInt32 && seed.dtype() != DType::kInt64) {
    return InvalidArgument("seed must be int32 or int64, not " + DTypeName(seed.dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(seed));
  const Philox mixer(0x02461e293ec8f720, static_cast<uint64_t>(view[0]),
                     static_cast<uint64_t>(view[1]));
  return mixer.Block(0);
}

namespace {

// Adds the elements of a tensor to `values`. REQUIRES: Wide is their widest type
template <typename Wide>
void AppendDoubles(const Tensor& tensor, std::vector<double>& values) {
  const Widening* widening = WidestWidening(tensor.dtype());
  const auto size = static_cast<int64_t>(DTypeSize(tensor.dtype()));
  for (int64_t begin = 0; begin < tensor.num_elements(); begin += kWideBlock) {
    const int64_t count = std::min(kWideBlock, tensor.num_elements() - begin);
    const void* elements = static_cast<const char*>(tensor.raw_data()) + begin * size;
    Wide block[kWideBlock];
    if (widening != nullptr) widening->load(elements, block, count);
    const Wide* wide = widening != nullptr ? block : static_cast<const Wide*>(elements);
    for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(wide[i]));
  }
}

}  // namespace

std::vector<double> Doubles(const Tensor& tensor) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(tensor.num_elements()));
  if (IsFloating(tensor.dtype())) {
    AppendDoubles<double>(tensor, values);
  } else if (Contains(kUnsigned, tensor.dtype())) {
    AppendDoubles<uint64_t>(tensor, values);
  } else {
    AppendDoubles<int64_t>(tensor, values);
  }
  return values;
}

}  // namespace tagflow::optimized
