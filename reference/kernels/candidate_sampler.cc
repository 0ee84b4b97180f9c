// Samplers of candidates: class numbers drawn beside the true ones, and how often each is expected
// among them. As other stateful random ops, each has a stream of its own.        Spec: [resource.1]
//
// A uniform sampler draws every class of [0, range_max) alike; a log-uniform one draws class k with
// probability log((k + 2) / (k + 1)) / log(range_max + 1), as words sorted by how often they are
// used nearly are. Where candidates are to be unique, a class that was drawn before is drawn again,
// and class k is expected 1 - (1 - p(k))^tries times, in as many tries as that took.

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/philox.h"
#include "reference/kernels/random_streams.h"

namespace tagflow::reference {
namespace {

// The classes that a sampler draws from.
class Distribution {
 public:
  virtual ~Distribution() = default;
  virtual int64_t Draw(PhiloxWords& words) const = 0;
  virtual float ProbabilityOf(int64_t value) const = 0;
};

class Uniform : public Distribution {
 public:
  explicit Uniform(int64_t range) : range_(static_cast<uint64_t>(range)) {}

  // The words below 2^64 mod range are left out, since there is one too many of some remainders.
  int64_t Draw(PhiloxWords& words) const override {
    const bool is_power_of_two = std::has_single_bit(range_);
    const uint64_t skipped = is_power_of_two ? 0 : UINT64_MAX % range_ + 1;
    uint64_t word = words.Next64();
    while (word < skipped) word = words.Next64();
    return static_cast<int64_t>(word % range_);
  }
  float ProbabilityOf(int64_t) const override {
    return static_cast<float>(1.0 / static_cast<double>(range_));
  }

 private:
  uint64_t range_;
};

class LogUniform : public Distribution {
 public:
  explicit LogUniform(int64_t range)
      : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}

  // Rounding may give as much as the range itself, which is class 0.
  int64_t Draw(PhiloxWords& words) const override {
    constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1;
    const uint64_t high = words.Next32();
    const uint64_t number = high << 32 | words.Next32();
    const uint64_t one_and_fraction = uint64_t{1023} << 52 | (number & kFraction);
    const double fraction = std::bit_cast<double>(one_and_fraction) - 1.0;
    const double power = std::exp(fraction * log_range_);
    return power < 0x1p63 ? (static_cast<int64_t>(power) - 1) % range_ : 0;
  }
  float ProbabilityOf(int64_t value) const override {
    const auto k = static_cast<double>(value);
    return static_cast<float>(std::log((k + 2.0) / (k + 1.0)) / log_range_);
  }

 private:
  int64_t range_;
  double log_range_;
};

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
Result<Tensor> Expected(const Tensor& classes, const Distribution& distribution, int64_t count,
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

//   true_classes: [batch, num_true]
//   sampled_candidates: [num_sampled]; true_expected_count, sampled_expected_count: float, for each
//   of those
template <typename Of>
Status Sample(KernelContext& context) {
  constexpr uint64_t kBlocksPerCandidate = 512;
  TAGFLOW_ASSIGN_OR_RETURN(const SamplerAttrs attrs, ReadAttrs(context.node));
  TAGFLOW_RETURN_IF_ERROR(CheckTrueClasses(context.inputs[0], attrs));
  const Dims dims = {attrs.count};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  const Of distribution(attrs.range);
  TAGFLOW_ASSIGN_OR_RETURN(
      const Philox philox,
      TakeFromNode(context, static_cast<uint64_t>(attrs.count) * kBlocksPerCandidate));
  PhiloxWords words(philox);
  std::vector<int64_t> candidates;
  std::unordered_set<int64_t> drawn;
  int64_t tries = 0;
  for (; static_cast<int64_t>(candidates.size()) < attrs.count; ++tries) {
    const int64_t candidate = distribution.Draw(words);
    if (!attrs.unique || drawn.insert(candidate).second) candidates.push_back(candidate);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt64, dims, candidates));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                           Expected(context.inputs[0], distribution, attrs.count, tries));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2],
                           Expected(context.outputs[0], distribution, attrs.count, tries));
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
  return RegisterAll(registry, {{"UniformCandidateSampler", Sample<Uniform>},
                                {"LogUniformCandidateSampler", Sample<LogUniform>},
                                {"AllCandidateSampler", SampleAll},
                                {"ComputeAccidentalHits", ComputeAccidentalHits}});
}

}  // namespace tagflow::reference
