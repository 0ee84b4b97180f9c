// Random numbers. Stateful ops draw on a stream of their node's; stateless ones are functions of a
// seed, or of the key and counter made from one.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// OK if input i may be a vector of `length` numbers, or of any number where that is unknown.
Status RequireVector(const ShapeContext& context, int i, int64_t length) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 1));
  const PartialShape& shape = context.input(i);
  const int64_t dim = shape.known_rank() ? shape.dim(0) : kUnknown;
  if (length == kUnknown || dim == kUnknown || dim == length) return Status();
  return InvalidArgument("input '" + shapes::InputName(context, i) + "' must have shape [" +
                         std::to_string(length) + "], but has shape " + shape.ToString());
}

// Output 0 has the shape that input 0 spells.
Status SpelledShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 0));
  context.set_output(0, std::move(shape));
  return Status();
}

// Inputs: shape, minval, maxval.
Status UniformIntShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 0));
  return SpelledShape(context);
}

// Inputs: shape, seed, and perhaps minval and maxval.
Status SeededShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 1, 2));
  for (int i = 2; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  return SpelledShape(context);
}

// Inputs: shape, seed, and the parameters of a distribution, whose shape is the end of the
// output's.
Status SeededDistributionShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 1, 2));
  return SpelledShape(context);
}

// Inputs: a shape, and the parameters of a distribution: so many numbers for each of those.
Status ForEachParameterShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(SpelledShape(context));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, shapes::ShapeFromInput(context, 0));
  context.set_output(0, shapes::Concatenated(shape, context.input(1)));
  return Status();
}

// Inputs: shape, key, counter, alg, and perhaps minval and maxval.
Status KeyedShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 2, kUnknown));
  for (int i = 3; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  return SpelledShape(context);
}

// Inputs: shape, key, counter, alg, and the parameters of a distribution.
Status KeyedDistributionShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 2, kUnknown));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 3, 0));
  return SpelledShape(context);
}

// Outputs: key, counter, and perhaps alg.
Status KeyCounterShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 0, 2));
  context.set_output(0, PartialShape(Dims{1}));
  context.set_output(1, PartialShape(Dims{2}));
  if (context.num_outputs() > 2) context.set_output(2, PartialShape::Scalar());
  return Status();
}

// Inputs: logits [batch, classes], num_samples, and perhaps a seed.
Status MultinomialShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  if (context.num_inputs() > 2) TAGFLOW_RETURN_IF_ERROR(RequireVector(context, 2, 2));
  const int64_t samples = shapes::ConstantInt(context, 1).value_or(kUnknown);
  if (samples < kUnknown) return InvalidArgument("num_samples must not be negative");
  const PartialShape& logits = context.input(0);
  context.set_output(0,
                     PartialShape(Dims{logits.known_rank() ? logits.dim(0) : kUnknown, samples}));
  return Status();
}

// Input: true classes [batch, num_true]. Outputs: num_sampled classes, and how often the true ones
// and those are expected.
Status CandidatesShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t per_row, IntAttr(context.node(), "num_true"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, IntAttr(context.node(), "num_sampled"));
  const PartialShape& classes = context.input(0);
  const int64_t rows = classes.known_rank() ? classes.dim(0) : kUnknown;
  context.set_output(0, PartialShape(Dims{count}));
  context.set_output(1, PartialShape(Dims{rows, per_row}));
  context.set_output(2, PartialShape(Dims{count}));
  return Status();
}

// Inputs: true classes [batch, num_true], and candidates. Outputs: a row, a candidate and a weight
// for each hit.
Status AccidentalHitsShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  for (int i = 0; i < 3; ++i) context.set_output(i, PartialShape(Dims{kUnknown}));
  return Status();
}

constexpr char kFloats[] = "dtype: {half, bfloat16, float, double}";
constexpr char kFloatsOrFloat[] = "dtype: {half, bfloat16, float, double} = DT_FLOAT";
constexpr char kFullInts[] = "dtype: {int32, int64, uint32, uint64} = DT_UINT64";

// An op with a stream of its own.
OpDefBuilder Streaming(const char* name) {
  OpDefBuilder op(name);
  op.Attr("seed: int = 0").Attr("seed2: int = 0").Stateful();
  return op;
}

OpDefBuilder StreamingFloats(const char* name, const char* summary) {
  return Streaming(name)
      .Input("shape: T", ArgRole::kShape)
      .Output("output: dtype")
      .Attr(kFloats)
      .Attr("T: {int32, int64}")
      .Summary(summary)
      .Shape(SpelledShape);
}

OpDefBuilder AnyCandidateSampler(const char* name, const char* summary) {
  return OpDefBuilder(name)
      .Input("true_classes: int64")
      .Output("sampled_candidates: int64")
      .Output("true_expected_count: float")
      .Output("sampled_expected_count: float")
      .Attr("num_true: int >= 1")
      .Attr("num_sampled: int >= 1")
      .Attr("unique: bool")
      .Attr("seed: int = 0")
      .Attr("seed2: int = 0")
      .Stateful()
      .Summary(summary)
      .Shape(CandidatesShape);
}
OpDefBuilder CandidateSampler(const char* name, const char* summary) {
  return AnyCandidateSampler(name, summary).Attr("range_max: int >= 1");
}

std::vector<OpDefBuilder> StatefulOps() {
  return {
      StreamingFloats("RandomUniform", "Random numbers from [0, 1)."),
      StreamingFloats("RandomStandardNormal", "Random numbers with mean 0 and deviation 1."),
      StreamingFloats("TruncatedNormal",
                      "Normal random numbers, those of magnitude 2 and more drawn again."),
      Streaming("RandomUniformInt")
          .Input("shape: T", ArgRole::kShape)
          .Input("minval: Tout", ArgRole::kScalar)
          .Input("maxval: Tout", ArgRole::kScalar)
          .Output("output: Tout")
          .Attr("Tout: {int32, int64}")
          .Attr("T: {int32, int64}")
          .Summary("Random integers from minval to before maxval.")
          .Shape(UniformIntShape),
      Streaming("RandomShuffle")
          .Input("value: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("The rows of a tensor in random order.")
          .Shape(shapes::Unchanged),
      Streaming("Multinomial")
          .Input("logits: T", ArgRole::kRows)
          .Input("num_samples: int32", ArgRole::kCount)
          .Output("output: output_dtype")
          .Attr("T: realnumbertype")
          .Attr("output_dtype: {int32, int64} = DT_INT64")
          .Summary("Random classes, num_samples for each row of logits.")
          .Shape(MultinomialShape),
      CandidateSampler("UniformCandidateSampler",
                       "Random classes, each as likely as another, and how often to expect them."),
      CandidateSampler("LogUniformCandidateSampler",
                       "Random classes, the first the likeliest, and how often to expect them."),
      CandidateSampler("LearnedUnigramCandidateSampler",
                       "Random classes, as likely as they have been true before, and once more."),
      CandidateSampler("ThreadUnsafeUnigramCandidateSampler",
                       "Random classes, as likely as they have been true before, and once more."),
      CandidateSampler("FixedUnigramCandidateSampler",
                       "Random classes, as likely as given weights say, and how often to expect "
                       "them.")
          .Attr("vocab_file: string = ''")
          .Attr("distortion: float = 1.0")
          .Attr("num_reserved_ids: int = 0")
          .Attr("num_shards: int >= 1 = 1")
          .Attr("shard: int >= 0 = 0")
          .Attr("unigrams: list(float) = []"),
      AnyCandidateSampler("AllCandidateSampler", "All classes, each of which is expected once."),
      OpDefBuilder("ComputeAccidentalHits")
          .Input("true_classes: int64")
          .Input("sampled_candidates: int64")
          .Output("indices: int32")
          .Output("ids: int64")
          .Output("weights: float")
          .Attr("num_true: int")
          .Attr("seed: int = 0")
          .Attr("seed2: int = 0")
          .Summary("Where true classes are among the candidates, with a weight that drops them.")
          .Shape(AccidentalHitsShape),
  };
}

OpDefBuilder Seeded(const char* name, const char* dtypes, const char* seeds, const char* summary) {
  return OpDefBuilder(name)
      .Input("shape: T", ArgRole::kShape)
      .Input("seed: Tseed", ArgRole::kSeed)
      .Output("output: dtype")
      .Attr(dtypes)
      .Attr("T: {int32, int64} = DT_INT32")
      .Attr(seeds)
      .Summary(summary)
      .Shape(SeededShape);
}

constexpr char kSeeds[] = "Tseed: {int32, int64} = DT_INT64";

std::vector<OpDefBuilder> SeededOps() {
  return {
      Seeded("StatelessRandomUniform", kFloatsOrFloat, kSeeds,
             "Random numbers from [0, 1), the same for the same seed."),
      Seeded("StatelessRandomNormal", kFloatsOrFloat, kSeeds,
             "Random numbers with mean 0 and deviation 1, the same for the same seed."),
      Seeded("StatelessTruncatedNormal", kFloatsOrFloat, kSeeds,
             "Normal random numbers of magnitude less than 2, the same for the same seed."),
      Seeded("StatelessRandomUniformFullInt", kFullInts,
             "Tseed: {int32, int64, uint32, uint64} = DT_INT64",
             "Random integers of all values, the same for the same seed."),
      OpDefBuilder("StatelessRandomUniformInt")
          .Input("shape: T", ArgRole::kShape)
          .Input("seed: Tseed", ArgRole::kSeed)
          .Input("minval: dtype", ArgRole::kScalar)
          .Input("maxval: dtype", ArgRole::kScalar)
          .Output("output: dtype")
          .Attr("dtype: {int32, int64}")
          .Attr("T: {int32, int64}")
          .Attr(kSeeds)
          .Summary("Random integers from minval to before maxval, the same for the same seed.")
          .Shape(SeededShape),
      OpDefBuilder("StatelessMultinomial")
          .Input("logits: T", ArgRole::kRows)
          .Input("num_samples: int32", ArgRole::kCount)
          .Input("seed: Tseed", ArgRole::kSeed)
          .Output("output: output_dtype")
          .Attr("T: realnumbertype")
          .Attr(kSeeds)
          .Attr("output_dtype: {int32, int64} = DT_INT64")
          .Summary("Random classes for each row of logits, the same for the same seed.")
          .Shape(MultinomialShape),
  };
}

OpDefBuilder Keyed(const char* name, const char* dtypes, const char* summary) {
  return OpDefBuilder(name)
      .Input("shape: Tshape", ArgRole::kShape)
      .Input("key: uint64", ArgRole::kKey)
      .Input("counter: uint64", ArgRole::kCounter)
      .Input("alg: int32", ArgRole::kAlgorithm)
      .Output("output: dtype")
      .Attr(dtypes)
      .Attr("Tshape: {int32, int64} = DT_INT32")
      .Summary(summary)
      .Shape(KeyedShape);
}

std::vector<OpDefBuilder> KeyedOps() {
  return {
      Keyed("StatelessRandomUniformV2", kFloatsOrFloat,
            "Random numbers from [0, 1), a function of key and counter."),
      Keyed("StatelessRandomNormalV2", kFloatsOrFloat,
            "Random numbers with mean 0 and deviation 1, a function of key and counter."),
      Keyed("StatelessTruncatedNormalV2", kFloatsOrFloat,
            "Normal random numbers of magnitude less than 2, a function of key and counter."),
      Keyed("StatelessRandomUniformFullIntV2", kFullInts,
            "Random integers of all values, a function of key and counter."),
      Keyed("StatelessRandomUniformIntV2", "dtype: {int32, int64, uint32, uint64}",
            "Random integers from minval to before maxval, a function of key and counter.")
          .Input("minval: dtype", ArgRole::kScalar)
          .Input("maxval: dtype", ArgRole::kScalar),
      OpDefBuilder("StatelessRandomGetKeyCounter")
          .Input("seed: Tseed", ArgRole::kSeed)
          .Output("key: uint64")
          .Output("counter: uint64")
          .Attr(kSeeds)
          .Summary("The key and the counter that a seed stands for.")
          .Shape(KeyCounterShape),
      OpDefBuilder("StatelessRandomGetKeyCounterAlg")
          .Input("seed: Tseed", ArgRole::kSeed)
          .Output("key: uint64")
          .Output("counter: uint64")
          .Output("alg: int32")
          .Attr(kSeeds)
          .Summary("The key and the counter that a seed stands for, and their algorithm.")
          .Shape(KeyCounterShape),
      OpDefBuilder("StatelessRandomGetAlg")
          .Output("alg: int32")
          .Stateful()
          .Summary("The number of the algorithm that random numbers are made by.")
          .Shape(shapes::Scalar),
  };
}

OpDefBuilder SeededDistribution(const char* name, const char* index, const char* summary) {
  return OpDefBuilder(name)
      .Input(std::string("shape: ") + index, ArgRole::kShape)
      .Input("seed: Tseed", ArgRole::kSeed)
      .Output("output: dtype")
      .Attr(std::string(index) + ": {int32, int64}")
      .Attr(kSeeds)
      .Summary(summary)
      .Shape(SeededDistributionShape);
}

constexpr char kParameters[] = "{half, float, double, int32, int64}";

std::vector<OpDefBuilder> DistributionOps() {
  const std::string parameters = kParameters;
  return {
      Streaming("RandomGamma")
          .Input("shape: S", ArgRole::kShape)
          .Input("alpha: T")
          .Output("output: T")
          .Attr("S: {int32, int64}")
          .Attr("T: {half, float, double}")
          .Summary("Random numbers of gamma distributions, of each as many as the shape says.")
          .Shape(ForEachParameterShape),
      Streaming("RandomPoissonV2")
          .Input("shape: S", ArgRole::kShape)
          .Input("rate: R")
          .Output("output: dtype")
          .Attr("S: {int32, int64}")
          .Attr("R: " + parameters + " = DT_DOUBLE")
          .Attr("dtype: " + parameters + " = DT_INT64")
          .Summary("Counts of events of given rates, of each as many as the shape says.")
          .Shape(ForEachParameterShape),
      SeededDistribution("StatelessRandomGammaV2", "T",
                         "Random numbers of gamma distributions, the same for the same seed.")
          .Input("alpha: dtype", ArgRole::kScalar)
          .Attr("dtype: {half, float, double}"),
      OpDefBuilder("StatelessRandomGammaV3")
          .Input("shape: shape_dtype", ArgRole::kShape)
          .Input("key: uint64", ArgRole::kKey)
          .Input("counter: uint64", ArgRole::kCounter)
          .Input("alg: int32", ArgRole::kAlgorithm)
          .Input("alpha: dtype", ArgRole::kScalar)
          .Output("output: dtype")
          .Attr("dtype: {half, float, double}")
          .Attr("shape_dtype: {int32, int64} = DT_INT32")
          .Summary("Random numbers of gamma distributions, a function of key and counter.")
          .Shape(KeyedDistributionShape),
      SeededDistribution("StatelessRandomPoisson", "T",
                         "Counts of events of given rates, the same for the same seed.")
          .Input("lam: Rtype")
          .Attr("Rtype: " + parameters)
          .Attr("dtype: " + parameters),
      SeededDistribution("StatelessRandomBinomial", "S",
                         "How many of counts events happen, the same for the same seed.")
          .Input("counts: T")
          .Input("probs: T")
          .Attr("T: " + parameters + " = DT_DOUBLE")
          .Attr("dtype: " + parameters + " = DT_INT64"),
  };
}

}  // namespace

Status RegisterRandomOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, StatefulOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, SeededOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, KeyedOps()));
  return RegisterAll(registry, DistributionOps());
}

}  // namespace tagflow
