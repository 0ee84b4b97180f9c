#include "bench/programs.h"

#include <cmath>
#include <limits>

#include "bench/program_makers.h"

namespace tagflow::bench {
namespace {

template <typename T>
double MeanOfAbsolutes(std::span<const T> values) {
  double sum = 0;
  for (const T value : values) sum += std::abs(static_cast<double>(value));
  return sum / static_cast<double>(values.size());
}

template <typename T>
double CheckOf(const Tensor& value) {
  return value.rank() == 0 ? static_cast<double>(value.scalar<T>())
                           : MeanOfAbsolutes(value.flat<T>());
}

}  // namespace

const std::vector<ProgramSpec>& Programs() {
  static const std::vector<ProgramSpec> programs = {
      {"run0", "run", 1, 1, 1, MakeOneOp, {2}, 0},
      {"scalar", "iteration", 20'000, 20'000, 2'000, MakeScalar, {20'000}, 0},
      {"loop4",
       "iteration",
       20'000,
       20'000,
       2'000,
       MakeLoop4,
       {20'000, 20'001, 7.39076, -19'999},
       1e-6},
      {"pingpong", "iteration", 20'000, 20'000, 2'000, MakePingPong, {20'000, 2}, 1e-6},
      {"condwhile", "iteration", 20'000, 20'000, 2'000, MakeCondWhile, {20'000, 0}, 0},
      {"nested200x100", "iteration", 20'000, 200, 20, MakeNested2, {200, 20'000}, 0},
      {"nested20x20x50", "iteration", 20'000, 20, 3, MakeNested3, {20, 20'000}, 0},
      {"fizzbuzz",
       "iteration",
       20'000,
       20'000,
       1'000,
       MakeFizzBuzz,
       {20'000, 1'334, 5'333, 2'666},
       0},
      {"collatz1000", "step", 59'431, 1'000, 50, MakeCollatz, {1'000, 179, 871, 59'431}, 0},
      {"mandel64", "step", 50'956, 64, 8, MakeMandelbrot, {64, 50'956}, 0},
      {"vec100", "iteration", 20'000, 20'000, 1'000, MakeVector100, {7.39076}, 1e-6},
      {"vec100k", "iteration", 2'000, 2'000, 5, MakeVector100k, {1.22143}, 1e-5},
      {"softmax100", "iteration", 20'000, 20'000, 1'000, MakeSoftmax100, {0.577783}, 1e-5},
      {"slices10k", "element", 10'000, 10'000, 1'000, MakeSlices, {5'000}, 0},
      {"items100x100", "element", 10'000, 100, 30, MakeItems, {5'000}, 0},
      {"changes10k", "element", 10'000, 10'000, 1'000, MakeChanges, {2}, 1e-6},
      // The 64x64 product is chaotic: one bit grows to a difference in the second digit.
      {"mm64", "iteration", 2'000, 2'000, 5, MakeMatMul64, {0.72}, 0.05},
      {"mm512", "iteration", 50, 50, 1, MakeMatMul512, {0.655787}, 1e-3},
      {"lstm_b1_fwd", "time step", 200, 200, 4, MakeLstmBatch1, {0.79266}, 1e-3},
      {"lstm_b64_fwd", "time step", 200, 200, 2, MakeLstmBatch64, {-5.60137}, 1e-3},
      {"lstm_b1_grad", "time step", 200, 200, 4, MakeLstmGradient1, {0.7927, 5'082.6, 120.1}, 1e-3},
      {"lstm_b64_grad", "time step", 200, 200, 2, MakeLstmGradient64, {-5.601, 47752, 6750}, 1e-3},
      {"gradscalar2000", "iteration", 2'000, 2'000, 200, MakeScalarGradient, {2'442.59}, 1e-5},
      {"gradvec2000", "iteration", 2'000, 2'000, 200, MakeVectorGradient, {2'442.59}, 1e-5},
      {"gradnested50x40", "inner iteration", 2'000, 50, 5, MakeNestedGradient, {2'442.62}, 1e-5},
      {"gradcond2000", "iteration", 2'000, 2'000, 200, MakeCondGradient, {536'230}, 1e-5},
      {"pmap64_p1", "iteration", 64, 64, 2, MakeParallelMap1, {895.16}, 1e-3},
      {"pmap64_p10", "iteration", 64, 64, 2, MakeParallelMap10, {895.16}, 1e-3},
      {"pmap64_p32", "iteration", 64, 64, 2, MakeParallelMap32, {895.16}, 1e-3},
      {"wide10k", "op", 10'000, 10'000, 1'000, MakeWide, {384}, 0},
      {"chain10k", "op", 10'000, 10'000, 1'000, MakeChain, {15'001.5}, 0},
      {"dead5k", "op", 5'000, 5'000, 500, MakeDeadBranch, {3}, 0},
      {"live5k", "op", 5'000, 5'000, 500, MakeLiveBranch, {7'501.5}, 0},
      {"deadloop100x100", "dead op", 10'000, 100, 10, MakeDeadLoop100, {100, 1.5}, 0},
      {"deadloop100x1000", "dead op", 100'000, 100, 10, MakeDeadLoop1000, {100, 1.5}, 0},
      {"setup100k", "node", 100'000, 100'000, 1'000, MakeWide, {1'492.5}, 0},
      {"tensorarray10k", "element", 10'000, 10'000, 1'000, MakeTensorArray, {4.99929e7}, 1e-6},
      {"stack10k", "element", 10'000, 10'000, 1'000, MakeStack, {4.99991e7}, 1e-6},
  };
  return programs;
}

const ProgramSpec* FindProgram(std::string_view name) {
  for (const ProgramSpec& spec : Programs()) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

double CheckValue(const Tensor& value) {
  if (value.dtype() == DType::kInt32) return CheckOf<int32_t>(value);
  if (value.dtype() == DType::kFloat) return CheckOf<float>(value);
  return std::numeric_limits<double>::quiet_NaN();
}

bool ChecksAgree(const std::vector<double>& values, const std::vector<double>& expected,
                 double tolerance) {
  if (values.size() != expected.size()) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    const double allowed = tolerance * std::abs(expected[i]);
    if (!(std::abs(values[i] - expected[i]) <= allowed)) return false;
  }
  return true;
}

}  // namespace tagflow::bench
