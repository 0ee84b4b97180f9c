// Linear use. Every array and stack comes from a root: the statement that made it, or the parameter
// of a loop's block that it came in by. At any point of a program one value stands for a root; who
// writes, pushes, pops, hands it to a loop or returns it from a branch uses that value up and binds
// the next one. So two uses of a root are ordered by the text, whatever an engine does.

#include <string>

#include "fuzz/program/passes.h"

namespace tagflow::fuzz {
namespace {

class LinearChecker {
 public:
  explicit LinearChecker(const Program& program)
      : program_(program), facts_(program.types.size()) {}

  MaybeFault Check() {
    for (const Input& input : program_.inputs) {
      if (IsLinear(input.value)) return Fault{nullptr, "an input is a tensor"};
    }
    for (ValueId id : program_.body.results) {
      if (IsLinear(id)) return Fault{nullptr, "a result of the program is a tensor"};
    }
    return CheckStatements(program_.body, 0);
  }

 private:
  struct Facts {
    ValueId root = ValueId::kNone;
    bool used_up = false;
    // Of a root.
    int loop = 0;          // the loop block it was made in, by number; 0: none
    int block = 0;         // how many blocks are around it
    bool of_test = false;  // a parameter of a loop's test
  };

  bool IsLinear(ValueId id) const { return program_.type(id).kind != Kind::kTensor; }
  Facts& facts(ValueId id) { return facts_[Index(id)]; }

  void MakeRoot(ValueId id, int depth, bool of_test) {
    facts(id) = {id, false, loop_, depth, of_test};
  }

  MaybeFault CheckStatements(const Block& block, int depth) {
    for (const Statement& statement : block.statements) {
      TAGFLOW_RETURN_IF_FAULT(CheckStatement(statement, depth));
    }
    return std::nullopt;
  }

  MaybeFault CheckLive(ValueId id, const Statement& statement) {
    if (!facts(id).used_up) return std::nullopt;
    return Fault{&statement, "uses an array or stack that was used up before"};
  }

  MaybeFault UseUp(ValueId id, const Statement& statement) {
    TAGFLOW_RETURN_IF_FAULT(CheckLive(id, statement));
    const Facts& root = facts(facts(id).root);
    if (root.of_test) return Fault{&statement, "uses up a variable of the loop in its test"};
    if (root.loop != loop_) {
      return Fault{&statement, "uses up, in a loop, an array or stack that is no variable of it"};
    }
    facts(id).used_up = true;
    return std::nullopt;
  }

  // `next` stands for what `id` stood for.
  void Continue(ValueId id, ValueId next) { facts(next).root = facts(id).root; }

  MaybeFault CheckStatement(const Statement& statement, int depth) {
    switch (statement.op) {
      case Op::kCond:
      case Op::kCase:
        return CheckBranches(statement, depth);
      case Op::kWhile:
        return CheckWhile(statement, depth);
      case Op::kArrayNew:
      case Op::kStackNew:
        MakeRoot(statement.outputs[0], depth, false);
        return std::nullopt;
      case Op::kArrayWrite:
      case Op::kStackPush:
      case Op::kStackPop:
        TAGFLOW_RETURN_IF_FAULT(UseUp(statement.operands[0], statement));
        Continue(statement.operands[0], statement.outputs.back());
        return std::nullopt;
      default:
        for (ValueId id : statement.operands) {
          if (IsLinear(id)) TAGFLOW_RETURN_IF_FAULT(CheckLive(id, statement));
        }
        return std::nullopt;
    }
  }

  // What any branch uses up is gone after; but no branch sees what another did.
  MaybeFault CheckBranches(const Statement& statement, int depth) {
    const std::vector<Facts> before = facts_;
    std::vector<Facts> after = facts_;
    std::vector<ValueId> roots(statement.outputs.size(), ValueId::kNone);
    for (const Block& block : statement.blocks) {
      facts_ = before;
      TAGFLOW_RETURN_IF_FAULT(CheckStatements(block, depth + 1));
      TAGFLOW_RETURN_IF_FAULT(CheckBranchResults(statement, block, depth, roots));
      for (size_t i = 0; i < after.size(); ++i) after[i].used_up |= facts_[i].used_up;
    }
    facts_ = std::move(after);
    for (size_t i = 0; i < roots.size(); ++i) facts(statement.outputs[i]).root = roots[i];
    return std::nullopt;
  }

  MaybeFault CheckBranchResults(const Statement& statement, const Block& block, int depth,
                                std::vector<ValueId>& roots) {
    for (size_t i = 0; i < block.results.size(); ++i) {
      const ValueId id = block.results[i];
      if (!IsLinear(id)) continue;
      TAGFLOW_RETURN_IF_FAULT(UseUp(id, statement));
      const ValueId root = facts(id).root;
      if (facts(root).block > depth) {
        return Fault{&statement, "an array or stack made in a branch leaves it"};
      }
      if (roots[i] != ValueId::kNone && roots[i] != root) {
        return Fault{&statement, "result " + std::to_string(i) +
                                     " is another array or stack in one branch than in another"};
      }
      roots[i] = root;
    }
    return std::nullopt;
  }

  MaybeFault CheckWhile(const Statement& statement, int depth) {
    for (ValueId id : statement.operands) {
      if (IsLinear(id)) TAGFLOW_RETURN_IF_FAULT(UseUp(id, statement));
    }
    const int outer = loop_;
    for (size_t b = 0; b < 2; ++b) {
      const Block& block = statement.blocks[b];
      loop_ = ++loops_;
      for (ValueId id : block.parameters) {
        if (IsLinear(id)) MakeRoot(id, depth + 1, b == 0);
      }
      TAGFLOW_RETURN_IF_FAULT(CheckStatements(block, depth + 1));
      if (b == 1) TAGFLOW_RETURN_IF_FAULT(CheckNextValues(statement, block));
    }
    loop_ = outer;
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      if (IsLinear(statement.operands[i])) Continue(statement.operands[i], statement.outputs[i]);
    }
    return std::nullopt;
  }

  MaybeFault CheckNextValues(const Statement& statement, const Block& body) {
    for (size_t i = 0; i < body.results.size(); ++i) {
      const ValueId id = body.results[i];
      if (!IsLinear(id)) continue;
      TAGFLOW_RETURN_IF_FAULT(UseUp(id, statement));
      if (facts(id).root != body.parameters[i + 1]) {
        return Fault{&statement, "the next value of variable " + std::to_string(i) +
                                     ", an array or stack, does not come from it"};
      }
    }
    return std::nullopt;
  }

  const Program& program_;
  std::vector<Facts> facts_;
  int loop_ = 0;   // the loop block being checked
  int loops_ = 0;  // loop blocks begun
};

}  // namespace

MaybeFault CheckLinearUse(const Program& program) { return LinearChecker(program).Check(); }

}  // namespace tagflow::fuzz
