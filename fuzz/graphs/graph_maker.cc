// Tested by unstructured_test.cc.

#include "fuzz/graphs/graph_maker.h"

#include <algorithm>
#include <cctype>

namespace tagflow::fuzz {
namespace {

// Of an op that waits for all of them: the one that is live least often decides.
Span SpanOf(const std::vector<Value>& inputs) {
  Span span = inputs.empty() ? Span::kOnce : Span::kEndless;
  for (const Value& input : inputs) span = std::min(span, input.span);
  return span;
}

Conditions All(const std::vector<Value>& inputs) {
  Conditions all;
  for (const Value& input : inputs) {
    all.insert(all.end(), input.conditions.begin(), input.conditions.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Conditions Common(const std::vector<Value>& inputs) {
  Conditions common = inputs.empty() ? Conditions() : inputs[0].conditions;
  for (const Value& input : inputs) {
    std::erase_if(common, [&](const auto& condition) {
      return !std::binary_search(input.conditions.begin(), input.conditions.end(), condition);
    });
  }
  return common;
}

Tensor ScalarOf(DType type, int64_t value) {
  if (type == DType::kBool) return Tensor::Scalar<bool>(value != 0);
  return Tensor::Scalar<int32_t>(static_cast<int32_t>(value));
}

}  // namespace

bool Exclude(const Value& a, const Value& b) {
  return std::any_of(a.conditions.begin(), a.conditions.end(), [&](const auto& condition) {
    return std::binary_search(b.conditions.begin(), b.conditions.end(),
                              std::pair(condition.first, !condition.second));
  });
}

NodeId GraphMaker::AddNode(const std::string& op, const std::vector<OutputRef>& inputs,
                           const Attrs& attrs, const std::string& name_prefix) {
  std::string name = name_prefix.empty() ? op : name_prefix;
  std::erase(name, '_');
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!name_prefix.empty()) name = name_prefix;
  const Result<NodeId> added = graph.AddNode(name + std::to_string(graph.num_nodes()), op);
  TAGFLOW_CHECK(added.ok());
  graph.mutable_node(*added).inputs = inputs;
  for (const auto& [attr, value] : attrs) graph.SetAttr(*added, attr, value);
  return *added;
}

NodeId GraphMaker::AddOp(int frame, const std::string& op, const std::vector<Value>& inputs,
                         const std::vector<DType>& outputs, const Attrs& attrs) {
  std::vector<OutputRef> refs;
  for (const Value& input : inputs) refs.push_back(input.output);
  const NodeId id = AddNode(op, refs, attrs);
  this->frame(frame).nodes.push_back(id);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Publish(frame, {{id, static_cast<int32_t>(i)}, outputs[i], SpanOf(inputs), All(inputs)});
  }
  return id;
}

const Value& GraphMaker::Publish(int frame, Value value) {
  return this->frame(frame).values.emplace_back(std::move(value));
}

Value GraphMaker::AddConst(int frame, DType type, int64_t value, const NodeId* control) {
  const NodeId id = AddNode("Const", {}, {{"dtype", type}, {"value", ScalarOf(type, value)}});
  Value made{{id, 0}, type, Span::kOnce, {}};
  if (control != nullptr) {
    AddControl(id, *control);
    // As live as the node it waits for; what that node makes may be known better.
    made.span = Span::kEndless;
    for (const Value& known : this->frame(frame).values) {
      if (known.output.node != *control || graph.node(*control).op == "Switch") continue;
      made.span = known.span;
      made.conditions = known.conditions;
    }
  }
  this->frame(frame).nodes.push_back(id);
  return Publish(frame, std::move(made));
}

Value GraphMaker::AddIdentity(int frame, const Value& input) {
  AddOp(frame, "Identity", {input}, {input.type}, {{"T", input.type}});
  return this->frame(frame).values.back();
}

std::pair<Value, Value> GraphMaker::AddSwitch(int frame, const Value& data,
                                              const Value& predicate) {
  const NodeId id = AddNode("Switch", {data.output, predicate.output}, {{"T", data.type}});
  MakerFrame& home = this->frame(frame);
  home.nodes.push_back(id);
  const bool is_pivot =
      std::find(home.pivots.begin(), home.pivots.end(), predicate.output) != home.pivots.end();
  Value sides[2];
  for (int side = 0; side < 2; ++side) {
    Conditions conditions = All({data, predicate});
    conditions.emplace_back(predicate.output, side == 1);
    std::sort(conditions.begin(), conditions.end());
    Span span = SpanOf({data, predicate});
    if (is_pivot) span = std::min(span, side == 1 ? Span::kGuarded : Span::kLast);
    sides[side] = {{id, side}, data.type, span, std::move(conditions)};
    Publish(frame, sides[side]);
  }
  return {sides[0], sides[1]};
}

Value GraphMaker::AddMerge(int frame, const std::vector<Value>& inputs, Span span) {
  std::vector<OutputRef> refs;
  for (const Value& input : inputs) refs.push_back(input.output);
  const DType type = inputs[0].type;
  const NodeId id = AddNode("Merge", refs, {{"T", type}, {"N", static_cast<int64_t>(refs.size())}});
  this->frame(frame).nodes.push_back(id);
  const Conditions common = Common(inputs);
  Publish(frame, {{id, 1}, DType::kInt32, span, common});
  return Publish(frame, {{id, 0}, type, span, common});
}

Value GraphMaker::AddEnter(int child, const Value& input, bool is_constant, int64_t parallel) {
  const NodeId id = AddNode("Enter", {input.output},
                            {{"T", input.type},
                             {"frame_name", frame(child).name},
                             {"is_constant", is_constant},
                             {"parallel_iterations", parallel}});
  frame(child).nodes.push_back(id);
  frame(child).entered = std::max(frame(child).entered, input.span);
  return Publish(child, {{id, 0}, input.type, is_constant ? Span::kEndless : Span::kOnce, {}});
}

Value GraphMaker::AddExit(int frame, const Value& input) {
  const int parent = this->frame(frame).parent;
  const NodeId id = AddNode("Exit", {input.output}, {{"T", input.type}});
  this->frame(parent).nodes.push_back(id);
  const Span span = parent == kRoot ? Span::kOnce : this->frame(frame).entered;
  return Publish(parent, {{id, 0}, input.type, span, {}});
}

Value GraphMaker::AddNext(int frame, const Value& input) {
  const NodeId id = AddNode("NextIteration", {input.output}, {{"T", input.type}});
  this->frame(frame).nodes.push_back(id);
  return {{id, 0}, input.type, input.span, {}};
}

std::string GraphMaker::NameOfFrame(int parent) const {
  for (const MakerFrame& inner : frames) {
    if (inner.parent <= kRoot) continue;
    const MakerFrame& outer = frames[static_cast<size_t>(inner.parent)];
    const std::string name = outer.name + "[0]/" + inner.name;
    const auto has_it = [&](const MakerFrame& frame) { return frame.name == name; };
    if (outer.parent == parent && std::ranges::none_of(frames, has_it)) return name;
  }
  return "f" + std::to_string(frames.size());
}

std::pair<NodeId, NodeId> AddMessage(GraphMaker& maker, const Value& value, NodeId control,
                                     const MessageKey& key, bool is_on_host) {
  const NodeId receive =
      maker.AddNode(is_on_host ? "_HostRecv" : "_Recv", {}, {{"tensor_type", value.type}});
  maker.AddControl(receive, control);
  const NodeId send =
      maker.AddNode(is_on_host ? "_HostSend" : "_Send", {value.output}, {{"T", value.type}});
  for (const NodeId end : {send, receive}) SetMessage(maker.graph, end, key);
  return {send, receive};
}

int GraphMaker::AddFrame(int parent, int64_t parallel) {
  MakerFrame made;
  made.parent = parent;
  made.name = NameOfFrame(parent);
  made.parallel = parallel;
  frames.push_back(std::move(made));
  return static_cast<int>(frames.size()) - 1;
}

}  // namespace tagflow::fuzz
