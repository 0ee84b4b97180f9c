// Statements on arrays, stacks and variables.

#include "fuzz/lower/lowering.h"

namespace tagflow::fuzz {

TensorArray Lowering::ArrayOf(ValueId id) const {
  return TensorArray(handle(id), value(id), type(id).dtype, PartialShape(type(id).dims));
}

bool Lowering::LowerArrayOp(const Scope& scope, const Statement& statement) {
  switch (statement.op) {
    case Op::kArrayNew: {
      const ValueId output = statement.outputs[0];
      const TensorArray array(
          scope, static_cast<int>(statement.numbers[0]), type(output).dtype,
          {.element_shape = PartialShape(type(output).dims), .clear_after_read = false});
      handles_[Index(output)] = array.handle();
      value(output) = array.flow();
      return true;
    }
    case Op::kArrayWrite:
      value(statement.outputs[0]) =
          ArrayOf(statement.operands[0])
              .Write(scope, value(statement.operands[1]), value(statement.operands[2]))
              .flow();
      return true;
    case Op::kArrayRead:
      value(statement.outputs[0]) =
          ArrayOf(statement.operands[0]).Read(scope, value(statement.operands[1]));
      return true;
    case Op::kArrayGather: {
      const Scope part = scope.SubScope(scope.data().op_name);
      const TensorArray array = ArrayOf(statement.operands[0]);
      value(statement.outputs[0]) = array.Gather(scope, Range(part, 0, array.Size(part), 1));
      return true;
    }
    default:
      return false;
  }
}

// The token is there when everything done to the stack so far has been done.
bool Lowering::LowerStackOp(const Scope& scope, const Statement& statement) {
  if (statement.op == Op::kStackNew) {
    const ValueId output = statement.outputs[0];
    const Stack stack(scope, static_cast<int>(statement.numbers[0]), type(output).dtype);
    handles_[Index(output)] = stack.handle();
    value(output) = Const(scope.WithOpName(scope.data().op_name + "_token"), true);
    return true;
  }
  if (statement.op != Op::kStackPush && statement.op != Op::kStackPop) return false;
  const ValueId before = statement.operands[0];
  const Scope ordered = scope.WithControlDependencies({value(before)});
  const Scope token = scope.WithOpName(scope.data().op_name + "_token");
  if (statement.op == Op::kStackPush) {
    const Output& element = value(statement.operands[1]);
    const Output pushed = ::tagflow::Op(ordered, "StackPushV2", {handle(before), element});
    value(statement.outputs[0]) = Identity(token.WithControlDependencies({pushed}), value(before));
  } else {
    const Output popped =
        ::tagflow::Op(ordered, "StackPopV2", {handle(before)}, {{"elem_type", type(before).dtype}});
    scope.SetShape(popped, PartialShape(type(statement.outputs[0]).dims));
    value(statement.outputs[0]) = popped;
    value(statement.outputs[1]) = Identity(token.WithControlDependencies({popped}), value(before));
  }
  return true;
}

bool Lowering::LowerAccess(const Scope& scope, const Statement& statement) {
  const bool read = statement.op == Op::kRead;
  if (!read && statement.op != Op::kAssign && statement.op != Op::kAssignAdd) return false;
  const auto which = static_cast<size_t>(statement.variable);
  const ::tagflow::Variable& variable = variables_[which];
  AccessOrder& order = order_[which];
  // Now and then by way of a NoOp: what waits for it waits for what it waits for.
  std::vector<Operation> before = read ? order.writes : order.All();
  if (!before.empty() && scope.graph().num_nodes() % 4 == 0) before = {Group(scope, before)};
  const Scope ordered = scope.WithControlDependencies(before);
  if (read) {
    const Output output = variable.Read(ordered);
    scope.SetShape(output, PartialShape(program_.variables[which].type.dims));
    value(statement.outputs[0]) = output;
    order.reads.emplace_back(output);
    return true;
  }
  const Output& operand = value(statement.operands[0]);
  order.writes = {statement.op == Op::kAssign ? variable.Assign(ordered, operand)
                                              : variable.AssignAdd(ordered, operand)};
  order.reads.clear();
  return true;
}

}  // namespace tagflow::fuzz
