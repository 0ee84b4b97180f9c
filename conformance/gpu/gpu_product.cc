#include "conformance/gpu/gpu_product.h"

#include "graph/builder/builder.h"

namespace tagflow::conformance {

Result<GpuProgram> ProductProgram(int64_t size, int64_t times) {
  const Scope s = Scope::Root();
  GpuProgram program;
  program.name = "product";
  program.iterations = times;
  program.error_max = 1e-5;  // a product on a GPU adds in another order
  // Made on the GPU, where peers have theirs, and copied from nowhere.
  const auto dims = static_cast<int32_t>(size);
  const Output shape = Const(s, Tensor::Vector<int32_t>({dims, dims}));
  const Output w = Op(s, "Fill", {shape, 1.0F / static_cast<float>(size)})[0];
  const Output start = Op(s, "Fill", {shape, 0.5F})[0];
  const Output n = Const(s, static_cast<int32_t>(times));
  const OutputList last = WhileLoop(
      s, {Const(s, 0), start},
      [&](const Scope& b, const OutputList& v) { return Less(b, v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        return OutputList{Add(b, v[0], 1), MatMul(b, v[1], w)};
      });
  const Output corner =
      Slice(s, last[1], Tensor::Vector<int32_t>({0, 0}), Tensor::Vector<int32_t>({1, 1}));
  TAGFLOW_ASSIGN_OR_RETURN(program.graph, s.Finish());
  program.fetches = {corner.name()};
  return program;
}

}  // namespace tagflow::conformance
