#include "transform/placement/colocation.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "graph/control_ops.h"
#include "graph/hash.h"

namespace tagflow {
namespace {

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), groups_(graph.id_limit()) {}

  NodeGroups Find() && {
    for (const NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      for (const OutputRef& input : node.inputs) {
        if (IsBound(input)) groups_.Join(id, input.node);
      }
      JoinByName(node);
      JoinByClass(node);
    }
    JoinUsersOfCopies();
    return std::move(groups_);
  }

 private:
  // Whether what the output holds is of use on its own device alone.
  bool IsBound(OutputRef output) const {
    const Result<Signature> signature = ResolveSignature(graph_.node(output.node));
    if (!signature.ok() || static_cast<size_t>(output.index) >= signature->outputs.size()) {
      return false;
    }
    const ArgType& type = signature->outputs[static_cast<size_t>(output.index)];
    return type.is_ref || type.dtype == DType::kResource;
  }

  // An Enter or NextIteration is copied to whoever takes it or waits for it ([partition.2]): so if
  // what it takes cannot follow, these are with it. What is copied may itself be taken by such.
  void JoinUsersOfCopies() {
    std::vector<std::vector<NodeId>> users(graph_.id_limit());  // of what is copied
    std::vector<bool> is_bound(graph_.id_limit(), false);
    std::vector<NodeId> bound;
    for (const NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      for (const OutputRef& input : node.inputs) {
        if (IsCopied(input.node)) users[Index(input.node)].push_back(id);
        is_bound[Index(id)] = is_bound[Index(id)] || (IsCopied(id) && IsBound(input));
      }
      for (const NodeId control : node.control_inputs) {
        if (IsCopied(control)) users[Index(control)].push_back(id);
      }
      if (is_bound[Index(id)]) bound.push_back(id);
    }
    while (!bound.empty()) {
      const NodeId id = bound.back();
      bound.pop_back();
      for (const NodeId user : users[Index(id)]) {
        groups_.Join(user, id);
        if (!IsCopied(user) || is_bound[Index(user)]) continue;
        is_bound[Index(user)] = true;
        bound.push_back(user);
      }
    }
  }
  bool IsCopied(NodeId id) const {
    return IsEnter(graph_.node(id)) || IsNextIteration(graph_.node(id));
  }

  // Nodes of one variable ([resource.1]), whichever of them is used.
  void JoinByName(const Node& node) {
    const Result<std::string> name = StringAttr(node, "shared_name");
    if (!name.ok() || name->empty()) return;
    const Result<std::string> container = StringAttr(node, "container");
    const auto key = std::pair(container.ok() ? *container : std::string(), *name);
    groups_.Join(node.id, first_of_name_.try_emplace(key, node.id).first->second);
  }

  // A node that is not there binds nobody.
  void JoinByClass(const Node& node) {
    constexpr std::string_view kPrefix = "loc:@";
    const AttrValue* value = FindAttr(node, "_class");
    const AttrList* list = value == nullptr ? nullptr : value->list();
    if (list == nullptr) return;
    for (const std::string& word : list->strings) {
      if (!word.starts_with(kPrefix)) continue;
      const NodeId other = graph_.Find(std::string_view(word).substr(kPrefix.size()));
      if (other != NodeId::kNone) groups_.Join(node.id, other);
    }
  }

  const Graph& graph_;
  NodeGroups groups_;
  std::unordered_map<std::pair<std::string, std::string>, NodeId, TupleHash> first_of_name_;
};

}  // namespace

NodeGroups::NodeGroups(size_t id_limit) : least_(id_limit) {
  std::iota(least_.begin(), least_.end(), size_t{0});
}

NodeId NodeGroups::LeastOf(NodeId id) {
  size_t at = Index(id);
  while (least_[at] != at) at = least_[at] = least_[least_[at]];
  return NodeId{static_cast<int32_t>(at)};
}

void NodeGroups::Join(NodeId one, NodeId other) {
  const auto [least, more] = std::minmax({Index(LeastOf(one)), Index(LeastOf(other))});
  least_[more] = least;
}

std::vector<NodeId> NodeGroups::All() {
  std::vector<NodeId> groups;
  for (size_t i = 0; i < least_.size(); ++i) {
    groups.push_back(LeastOf(NodeId{static_cast<int32_t>(i)}));
  }
  return groups;
}

NodeGroups ColocatedGroups(const Graph& graph) { return Finder(graph).Find(); }

std::vector<NodeId> Colocated(const Graph& graph) { return ColocatedGroups(graph).All(); }

}  // namespace tagflow
