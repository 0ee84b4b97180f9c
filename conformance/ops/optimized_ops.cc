#include <utility>

#include "conformance/ops/op_runner.h"
#include "optimized/kernels/op_runner.h"

namespace tagflow::conformance {
namespace {

class Runner : public OpRunner {
 public:
  explicit Runner(optimized::OpRunner::Inputs inputs) : runner_(inputs) {}

  Result<std::vector<Value>> Run(const std::string& op, std::vector<Value> inputs,
                                 AttrMap attrs) override {
    std::vector<Tensor> tensors;
    for (Value& input : inputs) tensors.push_back(std::move(input.tensor));
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                             runner_.Run(op, std::move(tensors), std::move(attrs)));
    std::vector<Value> values;
    for (Tensor& output : outputs) values.push_back({std::move(output), nullptr});
    return values;
  }
  std::string Text(const Value& value) const override {
    return optimized::OpRunner::TextOf(value.tensor);
  }
  void SetNode(const std::string& name) override { runner_.node_name = name; }
  void EndStep() override { runner_.step.End(); }

 private:
  optimized::OpRunner runner_;
};

OpEngine Engine(const std::string& name, optimized::OpRunner::Inputs inputs) {
  return {name, false, optimized::KernelRegistry::Standard().Ops(),
          [inputs] { return std::make_unique<Runner>(inputs); }};
}

}  // namespace

OpEngine OptimizedOpsInPlace() { return Engine("in_place", optimized::OpRunner::Inputs::kLast); }
OpEngine OptimizedOpsShared() { return Engine("shared", optimized::OpRunner::Inputs::kShared); }

}  // namespace tagflow::conformance
