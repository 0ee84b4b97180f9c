#include "fuzz/gradient/call_gradients.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/gradient/differentiable_calls.h"
#include "fuzz/gradient/real_values.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "fuzz/kernels/lenient.h"
#include "graph/builder/builder.h"
#include "graph/rounding.h"
#include "graph/shape_inference.h"
#include "reference/tape/tape.h"
#include "transform/gradients/jvp.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostFirings = 10'000;
// Of elements that rounding does not make something else of; what is less may be nothing, rounded.
constexpr double kLeast = 1e-3, kMost = 100;
// Where a derivative is one less than a number near one, rounding leaves an error of that size.
constexpr double kSlack = 1e-2;
constexpr double kSteepest = 1e12;  // what is steeper stands near a pole

using Problem = std::optional<std::string>;

double RootOfEps(DType dtype) {
  return std::sqrt(dtype == DType::kFloat ? std::numeric_limits<float>::epsilon()
                                          : std::numeric_limits<double>::epsilon());
}

// Whether something without elements goes in or comes out.
bool HasEmptyValue(const GraphSample& call) {
  const auto is_empty = [](const Tensor& value) {
    return IsTensorDType(value.dtype()) && value.num_elements() == 0;
  };
  const auto results = CallOnReference(call);
  if (results[0].ok() && std::ranges::any_of(*results[0], is_empty)) return true;
  return std::ranges::any_of(call.graph.NodeIds(), [&](NodeId id) {
    const auto value = FedValue(call, call.graph.node(id));
    return value.has_value() && is_empty(*value);
  });
}

// Whether some node gives a list or another variant.
bool HasVariants(const GraphSample& call) {
  return std::ranges::any_of(call.graph.NodeIds(), [&](NodeId id) {
    const Result<Signature> signature = ResolveSignature(call.graph.node(id));
    return signature.ok() && std::ranges::any_of(signature->outputs, [](const ArgType& type) {
             return type.dtype == DType::kVariant;
           });
  });
}

bool Takes(const OpDef& op, ArgRole role) {
  return std::ranges::any_of(op.inputs, [&](const ArgDef& arg) { return arg.role == role; });
}
// Inputs that the op takes and its gradient may not.
constexpr ArgRole kRefusedRoles[] = {
    ArgRole::kMatrices,     // that have no inverse
    ArgRole::kCoordinates,  // of a single place: they are no row of coordinates to a scatter
    ArgRole::kBand,         // of more diagonals than the matrix has
    ArgRole::kStrides,      // of a slice, where its new value has more dimensions
};
bool TakesWhatMayBeRefused(const GraphSample& call) {
  return std::ranges::any_of(kRefusedRoles,
                             [&](ArgRole role) { return Takes(CalledOp(call), role); });
}

// Both of what images are resized by, of which an op that resizes takes one, and its gradient any.
bool AsksForTwoCenters(const GraphSample& call) {
  const Node& node = call.graph.node(call.graph.Find(kCalled));
  const Result<bool> aligned = BoolAttr(node, "align_corners");
  const Result<bool> half = BoolAttr(node, "half_pixel_centers");
  return aligned.ok() && half.ok() && *aligned && *half;
}

// Calls that compute, and whose gradient may refuse with INVALID_ARGUMENT or OUT_OF_RANGE at a node
// of its own.
constexpr bool (*kRefusals[])(const GraphSample& call) = {
    // As in TensorFlow, the gradient takes rows of what has none, or reshapes what may have a
    // dimension of any size.
    HasEmptyValue,
    // It takes a scalar for the vector of one, or the other way round.
    MayBeLenient,
    // A list without elements may say no shape, and elements may differ, which zeros do not.
    HasVariants,
    TakesWhatMayBeRefused,
    AsksForTwoCenters,
};

bool IsRefusal(const Status& error, const GraphSample& call, const GradientRegistry& registry) {
  if (error.code() == Code::kResourceExhausted) return true;
  if (error.code() == Code::kUnimplemented) {
    // The op that is called has a gradient; in a sequence, others need none.
    const GradientFunction* gradient = registry.Find(CalledOp(call).name);
    return call.in_order || (gradient != nullptr && *gradient != nullptr);
  }
  const bool is_bad_call =
      error.code() == Code::kInvalidArgument || error.code() == Code::kOutOfRange;
  const bool is_of_gradient = call.graph.Find(error.node()) == NodeId::kNone;
  return is_bad_call && is_of_gradient &&
         std::ranges::any_of(kRefusals, [&](const auto may_refuse) { return may_refuse(call); });
}

bool IsTame(const Tensor& tensor) {
  if (!IsReal(tensor.dtype())) return true;
  return std::ranges::all_of(reference::ToDoubles(tensor), [](double x) {
    return x == 0 || (std::fabs(x) >= kLeast && std::fabs(x) <= kMost);
  });
}

// The input of an op that replaces items of a list.
struct Replacement {
  size_t input;             // by number
  size_t dims_before_item;  // those that count the items
};
std::optional<Replacement> ReplacementOf(const OpDef& op) {
  const bool changes_list = !op.inputs.empty() && op.inputs[0].dtype == DType::kVariant &&
                            !op.outputs.empty() && op.outputs[0].dtype == DType::kVariant;
  const auto item = std::ranges::find_if(
      op.inputs, [](const ArgDef& arg) { return arg.type_attr == "element_dtype"; });
  const bool is_one = Takes(op, ArgRole::kScalar), are_many = Takes(op, ArgRole::kIndices);
  if (!changes_list || item == op.inputs.end() || !(is_one || are_many)) return std::nullopt;
  return Replacement{static_cast<size_t>(item - op.inputs.begin()), are_many ? size_t{1} : 0};
}

// Whether it makes a list of pieces of any length.
bool IsSplitIntoList(const OpDef& op) {
  return !op.outputs.empty() && op.outputs[0].dtype == DType::kVariant &&
         std::ranges::find(op.inputs, "lengths", &ArgDef::name) != op.inputs.end();
}

// Where an item of a list is replaced by one of another shape, the gradient, as TensorFlow's, takes
// the old one to be like the new one.
bool HasLikeItems(const GraphSample& call) {
  std::vector<Dims> values, items;
  bool splits = false;
  for (const NodeId id : call.graph.NodeIds()) {
    const Node& node = call.graph.node(id);
    splits = splits || IsSplitIntoList(*node.def);
    const auto value = FedValue(call, node);
    if (value && IsReal(value->dtype()))
      values.emplace_back(value->dims().begin(), value->dims().end());
    const auto replaced = ReplacementOf(*node.def);
    if (!replaced) continue;
    const auto item = FedValue(call, call.graph.node(node.inputs[replaced->input].node));
    if (!item || item->dims().size() < replaced->dims_before_item) return false;
    items.emplace_back(item->dims().begin() + replaced->dims_before_item, item->dims().end());
  }
  const auto ends_like = [](const Dims& value, const Dims& item) {
    return value.size() >= item.size() && std::equal(item.rbegin(), item.rend(), value.rbegin());
  };
  return (!splits || items.empty()) && std::ranges::all_of(items, [&](const Dims& item) {
           return std::ranges::all_of(values,
                                      [&](const Dims& value) { return ends_like(value, item); });
         });
}

bool HasTameInputs(const GraphSample& call) {
  const std::vector<NodeId> nodes = call.graph.NodeIds();
  return std::ranges::all_of(nodes, [&](NodeId id) {
    const auto value = FedValue(call, call.graph.node(id));
    return !value.has_value() || IsTame(*value);
  });
}

// Of random numbers, another run has others; and what a gradient makes of a reference, it reads
// when it pleases.
bool IsRepeatable(const GraphSample& call) {
  const std::vector<NodeId> nodes = call.graph.NodeIds();
  return std::ranges::none_of(nodes, [&](NodeId id) {
    const OpDef& op = *call.graph.node(id).def;
    // Each engine has a basis of its own, and so it has a gradient of that basis.
    const bool refers = std::ranges::any_of(
        op.outputs, [](const ArgDef& out) { return out.is_ref || out.role == ArgRole::kBasis; });
    // What goes on with the flow of another array than it is given is not told from what does not.
    const bool mixes_flows = op.FindAttr("source") != nullptr;
    return refers || mixes_flows || (op.is_stateful && op.FindAttr("seed") != nullptr);
  });
}

// The real results of the op that is called, as they come out of it.
std::vector<std::string> RealResults(const GraphSample& call) {
  const NodeId called = call.graph.Find(kCalled);
  const Result<Signature> signature = ResolveSignature(call.graph.node(called));
  std::vector<std::string> names;
  if (!signature.ok()) return names;
  for (size_t i = 0; i < signature->outputs.size(); ++i) {
    if (IsReal(signature->outputs[i].dtype)) names.push_back(kCalled + (":" + std::to_string(i)));
  }
  return names;
}

// What is left of terms that cancel may be nothing or, rounded, of either sign: so that it is on
// either side of the corner that a function has at zero.
bool HangsOnSigns(const GraphSample& call) {
  const auto has_corner = [&](NodeId id) {
    const std::string& op = call.graph.node(id).op;
    return op == "Abs" || op == "Relu";
  };
  const bool leaves_remainders = LeavesRemainders(RoundingOf(CalledOp(call)));
  if (!leaves_remainders || std::ranges::none_of(call.graph.NodeIds(), has_corner)) return false;
  const GraphCall results = {call.runs[0], RealResults(call), {}};
  const auto values = CallOnReference(call, {results}, reference::StandardRules())[0];
  const auto is_near_zero = [](double x) { return std::fabs(x) < kLeast; };
  return !values.ok() || std::ranges::any_of(*values, [&](const Tensor& value) {
    return std::ranges::any_of(reference::ToDoubles(value), is_near_zero);
  });
}

// The determinant of a matrix has a gradient that is made of its inverse, which is not there or,
// but for rounding, would not be. Drawn numbers are no fine fractions.
bool IsOfSingular(const std::string& op, const Tensor& determinants) {
  constexpr double kNone = 1e-9;
  const bool is_log = op == "LogMatrixDeterminant";
  if (!is_log && op != "MatrixDeterminant") return false;
  return std::ranges::any_of(reference::ToDoubles(determinants), [&](double x) {
    return is_log ? x < std::log(kNone) : std::fabs(x) < kNone;
  });
}

double InnerProduct(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = reference::ToDoubles(a), y = reference::ToDoubles(b);
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}
double SumOfMagnitudes(const Tensor& magnitude, const Tensor& by) {
  const std::vector<double> x = reference::ToDoubles(magnitude), y = reference::ToDoubles(by);
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0, std::plus<>(),
                            [](double a, double b) { return a * std::fabs(b); });
}
bool HasFloats(const std::vector<reference::TapeGradient>& tape) {
  return std::ranges::any_of(tape,
                             [](const auto& x) { return x.gradient.dtype() == DType::kFloat; });
}

// Beginning with any.
std::vector<std::string> Turned(std::vector<std::string> names, Choices& choices) {
  if (names.size() > 1) {
    std::ranges::rotate(names, names.begin() + choices.Below(names.size()));
  }
  return names;
}

// All of them, as a rule: what nobody asks for is not made, and none of it may be missed.
std::vector<std::string> Some(std::vector<std::string> names, Choices& choices) {
  if (names.size() < 2 || !choices.Chance(kEvenly)) return names;
  const std::string& one = choices.Of(names);
  const bool is_one_alone = choices.Chance(kEvenly);
  std::erase_if(names, [one = one, is_one_alone](const std::string& name) {
    return (name == one) != is_one_alone;
  });
  return names;
}

// Whether it takes what another op makes of its other inputs. Where it is given something else, as
// a rule, it is no function of which its gradient were the derivative.
bool TakesOutput(const OpDef& op) {
  return std::ranges::any_of(op.inputs,
                             [](const ArgDef& arg) { return arg.name == "orig_output"; });
}

// A graph that is differentiated again and again.
class Derivation {
 public:
  Derivation(const GraphSample& call, const GraphGradientCheck& check, Choices& choices)
      : check_(check),
        call_(call),
        may_never_run_(HasBranch(call.graph)),
        graph_(call.graph.Clone()),
        feeds_(call.runs[0]),
        ys_(RealFetches(call)),
        targets_(call.targets),
        xs_(Some(Turned(RealInputs(call), choices), choices)) {
    is_weighed_ = std::ranges::all_of(
        ys_, [](const std::string& y) { return IsWeighed(y.substr(0, y.find(':'))); });
  }

  bool done() const { return ys_.empty() || xs_.empty(); }

  // One differentiation. Where it cannot be made, there is nothing left to do.
  Problem Step(Choices& choices) {
    const auto values = Run(StandardReference(), graph_.Clone(), ys_);
    if (!values.ok() || !std::ranges::all_of(*values, IsTame)) return Stop();
    // What gives floats, be it of doubles, computes in floats.
    gives_floats_ = gives_floats_ || std::ranges::any_of(*values, [](const Tensor& value) {
                      return value.dtype() == DType::kFloat;
                    });
    const auto is_of_singular = [&](const Tensor& value) {
      return IsOfSingular(CalledOp(call_).name, value);
    };
    if (std::ranges::any_of(*values, is_of_singular)) return Stop();
    std::vector<Tensor> weights;
    for (const Tensor& value : *values) weights.push_back(DrawWeights(value, choices));
    Result<Derived> differentiated = Derive(&Gradients, weights, false);
    if (!differentiated.ok()) {
      const bool is_bad_call = differentiated.status().code() == Code::kInvalidArgument;
      return may_never_run_ && is_bad_call ? Stop() : Unless(differentiated.status());
    }
    std::vector<std::string>& gradients = differentiated->names;
    const auto found = Run(*check_.engine, differentiated->graph.Clone(), gradients);
    if (!found.ok()) return Unless(found.status());
    const auto tape = ByTape(weights);
    if (!tape.ok()) return Unless(tape.status());
    Problem problem = Compare(gradients, *found, *tape);
    if (!problem && is_weighed_ && !TakesOutput(CalledOp(call_)) && choices.Chance(kSometimes)) {
      problem = CompareAlong(weights, *tape, choices);
    }
    std::erase(gradients, "");
    graph_ = std::move(differentiated->graph);
    is_weighed_ = false;
    ys_ = std::move(gradients);
    return problem;
  }

 private:
  static reference::RunOptions Limits() {
    reference::RunOptions options;
    options.max_firings = kMostFirings;
    return options;
  }

  Problem Stop() {
    ys_.clear();
    return std::nullopt;
  }
  Problem Unless(const Status& error) {
    ys_.clear();
    return IsRefusal(error, call_, *check_.registry) ? Problem() : error.ToString();
  }

  // Of a shape that is not known before it runs: in another branch it may be another.
  static Output Hidden(const Scope& scope, const Tensor& value) {
    return PlaceholderWithDefault(scope, Const(scope, value), PartialShape());
  }

  // The graph, and the names of what was added to it, "" for none.
  struct Derived {
    Graph graph;
    std::vector<std::string> names;
  };
  // rule: Gradients, of which the factors are weights of the ys, or Jvp: directions of the xs
  Result<Derived> Derive(decltype(&Gradients) rule, const std::vector<Tensor>& factors,
                         bool zeros_for_unreached) const {
    TAGFLOW_ASSIGN_OR_RETURN(const Scope scope, Scope::Open(graph_.Clone()));
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList ys, Find(scope, ys_));
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList xs, Find(scope, xs_));
    OutputList given;
    for (const Tensor& factor : factors) given.push_back(Hidden(scope, factor));
    GradientOptions options;
    options.registry = check_.registry;
    options.zeros_for_unreached = zeros_for_unreached;
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList made, rule(scope, ys, xs, given, options));
    std::vector<std::string> names;
    for (const Output& output : made) names.push_back(output.valid() ? output.name() : "");
    TAGFLOW_ASSIGN_OR_RETURN(Graph graph, scope.Finish());
    return Derived{std::move(graph), std::move(names)};
  }

  // The derivative along a direction, weighed, is the gradient along it: both are the sum of all
  // derivatives, each times its weight and its part of the direction.
  Problem CompareAlong(const std::vector<Tensor>& weights,
                       const std::vector<reference::TapeGradient>& tape, Choices& choices) const {
    std::vector<Tensor> directions;
    double expected = 0, magnitude = 0;
    for (const reference::TapeGradient& x : tape) {
      directions.push_back(DrawWeights(x.gradient, choices));
      expected += InnerProduct(x.gradient, directions.back());
      magnitude += SumOfMagnitudes(x.magnitude, directions.back());
    }
    const Result<std::vector<Tensor>> along = RunAlong(directions);
    // Gradients of gradients need what no gradient does, and shapes that are known.
    if (!along.ok() || !(magnitude <= kSteepest)) return std::nullopt;
    double actual = 0;
    for (size_t i = 0; i < along->size(); ++i) actual += InnerProduct((*along)[i], weights[i]);
    const double unit = RootOfEps(HasFloats(tape) ? DType::kFloat : DType::kDouble);
    if (std::isnan(actual) || std::fabs(actual - expected) <= 10 * unit * (magnitude + kLeast)) {
      return std::nullopt;
    }
    return ", along a direction Jvp says " + Number(actual) + ", the tape " + Number(expected);
  }

  // Of all ys, with zeros for those that no x leads to.
  Result<std::vector<Tensor>> RunAlong(const std::vector<Tensor>& directions) const {
    TAGFLOW_ASSIGN_OR_RETURN(Derived along, Derive(&Jvp, directions, true));
    return Run(*check_.engine, std::move(along.graph), std::move(along.names));
  }

  static Result<OutputList> Find(const Scope& scope, const std::vector<std::string>& names) {
    OutputList found;
    for (const std::string& name : names) {
      TAGFLOW_ASSIGN_OR_RETURN(const Output output, scope.Find(name));
      found.push_back(output);
    }
    return found;
  }

  // The values of those that there are.
  Result<std::vector<Tensor>> Run(const Engine& engine, Graph graph,
                                  std::vector<std::string> fetches) const {
    std::erase(fetches, "");
    TAGFLOW_ASSIGN_OR_RETURN(const auto session, engine.Open(std::move(graph)));
    return session->Run(feeds_, fetches, targets_, Limits());
  }

  Result<std::vector<reference::TapeGradient>> ByTape(std::vector<Tensor> weights) const {
    TAGFLOW_ASSIGN_OR_RETURN(const auto session, reference::Session::Create(graph_.Clone()));
    reference::GradientCall call;
    call.feeds = feeds_;
    call.ys = ys_;
    call.grad_ys = std::move(weights);
    call.xs = xs_;
    call.targets = targets_;
    call.options = Limits();
    TAGFLOW_ASSIGN_OR_RETURN(reference::GradientRun run, GradientsOfRun(*session, call));
    return std::move(run.gradients);
  }

  Problem Compare(const std::vector<std::string>& gradients, const std::vector<Tensor>& values,
                  const std::vector<reference::TapeGradient>& tape) const {
    for (size_t i = 0, next = 0; i < tape.size(); ++i) {
      const bool is_there = !gradients[i].empty();
      const Problem problem = Difference(is_there ? values[next++] : Tensor(), tape[i]);
      if (problem.has_value()) return "by " + xs_[i] + *problem;
    }
    return std::nullopt;
  }

  // What is wrong with a gradient, which has no value where no path leads there.
  Problem Difference(const Tensor& found, const reference::TapeGradient& tape) const {
    const std::vector<double> expected = reference::ToDoubles(tape.gradient);
    const std::vector<double> magnitude = reference::ToDoubles(tape.magnitude);
    if (found.has_value() && !std::ranges::equal(found.dims(), tape.gradient.dims())) {
      return " the gradient is " + found.DebugString();
    }
    const std::vector<double> values =
        found.has_value() ? reference::ToDoubles(found) : std::vector<double>(expected.size());
    const DType computed = gives_floats_ ? DType::kFloat : found.dtype();
    const double unit = found.has_value() ? RootOfEps(computed) : 0;
    auto& counts = check_.counts != nullptr ? *check_.counts : ignored_;
    for (size_t i = 0; i < expected.size(); ++i) {
      ++counts.derivatives;
      const bool is_none = !is_weighed_ && std::isnan(values[i]);
      if (!(magnitude[i] <= kSteepest) || is_none) continue;
      if (expected[i] != 0) ++counts.nonzero;
      if (std::fabs(values[i] - expected[i]) <= unit * (magnitude[i] + kSlack)) continue;
      return "[" + std::to_string(i) + "] the graph says " + Number(values[i]) + ", the tape " +
             Number(expected[i]);
    }
    return std::nullopt;
  }

  const GraphGradientCheck& check_;
  mutable GraphGradientCheck::Counts ignored_;
  const GraphSample& call_;
  // In a branch it may have shapes that it refuses, which the gradient finds before it runs.
  const bool may_never_run_;
  Graph graph_;
  const NamedTensors feeds_;
  std::vector<std::string> ys_;  // names of tensors
  // Whether no element of ys is multiplied by zero: the tape takes zero times what is infinite for
  // zero, and graphs do not.
  bool gives_floats_ = false;
  bool is_weighed_ = false;
  const std::vector<std::string> targets_;
  const std::vector<std::string> xs_;
};

}  // namespace

Problem CallGradientsEqualTape(const GraphSample& call, Choices& choices,
                               const GraphGradientCheck& check) {
  const bool is_comparable = IsRepeatable(call) && HasTameInputs(call) && !HasManyFactors(call) &&
                             HasLikeItems(call) && InferShapes(call.graph).ok() &&
                             CallOnReference(call)[0].ok() && !HangsOnSigns(call);
  if (!is_comparable) return std::nullopt;
  const LittleMemory little(kMemoryOfCalls);
  Derivation derivation(call, check, choices);
  const int orders = choices.Chance(kEvenly) ? 2 : 1;
  for (int order = 1; order <= orders && !derivation.done(); ++order) {
    const Problem problem = derivation.Step(choices);
    if (problem.has_value()) {
      return CalledOp(call).name + ", order " + std::to_string(order) + ": " + *problem + "\n" +
             ToText(call);
    }
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
