// Scopes: what may be seen where, and which fields a statement has.

#include <string>

#include "fuzz/program/op_arity.h"
#include "fuzz/program/passes.h"

namespace tagflow::fuzz {
namespace {

// Deeper nests would overflow the stack of those who walk them.
constexpr int kMaxDepth = 200;

std::string Counted(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class ScopeChecker {
 public:
  explicit ScopeChecker(const Program& program)
      : program_(program), state_(program.types.size(), State::kUnbound) {}

  MaybeFault Check() {
    if (program_.runs < 1) return Fault{nullptr, "there must be at least one run"};
    for (const Input& input : program_.inputs) TAGFLOW_RETURN_IF_FAULT(Bind(input.value, nullptr));
    if (!program_.body.parameters.empty()) {
      return Fault{nullptr, "the program's body has no parameters; it has inputs"};
    }
    return CheckBlock(program_.body, nullptr);
  }

 private:
  enum class State : uint8_t { kUnbound, kVisible, kGone };

  MaybeFault Bind(ValueId id, const Statement* where) {
    if (Index(id) >= state_.size()) return Fault{where, "binds a value that has no type"};
    if (state_[Index(id)] != State::kUnbound) return Fault{where, "binds a value a second time"};
    state_[Index(id)] = State::kVisible;
    bound_.push_back(id);
    return std::nullopt;
  }

  MaybeFault CheckUse(ValueId id, const Statement* where, const char* how) const {
    if (Index(id) < state_.size() && state_[Index(id)] == State::kVisible) return std::nullopt;
    const bool gone = Index(id) < state_.size() && state_[Index(id)] == State::kGone;
    return Fault{where, std::string(how) + (gone ? " is a value of a block that has ended"
                                                 : " is not bound before this")};
  }

  MaybeFault CheckBlock(const Block& block, const Statement* owner) {
    const size_t outer = bound_.size();
    if (++depth_ > kMaxDepth) return Fault{owner, "the blocks are nested too deeply"};
    for (ValueId id : block.parameters) TAGFLOW_RETURN_IF_FAULT(Bind(id, owner));
    for (const Statement& statement : block.statements) {
      TAGFLOW_RETURN_IF_FAULT(CheckStatement(statement));
    }
    for (ValueId id : block.results) {
      TAGFLOW_RETURN_IF_FAULT(
          CheckUse(id, owner, owner == nullptr ? "a result of the program" : "a block's result"));
    }
    for (; bound_.size() > outer; bound_.pop_back()) state_[Index(bound_.back())] = State::kGone;
    --depth_;
    return std::nullopt;
  }

  MaybeFault CheckStatement(const Statement& statement) {
    TAGFLOW_RETURN_IF_FAULT(CheckFields(statement));
    for (ValueId id : statement.operands) {
      TAGFLOW_RETURN_IF_FAULT(CheckUse(id, &statement, "an operand"));
    }
    for (ValueId id : statement.after) {
      TAGFLOW_RETURN_IF_FAULT(CheckUse(id, &statement, "what it comes after"));
    }
    // The outputs are bound last, so that its own blocks do not see them.
    for (const Block& block : statement.blocks) {
      TAGFLOW_RETURN_IF_FAULT(CheckBlock(block, &statement));
    }
    for (ValueId id : statement.outputs) TAGFLOW_RETURN_IF_FAULT(Bind(id, &statement));
    return std::nullopt;
  }

  MaybeFault CheckFields(const Statement& statement) const {
    if (static_cast<int>(statement.op) >= kNumOps) return Fault{&statement, "no such operation"};
    const OpArity arity = ArityOf(statement.op);
    const auto differs = [](int wanted, size_t have) {
      return wanted != OpArity::kAny && static_cast<size_t>(wanted) != have;
    };
    if (differs(arity.operands, statement.operands.size())) {
      return Fault{&statement, "takes " + Counted(static_cast<size_t>(arity.operands), "operand")};
    }
    if (differs(arity.outputs, statement.outputs.size())) {
      return Fault{&statement, "gives " + Counted(static_cast<size_t>(arity.outputs), "value")};
    }
    if (differs(arity.numbers, statement.numbers.size())) {
      return Fault{&statement, "takes " + Counted(static_cast<size_t>(arity.numbers), "number")};
    }
    if (statement.literal.has_value() != (statement.op == Op::kConst)) {
      return Fault{&statement, "a Const has a literal, and nothing else has"};
    }
    return CheckVariableAndBlocks(statement);
  }

  MaybeFault CheckVariableAndBlocks(const Statement& statement) const {
    const bool accesses =
        statement.op == Op::kRead || statement.op == Op::kAssign || statement.op == Op::kAssignAdd;
    if (accesses && (statement.variable < 0 ||
                     static_cast<size_t>(statement.variable) >= program_.variables.size())) {
      return Fault{&statement, "names a variable that there is not"};
    }
    if (!accesses && statement.variable != -1) return Fault{&statement, "accesses no variable"};
    switch (statement.op) {
      case Op::kCond:
        if (statement.blocks.size() == 2) return CheckBranches(statement);
        return Fault{&statement, "has two blocks, then and else"};
      case Op::kCase:
        if (!statement.blocks.empty()) return CheckBranches(statement);
        return Fault{&statement, "has at least one branch"};
      case Op::kWhile:
        return CheckWhile(statement);
      default:
        if (statement.blocks.empty()) return std::nullopt;
        return Fault{&statement, "has no blocks"};
    }
  }

  static MaybeFault CheckBranches(const Statement& statement) {
    for (const Block& block : statement.blocks) {
      if (!block.parameters.empty()) return Fault{&statement, "a branch has no parameters"};
      if (block.results.size() != statement.outputs.size()) {
        return Fault{&statement, "each branch must give " +
                                     Counted(statement.outputs.size(), "result") + ", not " +
                                     std::to_string(block.results.size())};
      }
    }
    return std::nullopt;
  }

  static MaybeFault CheckWhile(const Statement& statement) {
    if (statement.blocks.size() != 2) return Fault{&statement, "has two blocks, test and body"};
    const size_t count = statement.operands.size();  // the bound, or counter, and the variables
    if (count == 0) return Fault{&statement, "takes a bound"};
    if (statement.outputs.size() != count) {
      return Fault{&statement, "gives the counter and each variable, " + Counted(count, "value")};
    }
    for (const Block& block : statement.blocks) {
      if (block.parameters.size() == count) continue;
      return Fault{&statement, "a block of it takes the counter and each variable, " +
                                   Counted(count, "parameter")};
    }
    if (statement.blocks[0].results.size() > 1) {
      return Fault{&statement, "the test has at most one result"};
    }
    if (statement.blocks[1].results.size() != count - 1) {
      return Fault{&statement, "the body must give each variable's next value, " +
                                   Counted(count - 1, "result")};
    }
    return std::nullopt;
  }

  const Program& program_;
  std::vector<State> state_;
  std::vector<ValueId> bound_;  // what is visible, innermost last
  int depth_ = 0;
};

}  // namespace

MaybeFault CheckScopes(const Program& program) { return ScopeChecker(program).Check(); }

}  // namespace tagflow::fuzz
