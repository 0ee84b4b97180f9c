// Choices as If and Case.
//
// Tested by recover_functions_test.cc.
#include <algorithm>
#include <optional>

#include "transform/structure/emitter.h"
#include "transform/structure/value_types.h"

namespace tagflow::recovery {

// Merges that are only waited for give nothing, but where they may be fetched.
std::vector<Emitter::Given> Emitter::ResultsOf(const Choice& choice, int32_t index,
                                               BlockId home) const {
  std::vector<Given> results;
  for (const NodeId join : choice.joins) {
    const OutputRef output = {join, 0};
    if (home == BlockId::kRoot || roles_.HasConsumers(join)) {
      results.push_back({{output}, join, false, 0, *TypeOf(of_.graph, output)});
    }
    if (roles_.IndexIsUsed(join)) {
      results.push_back({{{join, 1}}, join, true, 0, ArgType{DType::kInt32, false}});
    }
  }
  const ChoiceWires& wires = made_.wires.choices[static_cast<size_t>(index)];
  for (const auto& [value, branch] : wires.exports) {
    results.push_back({value, NodeId::kNone, false, branch, *TypeOf(of_.graph, value.output)});
  }
  return results;
}

OutputRef Emitter::BranchResult(const Given& result, const Choice& choice, size_t branch,
                                Body& body) {
  if (result.join == NodeId::kNone) {
    if (result.branch == branch) return body.values.at(result.value);
    return {AddStandIn(body.graph, result.type.dtype), 0};
  }
  const Node& merge = Original(result.join);
  for (size_t i = 0; i < merge.inputs.size(); ++i) {
    const ConditionId condition = of_.EdgeCondition(merge.inputs[i]);
    if (condition == ConditionId::kNever) continue;
    const auto literal = of_.structure.conditions.Find(condition, choice.predicate);
    if (!literal || static_cast<size_t>(literal->value) != branch) continue;
    if (!result.is_index) {
      return Find(body, merge.inputs[i], of_.places.At(of_.FrameOf(merge.id), condition));
    }
    const NodeId id = body.Add(body.FreshName(merge.name + "/index"), "Const", "", {});
    body.graph.SetAttr(id, "dtype", AttrValue(DType::kInt32));
    body.graph.SetAttr(id, "value", AttrValue(Tensor::Scalar(static_cast<int32_t>(i))));
    return {id, 0};
  }
  TAGFLOW_CHECK(false);
  return {};
}

// The only Merge of a cond that is outside of all others is the If itself.
std::string Emitter::NameOfChoice(const Choice& choice, Body& body, bool& takes_place) const {
  const bool has_join = choice.joins.size() == 1;
  takes_place = has_join && choice.home == BlockId::kRoot &&
                Original(choice.joins[0]).control_inputs.empty() &&
                !roles_.IndexIsUsed(choice.joins[0]);
  if (takes_place) return Original(choice.joins[0]).name;
  const OutputRef asked = of_.structure.predicates[static_cast<size_t>(choice.predicate)].tensor;
  const NodeId named_for = choice.joins.empty() ? asked.node : choice.joins[0];
  return body.FreshName(Original(named_for).name + "/cond");
}

void Emitter::EmitChoice(int32_t index, Body& body) {
  const Choice& choice = tree_.choices[static_cast<size_t>(index)];
  const ChoiceWires& wires = made_.wires.choices[static_cast<size_t>(index)];
  const Predicate& predicate = of_.structure.predicates[static_cast<size_t>(choice.predicate)];
  const std::vector<Given> results = ResultsOf(choice, index, choice.home);
  bool takes_place = false;
  const std::string name = NameOfChoice(choice, body, takes_place);
  bool is_stateful = false;
  AttrList branches;
  AttrList takes;
  AttrList gives;
  for (const Given& result : results) gives.types.push_back({result.type.dtype, false});
  for (size_t value = 0; value < choice.branches.size(); ++value) {
    Body branch(of_.graph);
    for (const Value& capture : wires.captures) {
      const std::optional<ArgType> type = TypeOf(of_.graph, capture.output);
      branch.values[capture] = branch.AddArgument(type ? type->dtype : DType::kInvalid);
      if (value == 0) takes.types.push_back({type ? type->dtype : DType::kInvalid, false});
    }
    EmitBlock(choice.branches[value], branch);
    for (const Given& result : results) {
      branch.returns.push_back(BranchResult(result, choice, value, branch));
    }
    const std::string suffix = predicate.is_index ? "branch" + std::to_string(value)
                               : value == 0       ? "else"
                                                  : "then";
    branches.functions.push_back(std::make_shared<const NameAttrList>(
        AddFunction(branch, name + "_" + suffix, is_stateful)));
  }
  const PlaceId place = of_.places[choice.region].place;
  std::vector<OutputRef> inputs = {
      Scalar(predicate.tensor, Find(body, predicate.tensor, place), body)};
  for (const Value& capture : wires.captures) inputs.push_back(body.values.at(capture));
  const char* const op = predicate.is_index ? (is_stateful ? "Case" : "StatelessCase")
                                            : (is_stateful ? "If" : "StatelessIf");
  const NodeId made = body.Add(name, op, "", std::move(inputs));
  body.made[{TreeItem::Kind::kChoice, index}] = made;
  if (predicate.is_index) {
    body.graph.SetAttr(made, "branches", AttrValue(std::move(branches)));
  } else {
    body.graph.SetAttr(made, "Tcond", AttrValue(DType::kBool));
    body.graph.SetAttr(made, "else_branch", AttrValue(*branches.functions[0]));
    body.graph.SetAttr(made, "then_branch", AttrValue(*branches.functions[1]));
  }
  body.graph.SetAttr(made, "Tin", AttrValue(std::move(takes)));
  body.graph.SetAttr(made, "Tout", AttrValue(std::move(gives)));
  for (size_t i = 0; i < results.size(); ++i) {
    body.values[results[i].value] = {made, static_cast<int32_t>(i)};
  }
  for (const NodeId join : choice.joins) {
    body.made[{TreeItem::Kind::kNode, static_cast<int32_t>(join)}] = made;
  }
}

// What a choice gives goes by the Merge's name where it may be fetched, and has a node of its own
// where it waits for something else, too.
void Emitter::EmitJoin(const Node& merge, Body& body) {
  NodeId& made = body.made[{TreeItem::Kind::kNode, static_cast<int32_t>(merge.id)}];
  const int32_t item = made_.work.of_node[Index(merge.id)];
  const bool is_root = made_.arranged.home[static_cast<size_t>(item)] == BlockId::kRoot;
  if (body.graph.node(made).name == merge.name) return;
  if (!is_root && merge.control_inputs.empty()) return;
  std::vector<OutputRef> inputs;
  std::vector<ArgType> types;
  const bool has_index = roles_.IndexIsUsed(merge.id);
  for (int32_t i = 0; i < (has_index ? 2 : 1); ++i) {
    const auto found = body.values.find({{merge.id, i}});
    if (found == body.values.end()) continue;
    inputs.push_back(found->second);
    types.push_back({TypeOf(of_.graph, {merge.id, i})->dtype, false});
  }
  const NodeId choice = made;
  if (inputs.empty()) {
    made = body.Add(merge.name, "NoOp", merge.device, {});
    body.AddControl(choice, made);
    return;
  }
  const bool only_index = body.values.find({{merge.id, 0}}) == body.values.end();
  made = body.AddIdentity(merge.name, merge.device, inputs, types);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto index = static_cast<int32_t>(only_index ? 1 : i);
    body.values[{{merge.id, index}}] = {made, static_cast<int32_t>(i)};
  }
}

}  // namespace tagflow::recovery
