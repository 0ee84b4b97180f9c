#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_TEST_STEP_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_TEST_STEP_H_

// For tests of what calls are fused: steps of a graph in text, whose placeholders a, b and c are
// fed, with the standard kernels and with the same wrapped, which are called one by one.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/resources.h"
#include "optimized/straight/straight_executable.h"

namespace tagflow::optimized {

// Numbers from -1 to 1, every seventh of them 0. REQUIRES: float or double
inline Tensor TestNumbers(DType dtype, DimsView dims, double first) {
  Tensor tensor = *Tensor::Allocate(dtype, dims);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const double value = std::sin(first + static_cast<double>(i)) * (i % 7 == 3 ? 0 : 1);
    if (dtype == DType::kFloat) {
      tensor.mutable_data<float>()[i] = static_cast<float>(value);
    } else {
      tensor.mutable_data<double>()[i] = value;
    }
  }
  return tensor;
}

// The fetches as bytes, or the error. REQUIRES: the graph is of the straight executor's
inline std::string StepBytes(const std::string& text, const std::vector<Tensor>& feeds,
                             const std::vector<std::string>& fetches,
                             const KernelRegistry& kernels = KernelRegistry::Standard(),
                             int64_t max_firings = 0) {
  TestGraph g(text, OpRegistry::Standard());
  const CallSpec call = g.Call({"a", "b", "c"}, fetches, {});
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
  if (!valid.ok()) return "invalid: " + valid.status().ToString();
  const Result<StraightResult> made = MakeStraightExecutable({g.graph(), call, *valid, kernels, 1});
  if (!made.ok()) return "no code: " + made.status().ToString();
  SessionState state;
  StepState step;
  StepControl control;
  control.services = {&state, &step, nullptr, nullptr};
  control.max_firings = max_firings;
  std::vector<Tensor> copies;
  for (const Tensor& feed : feeds) copies.push_back(*feed.Clone());
  const auto results = made->executable->Run(std::move(copies), control);
  if (!results.ok()) return results.status().ToString();
  std::string bytes;
  for (const Tensor& value : *results) {
    bytes += DimsString(value.dims());
    bytes.append(static_cast<const char*>(value.raw_data()), value.byte_size());
  }
  return bytes;
}

// The same, kernel by kernel.
inline std::string BytesOneByOne(const std::string& text, const std::vector<Tensor>& feeds,
                                 const std::vector<std::string>& fetches, int64_t max_firings = 0) {
  KernelRegistry apart;
  const KernelRegistry& standard = KernelRegistry::Standard();
  for (const std::string& op : standard.Ops()) {
    const Binder wrap =
        [&bind = standard.Find(op)->bind](const Binding& binding) -> Result<BoundKernel> {
      TAGFLOW_ASSIGN_OR_RETURN(BoundKernel kernel, bind(binding));
      return BoundKernel(
          [kernel = std::move(kernel)](KernelContext& context) { return kernel(context); });
    };
    EXPECT_TRUE(apart.Register(op, wrap).ok());
  }
  return StepBytes(text, feeds, fetches, apart, max_firings);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_TEST_STEP_H_
