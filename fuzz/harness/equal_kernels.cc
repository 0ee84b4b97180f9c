#include "fuzz/harness/equal_kernels.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/compare.h"
#include "fuzz/engines/reference_engine.h"
#include "fuzz/gradient/call_gradients.h"
#include "fuzz/gradient/differentiable_calls.h"
#include "fuzz/graphs/observe.h"
#include "fuzz/graphs/scout.h"
#include "fuzz/graphs/written.h"
#include "fuzz/harness/equal.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "fuzz/kernels/rivals.h"
#include "graph/io/export.h"
#include "graph/io/import.h"

namespace tagflow::fuzz {
namespace {

using Values = Result<std::vector<Tensor>>;

conformance::Bounds BoundsOf(const std::string& op, DType dtype) {
  conformance::Bounds bounds;
  if (!IsFloating(dtype) && !IsComplex(dtype)) return bounds;
  if (op == "Cast") return bounds;  // which rounding it is is all there is to it
  // What is near none is one less what is near one, where that converges.
  if (op == "Betainc") bounds.absolute = 1e-15;
  bounds.ulps = dtype == DType::kHalf || dtype == DType::kBFloat16 ? 2 : 16;
  bounds.relative = dtype == DType::kDouble || dtype == DType::kComplex128 ? 1e-12 : 1e-5;
  return bounds;
}

// Of random numbers that no seed says, and of a graph that cannot be handed to an engine as it is,
// nothing is known.
bool IsKnown(const GraphSample& call) {
  for (const NodeId id : call.graph.NodeIds()) {
    const Node& node = call.graph.node(id);
    const Result<int64_t> seed = IntAttr(node, "seed"), seed2 = IntAttr(node, "seed2");
    if (seed.ok() && seed2.ok() && *seed == 0 && *seed2 == 0) return false;
  }
  const Result<GraphDef> exported = ExportGraph(call.graph);
  return exported.ok() && ImportGraph(*exported).ok();
}

template <typename T>
bool HasSubnormal(const Tensor& tensor) {
  return std::ranges::any_of(tensor.flat<T>(),
                             [](T value) { return std::fpclassify(value) == FP_SUBNORMAL; });
}
// What a sum of it gives, if the op makes sums, the order of additions says, and where kernels cut
// it.
template <typename T>
bool HasHugeAmongMany(const Tensor& tensor) {
  constexpr T kHuge = T{1e15};
  const auto is_huge = [](T value) { return std::isfinite(value) && std::abs(value) > kHuge; };
  return tensor.num_elements() > 3 && std::ranges::any_of(tensor.flat<T>(), is_huge);
}
template <typename C>
bool HasInfinite(const Tensor& tensor) {
  return std::ranges::any_of(tensor.flat<C>(), [](C value) {
    return !std::isfinite(value.real()) || !std::isfinite(value.imag());
  });
}
bool HasInfiniteComplex(const Tensor& tensor) {
  if (tensor.dtype() == DType::kComplex64) return HasInfinite<std::complex<float>>(tensor);
  if (tensor.dtype() == DType::kComplex128) return HasInfinite<std::complex<double>>(tensor);
  return false;
}
// Of ops of two tensors and no attrs; a product of vectors is a sum of two terms.
bool SumsUp(const std::string& op) {
  const OpDef& def = *OpRegistry::Standard().Find(op);
  return def.inputs.size() != 2 || def.attrs.size() != 1 || op == "Cross";
}
bool IsHard(const std::string& op, const Tensor& tensor) {
  const bool sums = SumsUp(op);
  switch (tensor.dtype()) {
    case DType::kFloat:
      return HasSubnormal<float>(tensor) || (sums && HasHugeAmongMany<float>(tensor));
    case DType::kDouble:
      return HasSubnormal<double>(tensor) || (sums && HasHugeAmongMany<double>(tensor));
    default:
      return HasInfiniteComplex(tensor);
  }
}

std::string OpOf(const GraphSample& call) { return call.graph.node(call.graph.Find(kCalled)).op; }

// Of subnormal numbers, inverse functions and derivatives keep few digits or none, and of huge ones
// sums; of infinite complex ones it hangs on the order of operations which parts are numbers.
bool IsPrecise(const GraphSample& call) {
  const std::string op = OpOf(call);
  const bool is_hard = std::ranges::any_of(call.graph.NodeIds(), [&](NodeId id) {
    const std::optional<Tensor> value = FedValue(call, call.graph.node(id));
    return value && IsHard(op, *value);
  });
  return !is_hard && !HasManyFactors(call);
}

// Of two nodes that fail, any may be named. Our engines give an error the code that it has on the
// reference; others have theirs.
Finding CompareErrors(const Status& wanted, const Status& said, bool same_code) {
  const Finding finding = FindingOf(said);
  if (finding.kind != Finding::Kind::kFails || wanted.ok()) return finding;
  const bool is_there = said.message().ends_with("[node " + wanted.node() + "]");
  const std::string code = std::string(CodeName(wanted.code())) + ": ";
  if (!same_code || !is_there || said.message().starts_with(code)) return Finding::Holds();
  return Finding::Fails("the error is " + said.message() + "; on the reference it is " +
                        wanted.ToString());
}

Finding Compare(const GraphSample& call, const Values& wanted, const Values& actual,
                bool same_code) {
  // Our engines can what the others can.
  const bool is_unable = !actual.ok() && actual.status().code() == Code::kUnimplemented;
  if (is_unable && wanted.ok() && same_code) return Finding::Fails(actual.status().ToString());
  if (!actual.ok()) return CompareErrors(wanted.status(), actual.status(), same_code);
  if (!wanted.ok()) {
    return Finding::Fails("values where there must be an error: " + wanted.status().ToString());
  }
  const bool is_precise = IsPrecise(call);
  for (size_t i = 0; i < wanted->size(); ++i) {
    const Tensor& value = (*wanted)[i];
    if (!is_precise && (IsFloating(value.dtype()) || IsComplex(value.dtype()))) continue;
    if (HasInfiniteComplex(value)) continue;  // made of finite ones, it is as they are
    const std::string difference =
        conformance::Difference(value, (*actual)[i], BoundsOf(OpOf(call), value.dtype()));
    if (!difference.empty()) return Finding::Fails(call.fetches[i] + " " + difference);
  }
  return Finding::Holds();
}

// Two ops on one variable that nothing orders, by two handles of one name perhaps.
bool Races(const GraphSample& call) {
  const LittleMemory little(kMemoryOfCalls);
  Observer observer(call);
  for (size_t run = 0; run < call.runs.size(); ++run) {
    if (RacesIn(observer, run, ObserveOptions())) return true;
  }
  return false;
}

// With a node that looks into a variable that the call takes, where it takes one.
constexpr const char* kLook = "look";
std::optional<GraphSample> WithALook(const GraphSample& call) {
  for (const OutputRef input : call.graph.node(call.graph.Find(kCalled)).inputs) {
    const Node& variable = call.graph.node(input.node);
    const bool is_reference = variable.op == "VariableV2";
    if (!is_reference && variable.op != "VarHandleOp") continue;
    GraphSample with = call.Clone();
    const Result<NodeId> look =
        with.graph.AddNode(kLook, is_reference ? "Identity" : "ReadVariableOp");
    const Result<DType> dtype = TypeAttr(variable, "dtype");
    if (!look.ok() || !dtype.ok()) return std::nullopt;
    with.graph.SetAttr(*look, is_reference ? "T" : "dtype", *dtype);
    with.graph.mutable_node(*look).inputs = {input};
    with.fetches = {kLook};
    with.targets.clear();
    return with;
  }
  return std::nullopt;
}

// That a call that is refused leaves the variable as it does on the reference: [op.2].
Finding CompareLeft(const GraphSample& call, const Values& wanted, const Engine& engine,
                    const reference::Rules& rules) {
  const bool is_its_own = !wanted.ok() && wanted.status().node() == kCalled;
  const bool is_alone = call.graph.Find(kRival) == NodeId::kNone;
  const auto with = is_its_own && is_alone ? WithALook(call) : std::nullopt;
  if (!with) return Finding::Holds();
  // Without its other fetches: a node beside the called one may fail, too, and end the step before
  // the variable has its first value.
  GraphCall alone = call.CallOf(0);
  std::erase_if(alone.fetches,
                [](const std::string& fetch) { return !fetch.starts_with(kCalled); });
  const std::vector<GraphCall> calls = {alone, with->CallOf(0)};
  const CallResults left = CallOnReference(*with, calls, rules);
  const std::vector<Values> actual = RunCalls(engine, *with, calls);
  if (left.size() < 2 || actual.size() < 2 || IsBeyondLimits(left[1].status())) {
    return Finding::Holds();
  }
  Finding finding = Compare(*with, left[1], actual[1], engine.capabilities().has_our_codes);
  if (finding.bad()) finding.why = "after a refusal: " + finding.why;
  return finding;
}

Finding Agree(const GraphSample& call, const std::vector<Values>& wanted, const Engine& engine,
              const reference::Rules& rules) {
  if (!IsKnown(call)) return Finding::Holds();
  for (const Values& values : wanted) {
    if (!values.ok() && IsBeyondLimits(values.status())) return Finding::Holds();
  }
  const std::vector<Values> actual = RunCalls(engine, call, call.Calls(wanted.size()));
  for (size_t run = 0; run < wanted.size() && run < actual.size(); ++run) {
    Finding finding = Compare(call, wanted[run], actual[run], engine.capabilities().has_our_codes);
    if (finding.kind == Finding::Kind::kHolds && run == 0) {
      finding = CompareLeft(call, wanted[run], engine, rules);
    }
    if (finding.kind == Finding::Kind::kHolds) continue;
    if (finding.bad() && Races(call)) return Finding::Holds();
    finding.why = OpOf(call) + ": " + finding.why + "\n" + ToText(call);
    return finding;
  }
  return Finding::Holds();
}

// Ops whose kernels an engine may make one with others: not where they are the caller's.
constexpr std::string_view kFusible[] = {"MatMul", "BiasAdd", "Add",   "AddV2",    "AddN", "Neg",
                                         "Abs",    "Relu",    "Split", "ConcatV2", "Mul",  "Sub"};

// That the engine calls kernels of the caller's as often as the reference does, and makes the same
// of them.
Finding CheckOwnKernels(const GraphSample& call, Setting& setting) {
  const Capabilities can = setting.engine->capabilities();
  if (!can.is_in_process || can.is_reference || can.simplifies) return Finding::Holds();
  const LittleMemory little(kMemoryOfCalls);
  const auto run = [&](const Engine& by) {
    return by.RunWithOwnKernels(call.graph.Clone(), call.runs[0], call.fetches, call.targets);
  };
  const Result<OwnKernelRun> wanted = run(StandardReference());
  if (!wanted.ok()) return Finding::Holds();
  Result<OwnKernelRun> found = run(*setting.engine);
  if (!found.ok()) return FindingOf(found.status());
  for (const std::string_view fusible : kFusible) {
    const std::string op(fusible);
    if (wanted->calls.at(op) == found->calls.at(op)) continue;
    return Finding::Fails("the caller's own kernels of " + op + " are called " +
                          std::to_string(found->calls.at(op)) + " times instead of " +
                          std::to_string(wanted->calls.at(op)) + "\n" + ToText(call));
  }
  if (!IsKnown(call)) return Finding::Holds();
  Finding finding = Compare(call, wanted->values, std::move(found->values), true);
  if (finding.bad()) finding.why = "with own kernels: " + finding.why + "\n" + ToText(call);
  return finding;
}

struct Question {
  GraphSample call;
  std::optional<uint32_t> gradient;  // how it is differentiated, if it is
  bool has_own_kernels = false;
  std::optional<uint32_t> written;  // in which way its tensors are written, if they are
};

Question DrawQuestion(Choices& choices) {
  if (!choices.Chance(kSeldom)) {
    GraphSample call = choices.Chance(kSeldom) ? DrawRivals(choices) : DrawKernelCall(choices);
    const bool is_fusible = std::ranges::find(kFusible, OpOf(call)) != std::end(kFusible);
    const bool has_own_kernels = choices.Chance(is_fusible ? kSeldom : kRarely);
    const bool is_written = choices.Chance(kRarely);
    return {std::move(call),
            {},
            has_own_kernels,
            is_written ? std::optional(choices.Below(1 << 16)) : std::nullopt};
  }
  GraphSample call = DrawDifferentiableCall(choices);
  return {std::move(call), choices.Below(1 << 16), false, {}};
}

// Gradients are graphs, which --engine runs; the tape that they are held to is the reference's.
Finding CheckGradient(const Question& question, Setting& setting) {
  if (!IsInProcess(setting)) return Finding::Holds();
  GraphGradientCheck check;
  check.engine = setting.engine;
  Choices choices = Choices::FromSeed(*question.gradient);
  const auto problem = CallGradientsEqualTape(question.call, choices, check);
  return problem.has_value() ? Finding::Fails("gradient: " + *problem) : Finding::Holds();
}

Finding CheckWritten(const Question& question, const Setting& setting) {
  if (!IsOfReference(setting)) return Finding::Holds();
  Choices choices = Choices::FromSeed(*question.written);
  for (const auto& [name, value] : question.call.runs[0]) {
    const Problem problem = IsFilledUp(value, choices);
    if (problem.has_value()) return Finding::Fails("written: " + *problem);
  }
  return Finding::Holds();
}

}  // namespace

Finding CheckCall(const GraphSample& call, Setting& setting) {
  const bool is_of_reference = IsOfReference(setting);
  const std::vector<Values> runs = CallOnReference(call, *setting.rules);
  Problem broken = BrokenPromise(call, runs);
  if (!is_of_reference) {
    return broken ? Finding::Fails(*broken) : Agree(call, runs, *setting.engine, *setting.rules);
  }
  if (!broken) broken = RivalsRace(call, *setting.rules);
  if (broken.has_value()) return Finding::Fails(*broken);
  if (setting.peer == nullptr) return Finding::Holds();
  Finding finding = Agree(call, runs, *setting.peer, *setting.rules);
  if (finding.bad()) finding.why = "another engine: " + finding.why;
  return finding;
}

Finding CheckCalls(Choices& choices, Setting& setting) {
  do {
    const Question question = DrawQuestion(choices);
    Finding finding = CheckCall(question.call, setting);
    if (!finding.bad() && question.gradient) finding = CheckGradient(question, setting);
    if (!finding.bad() && question.has_own_kernels) {
      finding = CheckOwnKernels(question.call, setting);
    }
    if (!finding.bad() && question.written) finding = CheckWritten(question, setting);
    if (finding.bad()) return finding;
  } while (choices.Chance(kNearlyAlways));
  return Finding::Holds();
}

GraphSample LastKernelCall(Choices& choices) {
  GraphSample call;
  do {
    call = DrawQuestion(choices).call;
  } while (choices.Chance(kNearlyAlways));
  return call;
}

}  // namespace tagflow::fuzz
