#include <utility>

#include "conformance/ops/op_runner.h"
#include "reference/kernels/op_runner.h"

namespace tagflow::conformance {
namespace {

class Runner : public OpRunner {
 public:
  Result<std::vector<Value>> Run(const std::string& op, std::vector<Value> inputs,
                                 AttrMap attrs) override {
    std::vector<reference::OpRunner::Input> arguments;
    for (Value& input : inputs) {
      if (input.variable != nullptr) {
        arguments.emplace_back(std::static_pointer_cast<reference::Variable>(input.variable));
      } else {
        arguments.emplace_back(std::move(input.tensor));
      }
    }
    inputs.clear();
    TAGFLOW_ASSIGN_OR_RETURN(auto outputs, runner_.Run(op, std::move(arguments), std::move(attrs)));
    std::vector<Value> values;
    for (size_t i = 0; i < outputs.tensors.size(); ++i) {
      values.push_back({std::move(outputs.tensors[i]), std::move(outputs.variables[i])});
    }
    return values;
  }
  std::string Text(const Value& value) const override {
    if (value.variable == nullptr) return value.tensor.DebugString();
    return "ref " + static_cast<reference::Variable*>(value.variable.get())->value.DebugString();
  }
  void SetNode(const std::string& name) override { runner_.node_name = name; }
  void EndStep() override { runner_.resources.EndStep(); }

 private:
  reference::OpRunner runner_;
};

}  // namespace

OpEngine ReferenceOps() {
  return {"reference", true, reference::KernelRegistry::Standard().Ops(),
          [] { return std::make_unique<Runner>(); }};
}

}  // namespace tagflow::conformance
