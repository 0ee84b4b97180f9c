// Mutants of state: variables, arrays, stacks and references.

#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "fuzz/mutants/edit.h"
#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::Kernel;
using reference::KernelContext;
using reference::StandardRules;

// Runs the kernel as if the node were another: `change` changes a copy of it.
Status AsAnother(const Kernel& kernel, KernelContext& context,
                 const std::function<void(Node&)>& change) {
  Node other = context.node;
  change(other);
  KernelContext changed{other,
                        context.signature,
                        context.inputs,
                        context.variables,
                        std::vector<Tensor>(context.outputs.size()),
                        {},
                        context.resources,
                        context.tag,
                        context.accesses};
  changed.output_variables.resize(context.output_variables.size());
  TAGFLOW_RETURN_IF_ERROR(kernel(changed));
  context.outputs = std::move(changed.outputs);
  context.output_variables = std::move(changed.output_variables);
  return Status();
}

void Set(Node& node, std::string_view name, AttrValue value) {
  for (auto& [key, attr] : node.attrs) {
    if (key == name) {
      attr = std::move(value);
      return;
    }
  }
  node.attrs.emplace_back(std::string(name), std::move(value));
}

Forgery WithAttr(const std::string& attr, AttrValue value) {
  return [attr, value](const Kernel& standard, KernelContext& context) {
    return AsAnother(standard, context, [&](Node& node) { Set(node, attr, value); });
  };
}

void AddVariables(std::vector<Mutant>& all) {
  Mutant& own = Add(all, "resource.1", "each-node-its-own", "a shared name is not shared");
  for (const char* op : {"VariableV2", "VarHandleOp"})
    own.kernels.emplace_back(op, WithAttr("shared_name", ""));
  Mutant& container = Add(all, "resource.1", "containers-are-one", "the container does not count");
  for (const char* op : {"VariableV2", "VarHandleOp"})
    container.kernels.emplace_back(op, WithAttr("container", ""));
  Add(all, "resource.1", "forgotten-after-a-step", "variables live for one step").after_step =
      [](reference::Session& session) { session.Reset(); };
  Add(all, "resource.1", "one-way-to-a-handle", "a handle may not be guarded here and free there",
      "one variable read through a Switch and directly was locked twice")
      .rewrite = [](Graph& graph, Call&, const Past&) {
    std::map<NodeId, std::set<bool>> ways;
    Status refused;
    ForEachEdge(graph, [&](Node& to, OutputRef& from) {
      if (graph.node(from.node).op != "VarHandleOp") return;
      if (ways[from.node].insert(IsOp(to, "Switch")).second && ways[from.node].size() == 2)
        refused = InvalidArgument("a handle is used in two ways").WithNode(to.name);
    });
    return refused;
  };
}

// What one firing of each node made in this step.
using Made = std::shared_ptr<std::map<std::string, Tensor>>;

Forgery OnePerNode(const Made& made, bool is_error) {
  return [made, is_error](const Kernel& standard, KernelContext& context) {
    auto [first, is_new] = made->try_emplace(context.node.name);
    if (is_new) {
      TAGFLOW_RETURN_IF_ERROR(standard(context));
      first->second = context.outputs[0];
      return Status();
    }
    if (is_error) return AlreadyExists("there is a " + context.node.name);
    TAGFLOW_RETURN_IF_ERROR(standard(context));  // for the other outputs
    context.outputs[0] = first->second;
    return Status();
  };
}

// A stack that gives back what came first.
Status PopTheFirst(const Kernel& pop, KernelContext& context) {
  std::vector<Tensor> popped;
  Status status;
  while ((status = pop(context)).ok()) popped.push_back(std::move(context.outputs[0]));
  if (popped.empty()) return status;
  const Tensor first = std::move(popped.back());
  popped.pop_back();
  const Kernel& push = *reference::KernelRegistry::Standard().Find("StackPushV2");
  context.inputs.resize(2);
  for (; !popped.empty(); popped.pop_back()) {
    context.inputs[1] = popped.back();
    TAGFLOW_RETURN_IF_ERROR(push(context));
  }
  context.outputs[0] = first;
  return Status();
}

void AddObjects(std::vector<Mutant>& all) {
  for (bool is_error : {false, true}) {
    Mutant& mutant =
        is_error ? Add(all, "resource.2", "a-name-is-used-up", "a node makes one object a step",
                       "an array made in each iteration of a loop was there already")
                 : Add(all, "resource.2", "one-object-for-all-iterations",
                       "each firing gives the first one's object");
    const Made made = std::make_shared<std::map<std::string, Tensor>>();
    for (const char* op : {"StackV2", "TensorArrayV3"})
      mutant.kernels.emplace_back(op, OnePerNode(made, is_error));
    mutant.after_step = [made](reference::Session&) { made->clear(); };
  }
  Add(all, "resource.2", "a-stack-is-a-queue", "a pop gives what was pushed first")
      .kernels.emplace_back("StackPopV2", PopTheFirst);
  Add(all, "resource.2", "a-stack-has-no-size", "a stack takes more than max_size",
      "a push over max_size was taken")
      .kernels.emplace_back("StackV2", [](const Kernel& standard, KernelContext& context) {
        context.inputs[0] = Tensor::Scalar<int32_t>(-1);
        return standard(context);
      });
  Add(all, "resource.2", "a-stack-does-not-close", "StackCloseV2 does nothing",
      "a stack was used after it was closed")
      .kernels.emplace_back("StackCloseV2", [](const Kernel&, KernelContext&) { return Status(); });
  Add(all, "resource.2", "every-element-is-read-once", "reading an element always clears it",
      "an array element read in an inner gradient had already been read")
      .kernels.emplace_back("TensorArrayV3", WithAttr("clear_after_read", true));
  Add(all, "resource.2", "an-element-is-read-for-ever", "reading an element never clears it")
      .kernels.emplace_back("TensorArrayV3", WithAttr("clear_after_read", false));
  Add(all, "resource.2", "a-second-write-is-dropped", "an element keeps its first value in silence")
      .kernels.emplace_back("TensorArrayWriteV3",
                            [](const Kernel& standard, KernelContext& context) {
                              const Status status = standard(context);
                              return status.code() == Code::kInvalidArgument ? Status() : status;
                            });
  Add(all, "resource.2", "arrays-are-off-by-one", "an element is written at the index before it")
      .kernels.emplace_back(
          "TensorArrayWriteV3", [](const Kernel& standard, KernelContext& context) {
            const int32_t index = *context.inputs[1].data<int32_t>();
            context.inputs[1] = Tensor::Scalar<int32_t>(index > 0 ? index - 1 : index);
            return standard(context);
          });
  Add(all, "resource.3", "a-new-one-each-time", "asking again gives another gradient array",
      "the gradient arrays of two iterations did not add up")
      .kernels.emplace_back(
          "TensorArrayGradV3",
          [count = std::make_shared<int>(0)](const Kernel& standard, KernelContext& context) {
            const std::string source = "source_" + std::to_string(++*count);
            return AsAnother(standard, context, [&](Node& node) { Set(node, "source", source); });
          });
  Add(all, "resource.3", "one-for-all-sources", "the source does not count",
      "the gradient arrays of two gradients were one, and read twice")
      .kernels.emplace_back("TensorArrayGradV3", WithAttr("source", "any"));
}

// Writes the new value into the old one's buffer as well.
Status WriteInPlace(const Kernel& standard, KernelContext& context) {
  std::shared_ptr<reference::Variable> variable = context.variables[0];
  if (variable == nullptr) {
    const ResourceHandle& handle = *context.inputs[0].data<ResourceHandle>();
    TAGFLOW_ASSIGN_OR_RETURN(
        variable, context.resources.FindOrCreateVariable({handle.container, handle.name},
                                                         DType::kInvalid, PartialShape()));
  }
  Tensor old = variable->value;
  TAGFLOW_RETURN_IF_ERROR(standard(context));
  const Tensor& now = variable->value;
  if (!old.has_value() || old.rank() == 0 || old.byte_size() != now.byte_size()) return Status();
  if (IsPlainDType(now.dtype()))
    std::memcpy(old.mutable_raw_data(), now.raw_data(), now.byte_size());
  return Status();
}

void AddReferences(std::vector<Mutant>& all) {
  Add(all, "ref.1", "read-on-the-way", "a reference is read where a reference is asked for")
      .rules.reads_at_firing = [](bool token_is_ref, bool) { return token_is_ref; };
  Add(all, "ref.2", "not-read-at-all", "a consumer that wants a value is given the reference")
      .rules.reads_at_firing = [](bool, bool) { return false; };
  Mutant& in_place = Add(all, "ref.2", "what-was-read-changes", "a write changes what was read");
  for (const char* op : {"Assign", "AssignAdd", "AssignVariableOp", "AssignAddVariableOp"})
    in_place.kernels.emplace_back(op, WriteInPlace);
  Add(all, "ref.3", "no-value-is-a-value", "a variable may be read before it has a value")
      .rules.uninitialized = [](const std::string&, bool) { return Status(); };
  Add(all, "ref.3", "no-op-is-excused", "ops that pass a reference on want a value in it")
      .rules.uninitialized = [](const std::string& variable, bool) {
    return StandardRules().uninitialized(variable, false);
  };
}

}  // namespace

void AddStateMutants(std::vector<Mutant>& mutants) {
  AddVariables(mutants);
  AddObjects(mutants);
  AddReferences(mutants);
}

}  // namespace tagflow::fuzz
