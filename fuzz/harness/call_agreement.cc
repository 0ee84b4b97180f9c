#include "fuzz/harness/call_agreement.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/compare.h"
#include "fuzz/harness/equal.h"
#include "fuzz/kernels/kernel_call.h"
#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/rounding.h"

namespace tagflow::fuzz {
namespace {

using Values = Result<std::vector<Tensor>>;

template <typename T>
double SizeOf(T value) {
  return static_cast<double>(std::abs(value));
}
double SizeOf(Half value) { return std::fabs(ToFloat(value)); }
double SizeOf(BFloat16 value) { return std::fabs(ToFloat(value)); }

// The largest finite number in a tensor, or 1.
template <typename T>
double LargestIn(const Tensor& tensor) {
  double largest = 1;
  for (const T value : tensor.flat<T>()) {
    const double size = SizeOf(value);
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest;
}
double LargestIn(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kHalf:
      return LargestIn<Half>(tensor);
    case DType::kBFloat16:
      return LargestIn<BFloat16>(tensor);
    case DType::kFloat:
      return LargestIn<float>(tensor);
    case DType::kDouble:
      return LargestIn<double>(tensor);
    case DType::kComplex64:
      return LargestIn<std::complex<float>>(tensor);
    case DType::kComplex128:
      return LargestIn<std::complex<double>>(tensor);
    default:
      return 1;
  }
}
// That of all floating and complex numbers that a call is given.
double LargestOf(const GraphSample& call) {
  double largest = 1;
  for (const NodeId id : call.graph.NodeIds()) {
    const std::optional<Tensor> value = FedValue(call, call.graph.node(id));
    if (value) largest = std::max(largest, LargestIn(*value));
  }
  return largest;
}

// By how much two engines may differ in a result.
conformance::Bounds BoundsOf(Rounding rounding, const Tensor& value, const GraphSample& call) {
  constexpr double kNearOne = 1e-15;  // the distance of doubles there
  const DType dtype = value.dtype();
  conformance::Bounds bounds;
  if (!IsFloating(dtype) && !IsComplex(dtype)) return bounds;
  if (rounding == Rounding::kToNearest) return bounds;
  if (rounding == Rounding::kOfComplements) bounds.absolute = kNearOne;
  bounds.ulps = dtype == DType::kHalf || dtype == DType::kBFloat16 ? 2 : 16;
  bounds.relative = dtype == DType::kDouble || dtype == DType::kComplex128 ? 1e-12 : 1e-5;
  if (LeavesRemainders(rounding)) {
    // The terms may be products of two inputs, or grow from step to step of a sequence.
    const double largest = LargestOf(call);
    bounds.absolute = bounds.relative * std::max(largest * largest, LargestIn(value));
  }
  return bounds;
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
  constexpr double kHuge = 1e15;
  const auto is_huge = [](T value) {
    const double size = SizeOf(value);
    return std::isfinite(size) && size > kHuge;
  };
  return tensor.num_elements() > 3 && std::ranges::any_of(tensor.flat<T>(), is_huge);
}
template <typename T>
bool HasNoNumber(const Tensor& tensor) {
  return std::ranges::any_of(tensor.flat<T>(),
                             [](T value) { return !std::isfinite(SizeOf(value)); });
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

// Where engines that are right may differ by more than BoundsOf says.
template <typename T>
bool IsHardNarrow(Rounding rounding, const Tensor& tensor) {
  return (rounding != Rounding::kOfElements && HasHugeAmongMany<T>(tensor)) ||
         (rounding == Rounding::kOfManySteps && HasNoNumber<T>(tensor));
}
template <typename T>
bool IsHardReal(Rounding rounding, const Tensor& tensor) {
  return HasSubnormal<T>(tensor) || IsHardNarrow<T>(rounding, tensor);
}
template <typename C>
bool IsHardComplex(Rounding rounding, const Tensor& tensor) {
  return HasInfinite<C>(tensor) ||
         (rounding == Rounding::kOfManySteps && HasHugeAmongMany<C>(tensor));
}
bool IsHard(Rounding rounding, const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kHalf:
      return IsHardNarrow<Half>(rounding, tensor);
    case DType::kBFloat16:
      return IsHardNarrow<BFloat16>(rounding, tensor);
    case DType::kFloat:
      return IsHardReal<float>(rounding, tensor);
    case DType::kDouble:
      return IsHardReal<double>(rounding, tensor);
    case DType::kComplex64:
      return IsHardComplex<std::complex<float>>(rounding, tensor);
    case DType::kComplex128:
      return IsHardComplex<std::complex<double>>(rounding, tensor);
    default:
      return false;
  }
}

// Of subnormal numbers, inverse functions and derivatives keep few digits or none, and of huge ones
// sums; of infinite complex ones it hangs on the order of operations which parts are numbers.
bool IsPrecise(const GraphSample& call, Rounding rounding) {
  const double largest = LargestOf(call);  // of three factors
  const bool may_overflow = largest * largest * largest > std::numeric_limits<float>::max();
  if (LeavesRemainders(rounding) && may_overflow) return false;
  const bool is_hard = std::ranges::any_of(call.graph.NodeIds(), [&](NodeId id) {
    const std::optional<Tensor> value = FedValue(call, call.graph.node(id));
    return value && IsHard(rounding, *value);
  });
  return !is_hard && !HasManyFactors(call);
}

// Whether a value comes of an output of a node that each engine has its own of (kBasis).
bool IsOfFreeChoice(const GraphSample& call, const std::string& fetch) {
  const Result<OutputRef> from = FindOutput(call.graph, fetch);
  if (!from.ok()) return false;
  std::vector<OutputRef> pending = {*from};
  std::set<NodeId> seen;
  while (!pending.empty()) {
    const OutputRef value = pending.back();
    pending.pop_back();
    const Node& node = call.graph.node(value.node);
    const auto port = static_cast<size_t>(value.index);
    const std::vector<ArgDef>& outputs = node.def->outputs;
    if (port < outputs.size() && outputs[port].role == ArgRole::kBasis) return true;
    if (!seen.insert(value.node).second) continue;
    pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
  }
  return false;
}

// Of two nodes that fail, any may be named. Our engines give an error the code that it has on the
// reference; others have theirs.
Finding CompareErrors(const Status& wanted, const Status& said, bool has_our_codes) {
  const Finding finding = FindingOf(said);
  if (finding.kind != Finding::Kind::kFails || wanted.ok()) return finding;
  const bool is_there = said.message().ends_with("[node " + wanted.node() + "]");
  const std::string code = std::string(CodeName(wanted.code())) + ": ";
  if (!has_our_codes || !is_there || said.message().starts_with(code)) return Finding::Holds();
  return Finding::Fails("the error is " + said.message() + "; on the reference it is " +
                        wanted.ToString());
}

}  // namespace

// Of random numbers that no seed says, and of a graph that cannot be handed to an engine as it is,
// nothing is known.
bool IsKnown(const GraphSample& call) {
  for (const NodeId id : call.graph.NodeIds()) {
    const Node& node = call.graph.node(id);
    if (node.op == "NonDeterministicInts") return false;
    const Result<int64_t> seed = IntAttr(node, "seed"), seed2 = IntAttr(node, "seed2");
    if (seed.ok() && seed2.ok() && *seed == 0 && *seed2 == 0) return false;
  }
  const Result<GraphDef> exported = ExportGraph(call.graph);
  return exported.ok() && ImportGraph(*exported).ok();
}

Finding CompareCalls(const GraphSample& call, const Values& wanted, const Values& actual,
                     bool has_our_codes) {
  // Our engines can what the others can.
  const bool is_unable = !actual.ok() && actual.status().code() == Code::kUnimplemented;
  if (is_unable && wanted.ok() && has_our_codes) return Finding::Fails(actual.status().ToString());
  if (!actual.ok()) return CompareErrors(wanted.status(), actual.status(), has_our_codes);
  if (!wanted.ok()) {
    return Finding::Fails("values where there must be an error: " + wanted.status().ToString());
  }
  const Rounding rounding = RoundingOf(CalledOp(call));
  const bool is_precise = IsPrecise(call, rounding);
  for (size_t i = 0; i < wanted->size(); ++i) {
    const Tensor& value = (*wanted)[i];
    if (!is_precise && (IsFloating(value.dtype()) || IsComplex(value.dtype()))) continue;
    if (HasInfiniteComplex(value)) continue;  // made of finite ones, it is as they are
    const bool is_free = IsOfFreeChoice(call, call.fetches[i]);
    if (is_free && std::ranges::equal(value.dims(), (*actual)[i].dims())) continue;
    const std::string difference =
        conformance::Difference(value, (*actual)[i], BoundsOf(rounding, value, call));
    if (!difference.empty()) return Finding::Fails(call.fetches[i] + " " + difference);
  }
  return Finding::Holds();
}

}  // namespace tagflow::fuzz
