#include "conformance/gpu/planted_faults.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "conformance/gpu/child.h"
#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"

namespace tagflow::conformance {
namespace {

using optimized::BoundKernel;
using optimized::Callable;
using optimized::ExecutorChoice;
using optimized::GpuOptions;
using optimized::KernelContext;
using optimized::KernelRegistry;
using optimized::Session;
using optimized::SessionOptions;

constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

// ---- Sessions ----

SessionOptions OverGpu(const GpuOptions& gpu = {}) {
  SessionOptions options;
  options.devices = {kGpu, kCpu};
  options.device_kinds = {optimized::GpuDevices(gpu)};
  return options;
}

Result<std::unique_ptr<Session>> OpenText(const std::string& text, const SessionOptions& options,
                                          const OpRegistry& ops = OpRegistry::Standard()) {
  return Session::Create(TestGraph(text, ops).Take(), options);
}

// y = x + x, on the first device.
Result<std::unique_ptr<Session>> OpenTwice(const SessionOptions& options) {
  return OpenText("x = Placeholder() dtype=float\ny = AddV2(x, x) T=float", options);
}

Result<std::vector<Tensor>> Twice(Session& session, size_t count) {
  return session.Run({{"x", Tensor::Vector(std::vector<float>(count, 3))}}, {"y"});
}

// ---- What must follow, or an error that says what does ----

Status Gives(const Result<std::vector<Tensor>>& values, const Tensor& wanted) {
  TAGFLOW_RETURN_IF_ERROR(values.status());
  if (BitwiseEqual((*values)[0], wanted)) return Status();
  return Internal((*values)[0].DebugString() + " in place of " + wanted.DebugString());
}

Status GivesTwice(Session& session, size_t count) {
  return Gives(Twice(session, count), Tensor::Vector(std::vector<float>(count, 6)));
}

Status Says(const std::string& who, const Status& status, Code code, const std::string& words) {
  const bool has_words = status.ToString().find(words) != std::string::npos;
  if (status.code() == code && has_words) return Status();
  return Internal(who + " says '" + status.ToString() + "'");
}

Status SaysLost(const std::string& who, const Status& status) {
  return Says(who, status, Code::kUnavailable, "this process has lost its GPU: start it anew");
}

// ---- The faults ----

// An op of the suite's own that loses the GPU.
class BadOp {
 public:
  // notices: whether the loss is noticed before the next kernel wants memory, or perhaps later;
  // that kernel wants more than has been freed
  BadOp(const BadWrite& write_badly, bool notices) {
    TAGFLOW_CHECK(RegisterStandardOps(ops_).ok());
    TAGFLOW_CHECK(RegisterStandardKernels(kernels_).ok());
    const auto op = OpDefBuilder("Test>WriteBadly").Input("x: float").Output("y: float");
    TAGFLOW_CHECK(ops_.Register(op).ok());
    const auto bind = [=](const optimized::Binding&) -> Result<BoundKernel> {
      return BoundKernel([=](KernelContext& context) -> Status {
        TAGFLOW_ASSIGN_OR_RETURN(
            context.output(0), Tensor::AllocateUninitialized(DType::kFloat, context.input(0).dims(),
                                                             context.stream()->memory()));
        const Status enqueued = write_badly(*context.stream());
        if (notices) (void)context.stream()->Record()->Await();
        return enqueued;
      });
    };
    TAGFLOW_CHECK(kernels_.RegisterFor({"Test>WriteBadly", "GPU"}, {.bind = bind}).ok());
  }

  Result<std::unique_ptr<Session>> Open(ExecutorChoice executor) const {
    SessionOptions options = OverGpu();
    options.executor = executor;
    options.kernels = &kernels_;
    return OpenText(R"(
      x = Placeholder() dtype=float
      bad = Test>WriteBadly(x)
      axis = Const() dtype=int32 value=0
      y = ConcatV2(bad, bad, axis) T=float N=2 Tidx=int32
    )",
                    options, ops_);
  }

 private:
  OpRegistry ops_;
  KernelRegistry kernels_;
};

Status LosesTheGpu(const BadWrite& write_badly, ExecutorChoice executor, bool notices) {
  constexpr size_t kCount = 1000;
  const BadOp bad_op(write_badly, notices);
  TAGFLOW_ASSIGN_OR_RETURN(const auto bad, bad_op.Open(executor));
  TAGFLOW_ASSIGN_OR_RETURN(const auto beside, OpenTwice(OverGpu()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto on_host, OpenTwice({}));
  TAGFLOW_RETURN_IF_ERROR(GivesTwice(*beside, kCount));
  TAGFLOW_RETURN_IF_ERROR(SaysLost("the step", Twice(*bad, kCount).status()));
  for (int i = 0; i < 3; ++i) {
    TAGFLOW_RETURN_IF_ERROR(GivesTwice(*on_host, kCount));
    TAGFLOW_RETURN_IF_ERROR(SaysLost("the next step", Twice(*bad, kCount).status()));
    TAGFLOW_RETURN_IF_ERROR(SaysLost("a session beside it", Twice(*beside, kCount).status()));
    TAGFLOW_RETURN_IF_ERROR(SaysLost("a new session", OpenTwice(OverGpu()).status()));
  }
  return Status();
}

Status IllegalAddress(const BadWrite& write_badly) {
  return LosesTheGpu(write_badly, ExecutorChoice::kAuto, /*notices=*/false);
}
Status IllegalAddressNoticed(const BadWrite& write_badly) {
  return LosesTheGpu(write_badly, ExecutorChoice::kAuto, /*notices=*/true);
}
Status IllegalAddressByTokens(const BadWrite& write_badly) {
  return LosesTheGpu(write_badly, ExecutorChoice::kTokens, /*notices=*/false);
}
Status IllegalAddressByTokensNoticed(const BadWrite& write_badly) {
  return LosesTheGpu(write_badly, ExecutorChoice::kTokens, /*notices=*/true);
}

Status OutOfMemory(const BadWrite&) {
  constexpr size_t kLimit = 1 << 20, kFits = 1000;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, OpenTwice(OverGpu({.memory_bytes = kLimit})));
  for (int i = 0; i < 3; ++i) {
    const Status status = Twice(*session, kLimit).status();
    TAGFLOW_RETURN_IF_ERROR(Says("a step", status, Code::kResourceExhausted, kGpu));
    TAGFLOW_RETURN_IF_ERROR(GivesTwice(*session, kFits));
  }
  return Status();
}

// A step asks a GPU without a limit for more than any has.
Status OutOfAllMemory(const BadWrite&) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, OpenText(R"(
    dims = Placeholder() dtype=int64
    one = Const() dtype=float value=1
    axes = Placeholder() dtype=int32
    ones = Fill(dims, one) T=float index_type=int64
    y = Sum(ones, axes) T=float Tidx=int32
  )",
                                                        OverGpu()));
  const auto sum = [&](int64_t count) {
    return session->Run(
        {{"dims", Tensor::Vector<int64_t>({count, 1})}, {"axes", Tensor::Vector<int32_t>({0})}},
        {"y"});
  };
  constexpr int64_t kTooMany = int64_t{1} << 44, kFits = 1000;
  for (int i = 0; i < 3; ++i) {
    const Status status = sum(kTooMany).status();
    TAGFLOW_RETURN_IF_ERROR(Says("a step", status, Code::kResourceExhausted, "ones"));
    TAGFLOW_RETURN_IF_ERROR(Gives(sum(kFits), Tensor::Vector<float>({kFits})));
  }
  return Status();
}

// The child was started with no GPU to be seen.
Status HiddenDevices(const BadWrite&) {
  constexpr size_t kCount = 1000;
  SessionOptions options = OverGpu();
  TAGFLOW_RETURN_IF_ERROR(Says("opening it", OpenTwice(options).status(), Code::kFailedPrecondition,
                               "this machine has no NVIDIA GPU"));
  options.spread.soft = true;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, OpenTwice(options));
  return GivesTwice(*session, kCount);
}

// Adds table[at] to y, and 1 to at, until y is as large as the limit; the GPU has the predicate.
constexpr char kGathering[] = R"(
  y0 = Placeholder() dtype=float
  at0 = Placeholder() dtype=int32
  table = Placeholder() dtype=float
  limit = Placeholder() dtype=float
  axes = Placeholder() dtype=int32
  next = Placeholder() dtype=int32
  axis = Const() dtype=int32 value=0
  y_in = Enter(y0) T=float frame_name=f
  at_in = Enter(at0) T=int32 frame_name=f
  table_in = Enter(table) T=float frame_name=f is_constant=true
  limit_in = Enter(limit) T=float frame_name=f is_constant=true
  axes_in = Enter(axes) T=int32 frame_name=f is_constant=true
  next_in = Enter(next) T=int32 frame_name=f is_constant=true
  axis_in = Enter(axis) T=int32 frame_name=f is_constant=true
  y = Merge(y_in, y_next) T=float
  at = Merge(at_in, at_next) T=int32
  sum = Sum(y, axes_in) T=float Tidx=int32
  below = Less(sum, limit_in) T=float
  again = LoopCond(below)
  y_way = Switch(y, again) T=float
  at_way = Switch(at, again) T=int32
  row = GatherV2(table_in, at_way:1, axis_in) Tparams=float Tindices=int32 Taxis=int32
  y_sum = AddV2(y_way:1, row) T=float
  at_sum = AddV2(at_way:1, next_in) T=int32
  y_next = NextIteration(y_sum) T=float
  at_next = NextIteration(at_sum) T=int32
  out = Exit(y_way:0) T=float
)";

Status IndexOutside(const BadWrite&) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, OpenText(kGathering, OverGpu()));
  TAGFLOW_ASSIGN_OR_RETURN(
      const Callable* const callable,
      session->MakeCallable({"y0", "at0", "table", "limit", "axes", "next"}, {"out"}));
  constexpr size_t kRows = 5000;
  const auto sum_up_to = [&](float limit) {
    return callable->Run({Tensor::Vector<float>({0}), Tensor::Vector<int32_t>({0}),
                          Tensor::Vector(std::vector<float>(kRows, 1)), Tensor::Scalar(limit),
                          Tensor::Vector<int32_t>({0}), Tensor::Vector<int32_t>({1})});
  };
  constexpr float kInside = 4000, kOutside = 6000;
  for (int i = 0; i < 3; ++i) {
    TAGFLOW_RETURN_IF_ERROR(Gives(sum_up_to(kInside), Tensor::Vector<float>({kInside})));
    const Status status = sum_up_to(kOutside).status();
    TAGFLOW_RETURN_IF_ERROR(Says("a step", status, Code::kInvalidArgument, "not in [0, 5000)"));
    TAGFLOW_RETURN_IF_ERROR(Says("a step", status, Code::kInvalidArgument, "row, tag f[5000]"));
  }
  const std::vector<std::string> notes = callable->Notes();
  const bool is_by_gpu =
      std::ranges::count(notes, "the loop of 'again' runs without the host") == 1;
  return is_by_gpu ? Status() : Internal("the loop is the host's");
}

struct Fault {
  const char* name;
  Status (*plant)(const BadWrite& write_badly);
  std::vector<std::string> variables = {};  // that the process is started with
};

const std::vector<Fault>& Faults() {
  static const std::vector<Fault> faults = {
      {"illegal_address", IllegalAddress},
      {"illegal_address_noticed", IllegalAddressNoticed},
      {"illegal_address_by_tokens", IllegalAddressByTokens},
      {"illegal_address_by_tokens_noticed", IllegalAddressByTokensNoticed},
      {"out_of_memory", OutOfMemory},
      {"out_of_all_memory", OutOfAllMemory},
      {"hidden_devices", HiddenDevices, {"CUDA_VISIBLE_DEVICES="}},
      {"index_outside", IndexOutside},
  };
  return faults;
}

// How the child of a fault failed; nothing where it did not.
std::string PlantInChild(const std::string& program, const Fault& fault,
                         std::chrono::seconds limit) {
  const Result<ChildEnd> ended = RunChild({program, "fault", fault.name}, fault.variables, limit);
  if (!ended.ok()) return ended.status().ToString();
  if (ended->why.empty()) return "";
  std::string output = ended->output;
  std::ranges::replace(output, '\n', ' ');
  return ended->why + ": " + output;
}

}  // namespace

int PlantFault(const std::string& name, const BadWrite& write_badly) {
  const auto fault = std::ranges::find(Faults(), name, &Fault::name);
  const Status status =
      fault == Faults().end() ? NotFound("there is no such fault") : fault->plant(write_badly);
  if (!status.ok()) std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

SuiteCounts PlantFaults(const std::string& program, std::chrono::seconds limit) {
  SuiteCounts counts;
  for (const Fault& fault : Faults()) {
    Note(counts, "planted faults", fault.name, PlantInChild(program, fault, limit));
  }
  return counts;
}

}  // namespace tagflow::conformance
