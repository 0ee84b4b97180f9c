#ifndef TAGFLOW_FUZZ_DIRECT_TEST_PROGRAMS_H_
#define TAGFLOW_FUZZ_DIRECT_TEST_PROGRAMS_H_

// Programs for tests, written from inside: each call adds a statement to the block being built and
// returns what it binds.

#include <functional>
#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

inline Type TensorType(DType dtype, Dims dims = {}) {
  return {Kind::kTensor, dtype, std::move(dims)};
}
inline Type TypeOf(const Tensor& tensor) {
  return TensorType(tensor.dtype(), Dims(tensor.dims().begin(), tensor.dims().end()));
}

class ProgramWriter {
 public:
  using Ids = std::vector<ValueId>;

  // One feed per run.
  ValueId Input(std::vector<Tensor> feeds) {
    const ValueId id = program_.NewValue(TypeOf(feeds[0]));
    program_.runs = static_cast<int>(feeds.size());
    program_.inputs.push_back({id, std::move(feeds)});
    return id;
  }
  template <typename T>
  ValueId Input(T value) {
    return Input(std::vector<Tensor>{Tensor::Scalar(value)});
  }
  int Variable(const Tensor& initial) {
    program_.variables.push_back({TypeOf(initial), initial});
    return static_cast<int>(program_.variables.size()) - 1;
  }
  void Runs(int runs) { program_.runs = runs; }

  ValueId Const(const Tensor& literal) {
    Statement statement;
    statement.literal = literal;
    return Add(std::move(statement), {TypeOf(literal)})[0];
  }
  template <typename T>
  ValueId Const(T value) {
    return Const(Tensor::Scalar(value));
  }
  // An operation whose one output has the given type; without one, that of the first operand.
  ValueId Do(Op op, Ids operands, std::vector<int64_t> numbers = {}) {
    const Type type = program_.type(operands[0]);
    return DoAs(type, op, std::move(operands), std::move(numbers));
  }
  ValueId DoAs(const Type& type, Op op, Ids operands, std::vector<int64_t> numbers = {}) {
    Statement statement;
    statement.op = op;
    statement.operands = std::move(operands);
    statement.numbers = std::move(numbers);
    return Add(std::move(statement), {type})[0];
  }
  ValueId NewArray(const Type& element, int64_t size) {
    return DoAs({Kind::kArray, element.dtype, element.dims}, Op::kArrayNew, {}, {size});
  }
  ValueId NewStack(const Type& element, int64_t most) {
    return DoAs({Kind::kStack, element.dtype, element.dims}, Op::kStackNew, {}, {most});
  }
  ValueId ReadArray(ValueId array, ValueId index) {
    return DoAs(ElementType(array), Op::kArrayRead, {array, index});
  }
  // {value, stack}
  Ids Pop(ValueId stack) {
    Statement statement;
    statement.op = Op::kStackPop;
    statement.operands = {stack};
    return Add(std::move(statement), {ElementType(stack), program_.type(stack)});
  }
  ValueId Read(int variable) {
    Statement statement;
    statement.op = Op::kRead;
    statement.variable = variable;
    return Add(std::move(statement), {program_.variables[variable].type})[0];
  }
  void Assign(int variable, ValueId value, Op op = Op::kAssign) {
    Statement statement;
    statement.op = op;
    statement.operands = {value};
    statement.variable = variable;
    Add(std::move(statement), {});
  }

  // kCond (two functions: then, else) or kCase. Each function returns its block's results.
  Ids Branch(Op op, ValueId chooser, const std::vector<std::function<Ids()>>& branches) {
    Statement statement;
    statement.op = op;
    statement.operands = {chooser};
    for (const auto& branch : branches) {
      statement.blocks.push_back(Inside({}, [&](const Ids&) { return branch(); }));
    }
    std::vector<Type> types;
    for (ValueId id : statement.blocks[0].results) types.push_back(program_.type(id));
    return Add(std::move(statement), types);
  }
  // The functions are given {counter, variables…}. `condition` may be null.
  Ids While(const Loop& loop, ValueId bound, const Ids& initial,
            const std::function<Ids(const Ids&)>& body,
            const std::function<ValueId(const Ids&)>& condition = nullptr) {
    Statement statement;
    statement.op = Op::kWhile;
    statement.loop = loop;
    statement.operands = {bound};
    std::vector<Type> types = {TensorType(loop.counter)};
    for (ValueId id : initial) {
      statement.operands.push_back(id);
      types.push_back(program_.type(id));
    }
    statement.blocks.push_back(Inside(types, [&](const Ids& parameters) {
      return condition == nullptr ? Ids() : Ids{condition(parameters)};
    }));
    statement.blocks.push_back(Inside(types, body));
    return Add(std::move(statement), types);
  }

  // The program, with these results.
  Program Finish(const Ids& results) {
    block_.results = results;
    program_.body = std::move(block_);
    return std::move(program_);
  }

 private:
  Type ElementType(ValueId collection) const {
    const Type& type = program_.type(collection);
    return TensorType(type.dtype, type.dims);
  }
  Ids Add(Statement statement, const std::vector<Type>& types) {
    for (const Type& type : types) statement.outputs.push_back(program_.NewValue(type));
    Ids outputs = statement.outputs;
    block_.statements.push_back(std::move(statement));
    return outputs;
  }
  Block Inside(const std::vector<Type>& types, const std::function<Ids(const Ids&)>& write) {
    Block outer = std::move(block_);
    block_ = Block();
    Ids parameters;
    for (const Type& type : types) parameters.push_back(program_.NewValue(type));
    block_.parameters = parameters;
    Ids results = write(parameters);
    block_.results = std::move(results);
    return std::exchange(block_, std::move(outer));
  }

  Program program_;
  Block block_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_TEST_PROGRAMS_H_
