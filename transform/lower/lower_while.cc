// While: a loop in a frame of its own.
//
// Tested by lower_test.cc.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transform/deadness/dependency_order.h"
#include "transform/lower/node_lowering.h"

namespace tagflow {
namespace {

class WhileLowering : public NodeLowering {
 public:
  using NodeLowering::NodeLowering;

 private:
  struct Variable {
    OutputRef outside;  // what it starts as
    DType dtype;
    bool is_constant = false;
    NodeId merge = NodeId::kNone, way = NodeId::kNone;
    OutputRef inside;  // in the loop: of the Merge, or of the constant Enter
  };

  Status Lower() override {
    TAGFLOW_ASSIGN_OR_RETURN(const NameAttrList cond, FunctionAttr("cond"));
    TAGFLOW_ASSIGN_OR_RETURN(const NameAttrList body, FunctionAttr("body"));
    TAGFLOW_ASSIGN_OR_RETURN(parallel_iterations_, IntAttr(node(), "parallel_iterations"));
    TAGFLOW_ASSIGN_OR_RETURN(FunctionBody test, InstantiateTest(cond));
    TAGFLOW_ASSIGN_OR_RETURN(
        FunctionBody turn,
        inliner_.Instantiate(task_, body, name_ + "/body", signature_.inputs, signature_.outputs));
    std::vector<Variable> variables = EnterLoop(turn);

    Outputs test_args;
    for (size_t i = 0; i < NumInputs(); ++i) test_args.push_back(variables[i].inside);
    const Variable& lead = variables[LeadOf(variables)];
    const NodeId begin = lead.merge;
    const DType test_dtype = *TestDType(test);
    const Inlined tested =
        inliner_.Put(task_, cond, std::move(test), test_args, begin, name_ + "/cond");
    const OutputRef predicate =
        Predicate("pred", tested.returns[0], test_dtype, {tested.done, begin});
    const NodeId again = Add("again", "LoopCond", {predicate});

    Outputs turn_args;
    for (Variable& variable : variables) {
      if (variable.is_constant) {
        turn_args.push_back(variable.inside);
        continue;
      }
      variable.way = AddTyped("way", "Switch", variable.dtype, {variable.inside, {again, 0}});
      turn_args.push_back({variable.way, 1});
    }
    const NodeId pivot = AddTyped("pivot", "Identity", lead.dtype, {{lead.way, 1}});
    turn_args.resize(NumInputs());
    const Inlined turned =
        inliner_.Put(task_, body, std::move(turn), turn_args, pivot, name_ + "/body");
    LeaveLoop(variables, tested, turned, pivot);
    return Status();
  }

  // A variable that changes, or may.
  static size_t LeadOf(const std::vector<Variable>& variables) {
    return static_cast<size_t>(std::ranges::find(variables, false, &Variable::is_constant) -
                               variables.begin());
  }
  size_t NumInputs() const { return signature_.inputs.size(); }

  // The test gives one tensor, of any dtype that ToBool takes.
  Result<FunctionBody> InstantiateTest(const NameAttrList& cond) {
    TAGFLOW_ASSIGN_OR_RETURN(
        FunctionBody body,
        inliner_.Instantiate(task_, cond, name_ + "/cond", signature_.inputs, std::nullopt));
    if (body.returns.size() != 1) {
      return InvalidArgument("function '" + cond.name + "' gives " +
                             std::to_string(body.returns.size()) +
                             " tensors; the cond of a While gives one")
          .WithRule("functional.while");
    }
    TAGFLOW_RETURN_IF_ERROR(TestDType(body).status());
    return body;
  }
  static Result<DType> TestDType(const FunctionBody& body) {
    const OutputRef result = body.returns[0];
    TAGFLOW_ASSIGN_OR_RETURN(const Signature signature,
                             ResolveSignature(body.graph.node(result.node)));
    const auto index = static_cast<size_t>(result.index);
    if (index < signature.outputs.size()) return signature.outputs[index].dtype;
    return InvalidArgument("the cond of a While gives an output that there is not");
  }

  // The variables, and one more where none of them changes. What the body hands on is a constant.
  std::vector<Variable> EnterLoop(const FunctionBody& turn) {
    const Outputs inputs = Gate();
    std::vector<Variable> variables;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_handed_on = turn.returns[i] == OutputRef{turn.args[i], 0};
      variables.push_back({inputs[i], signature_.inputs[i].dtype, is_handed_on, {}, {}, {}});
    }
    if (LeadOf(variables) == variables.size()) {
      const NodeId turns = Add("turns", "Const", {}, {pivot_});
      graph_.SetAttr(turns, "dtype", AttrValue(DType::kInt32));
      graph_.SetAttr(turns, "value", AttrValue(Tensor::Scalar<int32_t>(0)));
      variables.push_back({{turns, 0}, DType::kInt32, false, {}, {}, {}});
    }
    for (Variable& variable : variables) {
      const NodeId enter = AddTyped("enter", "Enter", variable.dtype, {variable.outside});
      graph_.SetAttr(enter, "frame_name", AttrValue(name_));
      graph_.SetAttr(enter, "parallel_iterations", AttrValue(parallel_iterations_));
      graph_.SetAttr(enter, "is_constant", AttrValue(variable.is_constant));
      variable.inside = {enter, 0};
      if (variable.is_constant) continue;
      variable.merge = AddMerge("variable", variable.dtype, {variable.inside});
      graph_.SetAttr(variable.merge, "N", AttrValue(2));
      variable.inside = {variable.merge, 0};
    }
    return variables;
  }

  // The next iteration begins when the effects of this one have happened.
  //                                                                      Spec: [functional.while]
  void LeaveLoop(const std::vector<Variable>& variables, const Inlined& tested,
                 const Inlined& turned, NodeId pivot) {
    Outputs results;
    NodeId end = NodeId::kNone;
    for (size_t i = 0; i < variables.size(); ++i) {
      const Variable& variable = variables[i];
      if (variable.is_constant) {
        results.push_back(variable.outside);
        continue;
      }
      const bool is_counter = i == NumInputs();
      const OutputRef next = is_counter ? OutputRef{pivot, 0} : turned.returns[i];
      const NodeId waits_for = IsConstantEnter(graph_.node(next.node)) ? pivot : NodeId::kNone;
      const NodeId again =
          AddTyped("next", "NextIteration", variable.dtype, {next}, {turned.done, waits_for});
      graph_.mutable_node(variable.merge).inputs.push_back({again, 0});
      const NodeId exit = AddTyped("exit", "Exit", variable.dtype, {{variable.way, 0}});
      if (is_counter) {
        end = exit;
      } else {
        results.push_back({exit, 0});
      }
    }
    const bool is_pure = tested.done == NodeId::kNone && turned.done == NodeId::kNone;
    Become(std::move(results), {end}, is_pure);
  }

  int64_t parallel_iterations_ = 1;
};

}  // namespace

bool IsWhile(std::string_view op) { return op == "While" || op == "StatelessWhile"; }

std::unique_ptr<NodeLowering> NewWhileLowering(Graph& graph, Inliner& inliner, LoweringTask task) {
  return std::make_unique<WhileLowering>(graph, inliner, std::move(task));
}

}  // namespace tagflow
