#include "bench/program_maker.h"

#include <algorithm>
#include <utility>

namespace tagflow::bench {
namespace {

double Uniform(uint32_t i) {
  uint32_t x = i * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return static_cast<double>(x) / 2147483648.0 - 1;
}

}  // namespace

Tensor Matrix(const Dims& dims, double scale) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, dims);
  uint32_t i = 0;
  for (float& element : tensor.mutable_flat<float>()) {
    element = static_cast<float>(scale * Uniform(i++));
  }
  return tensor;
}

Tensor Filled(const Dims& dims, float value) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, dims);
  std::ranges::fill(tensor.mutable_flat<float>(), value);
  return tensor;
}

Output ProgramMaker::Fed(const std::string& name, Tensor value) {
  const Dims dims(value.dims().begin(), value.dims().end());
  const Output fed = Placeholder(scope.WithOpName(name), value.dtype(), dims);
  program_.feeds.emplace_back(fed.name(), std::move(value));
  return fed;
}

Output ProgramMaker::Bound(int64_t value) {
  return Fed("bound", Tensor::Scalar(static_cast<int32_t>(value)));
}

Result<Program> ProgramMaker::Finish(const OutputList& outputs) {
  Result<Graph> graph = scope.Finish();
  if (!graph.ok()) return graph.status();
  program_.graph = *std::move(graph);
  for (const Output& output : outputs) program_.fetches.push_back(output.name());
  return std::move(program_);
}

OutputList CountTo(const Scope& scope, const Input& bound, const OutputList& initial,
                   const CountedBody& body, const WhileOptions& options) {
  const auto below = [&](const Scope& s, const OutputList& v) { return Less(s, v[0], bound); };
  const auto step = [&](const Scope& s, const OutputList& v) {
    OutputList next = Add(s, v[0], 1);
    for (const Output& value : body(s, v)) next.push_back(value);
    return next;
  };
  return WhileLoop(scope, initial, below, step, options);
}

}  // namespace tagflow::bench
