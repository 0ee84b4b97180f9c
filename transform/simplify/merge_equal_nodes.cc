#include "transform/simplify/merge_equal_nodes.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transform/deadness/dependency_order.h"
#include "transform/limits.h"
#include "transform/simplify/rewiring.h"

namespace tagflow {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}
uint64_t Mix(uint64_t hash, std::string_view text) {
  return Mix(hash, std::hash<std::string_view>()(text));
}

std::string_view BytesOf(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.byte_size()};
}

bool IsPlain(const Tensor& tensor) {
  return tensor.dtype() != DType::kString && tensor.dtype() != DType::kResource &&
         tensor.dtype() != DType::kVariant && tensor.memory_kind() == MemoryKind::kHost;
}

uint64_t HashOf(const AttrValue& value) {
  const auto& held = value.value();
  if (const auto* number = std::get_if<int64_t>(&held)) return static_cast<uint64_t>(*number);
  if (const auto* flag = std::get_if<bool>(&held)) return *flag ? 1 : 0;
  if (const auto* type = std::get_if<ArgType>(&held)) return static_cast<uint64_t>(type->dtype);
  if (const auto* text = std::get_if<std::string>(&held)) return Mix(0, *text);
  const auto* tensor = std::get_if<Tensor>(&held);
  if (tensor == nullptr) return Mix(0, value.ToString());
  uint64_t hash = static_cast<uint64_t>(tensor->dtype());
  for (const int64_t dim : tensor->dims()) hash = Mix(hash, static_cast<uint64_t>(dim));
  if (IsPlain(*tensor)) return Mix(hash, BytesOf(*tensor));
  if (tensor->dtype() != DType::kString) return hash;
  for (const std::string& text : tensor->flat<std::string>()) hash = Mix(hash, text);
  return hash;
}

// NaNs count as equal where attrs are compared, and not all of them have the same bits.
bool SameBits(const AttrValue& a, const AttrValue& b) {
  if (!(a == b)) return false;
  const Tensor* first = a.Get<Tensor>();
  if (first == nullptr || !IsPlain(*first)) return true;
  return BytesOf(*first) == BytesOf(*b.Get<Tensor>());
}

bool SameAttrs(const AttrMap& a, const AttrMap& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && SameBits(x.second, y.second);
  });
}

bool Same(const Node& a, const Node& b) {
  return a.def == b.def && a.inputs == b.inputs && a.control_inputs == b.control_inputs &&
         a.device == b.device && SameAttrs(a.attrs, b.attrs);
}

bool NamesAResource(const Node& node) {
  return std::ranges::any_of(node.attrs, [](const auto& attr) {
    const ArgType* type = attr.second.template Get<ArgType>();
    return type != nullptr && (type->dtype == DType::kResource || type->is_ref);
  });
}

}  // namespace

bool IsMergeable(const CallView& view, NodeId id) {
  if (view.Has(id, kFed | kReference)) return false;
  if (!view.Has(id, kPure | kForwards | kConst | kSwitch | kConstantEnter)) return false;
  const Node& node = view.graph().node(id);
  if (view.TakesReference(node) || NamesAResource(node)) return false;
  if (!view.Has(id, kConst)) return true;
  const Tensor* value = ConstValue(node);
  return value != nullptr && value->byte_size() <= kMostBytesCompared &&
         (IsPlain(*value) || value->dtype() == DType::kString);
}

uint64_t HashOfNode(const Node& node) {
  uint64_t hash = Mix(0, reinterpret_cast<uintptr_t>(node.def));
  for (const OutputRef& input : node.inputs) {
    const auto index = static_cast<uint64_t>(input.index);
    hash = Mix(hash, static_cast<uint64_t>(input.node) << 32 | index);
  }
  for (const NodeId control : node.control_inputs) {
    hash = Mix(hash, ~static_cast<uint64_t>(control));
  }
  if (!node.device.empty()) hash = Mix(hash, node.device);
  for (const auto& [name, value] : node.attrs) {
    hash = Mix(hash, (name.size() << 8) + static_cast<unsigned char>(name[0]));
    hash = Mix(hash, HashOf(value));
  }
  return hash;
}

int64_t MergeEqualNodes(Graph& graph, const CallSpec& call) {
  const std::vector<bool> needed = NeededNodes(graph, call);
  const CallView view(graph, call, needed);
  std::unordered_map<uint64_t, NodeId> first;
  Rewiring merged;
  int64_t moved = 0;
  for (const NodeId id : DependencyOrder(graph, needed, view.fed())) {
    moved += merged.Apply(graph, {id});
    Node& node = graph.mutable_node(id);
    if (!IsMergeable(view, id)) continue;
    std::ranges::sort(node.control_inputs);
    const auto [place, is_new] = first.try_emplace(HashOfNode(node), id);
    if (!is_new && Same(node, graph.node(place->second))) merged.ReplaceNode(id, place->second);
  }
  // Edges that lead back in a loop.
  return moved + merged.Apply(graph, view.needed());
}

}  // namespace tagflow
