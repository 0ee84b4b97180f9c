#include "fuzz/kernels/fusible.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "optimized/kernels/part.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kFewest = 2;  // inputs or outputs, where an attr counts them

// By number of the alternative of KernelPart; nothing: the kernel is called by itself.
std::optional<size_t> PartOf(const Node& node) {
  const optimized::KernelEntry* entry = optimized::KernelRegistry::Standard().Find(node.op);
  const Result<Signature> signature = ResolveSignature(node);
  if (entry == nullptr || !signature.ok()) return std::nullopt;
  const auto kernel = entry->bind({node, *signature});
  const optimized::KernelPart* part = kernel.ok() ? optimized::PartOf(*kernel) : nullptr;
  const bool joins = part != nullptr && optimized::JoinsNeighbours(*part);
  return joins ? std::optional(part->index()) : std::nullopt;
}

// A node of the op, of floats.
Node NodeOf(const OpDef& op, Graph& graph) {
  const NodeId id = *graph.AddNode(op.name, op.name);
  for (const AttrDef& attr : op.attrs) {
    if (attr.default_value.has_value()) continue;
    if (attr.kind == AttrKind::kType) graph.SetAttr(id, attr.name, DType::kFloat);
    if (attr.kind == AttrKind::kInt) graph.SetAttr(id, attr.name, kFewest);
  }
  return graph.node(id);
}

using OpsByPart = std::vector<std::vector<const OpDef*>>;
OpsByPart FindOpsByPart() {
  std::map<size_t, std::vector<const OpDef*>> ops;
  Graph graph;
  for (const OpDef* op : OpRegistry::Standard().All()) {
    const std::optional<size_t> part = PartOf(NodeOf(*op, graph));
    if (part) ops[*part].push_back(op);
  }
  OpsByPart by_part;
  for (auto& [part, of_part] : ops) by_part.push_back(std::move(of_part));
  return by_part;
}

}  // namespace

bool IsFusible(const Node& node) { return PartOf(node).has_value(); }

const OpDef& DrawFusible(Choices& choices) {
  static const auto& by_part = *new OpsByPart(FindOpsByPart());
  return *choices.Of(choices.Of(by_part));
}

}  // namespace tagflow::fuzz
