#include "optimized/kernels/fixed_unigrams.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "graph/saved/vocabulary.h"

namespace tagflow::optimized {
namespace {

constexpr float kWhole = 1;
// The largest fraction that is drawn: a class has all of a place that it has more of.
constexpr float kLargestFraction = 1 - 0x1p-23F;

// ---- Weights ----

// The part of a vocabulary that the node draws from.
struct Shard {
  int64_t number, count;
  int64_t reserved;  // of the whole vocabulary
  float distortion;

  bool Has(int64_t id) const { return id % count == number; }
  // How many of the reserved ids are the shard's.
  int64_t NumReserved() const {
    if (number >= count || reserved <= number) return 0;
    return (reserved - number - 1) / count + 1;
  }
};

Result<Shard> ReadShard(const Node& node) {
  Shard shard{};
  TAGFLOW_ASSIGN_OR_RETURN(shard.number, IntAttr(node, "shard"));
  TAGFLOW_ASSIGN_OR_RETURN(shard.count, IntAttr(node, "num_shards"));
  TAGFLOW_ASSIGN_OR_RETURN(shard.reserved, IntAttr(node, "num_reserved_ids"));
  TAGFLOW_ASSIGN_OR_RETURN(shard.distortion, FloatAttr(node, "distortion"));
  for (const int64_t number : {shard.number, shard.count, shard.reserved}) {
    if (std::in_range<int32_t>(number)) continue;
    return InvalidArgument("shard, num_shards and num_reserved_ids must be int32, not " +
                           std::to_string(number));
  }
  return shard;
}

// The number behind the last comma.
Result<float> WeightIn(const std::string& line) {
  const std::string_view blanks = " \t\r\v\f";
  std::string text = line.substr(line.rfind(',') + 1);
  text.erase(text.find_last_not_of(blanks) + 1);
  char* end = nullptr;
  const float weight = std::strtof(text.c_str(), &end);
  if (!text.empty() && end == text.c_str() + text.size()) return weight;
  return InvalidArgument("Wrong vocabulary format at line: " + line +
                         ": it must end with a comma and a weight");
}

Result<std::vector<float>> WeightsInFile(const std::string& path) {
  VocabularyFormat format;
  format.key_dtype = DType::kString;
  format.value_dtype = DType::kInt64;
  format.skips_empty = true;
  std::vector<float> weights;
  const Result<Vocabulary> read = ReadVocabulary(path, format);
  if (read.status().code() == Code::kOutOfRange) return weights;  // without a line
  TAGFLOW_RETURN_IF_ERROR(read.status());
  for (const std::string& line : read->keys.flat<std::string>()) {
    TAGFLOW_ASSIGN_OR_RETURN(const float weight, WeightIn(line));
    weights.push_back(weight);
  }
  return weights;
}

// The weights of all words but the reserved ones.
Result<std::vector<float>> GivenWeights(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string path, StringAttr(node, "vocab_file"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList unigrams, ListAttr(node, "unigrams"));
  if (path.empty() == unigrams.floats.empty()) {
    return InvalidArgument("give either vocab_file or unigrams, not both");
  }
  if (path.empty()) return unigrams.floats;
  return WeightsInFile(path);
}

Status WrongCount(int64_t range, int64_t count) {
  return InvalidArgument("range_max is " + std::to_string(range) + ", but there are weights of " +
                         std::to_string(count) +
                         " classes, the reserved ones of the shard among them");
}

}  // namespace

Result<FixedUnigrams> FixedUnigrams::OfNode(const Node& node, int64_t range) {
  TAGFLOW_ASSIGN_OR_RETURN(const Shard shard, ReadShard(node));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<float> given, GivenWeights(node));
  const int64_t reserved = shard.NumReserved();
  int64_t id = reserved;
  std::vector<float> weights;
  for (const float weight : given) {
    if (shard.Has(id++)) weights.push_back(std::pow(weight, shard.distortion));
  }
  const int64_t count = reserved + std::ssize(weights);
  if (count != range) return WrongCount(range, count);
  // A small graph can reserve any number of classes: whether there is room for all their places.
  TAGFLOW_RETURN_IF_ERROR(Tensor::AllocateUninitialized(DType::kInt64, Dims{range, 4}).status());
  weights.insert(weights.begin(), static_cast<size_t>(reserved), 0.0F);
  return Of(std::move(weights));
}

Result<FixedUnigrams> FixedUnigrams::Of(std::vector<float> weights) {
  for (const float weight : weights) {
    if (weight >= 0 && std::isfinite(weight)) continue;
    return InvalidArgument("the weight of a class must be finite and not negative, but one is " +
                           std::to_string(weight));
  }
  const float total = std::accumulate(weights.begin(), weights.end(), 0.0F);
  if (total == 0 || std::isinf(total)) {
    return InvalidArgument("the weights of classes must have a sum that is finite and not 0");
  }
  return FixedUnigrams(std::move(weights), total);
}

FixedUnigrams::FixedUnigrams(std::vector<float> weights, float total)
    : weights_(std::move(weights)), total_(total) {
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  const auto size = static_cast<float>(weights_.size());
  std::vector<double> shares;  // in places
  std::vector<int32_t> rich, poor;
  for (const float weight : weights_) {
    shares.push_back(static_cast<double>(weight * size) / sum);
    const auto value = static_cast<int32_t>(places_.size());
    (shares.back() < 1 ? poor : rich).push_back(value);
    places_.push_back({kWhole, value});
  }
  while (!rich.empty() && !poor.empty()) {
    const int32_t giver = rich.back(), taker = poor.back();
    rich.pop_back();
    poor.pop_back();
    double& left = shares[static_cast<size_t>(giver)];
    const double own = shares[static_cast<size_t>(taker)];
    places_[static_cast<size_t>(taker)] = {static_cast<float>(own), giver};
    left -= 1 - own;
    (left < 1 ? poor : rich).push_back(giver);
  }
}

int64_t FixedUnigrams::Draw(StreamWords& words) const {
  const float fraction = words.NextFraction();
  const uint32_t value = words.Below(static_cast<uint32_t>(places_.size()));
  const Place& place = places_[value];
  return fraction < place.own ? value : place.other;
}

float FixedUnigrams::ProbabilityOf(int64_t value) const {
  return weights_[static_cast<size_t>(value)] / total_;
}

int64_t FixedUnigrams::NumDrawable() const {
  std::vector<bool> can_come(places_.size());
  for (size_t value = 0; value < places_.size(); ++value) {
    const Place& place = places_[value];
    if (place.own > 0) can_come[value] = true;
    if (place.own <= kLargestFraction) can_come[static_cast<size_t>(place.other)] = true;
  }
  return std::ranges::count(can_come, true);
}

}  // namespace tagflow::optimized
