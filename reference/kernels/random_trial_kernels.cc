// Random numbers with parameters of their own: gamma, Poisson, binomial.
//
// The parameters' shape is the end of the output's, so that there are some samples for each. The
// samples of a parameter stand one after the other in the stream, however they lie in the output,
// and each has a place of its own there: none depends on how many trials another took.

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/cast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/random_streams.h"
#include "reference/kernels/random_trials.h"

namespace tagflow::reference {
namespace {

constexpr uint64_t kBlocksPerNumber = 256;
// In the stream of numbers that take few trials places overlap, as in TensorFlow.
constexpr uint64_t kBlocksPerNumberOfFew = 42;

DType OutputType(const KernelContext& context) { return context.signature.outputs[0].dtype; }

// `stream` where number i begins.
Philox At(Philox stream, uint64_t i, uint64_t blocks_per_number = kBlocksPerNumber) {
  stream.Skip(i * blocks_per_number);
  return stream;
}

// The number i of the stream, for the given parameter.
using DrawOne = std::function<Result<double>(size_t parameter, uint64_t i)>;

Status RequireEnding(DimsView dims, DimsView parameters) {
  if (dims.size() >= parameters.size() &&
      std::equal(parameters.rbegin(), parameters.rend(), dims.rbegin())) {
    return Status();
  }
  return InvalidArgument("the shape " + DimsString(dims) +
                         " must end with the shape of the parameters, " + DimsString(parameters));
}

// A tensor of shape `dims` for parameters of the shape `parameters`, neither of them empty.
Status Draw(KernelContext& context, DimsView dims, DimsView parameters, const DrawOne& draw) {
  TAGFLOW_RETURN_IF_ERROR(RequireEnding(dims, parameters));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  const auto width = static_cast<size_t>(*NumElements(parameters));
  std::vector<double> numbers(static_cast<size_t>(*NumElements(dims)));
  const size_t samples = numbers.size() / width;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t parameter = i / samples;
    TAGFLOW_ASSIGN_OR_RETURN(numbers[i % samples * width + parameter], draw(parameter, i));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], CastDoubles(OutputType(context), dims, numbers));
  return Status();
}

Status DrawNothing(KernelContext& context, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(OutputType(context), dims));
  return Status();
}

// The elements of a tensor of real numbers.
std::vector<double> Doubles(const Tensor& tensor) {
  return WithComputingType(tensor.dtype(), [&]<typename C>(Computing<C>) {
    std::vector<double> values;
    if constexpr (RealElement<C>) {
      for (const C& value : Load<C>(tensor)) values.push_back(static_cast<double>(value));
    }
    return values;
  });
}

Status DrawGamma(KernelContext& context, DimsView dims, const Tensor& alpha, Philox stream) {
  const std::vector<double> alphas = Doubles(alpha);
  return Draw(context, dims, alpha.dims(), [&](size_t parameter, uint64_t i) {
    return GammaNumber(alphas[parameter], At(stream, i));
  });
}

//   shape: vector; seed: [2]; alpha: half, float or double, not looked at for an empty output
//   output: numbers of the gamma distribution with scale 1
Status StatelessRandomGamma(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, OfSeed(context.inputs[1]));
  if (*NumElements(dims) == 0) return DrawNothing(context, dims);
  return DrawGamma(context, dims, context.inputs[2], stream);
}

//   as above, with key: [1]; counter: [2]; alg: scalar for the seed
Status KeyedRandomGamma(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, OfKey(context, *NumElements(dims) > 0));
  if (*NumElements(dims) == 0) return DrawNothing(context, dims);
  return DrawGamma(context, dims, context.inputs[4], stream);
}

// The shape of as many numbers as input 0 says for each element of input 1.
Result<Dims> ShapeForEach(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, ShapeInput(context));
  const DimsView parameters = context.inputs[1].dims();
  dims.insert(dims.end(), parameters.begin(), parameters.end());
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  return dims;
}

//   shape: vector; alpha: half, float or double
//   output: for each alpha as many numbers of the gamma distribution with scale 1
Status RandomGamma(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeForEach(context));
  const auto count = static_cast<uint64_t>(*NumElements(dims));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, TakeFromNode(context, count * kBlocksPerNumber));
  if (count == 0) return DrawNothing(context, dims);
  return DrawGamma(context, dims, context.inputs[1], stream);
}

// The largest number that the dtype holds, as a double: of int64 it is 2^63.
double Largest(DType dtype) {
  if (dtype == DType::kHalf) return 65504;
  if (dtype == DType::kFloat) return std::numeric_limits<float>::max();
  if (dtype == DType::kInt32) return std::numeric_limits<int32_t>::max();
  return dtype == DType::kInt64 ? 0x1p63 : std::numeric_limits<double>::max();
}

// Counts; of an infinite rate infinity, or 0 where the dtype has none.
Status DrawPoisson(KernelContext& context, DimsView dims, const Tensor& lam, Philox stream) {
  const std::vector<double> rates = Doubles(lam);
  const DType dtype = OutputType(context);
  return Draw(context, dims, lam.dims(), [&](size_t parameter, uint64_t i) -> Result<double> {
    const double rate = rates[parameter];
    if (IsInteger(dtype) && rate == std::numeric_limits<double>::infinity()) return 0.0;
    return PoissonNumber(rate, Largest(dtype), At(stream, i));
  });
}

//   shape: vector; rate: numbers;  output: for each rate as many counts
Status RandomPoisson(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeForEach(context));
  const auto count = static_cast<uint64_t>(*NumElements(dims));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, TakeFromNode(context, count * kBlocksPerNumber));
  if (count == 0) return DrawNothing(context, dims);
  return DrawPoisson(context, dims, context.inputs[1], stream);
}

//   shape: vector; seed: [2]; lam: the rates, not looked at for an empty output
Status StatelessRandomPoisson(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, OfSeed(context.inputs[1]));
  if (*NumElements(dims) == 0) return DrawNothing(context, dims);
  return DrawPoisson(context, dims, context.inputs[2], stream);
}

// What happens with a probability above 1/2 is counted by what does not happen. Whether that is few
// is decided in the precision of the inputs.
template <FloatElement C>
Result<double> BinomialNumber(C count, C probability, Philox stream, uint64_t i) {
  if (count <= C(0.0) || probability <= C(0.0)) return 0.0;
  if (probability >= C(1.0)) return static_cast<double>(count);
  if (!(probability == probability)) return std::numeric_limits<double>::quiet_NaN();
  const bool inverted = probability > C(0.5);
  if (inverted) probability = C(1.0) - probability;
  const auto n = static_cast<double>(count);
  const auto p = static_cast<double>(probability);
  TAGFLOW_ASSIGN_OR_RETURN(const double number,
                           count* probability >= C(10.0)
                               ? BinomialNumberOfMany(n, p, At(stream, i))
                               : BinomialNumberOfFew(n, p, At(stream, i, kBlocksPerNumberOfFew)));
  return inverted ? n - number : number;
}

// The shape of counts and probabilities, the last two inputs, which the output's ends with.
Result<Dims> TrialsShape(const KernelContext& context, DimsView dims) {
  const size_t last = context.inputs.size() - 1;
  TAGFLOW_ASSIGN_OR_RETURN(
      Dims both, BroadcastShape(context.inputs[last - 1].dims(), context.inputs[last].dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireEnding(dims, both));
  return both;
}

template <FloatElement C>
Status DrawBinomial(KernelContext& context, DimsView dims, Philox stream) {
  const size_t last = context.inputs.size() - 1;
  const Tensor& counts = context.inputs[last - 1];
  const Tensor& probs = context.inputs[last];
  TAGFLOW_ASSIGN_OR_RETURN(const Dims both, TrialsShape(context, dims));
  if (*NumElements(dims) == 0) return DrawNothing(context, dims);
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  const auto count_at = BroadcastIndices(counts.dims(), both);
  const auto prob_at = BroadcastIndices(probs.dims(), both);
  const std::vector<C> count = Load<C>(counts);
  const std::vector<C> prob = Load<C>(probs);
  return Draw(context, dims, both, [&](size_t parameter, uint64_t i) {
    return BinomialNumber(count[static_cast<size_t>(count_at[parameter])],
                          prob[static_cast<size_t>(prob_at[parameter])], stream, i);
  });
}

Status DrawBinomial(KernelContext& context, DimsView dims, Philox stream) {
  const DType dtype = context.inputs.back().dtype();
  if (dtype == DType::kHalf) return DrawBinomial<Short<Half>>(context, dims, stream);
  if (dtype == DType::kFloat) return DrawBinomial<float>(context, dims, stream);
  return DrawBinomial<double>(context, dims, stream);
}

constexpr DTypeSet kProbabilities = {DType::kHalf, DType::kFloat, DType::kDouble};

//   shape: vector; seed: [2]; counts, probs: half, float or double, broadcast together
//   output: how many of count events happen; NaN for a probability that is NaN
Status StatelessRandomBinomial(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, context.inputs[2].dtype(), kProbabilities));
  TAGFLOW_ASSIGN_OR_RETURN(const Philox stream, OfSeed(context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
  return DrawBinomial(context, dims, stream);
}

//   resource: of a variable, the state of a generator; algorithm: scalar, Philox by its number
//   shape, counts, probs, output: as above
// The state is moved on by what pairs of numbers of a hundred trials would take.
Status StatefulRandomBinomial(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, context.inputs[3].dtype(), kProbabilities));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims both, TrialsShape(context, dims));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[1], "algorithm"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t algorithm, SingleIndex(context.inputs[1], "algorithm"));
  if (algorithm != kPhiloxAlg) {
    return InvalidArgument("there is no random algorithm " + std::to_string(algorithm) +
                           " here: 1 is Philox");
  }
  const auto batches = static_cast<uint64_t>(*NumElements(both));
  const auto samples = static_cast<uint64_t>(ProductOf(dims, 0, dims.size() - both.size()));
  const uint64_t numbers = batches * 200 * (samples + 3) / 4;
  TAGFLOW_ASSIGN_OR_RETURN(const GeneratorState state,
                           TakeFromState(context, algorithm, numbers * kBlocksPerNumber));
  return DrawBinomial(context, dims, state.stream());
}

}  // namespace

Status RegisterRandomTrialKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RandomGamma", RandomGamma},
                                {"RandomPoissonV2", RandomPoisson},
                                {"StatelessRandomGammaV2", StatelessRandomGamma},
                                {"StatelessRandomGammaV3", KeyedRandomGamma},
                                {"StatelessRandomPoisson", StatelessRandomPoisson},
                                {"StatelessRandomBinomial", StatelessRandomBinomial},
                                {"StatefulRandomBinomial", StatefulRandomBinomial}});
}

}  // namespace tagflow::reference
