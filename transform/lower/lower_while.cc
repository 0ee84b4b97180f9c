// While and For: a loop in a frame of its own.
//
// Tested by lower_test.cc.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/array_ops.h"
#include "graph/builder/math_ops.h"
#include "graph/builder/scope.h"
#include "transform/deadness/dependency_order.h"
#include "transform/lower/node_lowering.h"

namespace tagflow {
namespace {

class WhileLowering : public NodeLowering {
 public:
  using NodeLowering::NodeLowering;

 protected:
  // The variables are the inputs. What ends the loop, and what becomes of them in an iteration.
  virtual Result<FunctionBody> MakeTest() {
    TAGFLOW_ASSIGN_OR_RETURN(const NameAttrList cond, FunctionAttr("cond"));
    within_test_ = cond;
    return InstantiateTest(cond);
  }
  virtual Result<FunctionBody> MakeTurn() {
    TAGFLOW_ASSIGN_OR_RETURN(within_turn_, FunctionAttr("body"));
    return inliner_.Instantiate(task_, within_turn_, name_ + "/body", signature_.inputs,
                                signature_.outputs);
  }
  virtual Outputs Begin() { return Gate(); }
  // How many variables come before those that the node gives.
  virtual size_t num_hidden() const { return 0; }

  NameAttrList within_test_, within_turn_;  // the functions that the two come from

 private:
  struct Variable {
    OutputRef outside;  // what it starts as
    DType dtype;
    bool is_constant = false;
    NodeId merge = NodeId::kNone, way = NodeId::kNone;
    OutputRef inside;  // in the loop: of the Merge, or of the constant Enter
  };

  Status Lower() override {
    if (FindAttr(node(), "parallel_iterations") != nullptr) {
      TAGFLOW_ASSIGN_OR_RETURN(parallel_iterations_, IntAttr(node(), "parallel_iterations"));
    }
    TAGFLOW_ASSIGN_OR_RETURN(FunctionBody test, MakeTest());
    TAGFLOW_ASSIGN_OR_RETURN(FunctionBody turn, MakeTurn());
    std::vector<Variable> variables = EnterLoop(turn);

    Outputs test_args;
    for (size_t i = 0; i < NumInputs(); ++i) test_args.push_back(variables[i].inside);
    const Variable& lead = variables[LeadOf(variables, test)];
    const NodeId begin = lead.merge;
    const DType test_dtype = *TestDType(test);
    const Inlined tested =
        inliner_.Put(task_, within_test_, std::move(test), test_args, begin, name_ + "/cond");
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
        inliner_.Put(task_, within_turn_, std::move(turn), turn_args, pivot, name_ + "/body");
    LeaveLoop(variables, tested, turned, pivot);
    return Status();
  }

  // A variable that changes, or may; one that the test looks at, if there is one, since the body is
  // going to hang on it: another would be computed for that alone, as the counter that TensorFlow's
  // while_loop adds.
  static size_t LeadOf(const std::vector<Variable>& variables, const FunctionBody& test) {
    const std::set<NodeId> needed = NeededBy(test);
    size_t lead = variables.size();
    for (size_t i = variables.size(); i-- > 0;) {
      if (variables[i].is_constant) continue;
      const bool is_asked = i < test.args.size() && needed.contains(test.args[i]);
      const bool lead_is_asked = lead < test.args.size() && needed.contains(test.args[lead]);
      if (is_asked || !lead_is_asked) lead = i;
    }
    return lead;
  }
  // The nodes that its result hangs on.
  static std::set<NodeId> NeededBy(const FunctionBody& test) {
    std::set<NodeId> needed;
    std::vector<NodeId> open = {test.returns[0].node};
    while (!open.empty()) {
      const Node& node = test.graph.node(open.back());
      open.pop_back();
      if (!needed.insert(node.id).second) continue;
      for (const OutputRef input : node.inputs) open.push_back(input.node);
      for (const NodeId input : node.control_inputs) open.push_back(input);
    }
    return needed;
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
    const Outputs inputs = Begin();
    std::vector<Variable> variables;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_handed_on = turn.returns[i] == OutputRef{turn.args[i], 0};
      variables.push_back({inputs[i], signature_.inputs[i].dtype, is_handed_on, {}, {}, {}});
    }
    if (std::ranges::all_of(variables, &Variable::is_constant)) {
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
    results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(num_hidden()));
    const bool is_pure = tested.done == NodeId::kNone && turned.done == NodeId::kNone;
    Become(std::move(results), {end}, is_pure);
  }

  int64_t parallel_iterations_ = 10;  // as a While has by default
};

// Its variables are start, which counts, limit, delta, and what the body is given beside them.
//                                                                           Spec: [functional.for]
class ForLowering : public WhileLowering {
 public:
  using WhileLowering::WhileLowering;

 private:
  static constexpr size_t kNumBounds = 3;
  size_t num_hidden() const override { return kNumBounds; }

  Result<FunctionBody> MakeTest() override {
    within_test_.name = op_;
    const Scope scope = Scope::Root(graph_.registry()).SubScope(name_ + "/cond");
    FunctionBody test{Graph(graph_.registry()), {}, {}, {}};
    OutputList args;
    for (const ArgType& type : signature_.inputs) {
      args.push_back(Placeholder(scope, type.dtype));
      test.args.push_back(args[args.size() - 1].ref().node);
    }
    test.returns = {Among(scope, args, Less, Greater).ref()};
    TAGFLOW_ASSIGN_OR_RETURN(test.graph, scope.Finish());
    return test;
  }

  Result<FunctionBody> MakeTurn() override {
    TAGFLOW_ASSIGN_OR_RETURN(within_turn_, FunctionAttr("body"));
    std::vector<ArgType> takes = signature_.inputs;
    takes.erase(takes.begin() + 1, takes.begin() + kNumBounds);
    TAGFLOW_ASSIGN_OR_RETURN(
        FunctionBody turn,
        inliner_.Instantiate(task_, within_turn_, name_ + "/body", takes, signature_.outputs));
    const auto add = [&](const char* name, const char* op, const char* type) -> Result<NodeId> {
      TAGFLOW_ASSIGN_OR_RETURN(const NodeId id,
                               turn.graph.AddNode(turn.graph.UniqueName(name_ + "/" + name), op));
      turn.graph.SetAttr(id, type, AttrValue(DType::kInt32));
      return id;
    };
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId limit, add("limit", "Placeholder", "dtype"));
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId delta, add("delta", "Placeholder", "dtype"));
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId count, add("count", "AddV2", "T"));
    turn.graph.mutable_node(count).inputs = {{turn.args[0], 0}, {delta, 0}};
    turn.args.insert(turn.args.begin() + 1, {limit, delta});
    turn.returns.insert(turn.returns.begin(), {{count, 0}, {limit, 0}, {delta, 0}});
    return turn;
  }

  // Bounds that no count leads to are an error, before anything of the body runs.
  Outputs Begin() override {
    const Outputs inputs = Gate();
    const Scope scope = Scope::Root(graph_.registry()).SubScope(name_ + "/check");
    OutputList bounds;
    FunctionBody check{Graph(graph_.registry()), {}, {}, {}};
    for (size_t i = 0; i < kNumBounds; ++i) {
      bounds.push_back(Placeholder(scope, DType::kInt32));
      check.args.push_back(bounds[i].ref().node);
    }
    const Output leads =
        LogicalOr(scope, Equal(scope, bounds[0], bounds[1]), Among(scope, bounds, Less, Greater));
    check.effects = {Assert(scope, leads, bounds).node()};
    check.graph = *scope.Finish();
    const Inlined checked =
        inliner_.Put(task_, within_test_, std::move(check),
                     {inputs.begin(), inputs.begin() + kNumBounds}, pivot_, name_ + "/check");
    pivot_ = AddIdentityN("start", signature_.inputs, inputs, {checked.done});
    Outputs behind;
    for (size_t i = 0; i < inputs.size(); ++i) behind.push_back({pivot_, static_cast<int32_t>(i)});
    return behind;
  }

  // What `up` says of the count and the limit where the count goes up, or `down` where it goes
  // down.
  template <typename Up, typename Down>
  Output Among(const Scope& scope, const OutputList& args, const Up& up, const Down& down) const {
    const Tensor* const step = ConstantDelta();
    if (step != nullptr && *step->data<int32_t>() > 0) return up(scope, args[0], args[1]);
    if (step != nullptr && *step->data<int32_t>() < 0) return down(scope, args[0], args[1]);
    return LogicalOr(scope,
                     LogicalAnd(scope, Greater(scope, args[2], 0), up(scope, args[0], args[1])),
                     LogicalAnd(scope, Less(scope, args[2], 0), down(scope, args[0], args[1])));
  }
  const Tensor* ConstantDelta() const {
    const Node& delta = graph_.node(node().inputs[2].node);
    if (delta.op != "Const") return nullptr;
    const AttrValue* const value = FindAttr(delta, "value");
    const Tensor* const tensor = value == nullptr ? nullptr : value->Get<Tensor>();
    return tensor != nullptr && tensor->num_elements() == 1 ? tensor : nullptr;
  }
};

}  // namespace

bool IsFor(std::string_view op) { return op == "For"; }
bool IsWhile(std::string_view op) { return op == "While" || op == "StatelessWhile"; }

std::unique_ptr<NodeLowering> NewWhileLowering(Graph& graph, Inliner& inliner, LoweringTask task) {
  if (IsFor(graph.node(task.node).op)) {
    return std::make_unique<ForLowering>(graph, inliner, std::move(task));
  }
  return std::make_unique<WhileLowering>(graph, inliner, std::move(task));
}

}  // namespace tagflow
