// Conds, cases and loops. Besides its results a branch hands out a token per variable that it may
// read, since the builder's done() speaks of effects only; in a loop the counter does that, as
// every iteration begins with it.

#include <algorithm>

#include "fuzz/lower/lowering.h"
#include "fuzz/program/scalar.h"

namespace tagflow::fuzz {
namespace {

std::string NameOf(const char* what, const Statement& statement) {
  if (statement.outputs.empty()) return what;
  return what + std::to_string(Index(statement.outputs[0]));
}

// The counter is the first of a loop's variables, but in the graphs of some loops the last: there
// another one is the body's pivot, of use or not.
bool CounterIsLast(const Statement& loop) { return loop.outputs.size() % 2 == 1; }

template <typename T>
std::vector<T> InGraph(const Statement& loop, std::vector<T> variables) {
  if (CounterIsLast(loop)) std::rotate(variables.begin(), variables.begin() + 1, variables.end());
  return variables;
}

OutputList FromGraph(const Statement& loop, const OutputList& variables) {
  std::vector<Output> list(variables.begin(), variables.end());
  if (CounterIsLast(loop) && !list.empty()) std::rotate(list.begin(), list.end() - 1, list.end());
  return OutputList(std::move(list));
}

bool Holds(const std::vector<Operation>& operations, const Operation& operation) {
  return std::any_of(operations.begin(), operations.end(),
                     [&](const Operation& other) { return other.node() == operation.node(); });
}

}  // namespace

void Lowering::Bind(const std::vector<ValueId>& ids, size_t skip, const OutputList& given,
                    size_t first) {
  for (size_t i = skip; i < ids.size() && first < given.size(); ++i) {
    value(ids[i]) = given[first++];
    if (Travels(ids[i])) handles_[Index(ids[i])] = given[first++];
  }
}

void Lowering::Append(const std::vector<ValueId>& ids, size_t skip,
                      const std::vector<ValueId>& like, std::vector<Output>& outputs) const {
  for (size_t i = skip; i < ids.size(); ++i) {
    outputs.push_back(value(ids[i]));
    if (Travels(like[i])) outputs.push_back(handle(ids[i]));
  }
}

void Lowering::LowerBranches(const Scope& scope, const Statement& statement) {
  const Touched touched = FindTouched(statement.blocks, order_.size());
  std::vector<size_t> tokens;
  for (size_t i = 0; i < order_.size(); ++i) {
    if (touched.reads[i]) tokens.push_back(i);
  }
  std::vector<BranchFunction> branches;
  for (const Block& block : statement.blocks) {
    branches.push_back(
        [&](const Scope& inner) { return LowerBranch(inner, statement, block, tokens); });
  }
  const Output& chooser = value(statement.operands[0]);
  const CondResult result =
      statement.op == Op::kCond
          ? Cond(scope, chooser, branches[0], branches[1], NameOf("cond", statement))
          : SwitchCase(scope, chooser, branches, nullptr, NameOf("case", statement));
  if (!scope.ok()) return;
  Bind(statement.outputs, 0, result.outputs(), 0);
  for (size_t i = 0; i < tokens.size(); ++i) {
    order_[tokens[i]] = {{result[result.size() - tokens.size() + i]}, {}};
  }
  for (size_t i = 0; i < order_.size(); ++i) {
    if (touched.writes[i] && !touched.reads[i]) order_[i].writes.push_back(result.done());
  }
}

OutputList Lowering::LowerBranch(const Scope& scope, const Statement& statement, const Block& block,
                                 const std::vector<size_t>& tokens) {
  const std::vector<AccessOrder> before = order_;
  LowerStatements(scope, block);
  std::vector<Output> outputs;
  Append(block.results, 0, statement.outputs, outputs);
  for (const size_t i : tokens) {
    const Scope after = scope.WithOpName("token").WithControlDependencies(order_[i].All());
    outputs.push_back(Const(after, true));
  }
  order_ = before;
  return OutputList(std::move(outputs));
}

::tagflow::Input Lowering::LoopBound(const Scope& scope, const Statement& statement) const {
  const Loop& loop = statement.loop;
  const ValueId bound = statement.operands[0];
  const double least = loop.step > 0 ? loop.start : loop.start - loop.most;
  const double most = loop.step > 0 ? loop.start + loop.most : loop.start;
  if (const Tensor* constant = constants_[Index(bound)]; constant != nullptr) {
    const double number = NumberOf(*constant);
    if (loop.bound_inside) {
      return ScalarOf(loop.counter, number < least ? least : number > most ? most : number);
    }
    if (number >= least && number <= most) return value(bound);
  }
  const Scope part = scope.SubScope(NameOf("bound", statement));
  return Minimum(part, Maximum(part, value(bound), ScalarOf(loop.counter, least)),
                 ScalarOf(loop.counter, most));
}

OutputList Lowering::InitialValues(const Scope& scope, const Statement& statement) const {
  const Scope named = scope.WithOpName(NameOf("start", statement));
  std::vector<Output> initial = {
      Const(named, ScalarOf(statement.loop.counter, statement.loop.start))};
  Append(statement.operands, 1, statement.outputs, initial);
  return OutputList(InGraph(statement, std::move(initial)));
}

WhileOptions Lowering::OptionsOf(const Statement& statement) const {
  const Loop& loop = statement.loop;
  WhileOptions options;
  options.name = NameOf("while", statement);
  options.parallel_iterations = loop.parallel_iterations;
  options.back_prop = loop.back_prop;
  options.swap_memory = loop.swap_memory;
  if (loop.maximum_iterations >= 0) options.maximum_iterations = loop.maximum_iterations;
  bool changes = false;
  std::vector<PartialShape> invariants;
  for (const ValueId id : statement.outputs) {
    const Type& t = type(id);
    const bool tensor = t.kind == Kind::kTensor;
    invariants.push_back(tensor ? PartialShape(t.dims) : PartialShape());
    if (Travels(id)) invariants.emplace_back();
    changes = changes || (tensor && std::count(t.dims.begin(), t.dims.end(), -1) > 0);
  }
  if (changes) options.shape_invariants = InGraph(statement, std::move(invariants));
  return options;
}

void Lowering::LowerLoop(const Scope& scope, const Statement& statement) {
  const ::tagflow::Input bound = LoopBound(scope, statement);
  const OutputList variables = WhileLoop(
      scope, InitialValues(scope, statement),
      [&](const Scope& inner, const OutputList& given) {
        return LowerCondition(inner, statement, bound, FromGraph(statement, given));
      },
      [&](const Scope& inner, const OutputList& given) {
        return LowerBody(inner, statement, FromGraph(statement, given));
      },
      OptionsOf(statement));
  if (!scope.ok()) return;
  const OutputList results = FromGraph(statement, variables);
  value(statement.outputs[0]) = results[0];
  Bind(statement.outputs, 1, results, 1);
  const Touched touched = FindTouched(statement.blocks, order_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    if (touched.writes[i]) {
      order_[i].writes.emplace_back(results[0]);
    } else if (touched.reads[i]) {
      order_[i].reads.emplace_back(results[0]);
    }
  }
}

// The accesses since `before` that a later one of those touched may have to wait for.
std::vector<Operation> Lowering::NewAccesses(const Touched& touched,
                                             const std::vector<AccessOrder>& before) const {
  std::vector<Operation> accesses;
  for (size_t i = 0; i < order_.size(); ++i) {
    if (!touched.reads[i] && !touched.writes[i]) continue;
    for (const Operation& access : order_[i].All()) {
      const bool known = Holds(before[i].writes, access) || Holds(before[i].reads, access);
      if (!known && !Holds(accesses, access)) accesses.push_back(access);
    }
  }
  return accesses;
}

Output Lowering::LowerCondition(const Scope& scope, const Statement& statement,
                                const ::tagflow::Input& bound, const OutputList& given) {
  const Block& block = statement.blocks[0];
  value(block.parameters[0]) = given[0];
  Bind(block.parameters, 1, given, 1);
  const std::vector<AccessOrder> before = order_;
  // What the iteration before did comes first: its counter waited for it.
  for (AccessOrder& order : order_) order.writes.emplace_back(given[0]);
  const std::vector<AccessOrder> at_start = order_;
  LowerStatements(scope, block);
  const Touched touched = FindTouched({&block, 1}, order_.size());
  const Scope last = scope.WithControlDependencies(NewAccesses(touched, at_start));
  order_ = before;
  const bool alone = block.results.empty();
  const Output goes_on = ::tagflow::Op((alone ? last : scope).WithOpName("compare"),
                                       OpName(statement.loop.compare), {given[0], bound});
  return alone ? goes_on : LogicalAnd(last, goes_on, value(block.results[0]));
}

OutputList Lowering::LowerBody(const Scope& scope, const Statement& statement,
                               const OutputList& given) {
  const Block& block = statement.blocks[1];
  value(block.parameters[0]) = given[0];
  Bind(block.parameters, 1, given, 1);
  const std::vector<AccessOrder> before = order_;
  LowerStatements(scope, block);
  std::vector<Operation> accesses = NewAccesses(FindTouched({&block, 1}, order_.size()), before);
  // The builder sees to writes: the next iteration waits for a body's effects.
  std::erase_if(accesses, [&](const Operation& access) {
    return access.valid() && scope.graph().node(access.node()).op.starts_with("Assign");
  });
  order_ = before;
  const Scope last = scope.WithControlDependencies(accesses);
  const Tensor step = ScalarOf(statement.loop.counter, statement.loop.step);
  std::vector<Output> next = {Add(last.WithOpName("count"), given[0], step)};
  Append(block.results, 0, {statement.outputs.begin() + 1, statement.outputs.end()}, next);
  return OutputList(InGraph(statement, std::move(next)));
}

}  // namespace tagflow::fuzz
