#include "fuzz/program/text.h"

#include <algorithm>

#include "fuzz/program/literal_text.h"
#include "fuzz/program/result_types.h"
#include "fuzz/program/statement_text.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

bool IsFixed(const Type& type) {
  return std::ranges::all_of(type.dims, [](int64_t dim) { return dim >= 0; });
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), numbers_(program.types.size(), -1) {
    int next = 0;
    ForEachBinding(program, [&](ValueId id) {
      if (Index(id) < numbers_.size() && numbers_[Index(id)] < 0) numbers_[Index(id)] = next++;
    });
  }

  std::string Print() {
    if (program_.runs != 1) text_ += "runs " + std::to_string(program_.runs) + "\n";
    for (size_t i = 0; i < program_.variables.size(); ++i) {
      const Variable& variable = program_.variables[i];
      text_ += "variable x" + std::to_string(i) + ": " + TypeText(variable.type) + " = " +
               LiteralText(variable.initial) + "\n";
    }
    for (const Input& input : program_.inputs) {
      text_ += "input " + Binder(input.value) + " = ";
      for (size_t run = 0; run < input.feeds.size(); ++run) {
        text_ += (run == 0 ? "" : "; ") + Literal(input.value, input.feeds[run]);
      }
      text_ += "\n";
    }
    PrintBlock(program_.body, "");
    return std::move(text_);
  }

  std::string Head(const Statement& statement) const {
    std::string text;
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      text += (i == 0 ? "" : ", ") + Binder(statement.outputs[i]);
    }
    if (!text.empty()) text += " = ";
    text += OpName(statement.op);
    if (statement.literal.has_value()) {
      text += " ";
      text += statement.outputs.empty() ? LiteralText(statement.literal)
                                        : Literal(statement.outputs[0], statement.literal);
    }
    if (!statement.operands.empty()) text += "(" + Names(statement.operands) + ")";
    if (statement.variable >= 0) text += " x" + std::to_string(statement.variable);
    if (!statement.numbers.empty()) text += " [" + Joined(statement.numbers) + "]";
    if (statement.op == Op::kWhile) text += LoopText(statement.loop);
    if (!statement.after.empty()) text += " after " + Names(statement.after);
    return text;
  }

 private:
  std::string Name(ValueId id) const {
    const bool known = Index(id) < numbers_.size() && numbers_[Index(id)] >= 0;
    return known ? "v" + std::to_string(numbers_[Index(id)]) : "v?";
  }

  std::string Binder(ValueId id) const {
    return Name(id) + ": " + (Index(id) < numbers_.size() ? TypeText(program_.type(id)) : "?");
  }

  std::string Names(const std::vector<ValueId>& ids) const {
    std::string text;
    for (ValueId id : ids) text += (text.empty() ? "" : ", ") + Name(id);
    return text;
  }

  static std::string Joined(const std::vector<int64_t>& numbers) {
    std::string text;
    for (int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
  }

  // A literal for a value whose shape is open tells its own.
  std::string Literal(ValueId id, const Tensor& literal) const {
    const bool fixed = Index(id) < numbers_.size() && IsFixed(program_.type(id));
    if (fixed) return LiteralText(literal);
    const Dims dims(literal.dims().begin(), literal.dims().end());
    return TypeText({Kind::kTensor, literal.dtype(), dims}) + " " + LiteralText(literal);
  }

  static std::string LoopText(const Loop& loop) {
    std::string text = " from " + NumberText(loop.start) + " step " + NumberText(loop.step) + " " +
                       std::string(OpName(loop.compare)) + " most " + NumberText(loop.most);
    if (loop.maximum_iterations != -1)
      text += " maximum " + std::to_string(loop.maximum_iterations);
    if (loop.parallel_iterations != 10) {
      text += " parallel " + std::to_string(loop.parallel_iterations);
    }
    if (!loop.back_prop) text += " no_back_prop";
    if (loop.swap_memory) text += " swap_memory";
    if (loop.bound_inside) text += " bound_inside";
    return text;
  }

  static std::string BlockName(const Statement& statement, size_t i) {
    if (statement.op == Op::kCond) return i == 0 ? "then" : "else";
    if (statement.op == Op::kWhile) return i == 0 ? "test" : "body";
    return "branch";
  }

  void PrintStatement(const Statement& statement, const std::string& indent) {
    text_ += indent + Head(statement);
    if (statement.blocks.empty()) {
      text_ += "\n";
      return;
    }
    text_ += " {\n";
    for (size_t i = 0; i < statement.blocks.size(); ++i) {
      text_ += indent + BlockName(statement, i);
      std::string parameters;
      for (ValueId id : statement.blocks[i].parameters) {
        parameters += (parameters.empty() ? "" : ", ") + Binder(id);
      }
      text_ += (parameters.empty() ? "" : "(" + parameters + ")") + ":\n";
      PrintBlock(statement.blocks[i], indent + "  ");
    }
    text_ += indent + "}\n";
  }

  void PrintBlock(const Block& block, const std::string& indent) {
    for (const Statement& statement : block.statements) PrintStatement(statement, indent);
    if (!block.results.empty()) text_ += indent + "return " + Names(block.results) + "\n";
  }

  const Program& program_;
  std::vector<int> numbers_;  // by value, in order of the text; -1: not bound
  std::string text_;
};

}  // namespace

std::string ToText(const Program& program) { return Printer(program).Print(); }

std::string StatementText(const Program& program, const Statement& statement) {
  return Printer(program).Head(statement);
}

}  // namespace tagflow::fuzz
