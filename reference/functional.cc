// If, While, Case and calls: a firing of one is steps of other graphs, the bodies of functions, on
// the same resources. See interpreter.h.
// Spec: [functional.*]

#include <algorithm>
#include <string>
#include <utility>

#include "reference/bodies.h"
#include "reference/interpreter.h"
#include "reference/kernels/truth.h"
#include "reference/step.h"

namespace tagflow::reference {
namespace {

std::vector<DType> DTypesOf(const std::vector<Tensor>& values) {
  std::vector<DType> dtypes;
  for (const Tensor& value : values) dtypes.push_back(value.dtype());
  return dtypes;
}

}  // namespace

// One firing of a functional node.
class Interpreter::FunctionalFiring {
 public:
  FunctionalFiring(Interpreter& around, const ProgramNode& fired, Iteration& iteration)
      : around_(around), node_(*fired.node), iteration_(iteration) {}

  Result<std::vector<Tensor>> Run(std::vector<Tensor> inputs) {
    const std::string& op = node_.op;
    if (op == "While" || op == "StatelessWhile") return RunWhile(std::move(inputs));
    if (op == "If" || op == "StatelessIf") {
      TAGFLOW_ASSIGN_OR_RETURN(const bool holds, Truth(inputs[0]));
      TAGFLOW_ASSIGN_OR_RETURN(const NameAttrList branch,
                               Named(holds ? "then_branch" : "else_branch"));
      inputs.erase(inputs.begin());
      return Call(branch, node_.name + (holds ? "/then" : "/else"), std::move(inputs), tag());
    }
    if (op == "Case" || op == "StatelessCase") return RunCase(std::move(inputs));
    if (op == "For") return RunFor(std::move(inputs));
    if (op == "SymbolicGradient") return RunGradient(std::move(inputs));
    if (op == "RemoteCall") inputs.erase(inputs.begin());  // where to: here, there is one device
    NameAttrList function = {op, node_.attrs};
    if (op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "RemoteCall") {
      TAGFLOW_ASSIGN_OR_RETURN(function, Named("f"));
    }
    return Call(function, node_.name, std::move(inputs), tag());
  }

 private:
  const std::string& tag() const { return around_.TagOf(iteration_); }

  Result<NameAttrList> Named(const char* attr) const {
    const AttrValue* const value = FindAttr(node_, attr);
    if (value != nullptr && value->function() != nullptr) return *value->function();
    return InvalidArgument("node '" + node_.name + "' (" + node_.op +
                           ") names no function as its " + attr);
  }

  // Spec: [functional.case]
  Result<std::vector<Tensor>> RunCase(std::vector<Tensor> inputs) {
    const AttrValue* const value = FindAttr(node_, "branches");
    if (value == nullptr || value->list() == nullptr || value->list()->functions.empty()) {
      return InvalidArgument("node '" + node_.name + "' (" + node_.op +
                             ") names no functions as its branches");
    }
    const auto& branches = value->list()->functions;
    const auto last = static_cast<int32_t>(branches.size()) - 1;
    if (inputs[0].rank() > 0) return InvalidArgument("branch_index must be a scalar");
    int32_t chosen = *inputs[0].data<int32_t>();
    if (chosen < 0 || chosen > last) chosen = last;
    inputs.erase(inputs.begin());
    return Call(*branches[static_cast<size_t>(chosen)],
                node_.name + "/branch" + std::to_string(chosen), std::move(inputs), tag());
  }

  // Spec: [functional.while]
  Result<std::vector<Tensor>> RunWhile(std::vector<Tensor> values) {
    TAGFLOW_ASSIGN_OR_RETURN(const NameAttrList cond, Named("cond"));
    TAGFLOW_ASSIGN_OR_RETURN(const NameAttrList body, Named("body"));
    const std::string frame = tag().empty() ? node_.name : tag() + "/" + node_.name;
    for (int64_t iteration = 0;; ++iteration) {
      const std::string inside = around_.rules().iteration_tag(frame, iteration);
      TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> tested,
                               Call(cond, node_.name + "/cond", values, inside));
      if (tested.size() != 1) {
        return InvalidArgument("function '" + cond.name + "' gives " +
                               std::to_string(tested.size()) +
                               " tensors; the cond of a While gives one")
            .WithRule("functional.while");
      }
      TAGFLOW_ASSIGN_OR_RETURN(const bool goes_on, Truth(tested[0]));
      if (!goes_on) return values;
      const std::vector<DType> dtypes = DTypesOf(values);
      TAGFLOW_ASSIGN_OR_RETURN(values, Call(body, node_.name + "/body", std::move(values), inside));
      if (DTypesOf(values) != dtypes) return OtherTypes(body, "While");
      TAGFLOW_RETURN_IF_ERROR(around_.watch_->Check());
    }
  }

  // Spec: [functional.for]
  Result<std::vector<Tensor>> RunFor(std::vector<Tensor> inputs) {
    TAGFLOW_ASSIGN_OR_RETURN(const NameAttrList body, Named("body"));
    int64_t bounds[3];
    for (size_t i = 0; i < 3; ++i) {
      if (inputs[i].rank() > 0) return InvalidArgument("start, limit and delta must be scalars");
      bounds[i] = *inputs[i].data<int32_t>();
    }
    const auto [start, limit, delta] = bounds;
    const bool leads_there = delta > 0   ? start <= limit
                             : delta < 0 ? start >= limit
                                         : start == limit;
    if (!leads_there) {
      return InvalidArgument("no count from " + std::to_string(start) + " by " +
                             std::to_string(delta) + " comes to " + std::to_string(limit))
          .WithRule("functional.for");
    }
    inputs.erase(inputs.begin(), inputs.begin() + 3);
    const std::string frame = tag().empty() ? node_.name : tag() + "/" + node_.name;
    for (int64_t count = start, iteration = 0; delta > 0 ? count < limit : count > limit;
         count += delta, ++iteration) {
      const std::vector<DType> dtypes = DTypesOf(inputs);
      inputs.insert(inputs.begin(), Tensor::Scalar(static_cast<int32_t>(count)));
      TAGFLOW_ASSIGN_OR_RETURN(inputs, Call(body, node_.name + "/body", std::move(inputs),
                                            around_.rules().iteration_tag(frame, iteration)));
      if (DTypesOf(inputs) != dtypes) return OtherTypes(body, "For");
      TAGFLOW_RETURN_IF_ERROR(around_.watch_->Check());
    }
    return inputs;
  }
  static Status OtherTypes(const NameAttrList& body, const std::string& op) {
    return InvalidArgument("function '" + body.name +
                           "' gives other types than the variables of the " + op + " have")
        .WithRule(op == "For" ? "functional.for" : "functional.while");
  }

  // Spec: [functional.gradient]
  Result<std::vector<Tensor>> RunGradient(std::vector<Tensor> inputs) {
    TAGFLOW_ASSIGN_OR_RETURN(NameAttrList function, Named("f"));
    const Graph& graph = *around_.program_.graph;
    const std::string* const registered = graph.library.GradientOf(function.name);
    if (registered != nullptr) {
      function.name = *registered;
      return Call(function, node_.name, std::move(inputs), tag());
    }
    const InterpreterOptions& options = around_.options_;
    if (options.differentiate == nullptr || options.bodies == nullptr) {
      return Unimplemented("this session differentiates no functions");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Body* const body,
                             options.bodies->Find(graph, node_, function, node_.name));
    const size_t num_args = body->function.args.size();
    if (inputs.size() != num_args + body->function.returns.size()) {
      return InvalidArgument("function '" + function.name + "' has " + std::to_string(num_args) +
                             " arguments and " + std::to_string(body->function.returns.size()) +
                             " results; its gradient is called with " +
                             std::to_string(inputs.size()) + " tensors")
          .WithRule("functional.gradient");
    }
    const auto middle = inputs.begin() + static_cast<std::ptrdiff_t>(num_args);
    const std::vector<Tensor> args(inputs.begin(), middle);
    TAGFLOW_RETURN_IF_ERROR(CheckArgs(function, *body, args));
    return options.differentiate(body->function, args, {middle, inputs.end()});
  }

  // A step of the function's body.
  Result<std::vector<Tensor>> Call(const NameAttrList& function, const std::string& name,
                                   std::vector<Tensor> args, const std::string& tag) {
    InterpreterOptions options = around_.options_;
    if (options.bodies == nullptr) return Unimplemented("functions are not run here");
    if (options.depth >= kMostNestedCalls) {
      return ResourceExhausted("calls are nested more than " + std::to_string(options.depth) +
                               " deep, up to one of function '" + function.name +
                               "': a recursion needs an end")
          .WithRule("functional.recursion");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Body* const body,
                             options.bodies->Find(*around_.program_.graph, node_, function, name));
    TAGFLOW_RETURN_IF_ERROR(CheckArgs(function, *body, args));
    ++options.depth;
    options.tag = tag;
    options.accesses = &around_.accesses_;
    // Who looks for races, or tries every order, takes the call for one firing.
    const bool is_explored = options.history != nullptr || options.collect_errors;
    if (is_explored) options.order = nullptr;
    options.history = nullptr;
    options.collect_errors = false;
    Rendezvous rendezvous;
    Interpreter inner(body->program, around_.resources_, rendezvous, options);
    inner.watch_ = around_.watch_;
    if (!is_explored) inner.next_firing_ = around_.next_firing_;
    TAGFLOW_RETURN_IF_ERROR(inner.Start(args));
    while (inner.has_ready()) {
      if (Status status = around_.watch_->Check(); !status.ok()) return inner.Locate(status);
      TAGFLOW_RETURN_IF_ERROR(inner.FireOne());
    }
    if (!is_explored) around_.next_firing_ = inner.next_firing_;
    return inner.Finish();
  }

  // Spec: [functional.call]
  Status CheckArgs(const NameAttrList& function, const Body& body,
                   const std::vector<Tensor>& args) const {
    std::vector<DType> wanted;
    for (const NodeId arg : body.function.args) {
      TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(body.function.graph.node(arg), "dtype"));
      wanted.push_back(dtype);
    }
    if (wanted == DTypesOf(args)) return Status();
    return InvalidArgument("function '" + function.name + "' takes " +
                           std::to_string(wanted.size()) + " arguments, of other types than the " +
                           std::to_string(args.size()) + " it is called with")
        .WithRule("functional.call");
  }

  Interpreter& around_;
  const Node& node_;
  Iteration& iteration_;
};

Status Interpreter::RunFunctional(const ProgramNode& fired, Iteration& iteration,
                                  std::vector<Token>& inputs, Outputs& outputs) {
  std::vector<Tensor> values;
  for (Token& input : inputs) values.push_back(std::move(input.value));
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> results,
                           FunctionalFiring(*this, fired, iteration).Run(std::move(values)));
  std::vector<DType> wanted;
  for (const ArgType& type : fired.signature.outputs) wanted.push_back(type.dtype);
  if (DTypesOf(results) != wanted) {
    return InvalidArgument("the function gives other results than node '" + fired.node->name +
                           "' says")
        .WithRule("functional.call");
  }
  for (Tensor& result : results) outputs.tokens.emplace_back().value = std::move(result);
  return Status();
}

}  // namespace tagflow::reference
