// Tested by conformance/ops/random.ops and unigram_weights_test.cc.

#include "reference/kernels/unigram_weights.h"

#include <cmath>
#include <sstream>
#include <string>

#include "graph/saved/vocabulary.h"
#include "reference/kernels/broadcast.h"

namespace tagflow::reference {
namespace {

Result<int64_t> Int32Attr(const Node& node, const char* name) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t value, IntAttr(node, name));
  if (value == static_cast<int32_t>(value)) return value;
  return InvalidArgument("attr " + std::string(name) + " must be int32, not " +
                         std::to_string(value));
}

// The number that a line ends with.
Result<float> LastColumn(const std::string& line) {
  const size_t comma = line.rfind(',');
  std::istringstream rest(comma == std::string::npos ? line : line.substr(comma + 1));
  std::string word, more;
  rest >> word;
  size_t length = 0;
  float weight = 0;
  try {
    weight = std::stof(word, &length);
  } catch (const std::exception&) {  // no number, or one that no float holds
    length = 0;
  }
  if (length > 0 && length == word.size() && !(rest >> more)) return weight;
  return InvalidArgument("Wrong vocabulary format at line: " + line +
                         ": it must end with a comma and a weight");
}

Result<std::vector<float>> LastColumns(const std::string& path) {
  const VocabularyFormat lines = {
      .key_dtype = DType::kString, .value_dtype = DType::kInt64, .skips_empty = true};
  std::vector<float> weights;
  const Result<Vocabulary> vocabulary = ReadVocabulary(path, lines);
  if (vocabulary.status().code() == Code::kOutOfRange) return weights;
  TAGFLOW_RETURN_IF_ERROR(vocabulary.status());
  for (int64_t i = 0; i < vocabulary->keys.num_elements(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const float weight,
                             LastColumn(vocabulary->keys.data<std::string>()[i]));
    weights.push_back(weight);
  }
  return weights;
}

Result<std::vector<float>> AsGiven(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string path, StringAttr(node, "vocab_file"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList unigrams, ListAttr(node, "unigrams"));
  if (path.empty() && unigrams.floats.empty()) {
    return InvalidArgument("give either vocab_file or unigrams");
  }
  if (!path.empty() && !unigrams.floats.empty()) {
    return InvalidArgument("give only one of vocab_file and unigrams");
  }
  if (path.empty()) return unigrams.floats;
  return LastColumns(path);
}

// That there is something to draw from.
Status CheckWeights(const std::vector<float>& weights) {
  float sum = 0;
  for (const float weight : weights) {
    if (!std::isfinite(weight) || weight < 0) {
      return InvalidArgument("the weight of a class must be finite and not negative, but one is " +
                             std::to_string(weight));
    }
    sum += weight;
  }
  if (sum > 0 && std::isfinite(sum)) return Status();
  return InvalidArgument("the weights of classes must have a sum that is finite and not 0");
}

}  // namespace

Result<std::vector<float>> UnigramWeights(const Node& node, int64_t range) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t shard, Int32Attr(node, "shard"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t shards, Int32Attr(node, "num_shards"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t reserved, Int32Attr(node, "num_reserved_ids"));
  TAGFLOW_ASSIGN_OR_RETURN(const float distortion, FloatAttr(node, "distortion"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<float> given, AsGiven(node));
  // The ids shard, shard + shards, ... below the number of reserved ones.
  const bool has_reserved = shard < shards && shard < reserved;
  const int64_t unlisted = has_reserved ? (reserved - 1 - shard) / shards + 1 : 0;
  std::vector<float> listed;
  for (int64_t i = 0; i < static_cast<int64_t>(given.size()); ++i) {
    if ((unlisted + i) % shards != shard) continue;
    listed.push_back(std::pow(given[static_cast<size_t>(i)], distortion));
  }
  const int64_t count = unlisted + static_cast<int64_t>(listed.size());
  if (count != range) {
    return InvalidArgument("range_max is " + std::to_string(range) + ", but there are weights of " +
                           std::to_string(count) +
                           " classes, the reserved ones of the shard among them");
  }
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{range}));
  std::vector<float> weights(static_cast<size_t>(unlisted), 0);
  weights.insert(weights.end(), listed.begin(), listed.end());
  TAGFLOW_RETURN_IF_ERROR(CheckWeights(weights));
  return weights;
}

}  // namespace tagflow::reference
