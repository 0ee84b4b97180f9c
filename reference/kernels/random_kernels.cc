// Random ops. A stateful one draws on a stream of its own, which lives with the session: each
// firing goes on where the one before it ended. A stateless one is a function of its inputs, the
// seed or the key and counter among them. One of a generator's state goes on where the variable
// says, and moves that on.
//
// Spec: [resource.1]

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/random_draws.h"
#include "reference/kernels/random_streams.h"

namespace tagflow::reference {
namespace {

using Draw = Result<Tensor> (*)(DType dtype, DimsView dims, Philox philox);

// What the firing's first output must be.
DType OutputType(const KernelContext& context) { return context.signature.outputs[0].dtype; }

// Integers of [least, limit).
struct Bounds {
  int64_t least, limit;
};
Result<Bounds> BoundsOf(const Tensor& low, const Tensor& high) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(low, "minval"));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(high, "maxval"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t least, SingleIndex(low, "minval"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t limit, SingleIndex(high, "maxval"));
  if (least < limit) return Bounds{least, limit};
  return InvalidArgument("minval must be less than maxval, but they are " + std::to_string(least) +
                         " and " + std::to_string(limit));
}

// Integers of [low, high) for the output; the bounds do not matter where nothing is drawn.
Status DrawInto(KernelContext& context, DimsView dims, const Tensor& low, const Tensor& high,
                const std::function<Result<Philox>(int64_t elements)>& stream) {
  const DType dtype = OutputType(context);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, {DType::kInt32, DType::kInt64}));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(dims));
  if (elements == 0) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(dtype, dims));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Bounds bounds, BoundsOf(low, high));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox philox, stream(elements));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           DrawInts(dtype, dims, bounds.least, bounds.limit, philox));
  return Status();
}

// ---- Stateful ----

// However many an output takes, so many blocks are set aside for it.
constexpr uint64_t kBlocksPerElement = 256;

Kernel Stateful(Draw draw) {
  return [draw](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
    const auto elements = static_cast<uint64_t>(*NumElements(dims));
    TAGFLOW_ASSIGN_OR_RETURN(const Philox philox,
                             TakeFromNode(context, elements * kBlocksPerElement));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], draw(OutputType(context), dims, philox));
    return Status();
  };
}

//   shape: vector; minval, maxval: scalars;  output: integers of [minval, maxval)
Status RandomUniformInt(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[1], "minval"));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[2], "maxval"));
  return DrawInto(context, dims, context.inputs[1], context.inputs[2], [&](int64_t elements) {
    return TakeFromNode(context, static_cast<uint64_t>(elements) * kBlocksPerElement);
  });
}

//   value: any;  output: its rows in another order
// From the first row to the last but one, each changes places with itself or one behind it.
Status RandomShuffle(KernelContext& context) {
  const Tensor& value = context.inputs[0];
  context.outputs[0] = value;
  if (value.num_elements() <= 1 || value.dim(0) <= 1) return Status();
  const auto rows = static_cast<size_t>(value.dim(0));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{value.dim(0)}));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox philox, TakeFromNode(context, (rows - 1 + 3) / 4));
  PhiloxWords words(philox);
  std::vector<int64_t> order(rows);
  for (size_t i = 0; i < rows; ++i) order[i] = static_cast<int64_t>(i);
  for (size_t i = 0; i + 1 < rows; ++i) {
    std::swap(order[i], order[i + words.Next32() % (rows - i)]);
  }
  const int64_t width = value.num_elements() / value.dim(0);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(value.dtype(), value.dims()));
  for (size_t i = 0; i < rows; ++i) {
    CopyElements(value, order[i] * width, context.outputs[0], static_cast<int64_t>(i) * width,
                 width);
  }
  return Status();
}

// The number of samples in input 1. Errors: INVALID_ARGUMENT also for logits that are none.
Result<int64_t> Samples(const KernelContext& context) {
  const Tensor& logits = context.inputs[0];
  if (logits.rank() != 2) {
    return InvalidArgument("the logits must be a matrix, but they have shape " +
                           DimsString(logits.dims()));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[1], "num_samples"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t samples, SingleIndex(context.inputs[1], "num_samples"));
  if (samples < 0) {
    return InvalidArgument("num_samples must not be negative, but it is " +
                           std::to_string(samples));
  }
  if (logits.dim(1) == 0)
    return InvalidArgument("there is no class to draw: logits has shape " +
                           DimsString(logits.dims()));
  TAGFLOW_RETURN_IF_ERROR(NumElements(Dims{logits.dim(0), samples}).status());
  return samples;
}

Status Multinomial(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t samples, Samples(context));
  const Tensor& logits = context.inputs[0];
  const auto rows = static_cast<uint64_t>(logits.dim(0));
  const uint64_t words = (static_cast<uint64_t>(samples) + 3) / 4 * 4 * 2;
  TAGFLOW_ASSIGN_OR_RETURN(const Philox philox,
                           TakeFromNode(context, rows * words * kBlocksPerElement));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           DrawClasses(OutputType(context), logits, samples, philox));
  return Status();
}

// ---- Stateless, by seed ----

//   shape: vector; seed: [2]
Kernel Stateless(Draw draw) {
  return [draw](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
    TAGFLOW_ASSIGN_OR_RETURN(const Philox philox, OfSeed(context.inputs[1]));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], draw(OutputType(context), dims, philox));
    return Status();
  };
}

//   shape: vector; seed: [2]; minval, maxval: scalars, not looked at for an empty output
Status StatelessRandomUniformInt(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox philox, OfSeed(context.inputs[1]));
  return DrawInto(context, dims, context.inputs[2], context.inputs[3],
                  [&](int64_t) { return philox; });
}

Status StatelessMultinomial(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Philox philox, OfSeed(context.inputs[2]));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t samples, Samples(context));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           DrawClasses(OutputType(context), context.inputs[0], samples, philox));
  return Status();
}

// ---- Stateless, by key and counter ----

//   seed: [2];  outputs: key [1], counter [2], and for ..Alg the algorithm they are for
Status KeyAndCounter(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Philox::Block mixed, MixedSeed(context.inputs[0]));
  context.outputs[0] = Tensor::Vector<uint64_t>({mixed[0] | uint64_t{mixed[1]} << 32});
  context.outputs[1] = Tensor::Vector<uint64_t>({0, mixed[2] | uint64_t{mixed[3]} << 32});
  if (context.outputs.size() > 2) context.outputs[2] = Tensor::Scalar(kPhiloxAlg);
  return Status();
}

Status Algorithm(KernelContext& context) {
  context.outputs[0] = Tensor::Scalar(kPhiloxAlg);
  return Status();
}

//   shape: vector; key: [1]; counter: [2]; alg: scalar
Kernel Keyed(Draw draw) {
  return [draw](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
    TAGFLOW_ASSIGN_OR_RETURN(const Philox philox, OfKey(context, *NumElements(dims) > 0));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], draw(OutputType(context), dims, philox));
    return Status();
  };
}

//   and minval, maxval: scalars
Status KeyedUniformInt(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox philox, OfKey(context, *NumElements(dims) > 0));
  return DrawInto(context, dims, context.inputs[4], context.inputs[5],
                  [&](int64_t) { return philox; });
}

// ---- By the state of a generator ----

// Moves the state of input 0 on by so many numbers, whatever they are of.
Result<GeneratorState> TakeNumbers(KernelContext& context, uint64_t numbers) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[1], "algorithm"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t algorithm, SingleIndex(context.inputs[1], "algorithm"));
  return TakeFromState(context, algorithm, numbers * kBlocksPerElement);
}

constexpr DTypeSet kWholes = {DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64};

//   resource: of a variable; algorithm: scalar; shape: vector
Kernel ByState(Draw draw, DTypeSet dtypes) {
  return [draw, dtypes](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, OutputType(context), dtypes));
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context, 2));
    TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
    TAGFLOW_ASSIGN_OR_RETURN(const GeneratorState state,
                             TakeNumbers(context, static_cast<uint64_t>(*NumElements(dims))));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], draw(OutputType(context), dims, state.stream()));
    return Status();
  };
}

//   and minval, maxval: scalars, which matter even where nothing is drawn
Status StatefulUniformInt(KernelContext& context) {
  const DType dtype = OutputType(context);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, {DType::kInt32, DType::kInt64}));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const Bounds bounds, BoundsOf(context.inputs[3], context.inputs[4]));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(const GeneratorState state,
                           TakeNumbers(context, static_cast<uint64_t>(*NumElements(dims))));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           DrawInts(dtype, dims, bounds.least, bounds.limit, state.stream()));
  return Status();
}

//   resource, algorithm; delta: scalar;  output, if there is one: the state before, [3]
Status Skip(KernelContext& context) {
  const Tensor& delta = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(delta, "delta"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t numbers, SingleIndex(delta, "delta"));
  TAGFLOW_ASSIGN_OR_RETURN(const GeneratorState state,
                           TakeNumbers(context, static_cast<uint64_t>(numbers)));
  if (context.outputs.empty()) return Status();
  context.outputs[0] =
      Tensor::Vector<int64_t>({static_cast<int64_t>(state.low), static_cast<int64_t>(state.high),
                               static_cast<int64_t>(state.key)});
  return Status();
}

//   shape: vector;  output: integers of all values
Status NonDeterministicInts(KernelContext& context) {
  const DType dtype = OutputType(context);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kWholes));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           DrawFullInts(dtype, dims, Philox(AnySeed(), AnySeed())));
  return Status();
}

}  // namespace

Status RegisterRandomKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {
                         {"RandomUniform", Stateful(DrawUniform)},
                         {"RandomStandardNormal", Stateful(DrawNormal)},
                         {"TruncatedNormal", Stateful(DrawTruncatedNormal)},
                         {"RandomUniformInt", RandomUniformInt},
                         {"RandomShuffle", RandomShuffle},
                         {"Multinomial", Multinomial},
                         {"StatelessRandomUniform", Stateless(DrawUniform)},
                         {"StatelessRandomNormal", Stateless(DrawNormal)},
                         {"StatelessTruncatedNormal", Stateless(DrawTruncatedNormal)},
                         {"StatelessRandomUniformFullInt", Stateless(DrawFullInts)},
                         {"StatelessRandomUniformInt", StatelessRandomUniformInt},
                         {"StatelessMultinomial", StatelessMultinomial},
                         {"StatelessRandomUniformV2", Keyed(DrawUniform)},
                         {"StatelessRandomNormalV2", Keyed(DrawNormal)},
                         {"StatelessTruncatedNormalV2", Keyed(DrawTruncatedNormal)},
                         {"StatelessRandomUniformFullIntV2", Keyed(DrawFullInts)},
                         {"StatelessRandomUniformIntV2", KeyedUniformInt},
                         {"StatelessRandomGetKeyCounter", KeyAndCounter},
                         {"StatelessRandomGetKeyCounterAlg", KeyAndCounter},
                         {"StatelessRandomGetAlg", Algorithm},
                         {"StatefulUniform", ByState(DrawUniform, kFloating)},
                         {"StatefulStandardNormalV2", ByState(DrawNormal, kFloating)},
                         {"StatefulTruncatedNormal", ByState(DrawTruncatedNormal, kFloating)},
                         {"StatefulUniformFullInt", ByState(DrawFullInts, kWholes)},
                         {"StatefulUniformInt", StatefulUniformInt},
                         {"RngSkip", Skip},
                         {"RngReadAndSkip", Skip},
                         {"NonDeterministicInts", NonDeterministicInts},
                     });
}

}  // namespace tagflow::reference
