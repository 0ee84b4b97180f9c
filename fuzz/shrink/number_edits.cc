// Edits of runs, results, shapes, literals and loops: WholeEdits and NumberEdits.

#include <algorithm>
#include <cmath>

#include "fuzz/program/literal_text.h"
#include "fuzz/program/walk.h"
#include "fuzz/shrink/edits.h"
#include "fuzz/shrink/rewrite.h"

namespace tagflow::fuzz {
namespace {

constexpr size_t kMaxResultsTried = 24;
constexpr int64_t kMaxElementsTried = 12;

// The element at the front, as a scalar. Tensors without elements become a zero.
Tensor First(const Tensor& tensor) {
  Tensor scalar = Filled({Kind::kTensor, tensor.dtype(), {}}, 0);
  if (!tensor.has_value() || tensor.num_elements() == 0) return scalar;
  const Tensor flat = tensor.Reshaped(Dims{tensor.num_elements()});
  return flat.SliceOuter(0, 1).Reshaped(Dims{});
}

// Visits every tensor that a program holds.
void ForEachTensor(Program& program, const std::function<void(Tensor&)>& visit) {
  for (Variable& variable : program.variables) visit(variable.initial);
  for (Input& input : program.inputs) {
    for (Tensor& feed : input.feeds) visit(feed);
  }
  ForEachStatement(program.body, [&](Statement& statement) {
    if (statement.op == Op::kConst) visit(statement.literal);
  });
}

// Operations that only rearrange pass scalars on.
void MakeScalar(Statement& statement) {
  switch (statement.op) {
    case Op::kReshape:
    case Op::kExpandDims:
    case Op::kSlice:
    case Op::kTile:
    case Op::kTranspose:
    case Op::kFill:
    case Op::kConcat:
    case Op::kElementAt:
    case Op::kPack:
      statement.op = Op::kIdentity;
      statement.operands.resize(1);
      statement.numbers.clear();
      break;
    case Op::kMatMul:
      statement.op = Op::kMul;
      break;
    case Op::kSum:
    case Op::kMean:
    case Op::kMax:
    case Op::kMin:
      statement.numbers.clear();
      break;
    default:
      break;
  }
}

void MakeAllScalars(Program& program) {
  ForEachTensor(program, [](Tensor& tensor) { tensor = First(tensor); });
  ForEachStatement(program.body, MakeScalar);
  for (Type& type : program.types) type.dims.clear();
}

void KeepResult(Program& program, size_t i) { program.body.results = {program.body.results[i]}; }

void KeepRun(Program& program, size_t run) {
  program.runs = 1;
  for (Input& input : program.inputs) input.feeds = {input.feeds[run]};
}

void DropRun(Program& program, size_t run) {
  --program.runs;
  for (Input& input : program.inputs) {
    input.feeds.erase(input.feeds.begin() + static_cast<int64_t>(run));
  }
}

// Tensor `which`, in the order of ForEachTensor, becomes what `change` makes of it.
Edit TensorEdit(size_t which, std::function<Tensor(const Tensor&)> change) {
  return [=](Program& program) {
    size_t i = 0;
    ForEachTensor(program, [&](Tensor& tensor) {
      if (i++ == which) tensor = change(tensor);
    });
  };
}

Tensor Like(const Tensor& tensor, double value) {
  return Filled({Kind::kTensor, tensor.dtype(), Dims(tensor.dims().begin(), tensor.dims().end())},
                value);
}

// Element i, which is a plain decimal, becomes half of it, or what is before its point.
Tensor WithElement(const Tensor& tensor, int64_t i, const std::string& text) {
  Result<Tensor> changed = tensor.Clone();
  if (!changed.ok()) return tensor;
  SetElement(*changed, i, text);
  return *std::move(changed);
}

Tensor Lowered(const Tensor& tensor, int64_t i, int how) {
  const Tensor flat = tensor.Reshaped(Dims{tensor.num_elements()});
  const auto value = NumberOfText(LiteralText(flat.SliceOuter(i, 1).Reshaped(Dims{})));
  if (!value || std::fabs(*value) > 1e15) return WithElement(tensor, i, how == 0 ? "0" : "1");
  const double less[] = {
      0, 1, 2, 3, std::trunc(*value / 2), std::trunc(*value), *value > 0 ? *value - 1 : *value + 1};
  return WithElement(tensor, i, NumberText(less[how]));
}
constexpr int kWaysToLower = 7;

void AddTensorEdits(const Tensor& tensor, size_t which, Edits& edits) {
  if (tensor.rank() > 0) {
    edits.push_back(TensorEdit(which, First));
    for (int axis = 0; axis < tensor.rank(); ++axis) {
      edits.push_back(TensorEdit(which, [axis](const Tensor& old) {
        Dims dims(old.dims().begin(), old.dims().end());
        dims[static_cast<size_t>(axis)] = std::min<int64_t>(dims[static_cast<size_t>(axis)], 1);
        return Filled({Kind::kTensor, old.dtype(), dims}, 0);
      }));
    }
    edits.push_back(TensorEdit(which, [](const Tensor& old) { return Like(old, 0); }));
    edits.push_back(TensorEdit(which, [](const Tensor& old) { return Like(old, 1); }));
  }
  if (tensor.dtype() == DType::kBool) {
    edits.push_back(TensorEdit(which, [](const Tensor& old) { return Like(old, 0); }));
    return;
  }
  for (int64_t i = 0; i < std::min(tensor.num_elements(), kMaxElementsTried); ++i) {
    for (int how = 0; how < kWaysToLower; ++how) {
      edits.push_back(TensorEdit(which, [=](const Tensor& old) { return Lowered(old, i, how); }));
    }
  }
}

using LoopChange = std::function<void(Loop&)>;

Edit LoopEdit(size_t position, LoopChange change) {
  return [=](Program& program) { change(PlaceOf(program, position).statement().loop); };
}

// The plainest loop of `trips` iterations, with a bound of its own.
void MakeItTrip(Program& program, size_t position, double trips) {
  const Place place = PlaceOf(program, position);
  Statement& statement = place.statement();
  Loop plain;
  plain.counter = statement.loop.counter;
  plain.most = trips;
  plain.parallel_iterations = statement.loop.parallel_iterations;
  statement.loop = plain;
  Tensor bound = Filled({Kind::kTensor, plain.counter, {}}, 0);
  SetElement(bound, 0, NumberText(trips));
  const ValueId id = program.NewValue({Kind::kTensor, plain.counter, {}});
  statement.operands[0] = id;
  place.block->statements.insert(
      place.block->statements.begin() + static_cast<int64_t>(place.index),
      ConstStatement(id, std::move(bound)));
}

void AddLoopEdits(size_t position, const Loop& loop, Edits& edits) {
  for (double trips : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, loop.most}) {
    edits.push_back([=](Program& program) { MakeItTrip(program, position, trips); });
  }
  const auto add = [&](LoopChange change) {
    edits.push_back(LoopEdit(position, std::move(change)));
  };
  for (double most : {0.0, 1.0, 2.0, 3.0, std::floor(loop.most / 2), loop.most - 1}) {
    if (most < 0 || most >= loop.most) continue;
    // The plainest loop of so many steps, bound where it may be.
    add([=](Loop& old) {
      old.start = 0, old.step = 1, old.compare = Op::kLess, old.most = most;
      old.maximum_iterations = -1;
    });
    add([=](Loop& old) { old.most = most; });
  }
  add([](Loop& old) { old.start = 0, old.step = 1, old.compare = Op::kLess; });
  add([](Loop& old) { old.start = 0; });
  add([](Loop& old) { old.start = std::trunc(old.start / 2); });
  add([](Loop& old) { old.step = 1; });
  add([](Loop& old) { old.step = -1; });
  add([](Loop& old) { old.compare = old.step > 0 ? Op::kLess : Op::kGreater; });
  add([](Loop& old) { old.maximum_iterations = -1; });
  for (int64_t maximum : {int64_t{0}, int64_t{1}, loop.maximum_iterations / 2}) {
    add([=](Loop& old) { old.maximum_iterations = maximum; });
  }
  for (int64_t parallel : {10, 1, 2, 3}) {
    add([=](Loop& old) { old.parallel_iterations = parallel; });
  }
  add([](Loop& old) { old.back_prop = true; });
  add([](Loop& old) { old.swap_memory = false; });
  add([](Loop& old) { old.bound_inside = false; });
}

void AddNumberEdits(size_t position, const Statement& statement, Edits& edits) {
  const bool reduces = statement.op >= Op::kSum && statement.op <= Op::kMin;
  if (reduces && !statement.numbers.empty()) {
    edits.push_back(
        [=](Program& program) { PlaceOf(program, position).statement().numbers.clear(); });
  }
  if (statement.op != Op::kArrayNew && statement.op != Op::kStackNew) return;
  for (int64_t size :
       {int64_t{0}, int64_t{1}, statement.numbers[0] / 2, statement.numbers[0] - 1}) {
    if (size < 0 || size >= statement.numbers[0]) continue;
    edits.push_back(
        [=](Program& program) { PlaceOf(program, position).statement().numbers[0] = size; });
  }
}

}  // namespace

Edits WholeEdits(const Program& program) {
  Edits edits;
  edits.push_back([](Program& candidate) { candidate.body.results.clear(); });
  const size_t results = program.body.results.size();
  for (size_t i = 0; i < std::min(results, kMaxResultsTried) && results > 1; ++i) {
    edits.push_back([=](Program& candidate) { KeepResult(candidate, i); });
  }
  const auto runs = static_cast<size_t>(program.runs);
  for (size_t run = 0; run < runs && runs > 1; ++run) {
    edits.push_back([=](Program& candidate) { KeepRun(candidate, run); });
  }
  edits.push_back([](Program& candidate) {
    ForEachStatement(candidate.body, [](Statement& statement) { statement.after.clear(); });
  });
  edits.push_back(MakeAllScalars);
  for (size_t i = 0; i < results && results > 2; ++i) {
    edits.push_back([=](Program& candidate) {
      auto& kept = candidate.body.results;
      kept.erase(kept.begin() + static_cast<int64_t>(i));
    });
  }
  for (size_t run = 0; run < runs && runs > 2; ++run) {
    edits.push_back([=](Program& candidate) { DropRun(candidate, run); });
  }
  return edits;
}

Edits NumberEdits(const Program& program) {
  Edits edits;
  size_t which = 0;
  for (const Variable& variable : program.variables) {
    AddTensorEdits(variable.initial, which++, edits);
  }
  for (const Input& input : program.inputs) {
    for (const Tensor& feed : input.feeds) AddTensorEdits(feed, which++, edits);
  }
  size_t position = 0;
  ForEachStatement(program.body, [&](const Statement& statement) {
    if (statement.op == Op::kConst) AddTensorEdits(statement.literal, which++, edits);
    if (statement.op == Op::kWhile) AddLoopEdits(position, statement.loop, edits);
    AddNumberEdits(position, statement, edits);
    ++position;
  });
  return edits;
}

}  // namespace tagflow::fuzz
