#include "conformance/gpu/gpu_programs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

#include "conformance/compare.h"
#include "conformance/gpu/gpu_branch.h"
#include "conformance/gpu/gpu_lstm.h"
#include "conformance/gpu/gpu_product.h"
#include "conformance/gpu/gpu_training.h"
#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"

namespace tagflow::conformance {
namespace {

// i counts from 0 to n on the host, and y begins as x; `body` makes `turned` of y_way:1.
std::string CountedLoop(const std::string& body) {
  return R"(
    n = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    rate = Const() dtype=float value=0
    tenth = Const() dtype=float value=0
    i_in = Enter(zero) T=int32 frame_name=f
    x_in = Enter(x) T=float frame_name=f
    n_in = Enter(n) T=int32 frame_name=f is_constant=true
    zero_in = Enter(zero) T=int32 frame_name=f is_constant=true
    one_in = Enter(one) T=int32 frame_name=f is_constant=true
    rate_in = Enter(rate) T=float frame_name=f is_constant=true
    tenth_in = Enter(tenth) T=float frame_name=f is_constant=true
    i = Merge(i_in, i_next) T=int32
    y = Merge(x_in, y_next) T=float
    less = Less(i, n_in) T=int32
    again = LoopCond(less)
    i_way = Switch(i, again) T=int32
    y_way = Switch(y, again) T=float
    i_sum = AddV2(i_way:1, one_in) T=int32
    i_next = NextIteration(i_sum) T=int32
    y_next = NextIteration(turned) T=float
    out = Exit(y_way:0) T=float
)" + body;
}

// The same, but the GPU counts s, of one element, and has the predicate.
std::string LoopOfGpu(const std::string& body) {
  return R"(
    n = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    start = Const() dtype=float value=0
    step = Const() dtype=float value=0
    rate = Const() dtype=float value=0
    none = Const() dtype=int32 value=0
    limit = Cast(n) SrcT=int32 DstT=float
    s_in = Enter(start) T=float frame_name=f
    x_in = Enter(x) T=float frame_name=f
    limit_in = Enter(limit) T=float frame_name=f is_constant=true
    step_in = Enter(step) T=float frame_name=f is_constant=true
    rate_in = Enter(rate) T=float frame_name=f is_constant=true
    none_in = Enter(none) T=int32 frame_name=f is_constant=true
    s = Merge(s_in, s_next) T=float
    y = Merge(x_in, y_next) T=float
    counted = Reshape(s, none_in) T=float Tshape=int32
    less = Less(counted, limit_in) T=float
    again = LoopCond(less)
    s_way = Switch(s, again) T=float
    y_way = Switch(y, again) T=float
    s_sum = AddV2(s_way:1, step_in) T=float
    s_next = NextIteration(s_sum) T=float
    y_next = NextIteration(turned) T=float
    out = Exit(y_way:0) T=float
)" + body;
}

// By the second half of the iterations.
constexpr char kCondOfGpu[] = R"(
    half = Const() dtype=float value=0
    half_in = Enter(half) T=float frame_name=f is_constant=true
    at = Reshape(s_way:1, none_in) T=float Tshape=int32
    middle = Mul(limit_in, half_in) T=float
    late = Less(middle, at) T=float
    branch = Switch(y_way:1, late) T=float
    scaled = Mul(branch:1, rate_in) T=float
    bent = Tanh(branch:0) T=float
    turned = Merge(bent, scaled) T=float
)";

constexpr char kTurn[] = R"(
    scaled = Mul(y_way:1, rate_in) T=float
    turned = Tanh(scaled) T=float
)";
constexpr char kTurnAndAdd[] = R"(
    scaled = Mul(y_way:1, rate_in) T=float
    bent = Tanh(scaled) T=float
    turned = AddV2(bent, tenth_in) T=float
)";
constexpr char kCond[] = R"(
    two = AddV2(one_in, one_in) T=int32
    rest = FloorMod(i_way:1, two) T=int32
    even = Equal(rest, zero_in) T=int32
    branch = Switch(y_way:1, even) T=float
    scaled = Mul(branch:1, rate_in) T=float
    bent = Tanh(branch:0) T=float
    turned = Merge(bent, scaled) T=float
)";
constexpr int kInner = 50;
std::string InnerLoop() {
  return R"(
    inner = Const() dtype=int32 value=)" +
         std::to_string(kInner) + R"(
    inner_in = Enter(inner) T=int32 frame_name=f is_constant=true
    j_start = Sub(i_way:1, i_way:1) T=int32
    j_in = Enter(j_start) T=int32 frame_name=g
    z_in = Enter(y_way:1) T=float frame_name=g
    inner_g = Enter(inner_in) T=int32 frame_name=g is_constant=true
    one_g = Enter(one_in) T=int32 frame_name=g is_constant=true
    rate_g = Enter(rate_in) T=float frame_name=g is_constant=true
    j = Merge(j_in, j_next) T=int32
    z = Merge(z_in, z_next) T=float
    j_less = Less(j, inner_g) T=int32
    j_again = LoopCond(j_less)
    j_way = Switch(j, j_again) T=int32
    z_way = Switch(z, j_again) T=float
    j_sum = AddV2(j_way:1, one_g) T=int32
    z_scaled = Mul(z_way:1, rate_g) T=float
    z_turned = Tanh(z_scaled) T=float
    j_next = NextIteration(j_sum) T=int32
    z_next = NextIteration(z_turned) T=float
    turned = Exit(z_way:0) T=float
)";
}

// An inner loop whose predicate the GPU has, too.
std::string InnerLoopOfGpu() {
  return R"(
    inner = Const() dtype=float value=)" +
         std::to_string(kInner) + R"(
    inner_in = Enter(inner) T=float frame_name=f is_constant=true
    j_start = Sub(s_way:1, s_way:1) T=float
    j_in = Enter(j_start) T=float frame_name=g
    z_in = Enter(y_way:1) T=float frame_name=g
    inner_g = Enter(inner_in) T=float frame_name=g is_constant=true
    step_g = Enter(step_in) T=float frame_name=g is_constant=true
    rate_g = Enter(rate_in) T=float frame_name=g is_constant=true
    none_g = Enter(none_in) T=int32 frame_name=g is_constant=true
    j = Merge(j_in, j_next) T=float
    z = Merge(z_in, z_next) T=float
    j_counted = Reshape(j, none_g) T=float Tshape=int32
    j_less = Less(j_counted, inner_g) T=float
    j_again = LoopCond(j_less)
    j_way = Switch(j, j_again) T=float
    z_way = Switch(z, j_again) T=float
    j_sum = AddV2(j_way:1, step_g) T=float
    z_scaled = Mul(z_way:1, rate_g) T=float
    z_turned = Tanh(z_scaled) T=float
    j_next = NextIteration(j_sum) T=float
    z_next = NextIteration(z_turned) T=float
    turned = Exit(z_way:0) T=float
)";
}

Tensor Ramp(int64_t count) {
  Tensor x = *Tensor::Allocate(DType::kFloat, Dims{count});
  float* const data = x.mutable_data<float>();
  for (int64_t i = 0; i < count; ++i) {
    data[i] = static_cast<float>(i) / static_cast<float>(count) - 0.5F;
  }
  return x;
}

// Constants that the texts cannot say: there they are 0.
void SetConstants(Graph& graph) {
  const std::pair<const char*, Tensor> constants[] = {
      {"rate", Tensor::Scalar<float>(0.9F)}, {"tenth", Tensor::Scalar<float>(0.1F)},
      {"half", Tensor::Scalar<float>(0.5F)}, {"start", Tensor::Vector<float>({0})},
      {"step", Tensor::Vector<float>({1})},  {"none", *Tensor::Allocate(DType::kInt32, Dims{0})},
  };
  for (const auto& [name, value] : constants) {
    const NodeId id = graph.Find(name);
    if (id != NodeId::kNone) graph.SetAttr(id, "value", value);
  }
}

constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

Result<std::unique_ptr<optimized::Session>> Open(const GpuProgram& program,
                                                 std::vector<std::string> devices,
                                                 optimized::NativeChoice native) {
  optimized::SessionOptions options;
  options.native.choice = native;
  options.devices = std::move(devices);
  options.device_kinds = {optimized::GpuDevices()};
  TAGFLOW_ASSIGN_OR_RETURN(auto session,
                           optimized::Session::Create(program.graph.Clone(), options));
  if (!program.first.empty()) {
    TAGFLOW_RETURN_IF_ERROR(session->Run({}, {}, program.first).status());
  }
  return session;
}

}  // namespace

Result<std::vector<GpuProgram>> GpuPrograms(double scale) {
  constexpr int64_t kIterations = 5000, kSmall = 1000, kLarge = 100'000;
  constexpr int64_t kSteps = 100, kBranchSteps = 1000;
  std::vector<GpuProgram> programs;
  const auto add = [&](const std::string& name, const std::string& text, int64_t elements,
                       int64_t inner) {
    const auto n = static_cast<int32_t>(scale * kIterations) / static_cast<int32_t>(inner);
    TestGraph graph(text, OpRegistry::Standard());
    SetConstants(graph.mutable_graph());
    GpuProgram& program = programs.emplace_back();
    program.name = name;
    program.graph = graph.Take();
    program.feeds = {{"x", Ramp(elements)}, {"n", Tensor::Scalar(n)}};
    program.fetches = {"out"};
    program.iterations = n * inner;
  };
  add("counted on the host", CountedLoop(kTurn), kSmall, 1);
  add("vec100k", CountedLoop(kTurnAndAdd), kLarge, 1);
  add("predicate on the GPU", LoopOfGpu(kTurn), kSmall, 1);
  add("predicate on the GPU, nested", LoopOfGpu(InnerLoopOfGpu()), kSmall, kInner);
  add("predicate on the GPU, with a cond", LoopOfGpu(kCondOfGpu), kSmall, 1);
  add("nested", CountedLoop(InnerLoop()), kSmall, kInner);
  add("with a cond", CountedLoop(kCond), kSmall, 1);
  for (const bool with_gradient : {false, true}) {
    TAGFLOW_ASSIGN_OR_RETURN(
        GpuProgram lstm,
        LstmProgram(std::max<int64_t>(2, static_cast<int64_t>(scale * kSteps)), with_gradient));
    programs.push_back(std::move(lstm));
  }
  TAGFLOW_ASSIGN_OR_RETURN(
      GpuProgram branch,
      BranchProgram(std::max<int64_t>(2, static_cast<int64_t>(scale * kBranchSteps)), kSmall));
  programs.push_back(std::move(branch));
  constexpr double kSize = 4096, kTimes = 50, kLeast = 2;
  const auto scaled = [&](double full) {
    return static_cast<int64_t>(std::max(kLeast, scale * full));
  };
  TAGFLOW_ASSIGN_OR_RETURN(GpuProgram product, ProductProgram(scaled(kSize), scaled(kTimes)));
  programs.push_back(std::move(product));
  constexpr double kBatch = 128;
  TAGFLOW_ASSIGN_OR_RETURN(GpuProgram training, TrainingProgram(scaled(kBatch)));
  programs.push_back(std::move(training));
  return programs;
}

Result<std::unique_ptr<optimized::Session>> OpenOnGpu(const GpuProgram& program,
                                                      optimized::NativeChoice native) {
  return Open(program, {kGpu, kCpu}, native);
}

Result<GpuRun> RunGpuProgram(const GpuProgram& program, GpuWay way, int steps) {
  using optimized::NativeChoice;
  const NativeChoice native = way == GpuWay::kFused ? NativeChoice::kAlways : NativeChoice::kOff;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, way == GpuWay::kHost ? Open(program, {kCpu}, native)
                                                                    : OpenOnGpu(program, native));
  std::vector<std::string> names;
  std::vector<Tensor> feeds;
  for (const auto& [name, value] : program.feeds) {
    names.push_back(name);
    feeds.push_back(value);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto* const callable,
                           session->MakeCallable(names, program.fetches, program.targets));
  GpuRun run = {{}, std::numeric_limits<double>::infinity(), callable->about()};
  for (int i = 0; i < steps; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    TAGFLOW_ASSIGN_OR_RETURN(run.values, callable->Run(feeds));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    run.seconds = std::min(run.seconds, took.count());
  }
  for (const std::string& note : callable->Notes()) run.about += "; " + note;
  return run;
}

std::vector<std::string> TimesOf(const GpuProgram& program) {
  constexpr int kSteps = 4;
  constexpr double kMicroseconds = 1e6;
  std::vector<std::string> lines;
  for (const GpuWay way : {GpuWay::kFused, GpuWay::kOneByOne}) {
    const std::string name = program.name + (way == GpuWay::kFused ? "" : ", each node a kernel");
    const Result<GpuRun> run = RunGpuProgram(program, way, kSteps);
    if (!run.ok()) {
      lines.push_back(name + "\t" + run.status().ToString());
      continue;
    }
    char us[32];
    std::snprintf(us, sizeof(us), "%.3f",
                  run->seconds / double(program.iterations) * kMicroseconds);
    lines.push_back(name + "\t" + us + " us per iteration\t" + run->about);
  }
  return lines;
}

namespace {

// Where what a GPU gave is not what the host gave; empty.
std::string DifferenceOf(const GpuProgram& program, const GpuRun& on_host, const GpuRun& on_gpu) {
  for (size_t i = 0; i < program.fetches.size(); ++i) {
    const std::string difference =
        Difference(on_host.values[i], on_gpu.values[i],
                   {.magnitude_relative = program.error_max, .magnitude = 1});
    if (!difference.empty()) return program.fetches[i] + ": " + difference;
  }
  return "";
}

}  // namespace

SuiteCounts CompareGpuPrograms(double scale) {
  constexpr int kSteps = 4;
  SuiteCounts counts;
  const Result<std::vector<GpuProgram>> programs = GpuPrograms(scale);
  if (!programs.ok()) Note(counts, "programs", "all", programs.status().ToString());
  if (!programs.ok()) return counts;
  for (const GpuProgram& program : *programs) {
    const Result<GpuRun> on_host = RunGpuProgram(program, GpuWay::kHost, kSteps);
    for (const GpuWay way : {GpuWay::kOneByOne, GpuWay::kFused}) {
      const Result<GpuRun> on_gpu = RunGpuProgram(program, way, kSteps);
      const Status status = on_host.ok() ? on_gpu.status() : on_host.status();
      Note(counts, "programs", program.name,
           status.ok() ? DifferenceOf(program, *on_host, *on_gpu) : status.ToString());
    }
  }
  return counts;
}

}  // namespace tagflow::conformance
