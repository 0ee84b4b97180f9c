// Tested by naive_test.cc.

#include "fuzz/graphs/naive_ops.h"

#include <algorithm>

namespace tagflow::fuzz {
namespace {

using Values = std::vector<NaiveValue>;

NaiveValue Number(DType dtype, int64_t number) {
  if (dtype == DType::kInt32) number = static_cast<int32_t>(static_cast<uint32_t>(number));
  return {dtype, number, ""};
}

NaiveValue Truth(bool value) { return {DType::kBool, value ? 1 : 0, ""}; }

// Wrapping arithmetic, whatever the width.
int64_t Plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t Minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t Times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <int64_t (*kFormula)(int64_t, int64_t)>
Status Arithmetic(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  out = {Number(in[0].dtype, kFormula(in[0].number, in[1].number))};
  return Status();
}

int64_t Larger(int64_t a, int64_t b) { return std::max(a, b); }

Status AddN(const NaiveFiring& firing, Values& out) {
  int64_t sum = 0;
  for (const NaiveValue& value : firing.inputs) sum = Plus(sum, value.number);
  out = {Number(firing.inputs[0].dtype, sum)};
  return Status();
}

Status Neg(const NaiveFiring& firing, Values& out) {
  const NaiveValue& in = firing.inputs[0];
  out = {Number(in.dtype, Minus(0, in.number))};
  return Status();
}

Status Abs(const NaiveFiring& firing, Values& out) {
  const NaiveValue& in = firing.inputs[0];
  out = {Number(in.dtype, in.number < 0 ? Minus(0, in.number) : in.number)};
  return Status();
}

Status ZerosLike(const NaiveFiring& firing, Values& out) {
  out = {Number(firing.inputs[0].dtype, 0)};
  return Status();
}

// Of a bool, the number.
Status Cast(const NaiveFiring& firing, Values& out) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType type, TypeAttr(firing.node, "DstT"));
  out = {Number(type, firing.inputs[0].number)};
  return Status();
}

Status IdentityN(const NaiveFiring& firing, Values& out) {
  out = firing.inputs;
  return Status();
}

// Rounded down.
Status FloorDiv(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  const int64_t divisor = in[1].number;
  if (divisor == 0) return InvalidArgument("division by zero");
  const bool is_negative = in[0].number % divisor != 0 && (in[0].number < 0) != (divisor < 0);
  out = {Number(in[0].dtype, in[0].number / divisor - (is_negative ? 1 : 0))};
  return Status();
}

// Rounded towards zero.
Status Div(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  if (in[1].number == 0) return InvalidArgument("division by zero");
  out = {Number(in[0].dtype, in[0].number / in[1].number)};
  return Status();
}

// The sign of the divisor.
Status FloorMod(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  const int64_t divisor = in[1].number;
  if (divisor == 0) return InvalidArgument("division by zero");
  const int64_t rest = divisor == -1 ? 0 : in[0].number % divisor;
  out = {Number(in[0].dtype, rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest)};
  return Status();
}

Status Less(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  out = {Truth(in[0].number < in[1].number)};
  return Status();
}

Status Equal(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  out = {Truth(in[0].number == in[1].number)};
  return Status();
}

Status LogicalNot(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  out = {Truth(in[0].number == 0)};
  return Status();
}

Status LogicalAnd(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  out = {Truth(in[0].number != 0 && in[1].number != 0)};
  return Status();
}

Status Identity(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  out = {in[0]};
  return Status();
}

Status Const(const NaiveFiring& firing, Values& out) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor value, TensorAttr(firing.node, "value"));
  out = {NaiveOf(value)};
  return Status();
}

Status NoOp(const NaiveFiring&, Values&) { return Status(); }

// [resource.1]: by container and shared name, or else the node's.
Status VarHandle(const NaiveFiring& firing, Values& out) {
  const Node& node = firing.node;
  TAGFLOW_ASSIGN_OR_RETURN(const std::string shared, StringAttr(node, "shared_name"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string container, StringAttr(node, "container"));
  const std::string prefix = (container.empty() ? "localhost" : container) + "/";
  out = {{DType::kResource, 0, prefix + (shared.empty() ? node.name : shared)}};
  return Status();
}

Status ReadVariable(const NaiveFiring& firing, Values& out) {
  const Values& in = firing.inputs;
  const NaiveVariables& variables = firing.state.variables;
  Touch(firing, false, kHeld);
  const auto found = variables.find(in[0].variable);
  if (found == variables.end()) {
    return FailedPrecondition("variable " + in[0].variable + " has no value");
  }
  out = {found->second};
  return Status();
}

Status AssignVariable(const NaiveFiring& firing, Values&) {
  TouchWriting(firing);
  firing.state.variables[firing.inputs[0].variable] = firing.inputs[1];
  return Status();
}

Status AssignAddVariable(const NaiveFiring& firing, Values&) {
  NaiveVariables& variables = firing.state.variables;
  TouchWriting(firing);
  const Values& in = firing.inputs;
  const auto found = variables.find(in[0].variable);
  if (found == variables.end()) return NotFound("variable " + in[0].variable + " has no value");
  found->second = Number(in[1].dtype, Plus(found->second.number, in[1].number));
  return Status();
}

}  // namespace

void TouchWriting(const NaiveFiring& firing) {
  const bool has_value = firing.state.variables.contains(firing.inputs[0].variable);
  Touch(firing, true, has_value ? kHeld : "");
}

void Touch(const NaiveFiring& firing, bool writes, const std::string& part) {
  firing.state.touches.push_back({firing.inputs[0].variable, part, writes});
}

NaiveOp FindNaiveOp(std::string_view op) {
  static const auto& ops = *new std::map<std::string_view, NaiveOp>{
      {"Abs", Abs},
      {"Add", Arithmetic<Plus>},
      {"AddN", AddN},
      {"AddV2", Arithmetic<Plus>},
      {"Cast", Cast},
      {"Div", Div},
      {"FloorDiv", FloorDiv},
      {"IdentityN", IdentityN},
      {"Maximum", Arithmetic<Larger>},
      {"Neg", Neg},
      {"ZerosLike", ZerosLike},
      {"Sub", Arithmetic<Minus>},
      {"Mul", Arithmetic<Times>},
      {"FloorMod", FloorMod},
      {"Less", Less},
      {"Equal", Equal},
      {"LogicalNot", LogicalNot},
      {"LogicalAnd", LogicalAnd},
      {"Identity", Identity},
      {"PlaceholderWithDefault", Identity},
      {"Const", Const},
      {"NoOp", NoOp},
      {"VarHandleOp", VarHandle},
      {"ReadVariableOp", ReadVariable},
      {"AssignVariableOp", AssignVariable},
      {"AssignAddVariableOp", AssignAddVariable},
  };
  const auto found = ops.find(op);
  return found == ops.end() ? FindNaiveStateOp(op) : found->second;
}

NaiveValue NaiveOf(const Tensor& tensor) {
  if (!tensor.has_value() || tensor.rank() != 0) return {};
  switch (tensor.dtype()) {
    case DType::kInt32:
      return {DType::kInt32, tensor.scalar<int32_t>(), ""};
    case DType::kInt64:
      return {DType::kInt64, tensor.scalar<int64_t>(), ""};
    case DType::kBool:
      return {DType::kBool, tensor.scalar<bool>() ? 1 : 0, ""};
    case DType::kFloat:
      return {DType::kFloat, static_cast<int64_t>(tensor.scalar<float>()), ""};
    default:
      return {};
  }
}

}  // namespace tagflow::fuzz
