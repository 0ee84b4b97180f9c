// Loops written otherwise. What a loop tests, its counter and the condition block, is written out
// as statements, once where the loop would have tested it.

#include <cmath>
#include <utility>

#include "fuzz/program/retype.h"
#include "fuzz/program/scalar.h"
#include "fuzz/properties/edit.h"
#include "fuzz/properties/metamorphic.h"

namespace tagflow::fuzz {
namespace {

using Values = std::vector<ValueId>;

const Type kBool{Kind::kTensor, DType::kBool, {}};
const Type kInt{Kind::kTensor, DType::kInt32, {}};

Values Join(std::initializer_list<ValueId> first, const Values& rest) {
  Values all(first);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Values NewLike(Program& program, const Values& like) {
  Values made;
  for (const ValueId id : like) {
    const Type type = program.type(id);
    made.push_back(program.NewValue(type));
  }
  return made;
}

// Writes out parts of one loop.
class LoopWriter {
 public:
  LoopWriter(Program& program, const Statement& loop)
      : program_(program), old_(loop), counter_{Kind::kTensor, loop.loop.counter, {}} {}

  // The bound as the loop sees it.
  ValueId Bound(Writer& writer) const {
    const Loop& loop = old_.loop;
    const bool up = loop.step > 0;
    const ValueId least = Number(writer, up ? loop.start : loop.start - loop.most);
    const ValueId most = Number(writer, up ? loop.start + loop.most : loop.start);
    const ValueId raised = writer.Do(Op::kMaximum, counter_, {old_.operands[0], least});
    return writer.Do(Op::kMinimum, counter_, {raised, most});
  }

  ValueId Number(Writer& writer, double value) const {
    return writer.Const(ScalarOf(old_.loop.counter, value));
  }

  // Whether the loop goes on with these values.
  ValueId Test(Writer& writer, ValueId bound, ValueId counter, const Values& values) const {
    const Block& block = old_.blocks[0];
    const ValueId counts = writer.Do(old_.loop.compare, kBool, {counter, bound});
    Copier copier(program_);
    copier.Rename(block.parameters, Join({counter}, values));
    writer.Add(copier.Copy(block.statements));
    if (block.results.empty()) return counts;
    return writer.Do(Op::kLogicalAnd, kBool, {counts, copier.Of(block.results[0])});
  }

  // The values after one more iteration.
  Values Body(Writer& writer, ValueId counter, const Values& values) const {
    const Block& block = old_.blocks[1];
    Copier copier(program_);
    copier.Rename(block.parameters, Join({counter}, values));
    writer.Add(copier.Copy(block.statements));
    return copier.Of(block.results);
  }

  ValueId Next(Writer& writer, ValueId counter) const {
    return writer.Do(Op::kAdd, counter_, {counter, Number(writer, old_.loop.step)});
  }

  Values Initial() const { return {old_.operands.begin() + 1, old_.operands.end()}; }

 private:
  Program& program_;
  const Statement& old_;
  const Type counter_;
};

// The counter one step on, as the loop adds it up.
double Stepped(const Loop& loop) {
  if (loop.counter != DType::kFloat) return loop.start + loop.step;
  return static_cast<float>(loop.start) + static_cast<float>(loop.step);
}

// Why the loop, begun one step later, may be given the same bound: it is strict then, so that a
// bound below its first counter ends it as the first counter does. What to add to the bound for
// that, or nothing when it cannot be done.
std::optional<double> MadeStrict(Loop& loop) {
  const bool whole = loop.counter == DType::kInt32 || loop.counter == DType::kInt64;
  const double up = loop.step > 0 ? 1 : -1;
  const bool strict = loop.compare == Op::kLess || loop.compare == Op::kGreater;
  const bool differs = loop.compare == Op::kNotEqual;
  if (!strict && !whole) return std::nullopt;
  loop.compare = up > 0 ? Op::kLess : Op::kGreater;
  return strict || differs ? 0 : up;
}

// {counter, values…} as they are at the end, for a loop that does go round.
Values RestOfLoop(Program& program, Writer& writer, const LoopWriter& old, const Statement& loop,
                  const Loop& rest, ValueId bound, const Values& initial) {
  Values values = old.Body(writer, old.Number(writer, loop.loop.start), initial);
  Copier copier(program);
  Statement again = copier.Copy(loop);
  again.operands = Join({bound}, values);
  again.loop = rest;
  again.after.clear();
  Values outputs = again.outputs;
  writer.Add(std::move(again));
  return outputs;
}

bool IsPeelable(const Statement& statement) {
  if (statement.op != Op::kWhile || statement.loop.maximum_iterations == 0) return false;
  Loop loop = statement.loop;
  return MadeStrict(loop).has_value() && std::fabs(loop.start) + loop.most < 1e6;
}

std::optional<Changed> Retyped(Changed changed) {
  if (!Retype(changed.program).ok()) return std::nullopt;
  return changed;
}

// How the loop `place` goes round, `times` bodies per iteration.
void RotateAt(Program& program, const Place& place, int times) {
  const Statement loop = place.statement();
  const LoopWriter old(program, loop);
  std::vector<Statement> statements;
  Writer writer(program, statements);
  const ValueId bound = old.Bound(writer);
  const ValueId start = old.Number(writer, loop.loop.start);
  const ValueId go = old.Test(writer, bound, start, old.Initial());
  constexpr int32_t kMost = 1 << 24;

  Statement rotated;
  rotated.op = Op::kWhile;
  rotated.operands = Join({writer.Const(Tensor::Scalar(kMost)), go, start}, old.Initial());
  rotated.loop = loop.loop;
  rotated.loop.counter = DType::kInt32;
  rotated.loop.start = 0;
  rotated.loop.step = 1;
  rotated.loop.compare = Op::kLess;
  rotated.loop.most = kMost;
  rotated.loop.bound_inside = false;
  rotated.after = loop.after;
  for (int i = 0; i < 2; ++i) {
    Values parameters = {program.NewValue(kInt), program.NewValue(kBool)};
    const Values rest = NewLike(program, loop.outputs);
    parameters.insert(parameters.end(), rest.begin(), rest.end());
    rotated.blocks.emplace_back().parameters = parameters;
  }
  rotated.blocks[0].results = {rotated.blocks[0].parameters[1]};

  Block& body = rotated.blocks[1];
  Writer inner(program, body.statements);
  // {go, counter, values…}
  auto once = [&](Writer& to, ValueId counter, const Values& values) {
    const Values next = old.Body(to, counter, values);
    const ValueId counted = old.Next(to, counter);
    return Join({old.Test(to, bound, counted, next), counted}, next);
  };
  Values state =
      once(inner, body.parameters[2], {body.parameters.begin() + 3, body.parameters.end()});
  for (int i = 1; i < times; ++i) {
    Statement more;
    more.op = Op::kCond;
    more.operands = {state[0]};
    more.blocks.resize(2);
    Writer branch(program, more.blocks[0].statements);
    more.blocks[0].results = once(branch, state[1], {state.begin() + 2, state.end()});
    more.blocks[1].results = state;
    more.outputs = Join({program.NewValue(kBool)}, NewLike(program, loop.outputs));
    state = more.outputs;
    inner.Add(std::move(more));
  }
  body.results = state;
  rotated.outputs = Join({program.NewValue(kInt), program.NewValue(kBool)}, loop.outputs);
  writer.Add(std::move(rotated));
  Replace(place, std::move(statements));
}

bool IsLoop(const Statement& statement) { return statement.op == Op::kWhile; }

}  // namespace

std::optional<Changed> Peel(const Program& program, Choices& choices) {
  Changed changed{program};
  const std::vector<Place> places = PlacesOf(changed.program, IsPeelable);
  if (places.empty()) return std::nullopt;
  const Place place = choices.Of(places);
  const Statement loop = place.statement();
  const LoopWriter old(changed.program, loop);
  std::vector<Statement> statements;
  Writer writer(changed.program, statements);
  const ValueId bound = old.Bound(writer);
  const ValueId start = old.Number(writer, loop.loop.start);

  Statement peeled;
  peeled.op = Op::kCond;
  peeled.operands = {old.Test(writer, bound, start, old.Initial())};
  peeled.after = loop.after;
  peeled.outputs = loop.outputs;
  peeled.blocks.resize(2);
  Loop rest = loop.loop;
  const double shift = *MadeStrict(rest);
  rest.start = Stepped(loop.loop);
  rest.most += 1;
  rest.bound_inside = false;
  if (rest.maximum_iterations > 0) --rest.maximum_iterations;
  Writer branch(changed.program, peeled.blocks[0].statements);
  ValueId limit = bound;
  if (shift != 0) {
    limit = branch.Do(Op::kAdd, changed.program.type(bound), {bound, old.Number(branch, shift)});
  }
  peeled.blocks[0].results =
      RestOfLoop(changed.program, branch, old, loop, rest, limit, old.Initial());
  peeled.blocks[1].results = Join({start}, old.Initial());
  writer.Add(std::move(peeled));
  Replace(place, std::move(statements));
  return Retyped(std::move(changed));
}

std::optional<Changed> Rotate(const Program& program, Choices& choices) {
  Changed changed{program};
  const std::vector<Place> places = PlacesOf(changed.program, IsLoop);
  if (places.empty()) return std::nullopt;
  RotateAt(changed.program, choices.Of(places), 1);
  return Retyped(std::move(changed));
}

std::optional<Changed> Unroll(const Program& program, Choices& choices) {
  Changed changed{program};
  const std::vector<Place> places = PlacesOf(changed.program, [](const Statement& statement) {
    return IsLoop(statement) && statement.loop.maximum_iterations < 0;
  });
  if (places.empty()) return std::nullopt;
  RotateAt(changed.program, choices.Of(places), choices.Between(2, 4));
  return Retyped(std::move(changed));
}

}  // namespace tagflow::fuzz
