// Edits of the tree: ControlEdits, DeleteEdits, PartEdits, SubstituteEdits.

#include <algorithm>

#include "fuzz/direct/direct.h"
#include "fuzz/program/walk.h"
#include "fuzz/shrink/edits.h"
#include "fuzz/shrink/rewrite.h"

namespace tagflow::fuzz {
namespace {

std::vector<const Statement*> StatementsOf(const Program& program) {
  std::vector<const Statement*> statements;
  ForEachStatement(program.body,
                   [&](const Statement& statement) { statements.push_back(&statement); });
  return statements;
}

// The statements within, and itself.
size_t SizeOf(const Statement& statement) {
  size_t size = 1;
  for (const Block& block : statement.blocks) {
    ForEachStatement(block, [&](const Statement&) { ++size; });
  }
  return size;
}

template <typename T>
void EraseAt(std::vector<T>& items, size_t i) {
  items.erase(items.begin() + static_cast<int64_t>(i));
}

Edit TakeOutEdit(size_t begin, size_t end, Stand stand) {
  return [=](Program& program) { TakeOut(program, begin, end, stand); };
}

// The values that a statement of the outermost block gives in the first run become constants.
void MakeItsValuesConstant(Program& program, size_t position) {
  const Place place = PlaceOf(program, position);
  const std::vector<ValueId> outputs = place.statement().outputs;
  const auto is_tensor = [&](ValueId id) { return program.type(id).kind == Kind::kTensor; };
  if (place.block != &program.body || !std::ranges::all_of(outputs, is_tensor)) return;
  Program beginning = program;
  beginning.runs = 1;
  for (Input& input : beginning.inputs) input.feeds.resize(1);
  beginning.body.statements.resize(place.index + 1);
  beginning.body.results = outputs;
  const auto results = Evaluate(beginning);
  if (!results.ok()) return;
  auto& statements = program.body.statements;
  EraseAt(statements, place.index);
  for (size_t i = outputs.size(); i-- > 0;) {
    statements.insert(statements.begin() + static_cast<int64_t>(place.index),
                      ConstStatement(outputs[i], (*results)[0].values[i]));
  }
}

void AddVariableEdits(size_t position, const Statement& statement, Edits& edits) {
  for (size_t i = statement.operands.size(); i-- > 1;) {
    // The variable is what it was at first.
    edits.push_back([=](Program& program) {
      Statement& loop = PlaceOf(program, position).statement();
      const ValueId initial = loop.operands[i];
      std::map<ValueId, ValueId> replacements = {{loop.outputs[i], initial}};
      for (Block& block : loop.blocks) {
        replacements[block.parameters[i]] = initial;
        EraseAt(block.parameters, i);
      }
      EraseAt(loop.blocks[1].results, i - 1);
      EraseAt(loop.operands, i);
      EraseAt(loop.outputs, i);
      Replace(program, replacements);
    });
    // It is passed on.
    if (statement.blocks[1].results[i - 1] == statement.blocks[1].parameters[i]) continue;
    edits.push_back([=](Program& program) {
      Block& body = PlaceOf(program, position).statement().blocks[1];
      body.results[i - 1] = body.parameters[i];
    });
  }
  if (!statement.blocks[0].results.empty()) {
    edits.push_back([=](Program& program) {
      PlaceOf(program, position).statement().blocks[0].results.clear();
    });
  }
}

void AddBranchEdits(size_t position, const Statement& statement, Edits& edits) {
  for (size_t b = statement.blocks.size(); b-- > 0 && statement.blocks.size() > 1;) {
    edits.push_back(
        [=](Program& program) { EraseAt(PlaceOf(program, position).statement().blocks, b); });
  }
}

void AddAfterEdits(size_t position, const Statement& statement, Edits& edits) {
  for (size_t i = statement.after.size(); i-- > 0;) {
    edits.push_back(
        [=](Program& program) { EraseAt(PlaceOf(program, position).statement().after, i); });
  }
}

// Outputs of conds and cases that nothing uses; where something does, the edit fails.
void AddOutputEdits(size_t position, const Statement& statement, Edits& edits) {
  for (size_t i = statement.outputs.size(); i-- > 0;) {
    edits.push_back([=](Program& program) {
      Statement& branches = PlaceOf(program, position).statement();
      EraseAt(branches.outputs, i);
      for (Block& block : branches.blocks) EraseAt(block.results, i);
    });
  }
}

// What the block gives is `value` alone, which is of it. Other branches give a zero; the variable
// of a loop whose body it is was a zero at first.
void GiveAlone(Program& program, size_t position, size_t block, ValueId value) {
  const Place place = PlaceOf(program, position);
  Statement& statement = place.statement();
  const Type type = program.type(value);
  const bool is_loop = statement.op == Op::kWhile;
  const size_t kept = is_loop ? 1 : 0;
  std::map<ValueId, ValueId> replacements;
  const auto keep_one = [&](std::vector<ValueId>& ids) {
    for (size_t i = kept + 1; i < ids.size(); ++i) replacements[ids[i]] = ids[kept];
    ids.resize(kept + 1);
  };
  keep_one(statement.outputs);
  std::vector<Statement> zeros;
  const auto zero = [&](std::vector<Statement>& statements) {
    const ValueId id = program.NewValue(type);
    statements.push_back(ConstStatement(id, Filled(type, 0)));
    return id;
  };
  for (size_t b = 0; b < statement.blocks.size(); ++b) {
    Block& inner = statement.blocks[b];
    if (is_loop) keep_one(inner.parameters);
    if (b == block) {
      inner.results = {value};
    } else if (!is_loop) {
      inner.results = {zero(inner.statements)};
    }
  }
  if (is_loop) {
    statement.operands.resize(1);
    statement.operands.push_back(zero(zeros));
    auto& around = place.block->statements;
    around.insert(around.begin() + static_cast<int64_t>(place.index), zeros[0]);
  }
  Replace(program, replacements);
}

// What conds and loops in a branch or body give, instead of what it gives.
void AddGivenEdits(size_t position, const Program& program, const Statement& statement,
                   Edits& edits) {
  const bool is_loop = statement.op == Op::kWhile;
  if (statement.outputs.size() == (is_loop ? 1 : 0)) return;
  for (size_t b = is_loop ? 1 : 0; b < statement.blocks.size(); ++b) {
    for (const Statement& inner : statement.blocks[b].statements) {
      if (inner.blocks.empty()) continue;
      for (ValueId id : inner.outputs) {
        if (program.type(id).kind != Kind::kTensor) continue;
        edits.push_back([=](Program& candidate) { GiveAlone(candidate, position, b, id); });
      }
    }
  }
}

// The variable goes, with every access to it.
void DropVariable(Program& program, int variable) {
  const auto statements = StatementsOf(program);
  for (size_t position = statements.size(); position-- > 0;) {
    if (PlaceOf(program, position).statement().variable == variable) {
      TakeOut(program, position, position + 1, Stand::kZeros);
    }
  }
  EraseAt(program.variables, static_cast<size_t>(variable));
  ForEachStatement(program.body, [&](Statement& statement) {
    if (statement.variable > variable) --statement.variable;
  });
}

// What a cond or loop of the outermost block gives, as the only result of the program: beside the
// variables, or alone, since an effect may be all that kept a failure to be seen.
void AddResultEdits(const Program& program, Edits& edits) {
  for (size_t i = program.body.statements.size(); i-- > 0;) {
    const Statement& statement = program.body.statements[i];
    if (statement.blocks.empty()) continue;
    for (ValueId id : statement.outputs) {
      if (program.type(id).kind != Kind::kTensor) continue;
      edits.push_back([=](Program& candidate) { candidate.body.results = {id}; });
      if (program.variables.empty()) continue;
      edits.push_back([=](Program& candidate) {
        candidate.body.results = {id};
        for (size_t v = candidate.variables.size(); v-- > 0;) {
          DropVariable(candidate, static_cast<int>(v));
        }
      });
    }
  }
}

void MakeConstant(Program& program, size_t input) {
  const Input constant = program.inputs[input];
  EraseAt(program.inputs, input);
  program.body.statements.insert(program.body.statements.begin(),
                                 ConstStatement(constant.value, constant.feeds[0]));
}

// Values of equal type that can be seen before the statement at `position`, outermost first.
class Visible {
 public:
  Visible(const Program& program, size_t position) : left_(position) {
    for (const Input& input : program.inputs) seen_.push_back(input.value);
    Collect(program.body);
  }
  const std::vector<ValueId>& values() const { return seen_; }

 private:
  bool Collect(const Block& block) {
    const size_t outer = seen_.size();
    seen_.insert(seen_.end(), block.parameters.begin(), block.parameters.end());
    for (const Statement& statement : block.statements) {
      if (left_ == 0) return true;
      --left_;
      for (const Block& inner : statement.blocks) {
        if (Collect(inner)) return true;
      }
      seen_.insert(seen_.end(), statement.outputs.begin(), statement.outputs.end());
    }
    // Its end may be where the statement after it is.
    seen_.resize(outer);
    return false;
  }

  size_t left_;
  std::vector<ValueId> seen_;
};

// Two constants become the first of them, made before everything else.
void MergeConstants(Program& program, size_t first, size_t second) {
  const Statement constant = PlaceOf(program, first).statement();
  Replace(program, {{PlaceOf(program, second).statement().outputs[0], constant.outputs[0]}});
  for (size_t position : {second, first}) {
    const Place place = PlaceOf(program, position);
    EraseAt(place.block->statements, place.index);
  }
  program.body.statements.insert(program.body.statements.begin(), constant);
}

void AddMergeEdits(const Program& program, const std::vector<const Statement*>& statements,
                   Edits& edits) {
  for (size_t second = statements.size(); second-- > 0;) {
    if (statements[second]->op != Op::kConst) continue;
    for (size_t first = 0; first < second; ++first) {
      if (statements[first]->op != Op::kConst || program.type(statements[first]->outputs[0]) !=
                                                     program.type(statements[second]->outputs[0])) {
        continue;
      }
      edits.push_back([=](Program& candidate) { MergeConstants(candidate, first, second); });
    }
  }
}

}  // namespace

Edits ControlEdits(const Program& program) {
  const auto statements = StatementsOf(program);
  std::vector<size_t> order;
  for (size_t i = 0; i < statements.size(); ++i) {
    if (!statements[i]->blocks.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return SizeOf(*statements[a]) > SizeOf(*statements[b]); });
  Edits edits;
  for (size_t position : order) {
    const Statement& statement = *statements[position];
    edits.push_back(TakeOutEdit(position, position + 1, Stand::kZeros));
    edits.push_back(TakeOutEdit(position, position + 1, Stand::kOperands));
    for (size_t b = statement.blocks.size(); b-- > 0;) {
      edits.push_back([=](Program& candidate) { Inline(candidate, position, b); });
    }
  }
  return edits;
}

Edits DeleteEdits(const Program& program) {
  const size_t count = StatementsOf(program).size();
  Edits edits;
  for (size_t length = count / 2; length > 1; length /= 2) {
    for (size_t end = count; end > 0; end -= std::min(end, length)) {
      edits.push_back(TakeOutEdit(end - std::min(end, length), end, Stand::kZeros));
    }
  }
  for (size_t position = count; position-- > 0;) {
    edits.push_back(TakeOutEdit(position, position + 1, Stand::kOperands));
    edits.push_back(TakeOutEdit(position, position + 1, Stand::kZeros));
    edits.push_back(TakeOutEdit(position, position + 1, Stand::kOnes));
    edits.push_back([=](Program& candidate) { MakeItsValuesConstant(candidate, position); });
  }
  return edits;
}

Edits PartEdits(const Program& program) {
  Edits edits;
  const auto statements = StatementsOf(program);
  AddResultEdits(program, edits);
  for (size_t i = program.variables.size(); i-- > 0;) {
    edits.push_back([=](Program& candidate) { DropVariable(candidate, static_cast<int>(i)); });
  }
  for (size_t position = statements.size(); position-- > 0;) {
    const Statement& statement = *statements[position];
    if (statement.op == Op::kWhile) AddVariableEdits(position, statement, edits);
    if (statement.op == Op::kCase) AddBranchEdits(position, statement, edits);
    if (statement.op == Op::kCond || statement.op == Op::kCase) {
      AddOutputEdits(position, statement, edits);
    }
    AddGivenEdits(position, program, statement, edits);
    AddAfterEdits(position, statement, edits);
  }
  for (size_t i = program.inputs.size(); i-- > 0;) {
    edits.push_back([=](Program& candidate) { MakeConstant(candidate, i); });
  }
  return edits;
}

Edits SubstituteEdits(const Program& program) {
  Edits edits;
  const auto statements = StatementsOf(program);
  AddMergeEdits(program, statements, edits);
  for (size_t position = statements.size(); position-- > 0;) {
    const Visible visible(program, position);
    for (ValueId id : statements[position]->outputs) {
      if (program.type(id).kind != Kind::kTensor) continue;
      for (ValueId other : visible.values()) {
        if (program.type(other) != program.type(id)) continue;
        edits.push_back([=](Program& candidate) {
          Replace(candidate, {{id, other}});
          TakeOut(candidate, position, position + 1, Stand::kZeros);
        });
      }
    }
  }
  return edits;
}

}  // namespace tagflow::fuzz
