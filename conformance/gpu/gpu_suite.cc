// gpu_suite checks the GPU device on a machine that has a GPU; the bundle (//tools:gpu_bundle)
// carries it there: gpu_suite [FOLDER], where FOLDER holds conformance/. Prints a line per suite
// and a line per failure, tab-separated, the most telling first; the exit code is 1 where something
// fails.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "conformance/compare.h"
#include "conformance/gpu/gpu_cases.h"
#include "conformance/gpu/ops_on_gpu.h"
#include "conformance/ops/op_script.h"
#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/devices/gpu/kernels/cast_bodies.h"
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

std::string CompareOp(const std::string& op, const std::string& attrs,
                      const std::vector<Tensor>& inputs, int64_t ulps = 0) {
  const Result<Tensor> given = RunOpOn(kGpu, op, attrs, inputs);
  if (!given.ok()) return given.status().ToString();
  const Result<Tensor> wanted = RunOpOn(kCpu, op, attrs, inputs);
  if (!wanted.ok()) return wanted.status().ToString();
  return conformance::Difference(*wanted, *given, {.ulps = ulps});
}

// Bit for bit, but for what the libraries of the host and of CUDA compute, each in its own way.
template <typename F>
std::string CompareKernel(const std::string& op, const std::string& attrs,
                          const std::vector<Tensor>& inputs) {
  constexpr int64_t kUlps = 2;
  return CompareOp(op, attrs, inputs, kCallsLibrary<F> ? kUlps : 0);
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
struct ComparesSamePairs {
  template <typename F, typename C>
  void operator()(const char* op, DType dtype) const {
    constexpr int64_t kCount = 100'003, kShift = 13;  // so that corners meet others
    const Tensor more = Numbers<C>(kCount + kShift);
    Note(counts, "kernels", std::string(op) + AttrsOf(dtype),
         CompareKernel<F>(op, AttrsOf(dtype),
                          {more.SliceOuter(0, kCount), more.SliceOuter(kShift, kCount)}));
  }
  Counts& counts;
};
struct ComparesCasts {
  template <typename F, typename From>
  void operator()(const CastKind& kind) const {
    const std::string attrs = " SrcT=" + DTypeName(kind.from) + " DstT=" + DTypeName(kind.to) +
                              (kind.truncates ? " Truncate=true" : "");
    Note(counts, "kernels", "Cast" + attrs, CompareOp("Cast", attrs, {Numbers<From>(100'003)}));
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

struct Call {
  const char* op;
  std::string attrs;
  std::vector<Tensor> inputs;
};

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// Ops that move elements, or choose among them, with elements of the type T; shapes of odd sizes.
template <typename T>
std::vector<Call> Moves() {
  const std::string type = "T=" + DTypeName(DTypeOf<T>::value);
  const Tensor cube = Numbers<T>(13 * 17 * 19).Reshaped(Dims{13, 17, 19});
  const Tensor plate = Numbers<T>(17 * 19).Reshaped(Dims{17, 19});
  const Tensor conditions = Numbers<bool>(17 * 19).Reshaped(Dims{17, 19});
  const Tensor edges = Ints({1, 2, 0, 3, 4, 0}).Reshaped(Dims{3, 2});
  const std::string slice = type + " Index=int32";
  return {
      {"Transpose", type + " Tperm=int32", {cube, Ints({2, 0, 1})}},
      {"Slice", slice, {cube, Ints({1, 0, 2}), Ints({11, 5, 16})}},
      {"StridedSlice", slice, {cube, Ints({12, 0}), Ints({1, 17}), Ints({-3, 2})}},
      {"ConcatV2", type + " Tidx=int32 N=2", {cube, cube, Int(1)}},
      {"Pack", type + " N=3 axis=1", {plate, plate, plate}},
      {"Split", type + " num_split=1", {Int(1), cube}},
      {"Unpack", type + " num=19 axis=2", {cube}},
      {"Pad", type + " Tpaddings=int32", {cube, edges}},
      {"Tile", type + " Tmultiples=int32", {cube, Ints({2, 1, 3})}},
      {"BroadcastTo", type + " Tidx=int32", {plate, Ints({5, 17, 19})}},
      {"ReverseV2", type + " Tidx=int32", {cube, Ints({0, 2})}},
      {"Fill", type + " index_type=int32", {Ints({123, 45}), Numbers<T>(8).SliceOuter(1, 1)}},
      {"OnesLike", type, {cube}},
      {"ZerosLike", type, {cube}},
      {"SelectV2", type, {conditions, cube, plate}},
      {"Select", type, {conditions, plate, plate}},
  };
}

template <typename T>
std::vector<Call> Sums() {
  const std::string type = "T=" + DTypeName(DTypeOf<T>::value);
  const Tensor x = Numbers<T>(1001), cube = Numbers<T>(5 * 7 * 11).Reshaped(Dims{5, 7, 11});
  return {
      {"AddN", type + " N=10", std::vector<Tensor>(10, x)},
      {"BiasAdd", type, {cube, Numbers<T>(11)}},
      {"BiasAdd", type + " data_format=NCHW", {cube, Numbers<T>(8).SliceOuter(1, 7)}},
  };
}

void CompareCalls(const std::vector<Call>& calls, Counts& counts) {
  for (const auto& [op, attrs, inputs] : calls) {
    Note(counts, "kernels", std::string(op) + " " + attrs, CompareOp(op, attrs, inputs));
  }
}

Counts Kernels() {
  Counts counts;
  CompareCalls(Moves<bool>(), counts);
  CompareCalls(Moves<float>(), counts);
  CompareCalls(Moves<int64_t>(), counts);
  CompareCalls(Sums<float>(), counts);
  CompareCalls(Sums<int32_t>(), counts);
  ForEachCastKernel(ComparesCasts{counts});
  ForEachPairKernel(ComparesPairs{counts});
  ForEachSamePairKernel(ComparesSamePairs{counts});
  ForEachMapKernel(ComparesMaps{counts});
  return counts;
}

Counts Cases(const std::string& folder) {
  Counts counts;
  const auto results = conformance::RunCasesOnGpu(folder + "/conformance/cases",
                                                  folder + "/conformance/gpu/over_devices.txt");
  if (!results.ok()) {
    Note(counts, "cases", "all", results.status().ToString());
    return counts;
  }
  for (const auto& result : *results) {
    Note(counts, "cases", result.name, IsBad(result) ? result.why + " " : "");
  }
  return counts;
}

// Each test of the op scripts that calls an op of the GPU.
Counts Ops(const std::string& folder) {
  Counts counts;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder + "/conformance/ops", error)) {
    if (entry.path().extension() != ".ops") continue;
    std::ifstream stream(entry.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto scripts = conformance::ReadOpScripts(text);
    if (!scripts.ok()) Note(counts, "ops", entry.path(), scripts.status().ToString());
    if (!scripts.ok()) continue;
    for (const conformance::OpScript& script : *scripts) {
      if (std::ranges::none_of(CalledOps(script), conformance::IsOpOfGpu)) continue;
      std::string why;
      for (const auto& failure : RunOpScript(script, conformance::OpsOnGpu())) {
        why += "line " + std::to_string(failure.line) + ": " + failure.message + " ";
      }
      Note(counts, "ops", script.name, why);
    }
  }
  if (counts.passed + counts.failed == 0) Note(counts, "ops", "all", "there are no scripts");
  return counts;
}

// ---- Times ----

// Prints how long a step takes that adds two vectors, with the copies to the GPU and back.
void TimeSteps(int64_t count) {
  TestGraph graph("x = Placeholder() dtype=float\nout = AddV2(x, x) T=float",
                  OpRegistry::Standard());
  SessionOptions options;
  options.devices = {kGpu};
  options.device_kinds = {GpuDevices()};
  const auto session = Session::Create(graph.Take(), options);
  if (!session.ok()) return;
  const Tensor x = Numbers<float>(count);
  constexpr int kSteps = 200;
  (void)(*session)->Run({{"x", x}}, {"out"}, {}, {});
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kSteps; ++i) (void)(*session)->Run({{"x", x}}, {"out"}, {}, {});
  std::printf("TIME\tstep of AddV2, copies and all\tfloat[%lld]\t%.1f us\n",
              static_cast<long long>(count), SecondsSince(begin) / kSteps * 1e6);
}

int RunAll(const std::string& folder) {
  if (CountGpus() == 0) {
    std::printf("SKIPPED: no device\t3 suites: kernels, ops, cases\n");
    return 0;
  }
  auto begin = std::chrono::steady_clock::now();
  const Counts kernels = Kernels();
  Print("kernels", kernels, begin);
  begin = std::chrono::steady_clock::now();
  const Counts ops = Ops(folder);
  Print("ops", ops, begin);
  begin = std::chrono::steady_clock::now();
  const Counts cases = Cases(folder);
  Print("cases", cases, begin);
  for (const int64_t count : {1000, 1'000'000}) TimeSteps(count);
  return kernels.failed + ops.failed + cases.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) { return tagflow::optimized::RunAll(argc > 1 ? argv[1] : "."); }
