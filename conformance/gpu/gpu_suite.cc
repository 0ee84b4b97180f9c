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

Counts Kernels() {
  Counts counts;
  ForEachPairKernel(ComparesPairs{counts});
  ForEachMapKernel(ComparesMaps{counts});
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
