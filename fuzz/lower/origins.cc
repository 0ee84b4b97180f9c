#include "fuzz/lower/origins.h"

namespace tagflow::fuzz {
namespace {

class Finder {
 public:
  explicit Finder(const Program& program)
      : program_(program), origins_(program.types.size(), ValueId::kNone) {}

  std::vector<ValueId> Find() {
    Walk(program_.body);
    return std::move(origins_);
  }

 private:
  bool IsTensor(ValueId id) const { return program_.type(id).kind == Kind::kTensor; }
  ValueId& Of(ValueId id) { return origins_[Index(id)]; }

  void Walk(const Block& block) {
    for (const Statement& statement : block.statements) Walk(statement);
  }

  void Walk(const Statement& statement) {
    if (statement.op == Op::kWhile) return WalkLoop(statement);
    if (statement.op == Op::kCond || statement.op == Op::kCase) return WalkBranches(statement);
    for (const ValueId output : statement.outputs) {
      if (IsTensor(output)) continue;
      const bool is_new = statement.op == Op::kArrayNew || statement.op == Op::kStackNew;
      Of(output) = is_new ? output : Of(statement.operands[0]);
    }
  }

  void WalkBranches(const Statement& statement) {
    // What was there before has an origin already; what a branch makes gets one in there.
    const std::vector<ValueId> before = origins_;
    for (const Block& block : statement.blocks) Walk(block);
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      const ValueId output = statement.outputs[i];
      if (IsTensor(output)) continue;
      const ValueId first = Of(statement.blocks[0].results[i]);
      bool same = before[Index(first)] == first;
      for (const Block& block : statement.blocks) same = same && Of(block.results[i]) == first;
      Of(output) = same ? first : output;
    }
  }

  // A variable is taken to be the one array throughout, until the body proves otherwise.
  void WalkLoop(const Statement& loop) {
    const Block& condition = loop.blocks[0];
    const Block& body = loop.blocks[1];
    std::vector<bool> travels(body.results.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < body.results.size(); ++i) {
        for (const ValueId id :
             {condition.parameters[i + 1], body.parameters[i + 1], loop.outputs[i + 1]}) {
          if (!IsTensor(id)) Of(id) = travels[i] ? id : Of(loop.operands[i + 1]);
        }
      }
      Walk(condition);
      Walk(body);
      for (size_t i = 0; i < body.results.size(); ++i) {
        if (travels[i] || Of(body.results[i]) == Of(body.parameters[i + 1])) continue;
        travels[i] = changed = true;
      }
    }
  }

  const Program& program_;
  std::vector<ValueId> origins_;
};

}  // namespace

std::vector<ValueId> FindOrigins(const Program& program) { return Finder(program).Find(); }

}  // namespace tagflow::fuzz
