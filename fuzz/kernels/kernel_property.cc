#include "fuzz/kernels/kernel_property.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/lenient.h"
#include "fuzz/kernels/naive_einsum.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/rounding.h"
#include "graph/control_ops.h"
#include "graph/rounding.h"
#include "graph/shape_inference.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

constexpr double kMostSeconds = 5;
constexpr int64_t kMostFirings = 1000;

using Shapes = std::vector<std::vector<PartialShape>>;

// Whether it is one of the nodes for which TensorFlow has this code, though it is the graph that is
// wrong: those that take what other ops made, and find it empty or of another kind. Such are the
// Pop of an empty stack and the sum of a list and an optional.
bool MayBeInternal(const GraphSample& sample, const std::string& node) {
  const NodeId id = sample.graph.Find(node);
  if (id == NodeId::kNone) return false;
  const Result<Signature> signature = ResolveSignature(sample.graph.node(id));
  return signature.ok() &&
         std::ranges::any_of(signature->inputs, [](const ArgType& type) { return IsMade(type); });
}

// What is wrong with an error.
Problem Unfit(const GraphSample& sample, const Status& status) {
  const bool is_internal =
      status.code() == Code::kInternal && !MayBeInternal(sample, status.node());
  if (is_internal || status.code() == Code::kUnknown) {
    return "an error that blames the engine: " + status.ToString();
  }
  if (status.code() == Code::kDeadlineExceeded) return "takes too long: " + status.ToString();
  if (status.node().empty()) return "an error that names no node: " + status.ToString();
  if (status.message().empty()) return "an error without a word: " + status.ToString();
  return std::nullopt;
}

// What is wrong with the values that were fetched.
Problem Unfit(const GraphSample& sample, const std::vector<Tensor>& values,
              const Result<Shapes>& shapes) {
  if (!shapes.ok()) {
    // What lies in a branch need not have run.
    if (HasBranch(sample.graph) || MayBeLenient(sample)) return std::nullopt;
    return "computes, and its shape function refuses it: " + shapes.status().ToString();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const OutputRef from = *FindOutput(sample.graph, sample.fetches[i]);
    const Result<Signature> signature = ResolveSignature(sample.graph.node(from.node));
    const DType dtype = signature->outputs[static_cast<size_t>(from.index)].dtype;
    if (values[i].dtype() != dtype) {
      return sample.fetches[i] + " is " + DTypeName(values[i].dtype()) + ", not " +
             DTypeName(dtype);
    }
    const auto& claims = (*shapes)[static_cast<size_t>(from.node)];
    const PartialShape& claim = claims[static_cast<size_t>(from.index)];
    if (!claim.Accepts(values[i].dims())) {
      return sample.fetches[i] + " has shape " + DimsString(values[i].dims()) +
             ", its shape function says " + claim.ToString();
    }
  }
  return std::nullopt;
}

// What is wrong with how the call itself rounds, if it is one that does nothing else.
Problem RoundsOtherwise(const GraphSample& sample, const std::vector<Tensor>& values) {
  const Node& called = sample.graph.node(sample.graph.Find(kCalled));
  const Result<bool> cuts_off = BoolAttr(called, "Truncate");
  if (!IsConversion(CalledOp(sample)) || called.inputs.size() != 1 ||
      (cuts_off.ok() && *cuts_off)) {
    return std::nullopt;
  }
  const std::optional<Tensor> from = FedValue(sample, sample.graph.node(called.inputs[0].node));
  if (!from || from->dtype() != DType::kFloat) return std::nullopt;
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor& to = values[i];
    const bool is_short = to.dtype() == DType::kHalf || to.dtype() == DType::kBFloat16;
    if (sample.fetches[i] != kCalled || !is_short || AreNearest(*from, to)) continue;
    return from->DebugString() + " is rounded to " + to.DebugString();
  }
  return std::nullopt;
}

template <typename T>
bool AreFinite(const Tensor& tensor) {
  return std::ranges::all_of(tensor.flat<T>(), [](T value) { return std::isfinite(value); });
}

// What the called Einsum must give; nothing where it is no Einsum, or not known. Of no terms at all
// the sum is zero, unless kernels first add up what only one input has, and that is no number.
std::optional<NaiveSums> SumsOf(const GraphSample& sample) {
  const Node& called = sample.graph.node(sample.graph.Find(kCalled));
  if (called.op != "Einsum" || !ResolveSignature(called).ok() || HasBranch(sample.graph)) {
    return std::nullopt;
  }
  const Result<DType> dtype = TypeAttr(called, "T");
  if (!dtype.ok() || (*dtype != DType::kFloat && *dtype != DType::kDouble)) return std::nullopt;
  std::vector<Tensor> inputs;
  bool are_finite = true, is_empty = false;
  for (const OutputRef& input : called.inputs) {
    const std::optional<Tensor> value = FedValue(sample, sample.graph.node(input.node));
    if (!value || value->dtype() != *dtype) return std::nullopt;
    are_finite &= *dtype == DType::kFloat ? AreFinite<float>(*value) : AreFinite<double>(*value);
    is_empty |= value->num_elements() == 0;
    inputs.push_back(*value);
  }
  if (is_empty && !are_finite) return std::nullopt;
  return NaiveEinsum(*StringAttr(called, "equation"), inputs);
}

// What is wrong with sums of products.
Problem AddsUpOtherwise(const GraphSample& sample, const NaiveSums& sums,
                        const Result<std::vector<Tensor>>& results) {
  if (!results.ok()) {
    const bool refuses =
        results.status().node() == kCalled && results.status().code() == Code::kInvalidArgument;
    return refuses ? "refused, and it fits: " + results.status().ToString() : Problem();
  }
  for (size_t i = 0; i < results->size(); ++i) {
    const Tensor& value = (*results)[i];
    if (sample.fetches[i] != kCalled) continue;
    if (!std::ranges::equal(value.dims(), sums.dims)) {
      return "gives " + DimsString(value.dims()) + ", not " + DimsString(sums.dims);
    }
    const bool is_float = value.dtype() == DType::kFloat;
    for (size_t k = 0; k < sums.values.size(); ++k) {
      const double found = is_float ? value.flat<float>()[k] : value.flat<double>()[k];
      const double unit = is_float ? 1e-5 : 1e-13, magnitude = sums.magnitudes[k];
      if (!(magnitude < 1e30) || std::fabs(found - sums.values[k]) <= unit * (magnitude + 1e-30)) {
        continue;
      }
      return "element " + std::to_string(k) + " is " + std::to_string(found) + ", not " +
             std::to_string(sums.values[k]);
    }
  }
  return std::nullopt;
}

// With the op in front, so that findings are told apart by it.
Problem Of(const GraphSample& sample, Problem problem) {
  if (!problem.has_value()) return problem;
  return CalledOp(sample).name + ": " + *problem + "\n" + ToText(sample);
}

reference::RunOptions LimitedRun() {
  reference::RunOptions options;
  options.max_firings = kMostFirings;
  options.deadline_s = kMostSeconds;
  return options;
}

CallResults Call(const GraphSample& sample, const std::vector<GraphCall>& calls, bool goes_on,
                 const reference::Rules& rules, const reference::KernelRegistry& kernels) {
  const LittleMemory little(kMemoryOfCalls);
  reference::SessionOptions options;
  options.kernels = &kernels;
  auto session = reference::Session::Create(sample.graph.Clone(), options);
  if (!session.ok()) return {session.status()};
  CallResults results;
  for (const GraphCall& call : calls) {
    results.push_back(
        (*session)->RunUnder(rules, call.feeds, call.fetches, call.targets, LimitedRun()));
    if (!results.back().ok() && !goes_on) break;
  }
  return results;
}

}  // namespace

bool HasBranch(const Graph& graph) {
  return std::ranges::any_of(graph.NodeIds(), [&](NodeId id) {
    return IsSwitch(graph.node(id)) || graph.node(id).op == "_SwitchN";
  });
}

CallResults CallOnReference(const GraphSample& sample, const reference::Rules& rules,
                            const reference::KernelRegistry& kernels) {
  return Call(sample, sample.Calls(sample.runs.size()), sample.in_order, rules, kernels);
}

CallResults CallOnReference(const GraphSample& sample, const std::vector<GraphCall>& calls,
                            const reference::Rules& rules) {
  return Call(sample, calls, true, rules, reference::KernelRegistry::Standard());
}

Problem BrokenPromise(const GraphSample& sample, const CallResults& results) {
  const LittleMemory little(kMemoryOfCalls);
  const Result<Shapes> shapes = InferShapes(sample.graph);
  const std::optional<NaiveSums> sums = SumsOf(sample);
  for (const auto& values : results) {
    Problem problem = values.ok() ? Unfit(sample, *values, shapes) : Unfit(sample, values.status());
    if (!problem && values.ok()) problem = RoundsOtherwise(sample, *values);
    if (!problem && sums) problem = AddsUpOtherwise(sample, *sums, values);
    if (problem.has_value()) return Of(sample, std::move(problem));
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
