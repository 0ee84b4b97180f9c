#include "fuzz/generate/stores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fuzz/generate/literals.h"
#include "fuzz/generate/loops.h"
#include "fuzz/generate/operations.h"
#include "fuzz/generate/statements.h"

namespace tagflow::fuzz {
namespace {

// What every element of a new array or stack is kept to.
Fact ElementFact(Maker& maker, DType dtype) {
  Fact fact = Anything(dtype);
  if (!IsFloatDType(dtype)) return fact;
  if (maker.profile.specials) return fact;
  fact.lo = -8;
  fact.hi = 8;
  fact.exact = maker.limits.exact || maker.choices.Chance(kEvenly);
  fact.slope = maker.limits.smooth || !fact.exact ? 1 : 0;
  return fact;
}

Type StoreType(Kind kind, DType dtype, Dims dims) { return {kind, dtype, std::move(dims)}; }

// A value for an element. `like` has the dtype and dims.
ValueId ElementValue(Maker& maker, const Type& like, const Fact& element) {
  const Type type = TensorType(like.dtype, like.dims);
  ValueId value = ValueId::kNone;
  for (const ValueId id : maker.Unused(4)) {
    if (maker.type(id) == type) value = id;
  }
  if (value == ValueId::kNone) value = maker.OfType(type);
  Fact wanted = element;
  wanted.slope = 1;
  value = BroughtInto(maker, value, wanted);
  return value == ValueId::kNone
             ? maker.EmitLiteral(RandomTensor(maker.choices, type.dtype, type.dims, false))
             : value;
}

// A loop may go as far as an element that was read has numbers.
void SetSize(Fact& fact, const Dims& dims) {
  for (const int64_t dim : dims) fact.least = fact.most = static_cast<int32_t>(fact.most * dim);
}

Dims ElementDims(Maker& maker) { return maker.choices.Chance(kSeldom) ? Dims{2} : Dims{}; }

ArrayState NewArray(Maker& maker, int size) {
  ArrayState array;
  array.size = size;
  const DType dtype = RandomDType(maker);
  array.element = ElementFact(maker, dtype);
  const Type type = StoreType(Kind::kArray, dtype, ElementDims(maker));
  SetSize(array.element, type.dims);
  array.value = maker.Emit(Op::kArrayNew, {}, type, array.element, {size});
  return array;
}

// Elements one after the other.
void WriteSome(Maker& maker, ArrayState& array, int count) {
  for (int i = 0; i < count && array.untouched < array.size; ++i) {
    const ValueId index = maker.Scalar(DType::kInt32, array.untouched);
    array.value = WriteArray(maker, array, index);
    if (array.written == array.untouched) ++array.written;
    ++array.untouched;
  }
}

void WriteInLoop(Maker& maker, ArrayState& array) {
  Carried carried;
  carried.initial = array.value;
  carried.type = maker.type(array.value);
  carried.fact = array.element;
  carried.role = Role::kWrite;
  carried.array = array;
  // As often as there are elements, or as something says.
  const bool data = maker.choices.Chance(kSometimes);
  const ValueId bound = data ? maker.PickExact(DType::kInt32) : ValueId::kNone;
  const Count count = data ? BoundedCount(maker, bound, array.size) : PlainCount(maker, array.size);
  array.value = MakeLoopWith(maker, count, {carried})[0];
  array.written = count.least;
  array.untouched = count.most;
}

void Gather(Maker& maker, const ArrayState& array) {
  const Type& type = maker.type(array.value);
  Dims dims = type.dims;
  dims.insert(dims.begin(), array.size);
  Fact fact = array.element;
  fact.least = fact.most = 1;
  for (const int64_t dim : dims) fact.least = fact.most = static_cast<int32_t>(fact.most * dim);
  maker.Emit(Op::kArrayGather, {array.value}, TensorType(type.dtype, dims), fact);
}

// A loop that reads arrays by its counter, as far as this one goes.
void ReadInLoop(Maker& maker, const ArrayState& array) {
  MakeLoopWith(maker, PlainCount(maker, std::min(array.written, TripsLeft(maker))), {}, true);
}

void UseArray(Maker& maker, size_t i) {
  ArrayState array = maker.arrays[i];
  const bool here = i >= maker.first_array_here() && array.writable;
  enum { kRead, kWrite, kGather, kLoop };
  static constexpr Odds kWeights[] = {kEvenly, kSometimes, kSometimes, kSometimes};
  switch (maker.choices.Weighted(kWeights)) {
    case kWrite:
      if (here && array.untouched < array.size) {
        WriteSome(maker, array, 1);
        maker.arrays[i] = array;
        return;
      }
      break;
    case kGather:
      if (array.written == array.size && array.size > 0) return Gather(maker, array);
      break;
    case kLoop:
      if (array.written > 0 && maker.depth() < maker.profile.depth) {
        return ReadInLoop(maker, array);
      }
      break;
    default:
      break;
  }
  ReadArray(maker);
}

struct Stack {
  ValueId value = ValueId::kNone;
  Type element;
  Fact fact;
};

Stack NewStack(Maker& maker, int most) {
  const DType dtype = RandomDType(maker);
  Stack stack;
  stack.element = TensorType(dtype, ElementDims(maker));
  stack.fact = ElementFact(maker, dtype);
  SetSize(stack.fact, stack.element.dims);
  stack.value = maker.Emit(Op::kStackNew, {}, StoreType(Kind::kStack, dtype, stack.element.dims),
                           stack.fact, {most});
  return stack;
}

void PopStraight(Maker& maker, Stack& stack) {
  Statement pop;
  pop.op = Op::kStackPop;
  pop.operands = {stack.value};
  const ValueId value = maker.BindHidden(stack.element, stack.fact);
  stack.value = maker.BindHidden(maker.type(stack.value), stack.fact);
  pop.outputs = {value, stack.value};
  maker.Write(std::move(pop));
  maker.Show(value);
}

Carried StackVariable(const Maker& maker, const Stack& stack, Role role) {
  Carried carried;
  carried.initial = stack.value;
  carried.type = maker.type(stack.value);
  carried.fact = stack.fact;
  carried.role = role;
  return carried;
}

// What one loop pushes the next pops, however many trips they have.
void StackInLoops(Maker& maker) {
  const int most = std::min(maker.choices.Between(kSeveral), TripsLeft(maker));
  Stack stack = NewStack(maker, most);
  const bool data = maker.choices.Chance(kSometimes);
  const ValueId bound = data ? maker.PickExact(DType::kInt32) : ValueId::kNone;
  const auto count = [&] {
    return data ? BoundedCount(maker, bound, most) : PlainCount(maker, most);
  };
  stack.value = MakeLoopWith(maker, count(), {StackVariable(maker, stack, Role::kPush)})[0];
  if (maker.choices.Chance(kEvenly)) MakeStatements(maker, 1);
  MakeLoopWith(maker, count(), {StackVariable(maker, stack, Role::kPop)});
}

void StackStraight(Maker& maker) {
  const int most = maker.choices.Between(kFew);
  Stack stack = NewStack(maker, most);
  for (int i = 0; i < most; ++i) stack.value = PushStack(maker, stack.value, stack.fact);
  if (maker.choices.Chance(kEvenly)) MakeStatements(maker, 1);
  for (int i = 0; i < most; ++i) PopStraight(maker, stack);
}

// A cond on which each branch hands the array or stack on as `change` makes it.
template <typename Change>
ValueId InBranches(Maker& maker, ValueId store, const Fact& element, const Change& change) {
  Statement cond;
  cond.op = Op::kCond;
  cond.operands = {RandomPredicate(maker)};
  for (int i = 0; i < 2; ++i) {
    Block block;
    maker.Enter(&block, ScopeKind::kBranch);
    if (maker.choices.Chance(kEvenly)) MakeStatements(maker, 1);
    block.results = {change()};
    maker.Leave();
    cond.blocks.push_back(std::move(block));
  }
  const ValueId out = maker.BindHidden(maker.type(store), element);
  cond.outputs = {out};
  maker.Write(std::move(cond));
  return out;
}

// A variable that is added to, or one that is assigned.
size_t NewVariable(Maker& maker, bool counts) {
  static constexpr DType kCounted[] = {DType::kInt32, DType::kInt64, DType::kDouble};
  const DType dtype = counts ? maker.choices.Of(kCounted) : RandomDType(maker);
  const Dims dims = maker.choices.Chance(kSeldom) ? Dims{2} : Dims{};
  VariableState state;
  state.counts = counts;
  Variable variable{TensorType(dtype, dims), RandomTensor(maker.choices, dtype, dims, false)};
  state.fact = Anything(dtype);
  if (IsFloatDType(dtype)) {
    const double reach = counts ? 1e5 : 8;
    state.fact.lo = -reach;
    state.fact.hi = reach;
    state.room = reach - 16;
    state.fact.exact = counts || maker.limits.exact || maker.choices.Chance(kMostly);
    state.fact.slope = state.fact.exact ? 0 : 1;
  }
  for (const int64_t dim : dims) state.fact.least = state.fact.most = static_cast<int32_t>(dim);
  maker.program.variables.push_back(std::move(variable));
  maker.variables.push_back(state);
  return maker.variables.size() - 1;
}

void Access(Maker& maker, Op op, size_t variable, ValueId value) {
  Statement statement;
  statement.op = op;
  statement.operands = {value};
  statement.variable = static_cast<int>(variable);
  maker.Write(std::move(statement));
}

void ReadVariable(Maker& maker, size_t variable) {
  Statement statement;
  statement.op = Op::kRead;
  statement.variable = static_cast<int>(variable);
  Fact fact = maker.variables[variable].fact;
  fact.active = false;
  const ValueId id = maker.BindHidden(maker.program.variables[variable].type, fact);
  statement.outputs = {id};
  maker.Write(std::move(statement));
  maker.Show(id);
}

// How large |value| is at most; more than there is room for if nobody knows.
double Reach(const Fact& fact) {
  return fact.finite() ? std::max(std::fabs(fact.lo), std::fabs(fact.hi)) : 1e30;
}

void AddToVariable(Maker& maker, size_t variable) {
  VariableState& state = maker.variables[variable];
  const Type& type = maker.program.variables[variable].type;
  ValueId value = maker.choices.Chance(kEvenly)
                      ? maker.Scalar(type.dtype, 1 << maker.choices.Between(kUpToThree))
                      : maker.PickExact(type.dtype);
  if (!type.dims.empty()) value = maker.OfType(type);
  if (IsFloatDType(type.dtype)) {
    const double added = Reach(maker.fact(value)) * maker.times() * maker.profile.max_runs;
    if (!maker.fact(value).exact || added > state.room) return ReadVariable(maker, variable);
    state.room -= added;
  }
  Access(maker, Op::kAssignAdd, variable, value);
}

void AssignVariable(Maker& maker, size_t variable) {
  const Fact wanted = maker.variables[variable].fact;
  const ValueId value = ElementValue(maker, maker.program.variables[variable].type, wanted);
  Access(maker, Op::kAssign, variable, value);
}

}  // namespace

ValueId WriteArray(Maker& maker, const ArrayState& array, ValueId index) {
  const Type type = maker.type(array.value);
  const ValueId value = ElementValue(maker, type, array.element);
  return maker.Emit(Op::kArrayWrite, {array.value, index, value}, type, array.element);
}

ValueId PushStack(Maker& maker, ValueId stack, const Fact& element) {
  const Type type = maker.type(stack);
  const ValueId value = ElementValue(maker, type, element);
  return maker.Emit(Op::kStackPush, {stack, value}, type, element);
}

ValueId WriteInBranches(Maker& maker, const ArrayState& array, ValueId index) {
  return InBranches(maker, array.value, array.element,
                    [&] { return WriteArray(maker, array, index); });
}

ValueId PushInBranches(Maker& maker, ValueId stack, const Fact& element) {
  return InBranches(maker, stack, element, [&] { return PushStack(maker, stack, element); });
}

ValueId ReadArray(Maker& maker) {
  if (maker.arrays.empty()) return ValueId::kNone;
  const size_t count = maker.arrays.size();
  const ArrayState array = maker.arrays[count - 1 - maker.choices.Below(count)];
  if (array.written == 0) return ValueId::kNone;
  ValueId index = ValueId::kNone;
  if (!maker.counters.empty() && maker.choices.Chance(kEvenly)) {
    const ValueId counter = maker.counters.back();
    const Fact& fact = maker.fact(counter);
    const bool fits = fact.lo >= 0 && fact.hi < array.written;
    if (maker.type(counter).dtype == DType::kInt32 && fits) index = counter;
  }
  if (index == ValueId::kNone) index = RandomIndex(maker, array.written);
  const Type& type = maker.type(array.value);
  return maker.Emit(Op::kArrayRead, {array.value, index}, TensorType(type.dtype, type.dims),
                    array.element);
}

void MakeArrayUse(Maker& maker) {
  if (!maker.arrays.empty() && maker.choices.Chance(kEvenly)) {
    const uint32_t back = maker.choices.Below(maker.arrays.size());
    return UseArray(maker, maker.arrays.size() - 1 - back);
  }
  const bool loop = maker.depth() < maker.profile.depth && maker.choices.Chance(kEvenly);
  const int most = loop ? std::min(8, TripsLeft(maker)) : 4;
  ArrayState array = NewArray(maker, maker.choices.Between(1, most));
  if (loop) {
    WriteInLoop(maker, array);
  } else {
    WriteSome(maker, array, maker.choices.Between(1, array.size));
  }
  maker.arrays.push_back(array);
  const bool room = array.untouched < array.size && maker.depth() < maker.profile.depth;
  if (room && maker.choices.Chance(kEvenly)) return MakeCond(maker);
  if (maker.choices.Chance(kEvenly)) UseArray(maker, maker.arrays.size() - 1);
}

void MakeStackUse(Maker& maker) {
  const bool loops = maker.depth() < maker.profile.depth && maker.choices.Chance(kMostly);
  if (loops) return StackInLoops(maker);
  StackStraight(maker);
}

void MakeEffect(Maker& maker) {
  const size_t count = maker.variables.size();
  const bool fresh = count == 0 || (count < 4 && maker.choices.Chance(kSometimes));
  const size_t variable =
      fresh ? NewVariable(maker, maker.choices.Chance(kMostly)) : maker.choices.Below(count);
  if (maker.choices.Chance(kSometimes)) return ReadVariable(maker, variable);
  if (maker.variables[variable].counts) return AddToVariable(maker, variable);
  AssignVariable(maker, variable);
}

}  // namespace tagflow::fuzz
