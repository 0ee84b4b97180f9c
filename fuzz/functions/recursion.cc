#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/functions/outline.h"

namespace tagflow::fuzz {
namespace {

// The functions of a loop that calls itself:
//   turns(x...) = If(cond(x...), again, stop)(x...)
//   again(x...) = turns(body(x...))
//   stop(x...)  = x...
class Recursion {
 public:
  Recursion(Graph& graph, NodeId loop)
      : graph_(graph),
        cond_(*FindAttr(graph.node(loop), "cond")->function()),
        body_(*FindAttr(graph.node(loop), "body")->function()),
        is_stateful_(graph.node(loop).op == "While"),
        types_(*ListAttr(graph.node(loop), "T")) {
    prefix_ = graph.node(loop).name + "_";
    std::ranges::replace(prefix_, '/', '_');
  }

  // The name of the function that is the loop.
  std::string Run() {
    const std::string turns = prefix_ + "turns", again = prefix_ + "again", stop = prefix_ + "stop";
    FunctionNode test = {"test", cond_.name, "", Args(), cond_.attrs};
    FunctionNode choice = {"choice", is_stateful_ ? "If" : "StatelessIf", "", {}, {}};
    choice.inputs = Args();
    choice.inputs.insert(choice.inputs.begin(), "test:" + ResultOf(cond_.name, 0) + ":0");
    choice.attrs = {{"Tcond", AttrValue(DType::kBool)},
                    {"Tin", AttrValue(types_)},
                    {"Tout", AttrValue(types_)},
                    {"else_branch", AttrValue(NameAttrList{stop, {}})},
                    {"then_branch", AttrValue(NameAttrList{again, {}})}};
    Add(turns, {std::move(test), std::move(choice)}, Outputs("choice:output"));

    FunctionNode turn = {"turn", body_.name, "", Args(), body_.attrs};
    FunctionNode rest = {"rest", turns, "", {}, {}};
    std::vector<std::string> results;
    for (size_t i = 0; i < types_.types.size(); ++i) {
      rest.inputs.push_back("turn:" + ResultOf(body_.name, i) + ":0");
      results.push_back("rest:result" + std::to_string(i) + ":0");
    }
    Add(again, {std::move(turn), std::move(rest)}, std::move(results));
    Add(stop, {}, Args());
    return turns;
  }

 private:
  std::string ResultOf(const std::string& function, size_t index) const {
    return (*graph_.library.Find(function)->function)->op.outputs[index].name;
  }
  std::vector<std::string> Args() const {
    std::vector<std::string> args;
    for (size_t i = 0; i < types_.types.size(); ++i) args.push_back("arg" + std::to_string(i));
    return args;
  }
  std::vector<std::string> Outputs(const std::string& list) const {
    std::vector<std::string> outputs;
    for (size_t i = 0; i < types_.types.size(); ++i) {
      outputs.push_back(list + ":" + std::to_string(i));
    }
    return outputs;
  }
  void Add(const std::string& name, std::vector<FunctionNode> nodes,
           std::vector<std::string> returns) {
    Function function;
    function.op.name = name;
    function.op.is_stateful = is_stateful_;
    for (size_t i = 0; i < types_.types.size(); ++i) {
      ArgDef arg;
      arg.dtype = types_.types[i].dtype;
      arg.name = "arg" + std::to_string(i);
      function.op.inputs.push_back(arg);
      arg.name = "result" + std::to_string(i);
      function.op.outputs.push_back(arg);
    }
    for (const FunctionNode& node : nodes) function.control_returns.push_back(node.name);
    function.nodes = std::move(nodes);
    function.returns = std::move(returns);
    graph_.library.Add({name, "", std::make_shared<const Function>(std::move(function))});
  }

  Graph& graph_;
  const NameAttrList cond_;
  const NameAttrList body_;
  const bool is_stateful_;
  const AttrList types_;
  std::string prefix_;
};

}  // namespace

bool MakeRecursive(Graph& graph, const CallSpec& call, Choices& choices) {
  std::vector<NodeId> pinned = call.targets;
  for (const OutputRef output : call.fetches) pinned.push_back(output.node);
  for (const OutputRef output : call.feeds) pinned.push_back(output.node);
  std::vector<NodeId> loops;
  for (const NodeId id : graph.NodeIds()) {
    const std::string& op = graph.node(id).op;
    const bool is_pinned = std::ranges::find(pinned, id) != pinned.end();
    if ((op == "While" || op == "StatelessWhile") && !is_pinned) loops.push_back(id);
  }
  if (loops.empty()) return false;
  const NodeId loop = choices.Of(loops);
  const std::string function = Recursion(graph, loop).Run();
  const NodeId made = *graph.AddNode(graph.UniqueName("recursion"), function);
  std::swap(graph.mutable_node(made).inputs, graph.mutable_node(loop).inputs);
  std::swap(graph.mutable_node(made).control_inputs, graph.mutable_node(loop).control_inputs);
  for (const NodeId id : graph.NodeIds()) {
    for (OutputRef& input : graph.mutable_node(id).inputs) {
      if (input.node == loop) input.node = made;
    }
    std::ranges::replace(graph.mutable_node(id).control_inputs, loop, made);
  }
  graph.RemoveNode(loop);
  return true;
}

}  // namespace tagflow::fuzz
