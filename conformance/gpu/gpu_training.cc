#include "conformance/gpu/gpu_training.h"

#include <utility>
#include <vector>

#include "conformance/gpu/gpu_numbers.h"
#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"

namespace tagflow::conformance {
namespace {

constexpr int64_t kInputs = 256, kUnits = 1024, kClasses = 10;
constexpr float kRate = 0.001F, kBeta1 = 0.9F, kBeta2 = 0.999F, kEpsilon = 1e-7F;

// A program with variables, which a first step gives their values.
class Training {
 public:
  Training(const Scope& scope, GpuProgram& program) : s_(scope), program_(program) {}

  Variable NewVariable(const std::string& name, const Tensor& value) {
    const Dims dims(value.dims().begin(), value.dims().end());
    Variable variable(s_, value.dtype(), PartialShape(dims), {.name = name});
    program_.first.push_back(variable.Assign(s_, Const(s_, value)).name());
    return variable;
  }
  // A variable that is trained, with its moments; gives its value.
  Output NewWeights(const std::string& name, const Tensor& value) {
    const Dims dims(value.dims().begin(), value.dims().end());
    const Tensor zeros = *Tensor::Allocate(value.dtype(), dims);
    const Variable weights = NewVariable(name, value);
    trained_.push_back({weights.handle(), NewVariable(name + "_m", zeros).handle(),
                        NewVariable(name + "_v", zeros).handle()});
    const Output read = weights.Read(s_);
    reads_.push_back(read);
    return read;
  }
  // Lowers the loss.
  Status AddSteps(const Output& loss) {
    const Variable count = NewVariable("count", Tensor::Scalar<int64_t>(0));
    const Operation counted = count.AssignAdd(s_, Const(s_, Tensor::Scalar<int64_t>(1)));
    const Output number =
        Cast(s_, count.Read(s_.WithControlDependencies({counted})), DType::kFloat);
    const Output power1 = Pow(s_, kBeta1, number), power2 = Pow(s_, kBeta2, number);
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients, Gradients(s_, {loss}, reads_));
    for (size_t i = 0; i < trained_.size(); ++i) {
      const auto& [weights, m, v] = trained_[i];
      const Operation step =
          Op(s_, "ResourceApplyAdam",
             {weights, m, v, power1, power2, kRate, kBeta1, kBeta2, kEpsilon, gradients[i]});
      program_.targets.push_back(step.name());
    }
    return Status();
  }

 private:
  struct Trained {
    Output weights, m, v;
  };
  const Scope& s_;
  GpuProgram& program_;
  std::vector<Trained> trained_;
  OutputList reads_;
};

}  // namespace

Result<GpuProgram> TrainingProgram(int64_t batch) {
  const Scope s = Scope::Root();
  GpuProgram program;
  program.name = "training step";
  program.iterations = 1;
  program.error_max = 1e-3;
  Training training(s, program);
  Output x = Const(s, Scattered({batch, kInputs}, 1));
  int64_t width = kInputs;
  for (const int64_t units : {kUnits, kUnits, kClasses}) {
    const std::string layer = "layer" + std::to_string(program.first.size());
    const Output weights = training.NewWeights(layer, Scattered({width, units}, 0.05));
    const Output bias =
        training.NewWeights(layer + "_bias", *Tensor::Allocate(DType::kFloat, Dims{units}));
    x = Op(s, "BiasAdd", {MatMul(s, x, weights), bias});
    if (units == kUnits) x = Op(s, "Relu", {x});
    width = units;
  }
  // Each class is as likely.
  const Output labels =
      Op(s, "Fill", {Const(s, Tensor::Vector<int32_t>({static_cast<int32_t>(batch), 10})), 0.1F});
  const Operation losses = Op(s, "SoftmaxCrossEntropyWithLogits", {x, labels});
  const Output loss = Sum(s, losses[0], Tensor::Vector<int32_t>({0}));
  TAGFLOW_RETURN_IF_ERROR(training.AddSteps(loss));
  program.fetches = {loss.name()};
  TAGFLOW_ASSIGN_OR_RETURN(program.graph, s.Finish());
  return program;
}

}  // namespace tagflow::conformance
