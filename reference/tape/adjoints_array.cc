// Derivatives of the ops that join, cut, repeat and rename elements: each element of the output is
// one element of an input.

#include <cstddef>
#include <string>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// Element o of the output is element places[o] of the input.
void AddPlaces(FiringPartials& firing, size_t port, size_t slot,
               const std::vector<size_t>& places) {
  for (size_t o = 0; o < places.size(); ++o) firing.Add(port, o, slot, places[o], 1);
}

// The same elements in the same order, whatever the shape says.
AdjointFunction SameElements(size_t slot) {
  return [slot](FiringPartials& firing) {
    const auto count = static_cast<size_t>(firing.output(0).num_elements());
    for (size_t i = 0; i < count; ++i) firing.Add(0, i, slot, i, 1);
    return Status();
  };
}

Status IdentityN(FiringPartials& firing) {
  for (size_t port = 0; port < firing.num_outputs(); ++port) {
    if (!firing.flows_from(port)) continue;
    const auto count = static_cast<size_t>(firing.output(port).num_elements());
    for (size_t i = 0; i < count; ++i) firing.Add(port, i, port, i, 1);
  }
  return Status();
}

Status BroadcastTo(FiringPartials& firing) {
  AddPlaces(firing, 0, 0, BroadcastWalk(firing.input(0).dims(), firing.output(0).dims()));
  return Status();
}

//   dims, value: a scalar
Status Fill(FiringPartials& firing) {
  const auto count = static_cast<size_t>(firing.output(0).num_elements());
  AddPlaces(firing, 0, 1, std::vector<size_t>(count, 0));
  return Status();
}

Status Tile(FiringPartials& firing) {
  const DimsView dims = firing.input(0).dims();
  const Dims input_steps = StepsOf(dims);
  const std::vector<int64_t> multiples = ToIntegers(firing.input(1));
  // Each dimension of the output is two: which copy, and where in it.
  Dims split, steps;
  for (size_t d = 0; d < dims.size(); ++d) {
    split.insert(split.end(), {multiples[d], dims[d]});
    steps.insert(steps.end(), {0, input_steps[d]});
  }
  AddPlaces(firing, 0, 0, Walk(split, steps));
  return Status();
}

Status Transpose(FiringPartials& firing) {
  const Dims input_steps = StepsOf(firing.input(0).dims());
  Dims steps;
  for (int64_t axis : ToIntegers(firing.input(1))) {
    steps.push_back(input_steps[AxisOf(axis, input_steps.size())]);
  }
  AddPlaces(firing, 0, 0, Walk(firing.output(0).dims(), steps));
  return Status();
}

// Inputs [begin, end) one after the other along `axis`.
void Join(FiringPartials& firing, size_t begin, size_t end, int64_t axis) {
  const Dims steps = StepsOf(firing.output(0).dims());
  const size_t d = AxisOf(axis, steps.size());
  int64_t offset = 0;
  for (size_t slot = begin; slot < end; ++slot) {
    const DimsView dims = firing.input(slot).dims();
    const std::vector<size_t> places = Walk(dims, steps, offset * steps[d]);
    for (size_t i = 0; i < places.size(); ++i) firing.Add(0, places[i], slot, i, 1);
    offset += dims[d];
  }
}

Status ConcatV2(FiringPartials& firing) {
  const size_t last = firing.num_inputs() - 1;
  Join(firing, 0, last, ToIntegers(firing.input(last))[0]);
  return Status();
}

Status Concat(FiringPartials& firing) {
  Join(firing, 1, firing.num_inputs(), ToIntegers(firing.input(0))[0]);
  return Status();
}

// The outputs are one after the other along `axis` of input `slot`.
void Cut(FiringPartials& firing, size_t slot, int64_t axis) {
  const Dims steps = StepsOf(firing.input(slot).dims());
  const size_t d = AxisOf(axis, steps.size());
  int64_t offset = 0;
  for (size_t port = 0; port < firing.num_outputs(); ++port) {
    const DimsView dims = firing.output(port).dims();
    AddPlaces(firing, port, slot, Walk(dims, steps, offset * steps[d]));
    offset += dims[d];
  }
}

Status Split(FiringPartials& firing) {
  Cut(firing, 1, ToIntegers(firing.input(0))[0]);
  return Status();
}

Status SplitV(FiringPartials& firing) {
  Cut(firing, 0, ToIntegers(firing.input(2))[0]);
  return Status();
}

// The steps through a tensor that leave out `axis`, and in `step` that one's.
Dims StepsWithout(DimsView dims, size_t axis, int64_t* step) {
  Dims steps = StepsOf(dims);
  *step = steps[axis];
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(axis));
  return steps;
}

Status Pack(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(firing.node(), "axis"));
  const DimsView dims = firing.output(0).dims();
  int64_t step = 0;
  const Dims steps = StepsWithout(dims, AxisOf(axis, dims.size()), &step);
  for (size_t slot = 0; slot < firing.num_inputs(); ++slot) {
    const auto places = Walk(firing.input(slot).dims(), steps, static_cast<int64_t>(slot) * step);
    for (size_t i = 0; i < places.size(); ++i) firing.Add(0, places[i], slot, i, 1);
  }
  return Status();
}

//   values, of one row each -> output
Status ParallelConcat(FiringPartials& firing) {
  for (size_t slot = 0; slot < firing.num_inputs(); ++slot) {
    const auto row = static_cast<size_t>(firing.input(slot).num_elements());
    for (size_t i = 0; i < row; ++i) firing.Add(0, slot * row + i, slot, i, 1);
  }
  return Status();
}

Status Unpack(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(firing.node(), "axis"));
  const DimsView dims = firing.input(0).dims();
  int64_t step = 0;
  const Dims steps = StepsWithout(dims, AxisOf(axis, dims.size()), &step);
  for (size_t port = 0; port < firing.num_outputs(); ++port) {
    AddPlaces(firing, port, 0,
              Walk(firing.output(port).dims(), steps, static_cast<int64_t>(port) * step));
  }
  return Status();
}

//   indices, depth, on_value, off_value; one more dimension than indices, at attr axis
Status OneHot(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(firing.node(), "axis"));
  const std::vector<int64_t> indices = ToIntegers(firing.input(0));
  const DimsView dims = firing.output(0).dims();
  const size_t d = AxisOf(axis, dims.size());
  Dims steps = StepsOf(firing.input(0).dims());
  steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(d), 0);
  const std::vector<size_t> index_at = Walk(dims, steps);
  Dims along(dims.size(), 0);
  along[d] = 1;
  const std::vector<size_t> depth_at = Walk(dims, along);
  for (size_t o = 0; o < index_at.size(); ++o) {
    const bool on = indices[index_at[o]] == static_cast<int64_t>(depth_at[o]);
    firing.Add(0, o, on ? 2 : 3, 0, 1);
  }
  return Status();
}

Status PreventGradient(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string message, StringAttr(firing.node(), "message"));
  return InvalidArgument("a gradient reaches a PreventGradient: " + message);
}

}  // namespace

void AddArrayAdjoints(AdjointTable& table) {
  for (const char* op :
       {"Identity", "Reshape", "ExpandDims", "Squeeze", "EnsureShape", "PlaceholderWithDefault",
        "Snapshot", "DeepCopy", "GuaranteeConst", "CheckNumerics", "CheckNumericsV2", "Print"}) {
    table.Set(op, SameElements(0));
  }
  table.Set("IdentityN", IdentityN);
  table.Set("BroadcastTo", BroadcastTo);
  table.Set("Fill", Fill);
  table.Set("Tile", Tile);
  table.Set("Transpose", Transpose);
  table.Set("ConjugateTranspose", Transpose);  // of real numbers the same
  table.Set("Concat", Concat);
  table.Set("ConcatV2", ConcatV2);
  table.Set("Split", Split);
  table.Set("SplitV", SplitV);
  table.Set("Pack", Pack);
  table.Set("ParallelConcat", ParallelConcat);
  table.Set("Unpack", Unpack);
  table.Set("OneHot", OneHot);
  table.Set("PreventGradient", PreventGradient);
  for (const char* op : {"StopGradient", "ZerosLike", "OnesLike", "Range", "Bitcast"}) {
    table.Stop(op);
  }
}

}  // namespace tagflow::reference
