#ifndef TAGFLOW_FUZZ_LOWER_PROGRAM_MAKER_H_
#define TAGFLOW_FUZZ_LOWER_PROGRAM_MAKER_H_

// Programs by hand, for tests: statements go into the block that is open.
//
//   ProgramMaker m;
//   const ValueId x = m.Input(Tensor::Scalar(2.0));
//   const auto r = m.While({.most = 5}, m.Int(3), {x}, nullptr, [&](const Values& v) {
//     return Values{m.Plus(v[1], x)}; });
//   const Program program = m.Finish({r[1]});

#include <functional>
#include <utility>
#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

using Values = std::vector<ValueId>;

class ProgramMaker {
 public:
  // Given nothing, or the counter and the loop variables; gives the block's results.
  using BlockFunction = std::function<Values(const Values&)>;

  static Type TypeOf(const Tensor& tensor) {
    return {Kind::kTensor, tensor.dtype(), Dims(tensor.dims().begin(), tensor.dims().end())};
  }

  ValueId Input(std::vector<Tensor> feeds) {
    const ValueId id = program.NewValue(TypeOf(feeds[0]));
    program.inputs.push_back({id, std::move(feeds)});
    program.runs = static_cast<int>(program.inputs[0].feeds.size());
    return id;
  }
  ValueId Input(const Tensor& feed) { return Input(std::vector<Tensor>{feed}); }

  int Variable(const Tensor& initial) {
    program.variables.push_back({TypeOf(initial), initial});
    return static_cast<int>(program.variables.size()) - 1;
  }

  Statement& Add(Statement statement) {
    open_->statements.push_back(std::move(statement));
    return open_->statements.back();
  }
  Values DoAll(Op op, const std::vector<Type>& types, Values operands,
               std::vector<int64_t> numbers = {}, Values after = {}) {
    Statement statement;
    statement.op = op;
    statement.operands = std::move(operands);
    for (const Type& type : types) statement.outputs.push_back(program.NewValue(type));
    statement.numbers = std::move(numbers);
    statement.after = std::move(after);
    return Add(std::move(statement)).outputs;
  }
  // A statement with one output.
  ValueId Do(Op op, const Type& type, Values operands, std::vector<int64_t> numbers = {},
             Values after = {}) {
    return DoAll(op, {type}, std::move(operands), std::move(numbers), std::move(after))[0];
  }
  // A statement whose output is like its first operand.
  ValueId Like(Op op, Values operands) {
    const Type type = program.type(operands[0]);
    return Do(op, type, std::move(operands));
  }
  ValueId Plus(ValueId x, ValueId y) { return Like(Op::kAdd, {x, y}); }
  ValueId Compare(Op op, ValueId x, ValueId y) {
    return Do(op, {Kind::kTensor, DType::kBool, program.type(x).dims}, {x, y});
  }

  ValueId Const(const Tensor& value) {
    const ValueId id = Do(Op::kConst, TypeOf(value), {});
    open_->statements.back().literal = value;
    return id;
  }
  ValueId Int(int32_t value) { return Const(Tensor::Scalar(value)); }

  ValueId Read(int variable) {
    const ValueId id = Do(Op::kRead, program.variables[static_cast<size_t>(variable)].type, {});
    open_->statements.back().variable = variable;
    return id;
  }
  void Assign(int variable, ValueId value, Op op = Op::kAssign) {
    Statement statement;
    statement.op = op;
    statement.operands = {value};
    statement.variable = variable;
    Add(std::move(statement));
  }

  Values Cond(ValueId predicate, const BlockFunction& then_block, const BlockFunction& else_block) {
    return Branches(Op::kCond, predicate, {then_block, else_block});
  }
  Values Case(ValueId index, const std::vector<BlockFunction>& blocks) {
    return Branches(Op::kCase, index, blocks);
  }

  // Gives the counter and the variables at the end. `types`: of the variables, where they differ
  // from those of the initial values.
  Values While(const Loop& loop, ValueId bound, const Values& initial,
               const BlockFunction& condition, const BlockFunction& body,
               std::vector<Type> types = {}) {
    Statement statement;
    statement.op = Op::kWhile;
    statement.loop = loop;
    statement.operands = {bound};
    statement.operands.insert(statement.operands.end(), initial.begin(), initial.end());
    if (types.empty()) {
      for (const ValueId id : initial) types.push_back(program.type(id));
    }
    types.insert(types.begin(), Type{Kind::kTensor, loop.counter, {}});
    statement.blocks.push_back(LoopBlock(types, condition));
    statement.blocks.push_back(LoopBlock(types, body));
    for (const Type& type : types) statement.outputs.push_back(program.NewValue(type));
    return Add(std::move(statement)).outputs;
  }

  Program Finish(Values results) {
    program.body.results = std::move(results);
    return std::move(program);
  }

  Program program;

 private:
  Block LoopBlock(const std::vector<Type>& types, const BlockFunction& function) {
    Block block;
    for (const Type& type : types) block.parameters.push_back(program.NewValue(type));
    Fill(block, function);
    return block;
  }

  void Fill(Block& block, const BlockFunction& function) {
    Block* const around = std::exchange(open_, &block);
    if (function) block.results = function(block.parameters);
    open_ = around;
  }

  Values Branches(Op op, ValueId chooser, const std::vector<BlockFunction>& blocks) {
    Statement statement;
    statement.op = op;
    statement.operands = {chooser};
    for (const BlockFunction& function : blocks) Fill(statement.blocks.emplace_back(), function);
    for (const ValueId result : statement.blocks[0].results) {
      statement.outputs.push_back(program.NewValue(program.type(result)));
    }
    return Add(std::move(statement)).outputs;
  }

  Block* open_ = &program.body;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_PROGRAM_MAKER_H_
