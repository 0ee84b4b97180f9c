// If and Case: each branch behind its output of the Switches, and Merges behind all.
//
// Tested by lower_test.cc.

#include <string>
#include <utility>
#include <vector>

#include "transform/lower/node_lowering.h"

namespace tagflow {
namespace {

class BranchLowering : public NodeLowering {
 public:
  using NodeLowering::NodeLowering;

 private:
  Status Lower() override { return IsIf(op_) ? LowerIf() : LowerCase(); }

  std::vector<ArgType> InputTypes(size_t first) const {
    return {signature_.inputs.begin() + static_cast<std::ptrdiff_t>(first),
            signature_.inputs.end()};
  }

  struct Branch {
    std::string name;
    NameAttrList function;
    FunctionBody body;
  };
  Result<Branch> MakeBranch(const std::string& name, NameAttrList function) {
    TAGFLOW_ASSIGN_OR_RETURN(
        FunctionBody body, inliner_.Instantiate(task_, function, name_ + "/" + name, InputTypes(1),
                                                signature_.outputs));
    return Branch{name, std::move(function), std::move(body)};
  }

  Status LowerIf() {
    TAGFLOW_ASSIGN_OR_RETURN(NameAttrList then, FunctionAttr("then_branch"));
    TAGFLOW_ASSIGN_OR_RETURN(NameAttrList otherwise, FunctionAttr("else_branch"));
    std::vector<Branch> branches;
    for (auto& [name, function] : {std::pair{"else", &otherwise}, std::pair{"then", &then}}) {
      TAGFLOW_ASSIGN_OR_RETURN(Branch branch, MakeBranch(name, std::move(*function)));
      branches.push_back(std::move(branch));
    }
    const Outputs inputs = Gate();
    const OutputRef predicate = Predicate("pred", inputs[0], signature_.inputs[0].dtype);
    Join(
        branches, inputs,
        [&](const std::string& name, DType dtype, OutputRef input) {
          return AddTyped(name, "Switch", dtype, {input, predicate});
        },
        predicate, DType::kBool);
    return Status();
  }

  Status LowerCase() {
    const AttrValue* const attr = FindAttr(node(), "branches");
    if (attr == nullptr || attr->list() == nullptr || attr->list()->functions.empty()) {
      return InvalidArgument("node '" + name_ + "' (" + op_ +
                             ") names no functions as its branches");
    }
    std::vector<Branch> branches;
    for (const auto& function : attr->list()->functions) {
      TAGFLOW_ASSIGN_OR_RETURN(Branch branch,
                               MakeBranch("branch" + std::to_string(branches.size()), *function));
      branches.push_back(std::move(branch));
    }
    const Outputs inputs = Gate();
    const auto count = static_cast<int64_t>(branches.size());
    Join(
        branches, inputs,
        [&](const std::string& name, DType dtype, OutputRef input) {
          const NodeId way = AddTyped(name, "_SwitchN", dtype, {input, inputs[0]});
          graph_.SetAttr(way, "num_outs", AttrValue(count));
          return way;
        },
        inputs[0], DType::kInt32);
    return Status();
  }

  // The branches, each behind its output of what `add_switch` makes of an input; `chooser` is what
  // the Switches are told, and of that dtype.
  template <typename AddSwitch>
  void Join(std::vector<Branch>& branches, const Outputs& inputs, const AddSwitch& add_switch,
            OutputRef chooser, DType chooser_dtype) {
    const size_t count = branches.size();
    const NodeId choice = add_switch("choice", chooser_dtype, chooser);
    std::vector<NodeId> ways;
    for (size_t i = 1; i < inputs.size(); ++i) {
      ways.push_back(
          add_switch("input_" + std::to_string(i - 1), signature_.inputs[i].dtype, inputs[i]));
    }
    std::vector<Outputs> results(signature_.outputs.size());
    Outputs ends;
    bool has_effects = false;
    for (size_t b = 0; b < count; ++b) {
      const auto port = static_cast<int32_t>(b);
      const NodeId pivot =
          AddTyped(branches[b].name + "_pivot", "Identity", chooser_dtype, {{choice, port}});
      Outputs args;
      for (const NodeId way : ways) args.push_back({way, port});
      const Inlined inlined = inliner_.Put(task_, branches[b].function, std::move(branches[b].body),
                                           args, pivot, name_ + "/" + branches[b].name);
      for (size_t i = 0; i < results.size(); ++i) results[i].push_back(inlined.returns[i]);
      has_effects |= inlined.done != NodeId::kNone;
      ends.push_back({AddTyped(branches[b].name + "_end", "Identity", chooser_dtype, {{pivot, 0}},
                               {inlined.done}),
                      0});
    }
    Outputs merged;
    for (size_t i = 0; i < results.size(); ++i) {
      merged.push_back({AddMerge("output_" + std::to_string(i), signature_.outputs[i].dtype,
                                 std::move(results[i])),
                        0});
    }
    // Whoever waits for the node waits for the branch that was taken.
    const bool needs_end = has_effects || merged.empty();
    const NodeId end = needs_end ? AddMerge("end", chooser_dtype, std::move(ends)) : NodeId::kNone;
    Become(std::move(merged), {end}, !has_effects);
  }
};

}  // namespace

bool IsIf(std::string_view op) { return op == "If" || op == "StatelessIf"; }
bool IsCase(std::string_view op) { return op == "Case" || op == "StatelessCase"; }

std::unique_ptr<NodeLowering> NewBranchLowering(Graph& graph, Inliner& inliner, LoweringTask task) {
  return std::make_unique<BranchLowering>(graph, inliner, std::move(task));
}

}  // namespace tagflow
