// Random ops: RandomUniform, StatelessRandomNormal, RandomShuffle, Multinomial, ….
// Tested by conformance/ops/random.ops.

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/random_fill.h"
#include "optimized/kernels/random_source.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

using Kind = RandomSource::Kind;

// ---- Numbers of one distribution ----

// The number of the input that says the shape.
constexpr int ShapeOf(Kind kind) { return kind == Kind::kState ? 2 : 0; }

// Room for the numbers, and where they come from. The state of a generator goes on only where there
// is room; what is wrong with seeds and keys is told before that.
struct Draw {
  Tensor* output;
  Philox stream;
};
template <Kind kKind>
Result<Draw> PrepareDraw(KernelContext& context, const RandomSource& source, DType dtype,
                         const Dims& dims) {
  const uint64_t blocks = BlocksFor(*NumElements(dims));
  if (kKind == Kind::kState) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, dtype, dims));
    TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, source.Take(context, blocks));
    return Draw{output, stream};
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, source.Take(context, blocks));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, dtype, dims));
  return Draw{output, stream};
}

//   shape: vector; and what names the stream
template <RandomFill (*kFind)(DType), Kind kKind>
Result<BoundKernel> BindFill(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  const RandomFill fill = kFind(dtype);
  if (fill == nullptr) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source, RandomSource::Of(kKind, binding));
  return BoundKernel([dtype, fill, source](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context, ShapeOf(kKind)));
    TAGFLOW_ASSIGN_OR_RETURN(const Draw draw, PrepareDraw<kKind>(context, source, dtype, dims));
    fill(draw.stream, draw.output->mutable_raw_data(), draw.output->num_elements());
    return Status();
  });
}

// ---- Integers of a range ----

//   shape: vector; what names the stream; minval, maxval: scalars
template <Kind kKind>
Result<BoundKernel> BindInts(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (dtype != DType::kInt32 && dtype != DType::kInt64) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source, RandomSource::Of(kKind, binding));
  return BoundKernel([dtype, source](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context, ShapeOf(kKind)));
    const int64_t count = *NumElements(dims);
    TAGFLOW_ASSIGN_OR_RETURN(const IntRange range, RangeInput(context, kKind, count));
    TAGFLOW_ASSIGN_OR_RETURN(const Draw draw, PrepareDraw<kKind>(context, source, dtype, dims));
    if (count > 0) {
      FillInts(draw.stream, dtype, range, draw.output->mutable_raw_data(), count);
    }
    return Status();
  });
}

// ---- Shuffling ----

//   value: any;  output: its rows in another order
// From the first row to the last but one, each changes places with itself or one behind it.
Result<BoundKernel> BindShuffle(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source, RandomSource::Of(Kind::kNode, binding));
  return BoundKernel([source](KernelContext& context) -> Status {
    const Tensor& value = context.input(0);
    if (value.num_elements() <= 1 || value.dim(0) <= 1) {
      context.output(0) = context.Take(0);
      return Status();
    }
    const auto rows = static_cast<uint64_t>(value.dim(0));
    TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, source.Take(context, (rows - 1 + 3) / 4));
    std::vector<int64_t> order(rows);
    std::iota(order.begin(), order.end(), int64_t{0});
    for (uint64_t i = 0; i + 1 < rows; ++i) {
      const uint32_t word = stream.Block(i / 4).words[i % 4];
      std::swap(order[i], order[i + word % (rows - i)]);
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, value.dtype(), value.dims()));
    const Mover& mover = MoverOf(value.dtype());
    const int64_t width = value.num_elements() / value.dim(0);
    void* to = output->mutable_raw_data();
    for (uint64_t i = 0; i < rows; ++i) {
      mover.run(mover.At(value.raw_data(), order[i] * width),
                mover.At(to, static_cast<int64_t>(i) * width), width);
    }
    return Status();
  });
}

// ---- Classes ----

// The number of samples in input 1. Errors: INVALID_ARGUMENT also for logits that are none.
Result<int64_t> Samples(const KernelContext& context) {
  const Tensor& logits = context.input(0);
  if (logits.rank() != 2) {
    return InvalidArgument("the logits must be a matrix, but they have shape " +
                           DimsString(logits.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t samples, ScalarInt(context.input(1), "num_samples"));
  if (samples < 0) {
    return InvalidArgument("num_samples must not be negative, but it is " +
                           std::to_string(samples));
  }
  if (logits.dim(1) == 0) {
    return InvalidArgument("there is no class to draw: logits has shape " +
                           DimsString(logits.dims()));
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(Dims{logits.dim(0), samples}).status());
  return samples;
}

//   logits: real numbers [batch, classes]; num_samples: scalar; output: [batch, samples]
template <Kind kKind>
Result<BoundKernel> BindClasses(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (dtype != DType::kInt32 && dtype != DType::kInt64) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source, RandomSource::Of(kKind, binding, 2));
  return BoundKernel([dtype, source](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t samples, Samples(context));
    const Tensor& logits = context.input(0);
    const auto rows = static_cast<uint64_t>(logits.dim(0));
    const uint64_t words = (static_cast<uint64_t>(samples) + 3) / 4 * 4 * 2;
    TAGFLOW_ASSIGN_OR_RETURN(const Philox stream,
                             source.Take(context, rows * words * kBlocksPerElement));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * output,
                             context.Allocate(0, dtype, Dims{logits.dim(0), samples}));
    const auto drawn = DrawClasses(stream, Doubles(logits), logits.dim(1), samples);
    if (dtype == DType::kInt64) {
      std::ranges::copy(drawn, output->mutable_data<int64_t>());
    } else {
      std::ranges::transform(drawn, output->mutable_data<int32_t>(),
                             [](int64_t number) { return static_cast<int32_t>(number); });
    }
    return Status();
  });
}

// ---- Keys ----

constexpr int32_t kPhiloxAlg = 1;

//   seed: [2];  outputs: key [1], counter [2], and for ..Alg the algorithm they are for
Result<BoundKernel> BindKeyAndCounter(const Binding& binding) {
  return BoundKernel(
      [outputs = binding.signature.outputs.size()](KernelContext& context) -> Status {
        TAGFLOW_ASSIGN_OR_RETURN(const PhiloxBlock mixed, MixedSeed(context.input(0)));
        context.output(0) = Tensor::Vector<uint64_t>({mixed.LowFirst(0)});
        context.output(1) = Tensor::Vector<uint64_t>({0, mixed.LowFirst(1)});
        if (outputs > 2) context.output(2).SetScalar(kPhiloxAlg);
        return Status();
      });
}

Status GetAlgorithm(KernelContext& context) {
  context.output(0).SetScalar(kPhiloxAlg);
  return Status();
}

// ---- Generators ----

//   resource: of a variable; algorithm, delta: scalars; output, if there is one: the state before
template <bool kReads>
Status Skip(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t delta, ScalarInt(context.input(2), "delta"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t algorithm, ScalarInt(context.input(1), "algorithm"));
  TAGFLOW_ASSIGN_OR_RETURN(
      const GeneratorState state,
      TakeFromState(context, algorithm, static_cast<uint64_t>(delta) * kBlocksPerElement));
  if (kReads) {
    context.output(0) =
        Tensor::Vector<int64_t>({static_cast<int64_t>(state.low), static_cast<int64_t>(state.high),
                                 static_cast<int64_t>(state.key)});
  }
  return Status();
}

//   shape: vector;  output: integers of all values
Result<BoundKernel> BindAnyInts(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  const RandomFill fill = FindFullIntFill(dtype);
  if (fill == nullptr) return NoKernelFor(binding, dtype);
  return BoundKernel([dtype, fill](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, dtype, dims));
    const Philox stream(AnySeed(), 0, AnySeed());
    fill(stream, output->mutable_raw_data(), output->num_elements());
    return Status();
  });
}

}  // namespace

Status RegisterRandomKernels(KernelRegistry& registry) {
  constexpr auto kUniform = FindUniformFill;
  constexpr auto kNormal = FindNormalFill;
  constexpr auto kTruncated = FindTruncatedNormalFill;
  constexpr auto kFullInt = FindFullIntFill;
  return RegisterAll(registry, {{"RandomUniform", BindFill<kUniform, Kind::kNode>},
                                {"RandomStandardNormal", BindFill<kNormal, Kind::kNode>},
                                {"TruncatedNormal", BindFill<kTruncated, Kind::kNode>},
                                {"RandomUniformInt", BindInts<Kind::kNode>},
                                {"RandomShuffle", BindShuffle},
                                {"Multinomial", BindClasses<Kind::kNode>},
                                {"StatelessRandomUniform", BindFill<kUniform, Kind::kSeed>},
                                {"StatelessRandomNormal", BindFill<kNormal, Kind::kSeed>},
                                {"StatelessTruncatedNormal", BindFill<kTruncated, Kind::kSeed>},
                                {"StatelessRandomUniformFullInt", BindFill<kFullInt, Kind::kSeed>},
                                {"StatelessRandomUniformInt", BindInts<Kind::kSeed>},
                                {"StatelessMultinomial", BindClasses<Kind::kSeed>},
                                {"StatelessRandomUniformV2", BindFill<kUniform, Kind::kKey>},
                                {"StatelessRandomNormalV2", BindFill<kNormal, Kind::kKey>},
                                {"StatelessTruncatedNormalV2", BindFill<kTruncated, Kind::kKey>},
                                {"StatelessRandomUniformFullIntV2", BindFill<kFullInt, Kind::kKey>},
                                {"StatelessRandomUniformIntV2", BindInts<Kind::kKey>},
                                {"StatelessRandomGetKeyCounter", BindKeyAndCounter},
                                {"StatelessRandomGetKeyCounterAlg", BindKeyAndCounter},
                                {"StatelessRandomGetAlg", Bind<GetAlgorithm>},
                                {"StatefulUniform", BindFill<kUniform, Kind::kState>},
                                {"StatefulStandardNormalV2", BindFill<kNormal, Kind::kState>},
                                {"StatefulTruncatedNormal", BindFill<kTruncated, Kind::kState>},
                                {"StatefulUniformFullInt", BindFill<kFullInt, Kind::kState>},
                                {"StatefulUniformInt", BindInts<Kind::kState>},
                                {"RngSkip", Bind<Skip<false>>},
                                {"RngReadAndSkip", Bind<Skip<true>>},
                                {"NonDeterministicInts", BindAnyInts}});
}

}  // namespace tagflow::optimized
