#include "fuzz/graphs/altered_feeds.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/control_ops.h"

namespace tagflow::fuzz {
namespace {

const std::vector<std::vector<int64_t>> kShapes = {{}, {1}, {2}, {2, 1}, {1, 1}, {0}, {3}, {1, 2}};

}  // namespace

const FeedAltering::Dims& FeedAltering::AnyDims() { return choices_.Of(kShapes); }

template <typename T>
Tensor FeedAltering::Numbers(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  for (T& element : tensor.mutable_flat<T>())
    element = static_cast<T>(choices_.Between(kEitherSign));
  return tensor;
}

Tensor FeedAltering::Truths(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DType::kBool, dims);
  for (bool& element : tensor.mutable_flat<bool>()) element = choices_.Chance(kEvenly);
  return tensor;
}

std::optional<Tensor> FeedAltering::AnyTensor(DType dtype, const Dims& dims) {
  switch (dtype) {
    case DType::kInt32:
      return Numbers<int32_t>(dims);
    case DType::kInt64:
      return Numbers<int64_t>(dims);
    case DType::kFloat:
      return Numbers<float>(dims);
    case DType::kDouble:
      return Numbers<double>(dims);
    case DType::kBool:
      return Truths(dims);
    default:
      return std::nullopt;
  }
}

bool FeedAltering::FeedAnother(const Node& node) {
  const size_t run = choices_.Below(sample_.runs.size());
  for (auto& [name, value] : sample_.runs[run]) {
    if (name == node.name) return FeedInstead(value, {value.dims().begin(), value.dims().end()});
  }
  return false;
}

bool FeedAltering::FeedAnotherShape(const Node& node) {
  if (node.op != "Placeholder") return false;
  const Dims dims = AnyDims();
  for (NamedTensors& feeds : sample_.runs) {
    for (auto& [name, value] : feeds) {
      if (name == node.name && !FeedInstead(value, dims)) return false;
    }
  }
  graph_.SetAttr(node.id, "shape", PartialShape());
  return true;
}

bool FeedAltering::FeedInside(const Node& node) {
  if (!wiring_.IsPlaced(node) || node.op == "Placeholder" || IsEnter(node)) return false;
  if (wiring_.FrameOf(node.id) != FrameTree::kRoot) return false;
  return FeedOneOf(node.id);
}

bool FeedAltering::FeedOneOf(NodeId id, Odds of_single) {
  const OutputRef first{id, 0}, second{id, 1};
  const bool has_two = wiring_.TypeOf(second) && wiring_.IsPlain(second);
  if (!IsFeedable(first) || (!has_two && !choices_.Chance(of_single))) return false;
  const bool is_second = has_two && choices_.Chance(kEvenly);
  const OutputRef fed = is_second ? second : first, other = is_second ? first : second;
  if (!Feed(fed)) return false;
  if (has_two && choices_.Chance(kMostly)) {
    sample_.fetches.push_back(OutputName(graph_, other));
  } else if (has_two) {
    Feed(other);
  }
  return true;
}

// False: it is fed, or of a type that nothing is drawn of.
bool FeedAltering::Feed(OutputRef output) {
  const std::optional<Tensor> value =
      AnyTensor(wiring_.TypeOf(output)->dtype, choices_.Chance(kEvenly) ? Dims{} : AnyDims());
  const std::string name = OutputName(graph_, output);
  const auto is_it = [&](const auto& feed) { return feed.first == name; };
  if (!value || std::ranges::any_of(sample_.runs[0], is_it)) return false;
  for (NamedTensors& feeds : sample_.runs) feeds.emplace_back(name, *value);
  return true;
}

// References, too: what is fed in their place is a value.
bool FeedAltering::IsFeedable(OutputRef output) const {
  const std::optional<ArgType> type = wiring_.TypeOf(output);
  return type && type->dtype != DType::kResource;
}

bool FeedAltering::FeedInstead(Tensor& value, const Dims& dims) {
  std::optional<Tensor> other = AnyTensor(value.dtype(), dims);
  if (other) value = *std::move(other);
  return other.has_value();
}

}  // namespace tagflow::fuzz
