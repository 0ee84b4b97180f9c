// Samplers of candidates: class numbers drawn beside the true ones, and how often each is expected
// among them. The numbers are TensorFlow's for the same seeds.                   Spec: [resource.1]
//
// What is drawn is written where it is to lie; the classes drawn so far are kept in an open hash
// table of at most half its places, so that a try costs a look or two.
//
// Tested by conformance/ops/random.ops.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/counted_unigrams.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/fixed_unigrams.h"
#include "optimized/kernels/random_source.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/stream_words.h"

namespace tagflow::optimized {
namespace {

// Each of [0, range) alike.
struct Uniform {
  uint64_t range;
  float probability;

  explicit Uniform(int64_t range_max)
      : range(static_cast<uint64_t>(range_max)),
        probability(static_cast<float>(1.0 / static_cast<double>(range_max))) {}

  int64_t Draw(StreamWords& words) const { return static_cast<int64_t>(words.Below(range)); }
  float ProbabilityOf(int64_t) const { return probability; }
};

// Class k of [0, range) with probability log((k + 2) / (k + 1)) / log(range + 1).
struct LogUniform {
  int64_t range;
  double log_range;

  explicit LogUniform(int64_t range_max)
      : range(range_max), log_range(std::log1p(static_cast<double>(range_max))) {}

  int64_t Draw(StreamWords& words) const {
    // 52 bits as those behind the point, the first word above the second.
    const uint64_t number = std::rotl(words.Next64(), 32);
    const uint64_t bits = std::bit_cast<uint64_t>(1.0) | number << 12 >> 12;
    const double power = std::exp((std::bit_cast<double>(bits) - 1.0) * log_range);
    // Rounding may give as much as the range itself, which is class 0.
    return power < 0x1p63 ? (static_cast<int64_t>(power) - 1) % range : 0;
  }
  float ProbabilityOf(int64_t k) const {
    const auto at = static_cast<double>(k);
    return static_cast<float>(std::log((at + 2.0) / (at + 1.0)) / log_range);
  }
};

// A set of numbers that are not negative.
class DrawnSet {
 public:
  explicit DrawnSet(int64_t most) : places_(std::bit_ceil(2 * static_cast<size_t>(most)), kFree) {}

  // Whether the number was not in it.
  bool Insert(int64_t number) {
    const size_t mask = places_.size() - 1;
    size_t at = (static_cast<uint64_t>(number) * 0x9E3779B97F4A7C15) >> 20 & mask;
    for (; places_[at] != kFree; at = (at + 1) & mask) {
      if (places_[at] == number) return false;
    }
    places_[at] = number;
    return true;
  }

 private:
  static constexpr int64_t kFree = -1;
  std::vector<int64_t> places_;  // a power of two
};

struct Form {
  int64_t true_per_row;
  int64_t count;
  bool is_unique;
  int64_t range;
};

Status CheckTrueClasses(const Tensor& classes, const Form& form) {
  if (classes.rank() != 2 || classes.dim(1) != form.true_per_row) {
    return InvalidArgument("true_classes must have shape [?," + std::to_string(form.true_per_row) +
                           "], but have shape " + DimsString(classes.dims()));
  }
  for (const int64_t value : classes.flat<int64_t>()) {
    if (value >= 0 && value < form.range) continue;
    return InvalidArgument("true class " + std::to_string(value) + " is not in [0, " +
                           std::to_string(form.range) + ")");
  }
  return Status();
}

Status TooManyTries(int64_t found, int64_t count, int64_t tries) {
  return InvalidArgument("only " + std::to_string(found) + " of " + std::to_string(count) +
                         " different classes came in " + std::to_string(tries) +
                         " tries: ask for fewer, or for such as may come twice");
}

// How many tries it took; CANCELLED where the step is to end, INVALID_ARGUMENT where the tries are
// more than TensorFlow counts, which ends the process then.
template <typename Distribution>
Result<int64_t> DrawUnique(const KernelContext& context, const Distribution& distribution,
                           StreamWords& words, int64_t count, int64_t* candidates) {
  constexpr int64_t kTriesBetweenLooks = int64_t{1} << 20, kTriesMax = INT32_MAX;
  DrawnSet drawn(count);
  int64_t tries = 0;
  for (int64_t found = 0; found < count; ++tries) {
    if (tries == kTriesMax) return TooManyTries(found, count, tries);
    const int64_t candidate = distribution.Draw(words);
    if (drawn.Insert(candidate)) candidates[found++] = candidate;
    if (tries % kTriesBetweenLooks != 0 || !context.services().stopped) continue;
    if (context.services().stopped()) return Status(Code::kCancelled, "the step ends");
  }
  return tries;
}

// How often each class is expected among `count` candidates that took so many tries.
template <typename Distribution>
void FillExpected(const Tensor& classes, const Distribution& distribution, int64_t count,
                  int64_t tries, float* expected) {
  const int64_t* values = classes.data<int64_t>();
  for (int64_t i = 0; i < classes.num_elements(); ++i) {
    const float p = distribution.ProbabilityOf(values[i]);
    expected[i] = tries == count ? p * static_cast<float>(count)
                                 : -std::expm1(static_cast<float>(tries) * std::log1p(-p));
  }
}

//   true_classes: [batch, num_true]
//   sampled_candidates: [num_sampled]; true_expected_count, sampled_expected_count: float, for each
//   of those
template <typename Distribution>
Status Sample(KernelContext& context, const Form& form, const RandomSource& source,
              const Distribution& distribution) {
  constexpr uint64_t kBlocksPerCandidate = 512;
  const Tensor& classes = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(CheckTrueClasses(classes, form));
  const Dims dims = {form.count};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * sampled, context.Allocate(0, DType::kInt64, dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * of_true, context.Allocate(1, DType::kFloat, classes.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * of_sampled, context.Allocate(2, DType::kFloat, dims));
  TAGFLOW_ASSIGN_OR_RETURN(
      const Philox stream,
      source.Take(context, static_cast<uint64_t>(form.count) * kBlocksPerCandidate));
  StreamWords words(stream);
  int64_t* candidates = sampled->mutable_data<int64_t>();
  int64_t tries = form.count;
  if (form.is_unique) {
    TAGFLOW_ASSIGN_OR_RETURN(tries,
                             DrawUnique(context, distribution, words, form.count, candidates));
  } else {
    for (int64_t i = 0; i < form.count; ++i) candidates[i] = distribution.Draw(words);
  }
  FillExpected(classes, distribution, form.count, tries, of_true->mutable_data<float>());
  FillExpected(*sampled, distribution, form.count, tries, of_sampled->mutable_data<float>());
  return Status();
}

enum class Classes : uint8_t { kOfRange, kAsManyAsDrawn };

Result<Form> ReadForm(const Binding& binding, Classes classes) {
  Form form{};
  TAGFLOW_ASSIGN_OR_RETURN(form.true_per_row, IntAttr(binding.node, "num_true"));
  TAGFLOW_ASSIGN_OR_RETURN(form.count, IntAttr(binding.node, "num_sampled"));
  TAGFLOW_ASSIGN_OR_RETURN(form.is_unique, BoolAttr(binding.node, "unique"));
  form.range = form.count;
  if (classes == Classes::kOfRange) {
    TAGFLOW_ASSIGN_OR_RETURN(form.range, IntAttr(binding.node, "range_max"));
  }
  for (const int64_t number : {form.true_per_row, form.count}) {
    if (number <= std::numeric_limits<int32_t>::max()) continue;
    return InvalidArgument("num_true and num_sampled must be int32, not " + std::to_string(number));
  }
  if (form.is_unique && form.count > form.range) {
    return InvalidArgument("there are no " + std::to_string(form.count) + " different classes of " +
                           std::to_string(form.range));
  }
  return form;
}

template <typename Distribution>
Result<BoundKernel> BindSampler(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Form form, ReadForm(binding, Classes::kOfRange));
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source,
                           RandomSource::Of(RandomSource::Kind::kNode, binding));
  return BoundKernel(
      [form, source, distribution = Distribution(form.range)](KernelContext& context) {
        return Sample(context, form, source, distribution);
      });
}

//   attrs: the weights of classes, which are read once
Result<BoundKernel> BindFixed(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Form form, ReadForm(binding, Classes::kOfRange));
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source,
                           RandomSource::Of(RandomSource::Kind::kNode, binding));
  TAGFLOW_ASSIGN_OR_RETURN(FixedUnigrams read, FixedUnigrams::OfNode(binding.node, form.range));
  const auto unigrams = std::make_shared<const FixedUnigrams>(std::move(read));
  if (form.is_unique && form.count > unigrams->NumDrawable()) {
    return InvalidArgument("there are no " + std::to_string(form.count) +
                           " different classes with a weight, but " +
                           std::to_string(unigrams->NumDrawable()));
  }
  return BoundKernel([form, source, unigrams](KernelContext& context) {
    return Sample(context, form, source, *unigrams);
  });
}

// The classes that the node has counted. REQUIRES: the state's mutex is held
CountedUnigrams& CountsOf(NodeState& state, int64_t range) {
  auto* counts = dynamic_cast<CountedUnigrams*>(state.kept.get());
  if (counts != nullptr && counts->range() == range) return *counts;
  auto made = std::make_unique<CountedUnigrams>(range);
  counts = made.get();
  state.kept = std::move(made);
  return *counts;
}

// Draws by what has been true in firings before; one firing goes after the other.
Result<BoundKernel> BindLearned(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Form form, ReadForm(binding, Classes::kOfRange));
  if (form.range >= CountedUnigrams::kWeightMax) {
    return InvalidArgument("range_max must be less than " +
                           std::to_string(CountedUnigrams::kWeightMax) + ", but is " +
                           std::to_string(form.range));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source,
                           RandomSource::Of(RandomSource::Kind::kNode, binding));
  return BoundKernel([form, source](KernelContext& context) -> Status {
    const auto state = source.StateOf(context);
    const std::lock_guard lock(state->mutex);
    CountedUnigrams& counts = CountsOf(*state, form.range);
    TAGFLOW_RETURN_IF_ERROR(Sample(context, form, source, counts));
    counts.Count(context.input(0).flat<int64_t>());
    return Status();
  });
}

// Inputs and outputs as of a sampler: each class of [0, num_sampled), and once.
Result<BoundKernel> BindAll(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Form form, ReadForm(binding, Classes::kAsManyAsDrawn));
  return BoundKernel([form](KernelContext& context) -> Status {
    const Tensor& classes = context.input(0);
    TAGFLOW_RETURN_IF_ERROR(CheckTrueClasses(classes, form));
    const Dims dims = {form.count};
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * sampled, context.Allocate(0, DType::kInt64, dims));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * of_true, context.Allocate(1, DType::kFloat, classes.dims()));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * of_sampled, context.Allocate(2, DType::kFloat, dims));
    int64_t* candidates = sampled->mutable_data<int64_t>();
    std::iota(candidates, candidates + form.count, int64_t{0});
    std::ranges::fill(of_true->mutable_flat<float>(), 1.0F);
    std::ranges::fill(of_sampled->mutable_flat<float>(), 1.0F);
    return Status();
  });
}

// Candidates by their numbers, sorted; of equal ones the last comes first.
std::vector<std::pair<int64_t, int64_t>> SortedPlaces(const Tensor& candidates) {
  std::vector<std::pair<int64_t, int64_t>> places;
  places.reserve(static_cast<size_t>(candidates.num_elements()));
  for (const int64_t candidate : candidates.flat<int64_t>()) {
    places.emplace_back(candidate, -std::ssize(places));
  }
  std::ranges::sort(places);
  return places;
}

//   true_classes: [batch, num_true]; sampled_candidates: a vector
//   indices, ids: of each true class that is a candidate, the row and which candidate it is, the
//   last one of several; weights: of each the least float there is
Result<BoundKernel> BindHits(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t per_row, IntAttr(binding.node, "num_true"));
  return BoundKernel([per_row](KernelContext& context) -> Status {
    const Tensor& classes = context.input(0);
    if (classes.rank() != 2 || classes.dim(1) != per_row) {
      return InvalidArgument("true_candidates must be a batch_size * num_true matrix");
    }
    if (context.input(1).rank() != 1) {
      return InvalidArgument("sampled_candidates must be a vector");
    }
    const auto places = SortedPlaces(context.input(1));
    std::vector<std::pair<int64_t, int64_t>> hits;  // a row, and a candidate
    const int64_t* values = classes.data<int64_t>();
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      const auto at = std::ranges::lower_bound(places, std::pair(values[i], INT64_MIN));
      if (at != places.end() && at->first == values[i]) hits.emplace_back(i / per_row, -at->second);
    }
    const Dims dims = {std::ssize(hits)};
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * rows, context.Allocate(0, DType::kInt32, dims));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * ids, context.Allocate(1, DType::kInt64, dims));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * weights, context.Allocate(2, DType::kFloat, dims));
    for (size_t i = 0; i < hits.size(); ++i) {
      rows->mutable_data<int32_t>()[i] = static_cast<int32_t>(hits[i].first);
      ids->mutable_data<int64_t>()[i] = hits[i].second;
    }
    std::ranges::fill(weights->mutable_flat<float>(), std::numeric_limits<float>::lowest());
    return Status();
  });
}

}  // namespace

Status RegisterCandidateSamplerKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {{"UniformCandidateSampler", BindSampler<Uniform>, Cost::kHeavy},
                      {"LogUniformCandidateSampler", BindSampler<LogUniform>, Cost::kHeavy},
                      {"FixedUnigramCandidateSampler", BindFixed, Cost::kHeavy},
                      {"LearnedUnigramCandidateSampler", BindLearned, Cost::kHeavy},
                      {"ThreadUnsafeUnigramCandidateSampler", BindLearned, Cost::kHeavy},
                      {"AllCandidateSampler", BindAll},
                      {"ComputeAccidentalHits", BindHits}});
}

}  // namespace tagflow::optimized
