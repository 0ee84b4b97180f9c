#include "fuzz/generate/repeat.h"

#include <map>
#include <utility>

namespace tagflow::fuzz {
namespace {

class Copier {
 public:
  explicit Copier(Maker& maker) : maker_(maker) {}

  Statement Copy(const Statement& original) {
    Statement copy = original;
    for (ValueId& id : copy.operands) id = Mapped(id);
    for (ValueId& id : copy.after) id = Mapped(id);
    for (Block& block : copy.blocks) block = CopyBlock(block);
    for (ValueId& id : copy.outputs) id = Fresh(id);
    return copy;
  }

 private:
  ValueId Mapped(ValueId id) const {
    const auto found = copies_.find(id);
    return found == copies_.end() ? id : found->second;
  }

  ValueId Fresh(ValueId id) {
    const Fact fact = maker_.fact(id);
    return copies_[id] = maker_.BindHidden(maker_.type(id), fact);
  }

  Block CopyBlock(const Block& original) {
    Block copy;
    for (const ValueId id : original.parameters) copy.parameters.push_back(Fresh(id));
    for (const Statement& statement : original.statements) {
      copy.statements.push_back(Copy(statement));
    }
    for (const ValueId id : original.results) copy.results.push_back(Mapped(id));
    return copy;
  }

  Maker& maker_;
  std::map<ValueId, ValueId> copies_;
};

}  // namespace

void RepeatLast(Maker& maker, int times) {
  for (int i = 0; i < times; ++i) {
    Statement copy = Copier(maker).Copy(Statement(maker.block().statements.back()));
    const std::vector<ValueId> outputs = copy.outputs;
    maker.Write(std::move(copy));
    for (const ValueId id : outputs) maker.Show(id);
  }
}

}  // namespace tagflow::fuzz
