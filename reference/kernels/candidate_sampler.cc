// Samplers of candidates: class numbers drawn beside the true ones, and how often each is expected
// among them. As other stateful random ops, each has a stream of its own.        Spec: [resource.1]
//
// A uniform sampler draws every class of [0, range_max) alike; a log-uniform one draws class k with
// probability log((k + 2) / (k + 1)) / log(range_max + 1), as words sorted by how often they are
// used nearly are. A fixed unigram sampler draws class k as its weight says, and a learned one
// weighs a class by how often it has been true in firings before, and once more. Where candidates
// are to be unique, a class that was drawn before is drawn again, and class k is expected 1 - (1 -
// p(k))^tries times, in as many tries as that took.

#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/candidate_distributions.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/philox.h"
#include "reference/kernels/random_streams.h"
#include "reference/kernels/unigram_weights.h"

namespace tagflow::reference {
namespace {

struct SamplerAttrs {
  int64_t true_per_row = 0;
  int64_t count = 0;
  bool unique = false;
  int64_t range = 0;
};

Result<SamplerAttrs> ReadAttrs(const Node& node, bool has_range = true) {
  SamplerAttrs attrs;
  TAGFLOW_ASSIGN_OR_RETURN(attrs.true_per_row, IntAttr(node, "num_true"));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.count, IntAttr(node, "num_sampled"));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.unique, BoolAttr(node, "unique"));
  attrs.range = attrs.count;
  if (has_range) {
    TAGFLOW_ASSIGN_OR_RETURN(attrs.range, IntAttr(node, "range_max"));
  }
  for (const int64_t number : {attrs.true_per_row, attrs.count}) {
    if (number == static_cast<int32_t>(number)) continue;
    return InvalidArgument("num_true and num_sampled must be int32, not " + std::to_string(number));
  }
  if (!attrs.unique || attrs.count <= attrs.range) return attrs;
  return InvalidArgument("there are no " + std::to_string(attrs.count) + " different classes of " +
                         std::to_string(attrs.range));
}

Status CheckTrueClasses(const Tensor& classes, const SamplerAttrs& attrs) {
  if (classes.rank() != 2 || classes.dim(1) != attrs.true_per_row) {
    return InvalidArgument("true_classes must have shape [?," + std::to_string(attrs.true_per_row) +
                           "], but have shape " + DimsString(classes.dims()));
  }
  for (const int64_t value : classes.flat<int64_t>()) {
    if (value >= 0 && value < attrs.range) continue;
    return InvalidArgument("true class " + std::to_string(value) + " is not in [0, " +
                           std::to_string(attrs.range) + ")");
  }
  return Status();
}

// How often each class is expected among `count` candidates that took so many tries.
Result<Tensor> Expected(const Tensor& classes, const ClassDistribution& distribution, int64_t count,
                        int64_t tries) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor expected, Tensor::Allocate(DType::kFloat, classes.dims()));
  float* value = expected.mutable_data<float>();
  for (const int64_t number : classes.flat<int64_t>()) {
    const float p = distribution.ProbabilityOf(number);
    *value++ = tries == count ? p * static_cast<float>(count)
                              : -std::expm1(static_cast<float>(tries) * std::log1p(-p));
  }
  return expected;
}

struct Drawn {
  std::vector<int64_t> candidates;
  int64_t tries = 0;
};
Result<Drawn> DrawCandidates(const SamplerAttrs& attrs, const ClassDistribution& distribution,
                             PhiloxWords words) {
  constexpr int64_t kTriesMax = std::numeric_limits<int32_t>::max();  // more end TensorFlow
  Drawn drawn;
  std::unordered_set<int64_t> known;
  for (; static_cast<int64_t>(drawn.candidates.size()) < attrs.count; ++drawn.tries) {
    if (drawn.tries == kTriesMax) {
      return InvalidArgument("there came fewer than " + std::to_string(attrs.count) +
                             " different classes in " + std::to_string(kTriesMax) +
                             " tries: ask for fewer, or for such as may come twice");
    }
    const int64_t candidate = distribution.Draw(words);
    if (!attrs.unique || known.insert(candidate).second) drawn.candidates.push_back(candidate);
  }
  return drawn;
}

//   true_classes: [batch, num_true]
//   sampled_candidates: [num_sampled]; true_expected_count, sampled_expected_count: float, for each
//   of those
Status Sample(KernelContext& context, const SamplerAttrs& attrs,
              const ClassDistribution& distribution) {
  constexpr uint64_t kBlocksPerCandidate = 512;
  TAGFLOW_RETURN_IF_ERROR(CheckTrueClasses(context.inputs[0], attrs));
  const Dims dims = {attrs.count};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(
      const Philox philox,
      TakeFromNode(context, static_cast<uint64_t>(attrs.count) * kBlocksPerCandidate));
  TAGFLOW_ASSIGN_OR_RETURN(const Drawn drawn,
                           DrawCandidates(attrs, distribution, PhiloxWords(philox)));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt64, dims, drawn.candidates));
  for (const size_t i : {0, 1}) {
    const Tensor& classes = i == 0 ? context.inputs[0] : context.outputs[0];
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[i + 1],
                             Expected(classes, distribution, attrs.count, drawn.tries));
  }
  return Status();
}

template <typename Of>
Status SampleRange(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SamplerAttrs attrs, ReadAttrs(context.node));
  return Sample(context, attrs, Of(attrs.range));
}

Status SampleFixed(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SamplerAttrs attrs, ReadAttrs(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const auto weights, UnigramWeights(context.node, attrs.range));
  const WeightedClasses distribution(weights);
  const auto drawable = static_cast<int64_t>(distribution.Drawable().size());
  if (attrs.unique && attrs.count > drawable) {
    return InvalidArgument("there are no " + std::to_string(attrs.count) +
                           " different classes with a weight, but " + std::to_string(drawable));
  }
  return Sample(context, attrs, distribution);
}

// Counts the true classes when the candidates are drawn, as long as their weight is an int32.
Status SampleLearned(KernelContext& context) {
  constexpr int64_t kWeightMax = std::numeric_limits<int32_t>::max();
  TAGFLOW_ASSIGN_OR_RETURN(const SamplerAttrs attrs, ReadAttrs(context.node));
  if (attrs.range >= kWeightMax) {
    return InvalidArgument("range_max must be less than " + std::to_string(kWeightMax) +
                           ", but is " + std::to_string(attrs.range));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto state, StateOfNode(context));
  auto& counts = state->true_classes;
  if (!counts.empty() && counts.rbegin()->first >= attrs.range) counts.clear();
  const CountedClasses distribution(attrs.range, counts);
  TAGFLOW_RETURN_IF_ERROR(Sample(context, attrs, distribution));
  int64_t left = kWeightMax - distribution.total();
  for (const int64_t value : context.inputs[0].flat<int64_t>()) {
    if (left-- > 0) ++counts[value];
  }
  return Status();
}

// Inputs and outputs as above: each class of [0, num_sampled), and once.
Status SampleAll(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SamplerAttrs attrs, ReadAttrs(context.node, /*has_range=*/false));
  const Tensor& classes = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(CheckTrueClasses(classes, attrs));
  const Dims dims = {attrs.count};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  std::vector<int64_t> candidates(static_cast<size_t>(attrs.count));
  for (size_t i = 0; i < candidates.size(); ++i) candidates[i] = static_cast<int64_t>(i);
  const std::vector<float> ones(static_cast<size_t>(classes.num_elements()), 1);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt64, dims, candidates));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], Store(DType::kFloat, classes.dims(), ones));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2],
                           Store(DType::kFloat, dims, std::vector<float>(candidates.size(), 1)));
  return Status();
}

//   true_classes: [batch, num_true]; sampled_candidates: a vector
//   indices, ids: of each true class that is a candidate, the row and which candidate it is, the
//   last one of several; weights: of each the least float there is
Status ComputeAccidentalHits(KernelContext& context) {
  const Tensor& classes = context.inputs[0];
  const Tensor& candidates = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t per_row, IntAttr(context.node, "num_true"));
  if (classes.rank() != 2 || classes.dim(1) != per_row) {
    return InvalidArgument("true_candidates must be a batch_size * num_true matrix");
  }
  if (candidates.rank() != 1) return InvalidArgument("sampled_candidates must be a vector");
  std::unordered_map<int64_t, int64_t> place_of;
  for (int64_t i = 0; i < candidates.num_elements(); ++i) {
    place_of[candidates.data<int64_t>()[i]] = i;
  }
  std::vector<int64_t> rows, ids;
  const auto values = classes.flat<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto found = place_of.find(values[i]);
    if (found == place_of.end()) continue;
    rows.push_back(static_cast<int64_t>(i) / per_row);
    ids.push_back(found->second);
  }
  const Dims dims = {static_cast<int64_t>(rows.size())};
  const std::vector<float> weights(rows.size(), std::numeric_limits<float>::lowest());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt32, dims, rows));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], IndexTensor(DType::kInt64, dims, ids));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2], Store(DType::kFloat, dims, weights));
  return Status();
}

}  // namespace

Status RegisterCandidateSamplerKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"UniformCandidateSampler", SampleRange<UniformClasses>},
                                {"LogUniformCandidateSampler", SampleRange<LogUniformClasses>},
                                {"FixedUnigramCandidateSampler", SampleFixed},
                                {"LearnedUnigramCandidateSampler", SampleLearned},
                                {"ThreadUnsafeUnigramCandidateSampler", SampleLearned},
                                {"AllCandidateSampler", SampleAll},
                                {"ComputeAccidentalHits", ComputeAccidentalHits}});
}

}  // namespace tagflow::reference
