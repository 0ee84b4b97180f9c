#include "transform/lower/node_lowering.h"

#include <algorithm>
#include <utility>

#include "transform/deadness/dependency_order.h"

namespace tagflow {

NodeLowering::NodeLowering(Graph& graph, Inliner& inliner, LoweringTask task)
    : graph_(graph), inliner_(inliner), task_(std::move(task)) {
  name_ = node().name;
  device_ = node().device;
  op_ = node().op;
}

Status NodeLowering::Run() {
  TAGFLOW_ASSIGN_OR_RETURN(signature_, ResolveSignature(node()));
  return Lower();
}

Result<NameAttrList> NodeLowering::FunctionAttr(const char* name) const {
  const AttrValue* const attr = FindAttr(node(), name);
  if (attr != nullptr && attr->function() != nullptr) return *attr->function();
  return InvalidArgument("node '" + name_ + "' (" + op_ + ") names no function as its " + name);
}
NodeId NodeLowering::Add(const std::string& name, const char* op, Outputs inputs,
                         const std::vector<NodeId>& control) {
  return inliner_.Add(name_ + "/" + name, op, device_, std::move(inputs), control);
}
NodeId NodeLowering::AddTyped(const std::string& name, const char* op, DType dtype, Outputs inputs,
                              const std::vector<NodeId>& control) {
  return inliner_.AddTyped(name_ + "/" + name, op, device_, dtype, std::move(inputs), control);
}
NodeId NodeLowering::AddIdentityN(const std::string& name, const std::vector<ArgType>& types,
                                  Outputs inputs, const std::vector<NodeId>& control) {
  const NodeId id = Add(name, "IdentityN", std::move(inputs), control);
  AttrList list;
  list.types = types;
  for (ArgType& type : list.types) type.is_ref = false;
  graph_.SetAttr(id, "T", AttrValue(std::move(list)));
  return id;
}

//                                                                     Spec: [functional.strict]
NodeLowering::Outputs NodeLowering::Gate() {
  const Outputs inputs = node().inputs;
  const std::vector<NodeId> control = node().control_inputs;
  pivot_ = task_.pivot;
  const bool waits = std::ranges::any_of(control, [&](NodeId id) { return id != task_.pivot; });
  // A constant of the loop around is there in its last iteration too, in which the body does not
  // run.
  const bool has_constants =
      pivot_ != NodeId::kNone && std::ranges::any_of(inputs, [&](OutputRef input) {
        return IsConstantEnter(graph_.node(input.node));
      });
  if (!waits && !has_constants && (!task_.among_primitives || (inputs.empty() && control.empty())))
    return inputs;
  std::vector<NodeId> all = control;
  if (std::ranges::find(all, task_.pivot) == all.end()) all.push_back(task_.pivot);
  if (inputs.empty()) {
    pivot_ = Add("start", "NoOp", {}, all);
    return inputs;
  }
  pivot_ = AddIdentityN("start", signature_.inputs, inputs, all);
  Outputs gated;
  for (size_t i = 0; i < inputs.size(); ++i) gated.push_back({pivot_, static_cast<int32_t>(i)});
  return gated;
}

//                                                                        Spec: [functional.effects]
void NodeLowering::Become(Outputs results, const std::vector<NodeId>& control, bool is_pure) {
  for (size_t i = 0; i < results.size() && is_pure; ++i) {
    inliner_.PassOn({task_.node, static_cast<int32_t>(i)}, results[i]);
  }
  Node& end = graph_.mutable_node(task_.node);
  const bool is_empty = results.empty();
  end.op = is_empty ? "NoOp" : "IdentityN";
  end.def = graph_.registry().Find(end.op);
  end.inputs = std::move(results);
  end.control_inputs.clear();
  for (const NodeId id : control) {
    const bool is_new = std::ranges::find(end.control_inputs, id) == end.control_inputs.end();
    if (id != NodeId::kNone && is_new) end.control_inputs.push_back(id);
  }
  std::erase_if(end.attrs, [](const auto& attr) { return !attr.first.starts_with('_'); });
  if (is_empty) return;
  AttrList types;
  types.types = signature_.outputs;
  graph_.SetAttr(task_.node, "T", AttrValue(std::move(types)));
}

NodeId NodeLowering::AddMerge(const std::string& name, DType dtype, Outputs inputs) {
  const auto count = static_cast<int64_t>(inputs.size());
  const NodeId id = AddTyped(name, "Merge", dtype, std::move(inputs));
  graph_.SetAttr(id, "N", AttrValue(count));
  return id;
}

OutputRef NodeLowering::Predicate(const std::string& name, OutputRef from, DType dtype,
                                  const std::vector<NodeId>& control) {
  return {AddTyped(name, "ToBool", dtype, {from}, control), 0};
}

}  // namespace tagflow
