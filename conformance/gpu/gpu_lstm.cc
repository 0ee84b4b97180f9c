#include "conformance/gpu/gpu_lstm.h"

#include <utility>

#include "conformance/gpu/gpu_numbers.h"
#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"

namespace tagflow::conformance {
namespace {

constexpr int64_t kBatch = 32, kUnits = 256, kGates = 4;

Tensor Zeros(const Dims& dims) { return *Tensor::Allocate(DType::kFloat, dims); }

// x and h: [kBatch, kUnits].   returns: the next c and h
OutputList Cell(const Scope& s, const Output& x, const Output& h, const Output& c, const Output& w,
                const Output& bias) {
  const Output z = Op(s, "BiasAdd", {MatMul(s, Concat(s, {x, h}, 1), w), bias});
  const Operation gates = Op(s, "Split", {1, z}, {{"num_split", kGates}});
  const Output kept = Mul(s, Sigmoid(s, gates[2]), c);
  const Output added = Mul(s, Sigmoid(s, gates[0]), Tanh(s, gates[1]));
  const Output next = Add(s, kept, added);
  return {next, Mul(s, Sigmoid(s, gates[3]), Tanh(s, next))};
}

}  // namespace

Result<GpuProgram> LstmProgram(int64_t steps, bool with_gradient) {
  const Scope s = Scope::Root();
  GpuProgram program;
  program.name = with_gradient ? "lstm forward and backward" : "lstm forward";
  program.iterations = steps;
  program.error_max = with_gradient ? 1e-4 : 1e-5;  // a product on a GPU adds in another order
  const auto fed = [&](const std::string& name, Tensor value) {
    return Fed(s, name, std::move(value), program);
  };
  const Output n = fed("n", Tensor::Scalar(static_cast<int32_t>(steps)));
  const Output xs = fed("xs", Scattered({steps, kBatch, kUnits}, 1));
  const Output w = fed("w", Scattered({2 * kUnits, kGates * kUnits}, 0.05));
  const Output bias = fed("bias", Zeros({kGates * kUnits}));
  const Output zero = Const(s, Zeros({kBatch, kUnits}));
  const OutputList last = WhileLoop(
      s, {Const(s, 0), zero, zero},
      [&](const Scope& b, const OutputList& v) { return Less(b, v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const OutputList next = Cell(b, ElementAt(b, xs, v[0]), v[2], v[1], w, bias);
        return OutputList{Add(b, v[0], 1), next[0], next[1]};
      },
      {.back_prop = with_gradient});
  OutputList fetched = {last[2]};
  if (with_gradient) {
    const Output loss = Sum(s, last[2], Tensor::Vector<int32_t>({0, 1}));
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients, Gradients(s, {loss}, {w, bias}));
    for (const Output& gradient : gradients) fetched.push_back(gradient);
  }
  TAGFLOW_ASSIGN_OR_RETURN(program.graph, s.Finish());
  for (const Output& output : fetched) program.fetches.push_back(output.name());
  return program;
}

}  // namespace tagflow::conformance
