#include "graph/signature_cache.h"

#include <algorithm>
#include <utility>

namespace tagflow {

Result<const Signature*> SignatureCache::Of(const Node& node) {
  OfOp* op = nullptr;
  if (node.def != nullptr) {
    const auto [place, is_new] = ops_.try_emplace(node.def);
    op = &place->second;
    if (is_new) {
      op->has_only_types = std::ranges::all_of(
          node.def->attrs, [](const AttrDef& attr) { return attr.kind == AttrKind::kType; });
    }
  }
  const bool is_shared = op != nullptr && op->has_only_types && ReadTypes(node);
  if (is_shared) {
    const auto found = std::ranges::find(op->known, types_, &Known::types);
    if (found != op->known.end()) return found->signature.get();
  }
  TAGFLOW_ASSIGN_OR_RETURN(Signature signature, ResolveSignature(node));
  if (!is_shared) return &others_.emplace_back(std::move(signature));
  op->known.push_back({types_, std::make_unique<const Signature>(std::move(signature))});
  return op->known.back().signature.get();
}

bool SignatureCache::ReadTypes(const Node& node) {
  types_.clear();
  for (const AttrDef& attr : node.def->attrs) {
    const AttrValue* value = FindAttr(node, attr.name);
    const ArgType* type = value == nullptr ? nullptr : value->Get<ArgType>();
    if (type == nullptr) return false;
    types_.push_back(*type);
  }
  return true;
}

}  // namespace tagflow
