// Random numbers with parameters of their own: gamma, Poisson, binomial.
//
// The parameters' shape is the end of the output's, so that there are some samples for each. The
// samples of a parameter stand one after the other in the stream, however they lie in the output,
// and each has a place of its own there: none depends on how many trials another took.
// Tested by conformance/ops/random.ops.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "optimized/formulas/numbers.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/random_source.h"
#include "optimized/kernels/random_trials.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

using Kind = RandomSource::Kind;

// In the stream of numbers that take few trials places overlap, as in TensorFlow.
constexpr uint64_t kBlocksPerFewTrials = 42;

// Where number i of a stream begins.
Philox At(const Philox& stream, int64_t i, uint64_t blocks_per_number = kBlocksPerElement) {
  return stream.From(static_cast<uint64_t>(i) * blocks_per_number);
}

// ---- Outputs ----

// The whole part of x, or the least value where T does not hold it.                Spec: [number.3]
//   limit: 1 more than T's largest value
template <typename T>
T WholePart(double x, double limit) {
  return x > -limit - 1 && x < limit ? static_cast<T>(x) : std::numeric_limits<T>::min();
}

void Store(double x, Half& element) { element = HalfFromDouble(x); }
void Store(double x, float& element) { element = static_cast<float>(x); }
void Store(double x, double& element) { element = x; }
void Store(double x, int32_t& element) { element = WholePart<int32_t>(x, 0x1p31); }
void Store(double x, int64_t& element) { element = WholePart<int64_t>(x, 0x1p63); }

struct NumberType {
  void (*store)(double number, void* elements, int64_t i);
  double largest;  // number that the dtype holds; of int64 2^63
};

template <typename T>
NumberType TypeOf(double largest) {
  return {
      [](double number, void* elements, int64_t i) { Store(number, static_cast<T*>(elements)[i]); },
      largest};
}

// Without `store` for a dtype that is not drawn.
NumberType NumberTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return TypeOf<Half>(65504);
    case DType::kFloat:
      return TypeOf<float>(std::numeric_limits<float>::max());
    case DType::kDouble:
      return TypeOf<double>(std::numeric_limits<double>::max());
    case DType::kInt32:
      return TypeOf<int32_t>(std::numeric_limits<int32_t>::max());
    case DType::kInt64:
      return TypeOf<int64_t>(0x1p63);
    default:
      return {nullptr, 0};
  }
}

// ---- Drawing ----

Status RequireEnding(DimsView dims, DimsView parameters) {
  if (dims.size() >= parameters.size() &&
      std::ranges::equal(dims.last(parameters.size()), parameters)) {
    return Status();
  }
  return InvalidArgument("the shape " + DimsString(dims) +
                         " must end with the shape of the parameters, " + DimsString(parameters));
}

// Fills a tensor that holds samples for each of `parameters` parameters.
//   draw(parameter, i): number i of the stream, for this parameter
template <typename F>
Status Fill(const NumberType& type, int64_t parameters, Tensor& output, F draw) {
  const int64_t count = output.num_elements();
  void* elements = output.mutable_raw_data();
  if (count == 0) return Status();
  const int64_t samples = count / parameters;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t parameter = i / samples;
    TAGFLOW_ASSIGN_OR_RETURN(const double number, draw(parameter, i));
    type.store(number, elements, i % samples * parameters + parameter);
  }
  return Status();
}

//   shape: vector; what names the stream; the parameters: numbers, not looked at for an empty
//   output
//   draw(parameter, stream, type): a number for a parameter that is one number
//   of a stream of the node's own: the parameters' shape comes behind the shape
template <Kind kKind, typename F>
Result<BoundKernel> BindDraw(const Binding& binding, F draw) {
  constexpr int kParameters = kKind == Kind::kNode ? 1 : kKind == Kind::kSeed ? 2 : 4;
  const DType dtype = binding.output_dtype(0);
  const NumberType type = NumberTypeOf(dtype);
  if (type.store == nullptr) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source, RandomSource::Of(kKind, binding));
  return BoundKernel([dtype, type, source, draw](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Dims dims, ShapeInput(context));
    const Tensor& parameters = context.input(kParameters);
    if (kKind == Kind::kNode) {
      dims.insert(dims.end(), parameters.dims().begin(), parameters.dims().end());
      // Numbers for which there is no memory are not taken from the stream.
      TAGFLOW_RETURN_IF_ERROR(context.Allocate(0, dtype, dims).status());
    }
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
    TAGFLOW_ASSIGN_OR_RETURN(
        const Philox stream,
        source.Take(context,
                    static_cast<uint64_t>(count) * (kKind == Kind::kNode ? kBlocksPerElement : 1)));
    if (count > 0) TAGFLOW_RETURN_IF_ERROR(RequireEnding(dims, parameters.dims()));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, dtype, dims));
    if (count == 0) return Status();
    const std::vector<double> values = Doubles(parameters);
    return Fill(type, parameters.num_elements(), *output, [&](int64_t parameter, int64_t i) {
      return draw(values[static_cast<size_t>(parameter)], At(stream, i), type);
    });
  });
}

//   alpha: half, float or double; output: numbers of the gamma distribution with scale 1
template <Kind kKind>
Result<BoundKernel> BindGamma(const Binding& binding) {
  return BindDraw<kKind>(binding, [](double alpha, const Philox& stream, const NumberType&) {
    return GammaNumber(alpha, stream);
  });
}

//   lam: the rates
//   output: counts; of an infinite rate infinity, or 0 where the dtype has none
template <Kind kKind>
Result<BoundKernel> BindPoisson(const Binding& binding) {
  const bool has_infinity = IsFloating(binding.output_dtype(0));
  return BindDraw<kKind>(
      binding,
      [has_infinity](double rate, const Philox& stream, const NumberType& type) -> Result<double> {
        if (!has_infinity && rate == std::numeric_limits<double>::infinity()) return 0.0;
        return PoissonNumber(rate, type.largest, stream);
      });
}

// ---- Binomial numbers ----

// What happens with a probability above 1/2 is counted by what does not happen. Whether that is few
// is decided in the precision of the inputs.
template <Floating C>
Result<double> BinomialNumber(C count, C probability, const Philox& stream, int64_t i) {
  const auto exact = [](C x) { return static_cast<double>(x); };
  if (!(exact(count) > 0 || std::isnan(exact(count))) || exact(probability) <= 0) return 0.0;
  if (exact(probability) >= 1) return exact(count);
  if (std::isnan(exact(probability))) return exact(probability);
  const bool inverted = exact(probability) > 0.5;
  if (inverted) probability = C(1.0) - probability;
  const bool are_many = exact(count * probability) >= 10;
  TAGFLOW_ASSIGN_OR_RETURN(
      const double number,
      are_many ? BinomialNumberByShape(exact(count), exact(probability), At(stream, i))
               : BinomialNumberByGaps(exact(count), exact(probability),
                                      At(stream, i, kBlocksPerFewTrials)));
  return inverted ? exact(count) - number : number;
}

using DrawBinomial = Result<double> (*)(double count, double probability, const Philox& stream,
                                        int64_t i);

template <typename C>
Result<double> DrawIn(double count, double probability, const Philox& stream, int64_t i) {
  return BinomialNumber(static_cast<C>(count), static_cast<C>(probability), stream, i);
}

DrawBinomial DrawBinomialOf(DType dtype) {
  if (dtype == DType::kHalf) return &DrawIn<RoundedHalf>;
  if (dtype == DType::kFloat) return &DrawIn<float>;
  return dtype == DType::kDouble ? &DrawIn<double> : nullptr;
}

// The elements of a tensor, broadcast.
std::vector<double> BroadcastDoubles(const Tensor& tensor, const Dims& dims) {
  const std::vector<double> values = Doubles(tensor);
  std::vector<double> all;
  const BroadcastRows rows({tensor.dims()}, dims);
  rows.ForEach([&](const int64_t* offsets) {
    for (int64_t i = 0; i < rows.row_size(); ++i) {
      all.push_back(values[static_cast<size_t>(offsets[0] + i * rows.step(0))]);
    }
    return true;
  });
  return all;
}

// The stream of a generator's state, which is moved on by what pairs of numbers of a hundred
// trials would take: by Philox under no other number than its own.
Result<Philox> TakeTrials(KernelContext& context, const Dims& dims, const Dims& parameters) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t algorithm, ScalarInt(context.input(1), "algorithm"));
  if (algorithm != 1) {
    return InvalidArgument("there is no random algorithm " + std::to_string(algorithm) +
                           " here: 1 is Philox");
  }
  uint64_t samples = 1;
  for (size_t i = 0; i < dims.size() - parameters.size(); ++i) {
    samples *= static_cast<uint64_t>(dims[i]);
  }
  const auto batches = static_cast<uint64_t>(*NumElements(parameters));
  const uint64_t numbers = batches * 200 * (samples + 3) / 4;
  TAGFLOW_ASSIGN_OR_RETURN(const GeneratorState state,
                           TakeFromState(context, algorithm, numbers * kBlocksPerElement));
  return state.stream();
}

//   what names the stream; shape: vector; counts, probs: half, float or double, broadcast together
//   output: how many of count events happen; NaN for a probability that is NaN
template <Kind kKind>
Result<BoundKernel> BindBinomial(const Binding& binding) {
  constexpr int kShape = kKind == Kind::kState ? 2 : 0, kCounts = kKind == Kind::kState ? 3 : 2;
  const DrawBinomial draw = DrawBinomialOf(binding.input_dtype(kCounts));
  if (draw == nullptr) return NoKernelFor(binding, binding.input_dtype(kCounts));
  const DType dtype = binding.output_dtype(0);
  const NumberType type = NumberTypeOf(dtype);
  if (type.store == nullptr) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source, RandomSource::Of(kKind, binding));
  return BoundKernel([dtype, type, draw, source](KernelContext& context) -> Status {
    Philox stream(0, 0, 0);
    if (kKind == Kind::kSeed) {
      TAGFLOW_ASSIGN_OR_RETURN(stream, source.Take(context, 0));
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context, kShape));
    const Tensor& counts = context.input(kCounts);
    const Tensor& probs = context.input(kCounts + 1);
    TAGFLOW_ASSIGN_OR_RETURN(const Dims both, BroadcastShape(counts.dims(), probs.dims()));
    TAGFLOW_RETURN_IF_ERROR(RequireEnding(dims, both));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, dtype, dims));
    if (kKind == Kind::kState) {
      TAGFLOW_ASSIGN_OR_RETURN(stream, TakeTrials(context, dims, both));
    }
    if (output->num_elements() == 0) return Status();
    const std::vector<double> count = BroadcastDoubles(counts, both);
    const std::vector<double> prob = BroadcastDoubles(probs, both);
    return Fill(type, *NumElements(both), *output, [&](int64_t parameter, int64_t i) {
      const auto k = static_cast<size_t>(parameter);
      return draw(count[k], prob[k], stream, i);
    });
  });
}

}  // namespace

Status RegisterRandomTrialKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RandomGamma", BindGamma<Kind::kNode>},
                                {"RandomPoissonV2", BindPoisson<Kind::kNode>},
                                {"StatelessRandomGammaV2", BindGamma<Kind::kSeed>},
                                {"StatelessRandomGammaV3", BindGamma<Kind::kKey>},
                                {"StatelessRandomPoisson", BindPoisson<Kind::kSeed>},
                                {"StatelessRandomBinomial", BindBinomial<Kind::kSeed>},
                                {"StatefulRandomBinomial", BindBinomial<Kind::kState>}});
}

}  // namespace tagflow::optimized
