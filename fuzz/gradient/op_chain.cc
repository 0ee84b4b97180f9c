#include "fuzz/gradient/op_chain.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "graph/op_def.h"

namespace tagflow::fuzz {
namespace {

using reference::AdjointCall;
using reference::NamedTensors;
using reference::Session;
using Complex = std::complex<double>;

bool IsContinuous(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }

double EpsOf(DType dtype) {
  return dtype == DType::kFloat ? std::numeric_limits<float>::epsilon()
                                : std::numeric_limits<double>::epsilon();
}

Dims DimsOf(const Tensor& tensor) { return Dims(tensor.dims().begin(), tensor.dims().end()); }

template <typename T>
Tensor Converted(const Tensor& reals, T (*convert)(double)) {
  std::vector<T> values;
  for (const double value : reference::ToDoubles(reals)) values.push_back(convert(value));
  return Tensor::Of<T>(reals.dims(), values);
}

Tensor ToDType(const Tensor& doubles, DType dtype, reference::Numbers& numbers) {
  if (dtype == DType::kFloat) {
    return Converted<float>(doubles, [](double x) { return static_cast<float>(x); });
  }
  if (dtype == DType::kHalf) {
    return Converted<Half>(doubles, [](double x) { return HalfFromDouble(x); });
  }
  if (dtype == DType::kBFloat16) {
    return Converted<BFloat16>(doubles,
                               [](double x) { return BFloat16FromFloat(static_cast<float>(x)); });
  }
  const Tensor imaginary = numbers(DimsOf(doubles), -0.5, 0.5);
  std::vector<Complex> values;
  for (size_t i = 0; i < static_cast<size_t>(doubles.num_elements()); ++i) {
    values.emplace_back(doubles.data<double>()[i], imaginary.data<double>()[i]);
  }
  return Tensor::Of<Complex>(doubles.dims(), values);
}

// Whether the attr that types the inputs that move may be `dtype`.
bool Takes(const AdjointCall& call, DType dtype) {
  const OpDef* op = OpRegistry::Standard().Find(call.op);
  const auto takes = [&](const ArgDef& arg) {
    if (arg.dtype != DType::kInvalid || arg.type_attr.empty()) return true;
    const std::vector<DType>& types = op->FindAttr(arg.type_attr)->allowed_types;
    const bool is_real = types.empty() || std::ranges::count(types, DType::kDouble) > 0;
    return !is_real || types.empty() || std::ranges::count(types, dtype) > 0;
  };
  return std::ranges::all_of(op->inputs, takes) && std::ranges::all_of(op->outputs, takes);
}

std::vector<std::string> Names(const OutputList& outputs) {
  std::vector<std::string> names;
  for (const Output& output : outputs) names.push_back(output.name());
  return names;
}

OutputList Valid(const OutputList& outputs) {
  OutputList valid;
  for (const Output& output : outputs) {
    if (output.valid()) valid.push_back(output);
  }
  return valid;
}

std::string Describe(const Output& x, size_t element, double found, double expected) {
  return "by " + x.name() + "[" + std::to_string(element) + "] the graph says " +
         std::to_string(found) + ", and it is " + std::to_string(expected) + " (off by " +
         std::to_string(std::fabs(found - expected) / std::fabs(expected)) + ")";
}

std::string TextOf(const Result<std::string>& wrong) {
  return wrong.ok() ? *wrong : wrong.status().ToString();
}

// Real numbers: each element; complex: its real part, then its imaginary part.
size_t NumParts(const Tensor& tensor) {
  return static_cast<size_t>(tensor.num_elements()) * (IsComplex(tensor.dtype()) ? 2 : 1);
}
double PartOf(const Tensor& tensor, size_t part) {
  if (!IsComplex(tensor.dtype())) return tensor.data<double>()[part];
  const Complex value = tensor.data<Complex>()[part / 2];
  return part % 2 == 0 ? value.real() : value.imag();
}
Tensor Moved(const Tensor& tensor, size_t part, double by) {
  Tensor moved = *tensor.Clone();
  if (IsComplex(tensor.dtype())) {
    moved.mutable_data<Complex>()[part / 2] += part % 2 == 0 ? Complex(by, 0) : Complex(0, by);
  } else {
    moved.mutable_data<double>()[part] += by;
  }
  return moved;
}

bool IsMoving(const AdjointCall& call, size_t slot) {
  return IsContinuous(call.inputs[slot].dtype()) && std::ranges::count(call.fixed, slot) == 0;
}

// The attr that says how long a list of arguments is; empty for an argument by itself.
std::string LengthOf(const ArgDef& arg) { return arg.number_attr + arg.type_list_attr; }

// The inputs as the op's arguments, where several of these are lists: those as long as the first
// share what are no arguments by themselves, and the others are empty.
std::vector<Input> Arguments(const AdjointCall& call, const std::vector<Input>& inputs) {
  const std::vector<ArgDef>& args = OpRegistry::Standard().Find(call.op)->inputs;
  const auto is_list = [](const ArgDef& arg) { return !LengthOf(arg).empty(); };
  const auto lists = static_cast<size_t>(std::ranges::count_if(args, is_list));
  if (lists < 2) return inputs;
  const std::string first = LengthOf(*std::ranges::find_if(args, is_list));
  const auto shares = static_cast<size_t>(std::ranges::count(args, first, &LengthOf));
  const size_t length = (inputs.size() - (args.size() - lists)) / shares;
  std::vector<Input> arguments;
  size_t next = 0;
  for (const ArgDef& arg : args) {
    if (!is_list(arg)) {
      arguments.push_back(inputs[next++]);
      continue;
    }
    OutputList list;
    for (size_t i = 0; LengthOf(arg) == first && i < length; ++i) {
      list.push_back(*inputs[next++].output());
    }
    arguments.emplace_back(list);
  }
  return arguments;
}

OutputList ContinuousOutputs(const Scope& scope, const AdjointCall& call,
                             const std::vector<Input>& inputs) {
  OutputList outputs;
  const Operation op = Op(scope, call.op, Arguments(call, inputs), call.attrs);
  for (int port = 0; op.valid() && port < op.num_outputs(); ++port) {
    const bool is_used = std::ranges::count(call.unused, static_cast<size_t>(port)) == 0;
    if (is_used && IsContinuous(op[port].dtype())) outputs.push_back(op[port]);
  }
  return outputs;
}

bool IsOfDoubles(const AdjointCall& call) {
  return std::ranges::any_of(call.inputs,
                             [](const Tensor& x) { return x.dtype() == DType::kDouble; });
}

// The floats of a call of an op that takes no doubles as a narrower dtype, where they may be that;
// the others stay.
CallOf FloatsAsDType(const AdjointCall& call, DType dtype) {
  const OpDef* op = OpRegistry::Standard().Find(call.op);
  CallOf converted{false, call};
  if (dtype != DType::kHalf && dtype != DType::kBFloat16) return converted;
  reference::Numbers numbers;
  for (size_t i = 0; i < op->inputs.size(); ++i) {
    const ArgDef& arg = op->inputs[i];
    Tensor& input = converted.call.inputs[i];
    if (arg.type_attr.empty() || input.dtype() != DType::kFloat) continue;
    if (std::ranges::count(op->FindAttr(arg.type_attr)->allowed_types, dtype) == 0) continue;
    input = ToDType(input, dtype, numbers);
    converted.is_there = true;
  }
  return converted;
}

}  // namespace

CallOf AsDType(const AdjointCall& call, DType dtype) {
  if (!IsOfDoubles(call)) return FloatsAsDType(call, dtype);
  if (!Takes(call, dtype)) return {};
  CallOf converted{true, call};
  reference::Numbers numbers;
  for (Tensor& input : converted.call.inputs) {
    if (input.dtype() == DType::kDouble) input = ToDType(input, dtype, numbers);
  }
  for (auto& [name, value] : converted.call.attrs) {
    if (value == AttrValue(DType::kDouble)) value = dtype;
    if (value.list() == nullptr) continue;
    AttrList list = *value.list();
    std::ranges::replace(list.types, ArgType{DType::kDouble, false}, ArgType{dtype, false});
    value = list;
  }
  return converted;
}

OpChain::OpChain(const AdjointCall& call, const ChainOptions& options) : options_(options) {
  std::vector<Input> inputs;
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const Tensor& value = call.inputs[slot];
    const bool is_fixed = std::ranges::count(call.fixed, slot) > 0;
    const bool moves = IsMoving(call, slot);
    if (is_fixed || (options.is_known && !moves)) {
      inputs.emplace_back(Const(scope_, value));
    } else {
      inputs.emplace_back(Fed("input" + std::to_string(slot), value, moves));
    }
  }
  ys_ = ContinuousOutputs(scope_, call, inputs);
  if (options.in_loop) ys_ = LoopOf(call, inputs, ys_);
}

OutputList OpChain::LoopOf(const AdjointCall& call, const std::vector<Input>& inputs,
                           const OutputList& like) {
  OutputList initial{Const(scope_, 0), Const(scope_, 1.0)};
  for (const Output& y : like) initial.push_back(ZerosLike(scope_, y));
  const OutputList last = WhileLoop(
      scope_, initial,
      [](const Scope& scope, const OutputList& now) { return Less(scope, now[0], 3); },
      [&](const Scope& scope, const OutputList& now) {
        std::vector<Input> grown = inputs;
        for (size_t slot = 0; slot < inputs.size(); ++slot) {
          if (!IsMoving(call, slot)) continue;
          const Output& input = *inputs[slot].output();
          const bool is_double = input.dtype() == DType::kDouble;
          grown[slot] = Mul(scope, input, is_double ? now[1] : Cast(scope, now[1], input.dtype()));
        }
        const OutputList outputs = ContinuousOutputs(scope, call, grown);
        OutputList next{Add(scope, now[0], 1), Mul(scope, now[1], 1.03)};
        for (size_t k = 0; k < outputs.size(); ++k) {
          next.push_back(Add(scope, now[k + 2], outputs[k]));
        }
        return next;
      });
  OutputList sums;
  for (size_t k = 2; k < last.size(); ++k) sums.push_back(last[k]);
  return sums;
}

Result<std::unique_ptr<Session>> OpChain::MakeSession() const {
  TAGFLOW_ASSIGN_OR_RETURN(Graph graph, scope_.Finish());
  return Session::Create(std::move(graph));
}

bool OpChain::HasKernel() const {
  const Result<std::unique_ptr<Session>> session = MakeSession();
  if (!session.ok()) return true;
  const Result<std::vector<Tensor>> run = (*session)->Run(feeds_, Names(ys_));
  return run.ok() || run.status().code() != Code::kUnimplemented;
}

Output OpChain::Fed(const std::string& name, const Tensor& value, bool moves) {
  const Output fed = Placeholder(scope_.WithOpName(name), value.dtype(),
                                 options_.is_known ? PartialShape(DimsOf(value)) : PartialShape());
  feeds_.emplace_back(fed.name(), value);
  if (moves) xs_.push_back(fed);
  return fed;
}

Tensor OpChain::Seed(const Tensor& like) {
  const Tensor doubles = numbers_(DimsOf(like), 0.5, 2);
  return like.dtype() == DType::kDouble ? doubles : ToDType(doubles, like.dtype(), numbers_);
}

Result<OpChain::Turn> OpChain::Differentiate() {
  Turn turn{ys_, xs_, {}, {}, feeds_, nullptr, {}};
  ys_ = OutputList();
  TAGFLOW_ASSIGN_OR_RETURN(turn.session, MakeSession());
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                           turn.session->Run(turn.feeds, Names(turn.ys)));
  OutputList weights;
  for (const Tensor& value : values) {
    turn.seeds.push_back(Seed(value));
    weights.push_back(Fed("weight" + std::to_string(xs_.size()), turn.seeds.back(), true));
  }
  GradientOptions options;
  options.registry = options_.registry;
  TAGFLOW_ASSIGN_OR_RETURN(turn.gradients, Gradients(scope_, turn.ys, turn.xs, weights, options));
  ys_ = Valid(turn.gradients);
  TAGFLOW_ASSIGN_OR_RETURN(turn.session, MakeSession());
  TAGFLOW_ASSIGN_OR_RETURN(turn.values, turn.session->Run(feeds_, Names(ys_)));
  for (size_t i = 0; i < turn.xs.size(); ++i) {
    const Output& gradient = turn.gradients[i];
    if (!gradient.valid() || gradient.dtype() == turn.xs[i].dtype()) continue;
    return Internal("the gradient by " + turn.xs[i].name() + " is " + DTypeName(gradient.dtype()));
  }
  return turn;
}

Result<std::string> OpChain::CompareWithTape(const Turn& turn) const {
  reference::GradientCall call;
  call.feeds = turn.feeds;
  call.ys = Names(turn.ys);
  call.grad_ys = turn.seeds;
  call.xs = Names(turn.xs);
  TAGFLOW_ASSIGN_OR_RETURN(const reference::GradientRun tape, GradientsOfRun(*turn.session, call));
  for (size_t i = 0, next = 0; i < turn.xs.size(); ++i) {
    const std::vector<double> expected = reference::ToDoubles(tape.gradients[i].gradient);
    const std::vector<double> magnitude = reference::ToDoubles(tape.gradients[i].magnitude);
    std::vector<double> found(expected.size());
    if (turn.gradients[i].valid()) {
      const Tensor& value = turn.values[next++];
      if (!std::ranges::equal(value.dims(), tape.gradients[i].gradient.dims())) {
        return "by " + turn.xs[i].name() + " the gradient is " + value.DebugString();
      }
      found = reference::ToDoubles(value);
    }
    const double unit = options_.multiple * EpsOf(turn.xs[i].dtype());
    for (size_t k = 0; k < expected.size(); ++k) {
      if (std::fabs(found[k] - expected[k]) <= unit * magnitude[k]) continue;
      if (found[k] == expected[k] || (found[k] != found[k] && expected[k] != expected[k])) continue;
      return Describe(turn.xs[i], k, found[k], expected[k]);
    }
  }
  return std::string();
}

Result<double> OpChain::Weighed(const Turn& turn, size_t x, const Tensor& value) const {
  NamedTensors feeds = turn.feeds;
  for (auto& [name, fed] : feeds) {
    if (name == turn.xs[x].name()) fed = value;
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                           turn.session->Run(feeds, Names(turn.ys)));
  double sum = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    for (size_t part = 0; part < NumParts(values[k]); ++part) {
      sum += PartOf(turn.seeds[k], part) * PartOf(values[k], part);
    }
  }
  return sum;
}

Result<std::string> OpChain::CompareWithDifferences(const Turn& turn) const {
  constexpr double kStep = 1e-5;
  for (size_t i = 0, next = 0; i < turn.xs.size(); ++i) {
    const auto fed = std::ranges::find_if(
        turn.feeds, [&](const auto& feed) { return feed.first == turn.xs[i].name(); });
    const Tensor& x = fed->second;
    const Tensor* gradient = turn.gradients[i].valid() ? &turn.values[next++] : nullptr;
    if (gradient != nullptr && !std::ranges::equal(gradient->dims(), x.dims())) {
      return "by " + turn.xs[i].name() + " the gradient is " + gradient->DebugString();
    }
    for (size_t part = 0; part < NumParts(x); ++part) {
      TAGFLOW_ASSIGN_OR_RETURN(const double above, Weighed(turn, i, Moved(x, part, kStep)));
      TAGFLOW_ASSIGN_OR_RETURN(const double below, Weighed(turn, i, Moved(x, part, -kStep)));
      const double expected = (above - below) / (2 * kStep);
      const double found = gradient == nullptr ? 0 : PartOf(*gradient, part);
      const double bound = 1e-6 * (1 + std::fabs(expected) + std::fabs(above));
      if (!(std::fabs(found - expected) <= bound)) {
        return Describe(turn.xs[i], part, found, expected);
      }
    }
  }
  return std::string();
}

std::string OpChain::StepByTape() {
  const Result<Turn> turn = Differentiate();
  return turn.ok() ? TextOf(CompareWithTape(*turn)) : turn.status().ToString();
}

std::string OpChain::StepByFiniteDifferences() {
  const Result<Turn> turn = Differentiate();
  return turn.ok() ? TextOf(CompareWithDifferences(*turn)) : turn.status().ToString();
}

std::string OpChain::Step() {
  const Result<Turn> turn = Differentiate();
  return turn.ok() ? std::string() : turn.status().ToString();
}

}  // namespace tagflow::fuzz
