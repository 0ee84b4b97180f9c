#include "conformance/gpu/gpu_branch.h"

#include <utility>

#include "conformance/gpu/gpu_numbers.h"
#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"

namespace tagflow::conformance {

// y grows while its sum is below the limit, and where it is above shrinks.
Result<GpuProgram> BranchProgram(int64_t iterations, int64_t elements) {
  const Scope s = Scope::Root();
  GpuProgram program;
  program.name = "a branch on the GPU, with gradients";
  program.iterations = iterations;
  program.error_max = 1e-4;  // sums on a GPU are added in another order
  const auto fed = [&](const std::string& name, Tensor value) {
    return Fed(s, name, std::move(value), program);
  };
  const Output x = fed("x", Scattered(Dims{elements}, 0.1));
  const Output w = fed("w", Tensor::Scalar(0.9F));
  const Output n = fed("n", Tensor::Scalar(static_cast<int32_t>(iterations)));
  const Output limit = Const(s, 0.3F * static_cast<float>(elements));
  const OutputList last = WhileLoop(
      s, {Const(s, 0), x}, [&](const Scope& b, const OutputList& v) { return Less(b, v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Output& y = v[1];
        const Output is_high = Greater(b, Sum(b, y, Tensor::Vector<int32_t>({0})), limit);
        const Output next = Cond(
            b, is_high, [&](const Scope& t) { return OutputList{Mul(t, Mul(t, y, Sin(t, y)), w)}; },
            [&](const Scope& f) {
              return OutputList{Add(f, y, Mul(f, Cos(f, y), Const(f, 0.01F)))};
            })[0];
        return OutputList{Add(b, v[0], 1), next};
      });
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients, Gradients(s, {last[1]}, {x, w}));
  program.fetches = {last[1].name(), gradients[0].name(), gradients[1].name()};
  TAGFLOW_ASSIGN_OR_RETURN(program.graph, s.Finish());
  return program;
}

}  // namespace tagflow::conformance
