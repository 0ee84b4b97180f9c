// gpu_suite checks the GPU device on a machine that has a GPU; the bundle (//tools:gpu_bundle)
// carries it there: gpu_suite [FOLDER], where FOLDER holds conformance/. Prints a line per suite
// and a line per failure, tab-separated, the most telling first; the exit code is 1 where something
// fails.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "conformance/compare.h"
#include "conformance/gpu/gpu_cases.h"
#include "conformance/gpu/gpu_programs.h"
#include "graph/op_def.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/devices/gpu/kernels/elementwise_bodies.h"
#include "optimized/devices/gpu/kernels/product_bodies.h"
#include "optimized/devices/gpu/kernels/reduction_bodies.h"
#include "optimized/devices/gpu/kernels/softmax_bodies.h"
#include "optimized/devices/gpu/op_on_device.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

struct Counts {
  int passed = 0;
  int failed = 0;
};

void Note(Counts& counts, const char* suite, const std::string& name, const std::string& why) {
  ++(why.empty() ? counts.passed : counts.failed);
  if (!why.empty()) std::printf("FAIL\t%s\t%s\t%s\n", suite, name.c_str(), why.c_str());
}

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Print(const char* suite, const Counts& counts, std::chrono::steady_clock::time_point begin) {
  std::printf("%s\t%s\t%d passed, %d failed\t%.1f s\n", counts.failed == 0 ? "PASS" : "FAIL", suite,
              counts.passed, counts.failed, SecondsSince(begin));
  std::fflush(stdout);
}

// ---- Kernels: on the GPU, and on the CPU ----

template <typename T>
Tensor Numbers(int64_t count) {
  using Limits = std::numeric_limits<T>;
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, Dims{count});
  T* const out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      out[i] = i % 3 == 0;
    } else {
      out[i] = static_cast<T>((i * 7919 % 2001 - 1000) / T(std::is_integral_v<T> ? 1 : 8));
    }
  }
  if constexpr (!std::is_same_v<T, bool>) {
    const T corners[] = {0,
                         T(-1),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::min(),
                         Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::denorm_min()};
    std::ranges::copy(corners, out);
  }
  return tensor;
}

// Bit for bit, but for what the libraries of the host and of CUDA compute, each in its own way.
template <typename F>
std::string CompareKernel(const std::string& op, const std::string& attrs,
                          const std::vector<Tensor>& inputs) {
  const Result<Tensor> given = RunOpOn(kGpu, op, attrs, inputs);
  if (!given.ok()) return given.status().ToString();
  const Result<Tensor> wanted = RunOpOn(kCpu, op, attrs, inputs);
  if (!wanted.ok()) return wanted.status().ToString();
  return conformance::Difference(*wanted, *given, {.ulps = kCallsLibrary<F> ? 2 : 0});
}

std::string AttrsOf(DType dtype) {
  return dtype == DType::kInvalid ? "" : " T=" + DTypeName(dtype);
}

struct ComparesPairs {
  template <typename F, typename C>
  void operator()(const char* op, DType dtype) const {
    const Tensor matrix = Numbers<C>(3000).Reshaped(Dims{3, 1000});
    Note(counts, "kernels", std::string(op) + AttrsOf(dtype),
         CompareKernel<F>(op, AttrsOf(dtype), {matrix, Numbers<C>(1000)}));
  }
  Counts& counts;
};
struct ComparesMaps {
  template <typename F, typename C>
  void operator()(const char* op, DType dtype) const {
    Note(counts, "kernels", std::string(op) + AttrsOf(dtype),
         CompareKernel<F>(op, AttrsOf(dtype), {Numbers<C>(100'003)}));
  }
  Counts& counts;
};

// As [number.1] compares sums and products: the GPU adds in another order.
template <typename T>
conformance::Bounds BoundsOfTerms(double terms) {
  if (std::is_integral_v<T>) return {};
  constexpr double kEpsilons = 8, kMagnitudeMax = 4;  // of a term of TameNumbers
  return {.magnitude_relative = kEpsilons * std::numeric_limits<T>::epsilon(),
          .magnitude = kMagnitudeMax * terms};
}

// Eighths between -2 and 2, integers between -16 and 16.
template <typename T>
Tensor TameNumbers(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  T* const out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    out[i] = static_cast<T>(i * 7919 % 33 - 16) / T(std::is_integral_v<T> ? 1 : 8);
  }
  return tensor;
}

// Whose product is neither 0 nor infinite, but wraps.
template <typename T>
Tensor NumbersNearOne(const Dims& dims) {
  constexpr double kNear = 0x1p-16;
  Tensor tensor = TameNumbers<T>(dims);
  for (T& x : tensor.mutable_flat<T>()) {
    x = std::is_integral_v<T> ? T(2 * x + 1) : static_cast<T>(1 + kNear * static_cast<double>(x));
  }
  return tensor;
}

std::string CompareOp(const std::string& op, const std::string& attrs,
                      const std::vector<Tensor>& inputs, const conformance::Bounds& bounds,
                      int output = 0) {
  const Result<Tensor> given = RunOpOn(kGpu, op, attrs, inputs, output);
  if (!given.ok()) return given.status().ToString();
  const Result<Tensor> again = RunOpOn(kGpu, op, attrs, inputs, output);
  if (!again.ok()) return again.status().ToString();
  if (!BitwiseEqual(*given, *again)) return "gives other bits the second time";
  const Result<Tensor> wanted = RunOpOn(kCpu, op, attrs, inputs, output);
  if (!wanted.ok()) return wanted.status().ToString();
  return conformance::Difference(*wanted, *given, bounds);
}

struct ComparesReductions {
  template <typename F>
  void operator()(const std::string& op, DType dtype) const {
    using C = typename F::Element;
    const bool has_axes = op != "L2Loss" && op != "BiasAddGrad";
    const Dims dims = {kRows, kColumns};
    const Tensor x = op == "Prod" ? NumbersNearOne<C>(dims) : TameNumbers<C>(dims);
    for (const std::vector<int32_t>& axes : kAxes) {
      if (!has_axes && axes.size() != 1) continue;
      std::vector<Tensor> inputs = {x};
      if (has_axes) inputs.push_back(Tensor::Vector<int32_t>(axes));
      Note(counts, "kernels", op + AttrsOf(dtype),
           CompareOp(op, AttrsOf(dtype), inputs, BoundsFor<C>(op)));
    }
  }
  template <typename C>
  static conformance::Bounds BoundsFor(const std::string& op) {
    if (op == "Max" || op == "Min") return {};
    if (op != "Prod" || std::is_integral_v<C>) return BoundsOfTerms<C>(kRows * kColumns);
    return {.relative = std::numeric_limits<C>::epsilon() * kRows * kColumns};
  }
  static constexpr int64_t kRows = 300, kColumns = 1001;
  static inline const std::vector<std::vector<int32_t>> kAxes = {{0}, {1}, {0, 1}};
  Counts& counts;
};

struct ComparesArgBest {
  template <typename F>
  void operator()(const std::string& op, DType dtype, DType index) const {
    constexpr int64_t kRows = 300, kColumns = 1001;
    const Tensor x = TameNumbers<typename F::Element>({kRows, kColumns});
    const std::string attrs = AttrsOf(dtype) + " output_type=" + DTypeName(index);
    for (const int32_t axis : {0, 1}) {
      Note(counts, "kernels", op + attrs,
           CompareOp(op, attrs, {x, Tensor::Scalar<int32_t>(axis)}, {}));
    }
  }
  Counts& counts;
};

// By cuBLAS, where it is found, else by a kernel of our own.
struct ComparesProducts {
  template <typename C>
  void operator()(const std::string& op, DType dtype) const {
    constexpr int64_t kRows = 70, kInner = 300, kColumns = 50, kBatch = 3;
    const Dims batch = op == "MatMul" ? Dims{} : Dims{kBatch};
    for (const bool a_is_transposed : {false, true}) {
      for (const bool b_is_transposed : {false, true}) {
        const Tensor a = Factor<C>(batch, kRows, kInner, a_is_transposed);
        const Tensor b = Factor<C>(batch, kInner, kColumns, b_is_transposed);
        const std::string attrs =
            AttrsOf(dtype) + Attr(op, 0, a_is_transposed) + Attr(op, 1, b_is_transposed);
        Note(counts, "kernels", op + attrs, CompareOp(op, attrs, {a, b}, BoundsOfTerms<C>(kInner)));
      }
    }
  }
  template <typename C>
  static Tensor Factor(Dims dims, int64_t rows, int64_t columns, bool is_transposed) {
    if (is_transposed) std::swap(rows, columns);
    dims.insert(dims.end(), {rows, columns});
    return TameNumbers<C>(dims);
  }
  static std::string Attr(const std::string& op, int factor, bool value) {
    constexpr const char* kNames[][2] = {{" transpose_a", " transpose_b"}, {" adj_x", " adj_y"}};
    return std::string(kNames[op == "MatMul" ? 0 : 1][factor]) + (value ? "=true" : "=false");
  }
  Counts& counts;
};

struct ComparesSoftmax {
  template <typename Passes>
  void operator()(const std::string& op, DType dtype) const {
    if (dtype == DType::kFloat) return Compare<float>(op, dtype);
    Compare<double>(op, dtype);
  }
  template <typename C>
  void Compare(const std::string& op, DType dtype) const {
    constexpr int64_t kRows = 100, kClasses = 1001;
    std::vector<Tensor> inputs(1, TameNumbers<C>({kRows, kClasses}));
    const bool is_loss = op == "SoftmaxCrossEntropyWithLogits";
    if (is_loss) inputs.push_back(TameNumbers<C>({kClasses}));
    for (int output = 0; output < (is_loss ? 2 : 1); ++output) {
      Note(counts, "kernels", op + AttrsOf(dtype),
           CompareOp(op, AttrsOf(dtype), inputs, BoundsOfTerms<C>(kClasses), output));
    }
  }
  Counts& counts;
};

Counts Kernels() {
  Counts counts;
  ForEachPairKernel(ComparesPairs{counts});
  ForEachMapKernel(ComparesMaps{counts});
  ForEachReduction(ComparesReductions{counts});
  ForEachArgBest(ComparesArgBest{counts});
  ForEachProduct(ComparesProducts{counts});
  ForEachSoftmax(ComparesSoftmax{counts});
  return counts;
}

Counts Cases(const std::string& folder, ExecutorChoice executor) {
  Counts counts;
  const auto results = conformance::RunCasesOnGpu(folder, executor);
  if (!results.ok()) {
    Note(counts, "cases", "all", results.status().ToString());
    return counts;
  }
  for (const auto& result : *results) {
    const bool is_unrun = result.verdict == conformance::Verdict::kUnsupported;
    Note(counts, "cases", result.name, IsBad(result) || is_unrun ? result.why + " " : "");
  }
  return counts;
}

int RunAll(const std::string& folder) {
  if (CountGpus() == 0) {
    std::printf("SKIPPED: no device\t3 suites: kernels, cases in order, cases by tokens\n");
    return 0;
  }
  auto begin = std::chrono::steady_clock::now();
  const Counts kernels = Kernels();
  Print("kernels", kernels, begin);
  int failed = kernels.failed;
  for (const auto& [executor, name] : {std::pair(ExecutorChoice::kAuto, "cases in order"),
                                       std::pair(ExecutorChoice::kTokens, "cases by tokens")}) {
    begin = std::chrono::steady_clock::now();
    const Counts cases = Cases(folder, executor);
    Print(name, cases, begin);
    failed += cases.failed;
  }
  for (const std::string& line : conformance::TimeGpuPrograms())
    std::printf("TIME\t%s\n", line.c_str());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) { return tagflow::optimized::RunAll(argc > 1 ? argv[1] : "."); }
