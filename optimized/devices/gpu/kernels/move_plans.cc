#include "optimized/devices/gpu/kernels/move_plans.h"

#include <cstring>
#include <utility>

#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/diagonals.h"
#include "optimized/kernels/index_input.h"

namespace tagflow::optimized {
namespace {

// ---- Moves ----

// Output `output` becomes this part of the input.
BoxMove MoveOfPart(int input, int output, const Part& part) {
  return {input, output, part.first, 0, part.dims, part.steps, StridesOf(part.dims), {}};
}

// All of output 0 becomes the one element that there is in the input, or the constant.
BoxMove Fill(int input, DimsView dims) {
  return {input, 0, 0, 0, SmallDims(dims), SmallDims(dims.size(), 0), StridesOf(dims), {}};
}

MovePlan PlanOfPart(const Part& part) { return {{part.dims}, {MoveOfPart(0, 0, part)}}; }

// Input `input`, of shape `dims`, as a part of output 0.
BoxMove MoveInto(int input, DimsView dims, int64_t to_first, DimsView to_steps) {
  return {input, 0, 0, to_first, SmallDims(dims), StridesOf(dims), SmallDims(to_steps), {}};
}

// ---- Plans ----

template <Result<Part> (*part_of)(const KernelContext&)>
Result<Planner> BindPart(const Binding&) {
  return Planner([](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(const Part part, part_of(context));
    return PlanOfPart(part);
  });
}

Result<Planner> BindStridedSlice(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::Of(binding.node));
  return Planner([masks](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(
        const Part part, StridedPart(masks, context.input(1), context.input(2), context.input(3),
                                     context.input(0).dims()));
    return PlanOfPart(part);
  });
}

Result<Planner> BindStridedSliceGrad(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::Of(binding.node));
  return Planner([masks](const KernelContext& context) -> Result<MovePlan> {
    constexpr int kGradient = 4;
    TAGFLOW_ASSIGN_OR_RETURN(const SlicedFrom from, SlicedFromOf(context, masks));
    const Part& part = from.part;
    return MovePlan{{from.dims},
                    {Fill(BoxMove::kConstant, from.dims),
                     MoveInto(kGradient, part.dims, part.first, part.steps)}};
  });
}

template <Result<Cuts> (*cuts_of)(const KernelContext&, int64_t count), int value>
Result<Planner> BindSplit(const Binding& binding) {
  const auto count = static_cast<int64_t>(binding.signature.outputs.size());
  return Planner([count](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(const Cuts cuts, cuts_of(context, count));
    const DimsView dims = context.input(value).dims();
    Part part{0, SmallDims(dims), StridesOf(dims)};
    MovePlan plan;
    for (const int64_t size : cuts.sizes) {
      part.dims[cuts.axis] = size;
      plan.moves.push_back(MoveOfPart(value, static_cast<int>(plan.outputs.size()), part));
      plan.outputs.push_back(part.dims);
      part.first = WrappingSum(part.first, WrappingProduct(size, part.steps[cuts.axis]));
    }
    return plan;
  });
}

Result<Planner> BindUnpack(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(binding.node, "axis"));
  const int count = static_cast<int>(binding.signature.outputs.size());
  return Planner([axis, count](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(UnpackedParts parts, PartsOfUnpack(context, axis, count));
    MovePlan plan;
    for (int i = 0; i < count; ++i) {
      parts.first.first = i * parts.step;
      plan.outputs.push_back(parts.first.dims);
      plan.moves.push_back(MoveOfPart(0, i, parts.first));
    }
    return plan;
  });
}

// The steps of `whole` that are along the dimensions of a part of this rank: all of them, or all
// but that of the axis.
SmallDims StepsInto(DimsView whole, size_t axis, size_t rank) {
  SmallDims steps = StridesOf(whole);
  if (rank < whole.size()) steps.erase(axis);
  return steps;
}

MovePlan PlanOfJoint(const KernelContext& context, const Joint& joint) {
  MovePlan plan{{joint.dims}, {}};
  const int64_t step = StridesOf(joint.dims)[joint.axis];
  int64_t begin = 0;
  for (int i = joint.first; i < joint.last; ++i) {
    const DimsView dims = context.input(i).dims();
    const SmallDims steps = StepsInto(joint.dims, joint.axis, dims.size());
    plan.moves.push_back(MoveInto(i, dims, begin, steps));
    const int64_t size = dims.size() < joint.dims.size() ? 1 : dims[joint.axis];
    begin = WrappingSum(begin, WrappingProduct(size, step));
  }
  return plan;
}

Result<Planner> BindPack(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(binding.node, "axis"));
  return Planner([axis](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(const Joint joint, JointOfPack(context, axis));
    return PlanOfJoint(context, joint);
  });
}

template <Result<Joint> (*joint_of)(const KernelContext&)>
Result<Planner> BindConcat(const Binding&) {
  return Planner([](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(const Joint joint, joint_of(context));
    return PlanOfJoint(context, joint);
  });
}

Result<MovePlan> PlanOfPadding(const KernelContext& context, int value) {
  TAGFLOW_ASSIGN_OR_RETURN(const Padding padding, PaddingOf(context));
  const SmallDims steps = StridesOf(padding.dims);
  int64_t first = 0;
  for (size_t d = 0; d < steps.size(); ++d) {
    first = WrappingSum(first, WrappingProduct(padding.before[d], steps[d]));
  }
  const DimsView dims = context.input(0).dims();
  return MovePlan{{padding.dims}, {Fill(value, padding.dims), MoveInto(0, dims, first, steps)}};
}

Result<Planner> BindPad(const Binding&) {
  return Planner(
      [](const KernelContext& context) { return PlanOfPadding(context, BoxMove::kConstant); });
}

Result<Planner> BindPadV2(const Binding&) {
  return Planner([](const KernelContext& context) -> Result<MovePlan> {
    constexpr int kValue = 2;
    TAGFLOW_RETURN_IF_ERROR(CheckPadValue(context.input(kValue)));
    return PlanOfPadding(context, kValue);
  });
}

// Each dimension is two: how often, and what.
Result<Planner> BindTile(const Binding&) {
  return Planner([](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(const Tiling tiling, TilingOf(context));
    const DimsView dims = context.input(0).dims();
    const SmallDims from_steps = StridesOf(dims), to_steps = StridesOf(tiling.dims);
    BoxMove move;
    for (size_t d = 0; d < dims.size(); ++d) {
      move.dims.push_back(tiling.multiples[d]);
      move.from_steps.push_back(0);
      move.to_steps.push_back(WrappingProduct(dims[d], to_steps[d]));
      move.dims.push_back(dims[d]);
      move.from_steps.push_back(from_steps[d]);
      move.to_steps.push_back(to_steps[d]);
    }
    return MovePlan{{tiling.dims}, {std::move(move)}};
  });
}

Result<Planner> BindFill(const Binding&) {
  return Planner([](const KernelContext& context) -> Result<MovePlan> {
    constexpr int kValue = 1;
    TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, FilledDims(context));
    TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
    return MovePlan{{dims}, {Fill(kValue, dims)}};
  });
}

Result<Planner> BindZerosLike(const Binding&) {
  return Planner([](const KernelContext& context) -> Result<MovePlan> {
    const SmallDims dims(context.input(0).dims());
    return MovePlan{{dims}, {Fill(BoxMove::kConstant, dims)}};
  });
}

Result<Planner> BindOnesLike(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor one, OneOf(binding.output_dtype(0)));
  return Planner([one](const KernelContext& context) -> Result<MovePlan> {
    const SmallDims dims(context.input(0).dims());
    BoxMove fill = Fill(BoxMove::kConstant, dims);
    std::memcpy(fill.constant.data(), one.raw_data(), one.byte_size());
    return MovePlan{{dims}, {std::move(fill)}};
  });
}

// One move for each diagonal of the band.
MovePlan PlanOfDiagonals(const KernelContext& context, const DiagonalPlan& diagonals) {
  MovePlan plan{{diagonals.dims}, {}};
  if (diagonals.ground == DiagonalPlan::kInput) {
    plan.moves.push_back(MoveInto(0, context.input(0).dims(), 0, StridesOf(diagonals.dims)));
  } else if (diagonals.ground != DiagonalPlan::kNothing) {
    static_assert(DiagonalPlan::kZeros == BoxMove::kConstant);
    plan.moves.push_back(Fill(diagonals.ground, diagonals.dims));
  }
  for (const DiagonalCopy& copy : diagonals.copies) {
    plan.moves.push_back(
        {diagonals.source, 0, copy.from, copy.to, copy.dims, copy.from_steps, copy.to_steps, {}});
  }
  return plan;
}

Result<Planner> BindDiagonals(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const DiagonalPlanner plan_of, DiagonalPlannerOf(binding.node));
  return Planner([plan_of](const KernelContext& context) -> Result<MovePlan> {
    TAGFLOW_ASSIGN_OR_RETURN(const DiagonalPlan diagonals, plan_of(context));
    return PlanOfDiagonals(context, diagonals);
  });
}

}  // namespace

Result<Walk<2>> BoxMove::walk() const {
  Walk<2> walk;
  for (size_t d = dims.size(); d-- > 0;) {
    TAGFLOW_RETURN_IF_ERROR(walk.Add(dims[d], {from_steps[d], to_steps[d]}));
  }
  return walk;
}

const std::vector<MoveOp>& MoveOps() {
  static const auto& ops = *new std::vector<MoveOp>{
      {"BroadcastTo", {"shape"}, BindPart<BroadcastPart>, /*spreads=*/true},
      {"Concat", {"concat_dim"}, BindConcat<JointOfConcat>},
      {"ConcatV2", {"axis"}, BindConcat<JointOfConcatV2>},
      {"Diag", {}, BindDiagonals},
      {"DiagPart", {}, BindDiagonals},
      {"Fill", {"dims"}, BindFill, /*spreads=*/true},
      {"MatrixDiag", {}, BindDiagonals},
      {"MatrixDiagPart", {}, BindDiagonals},
      {"MatrixDiagPartV2", {"k"}, BindDiagonals},
      {"MatrixDiagPartV3", {"k"}, BindDiagonals},
      {"MatrixDiagV2", {"k", "num_rows", "num_cols"}, BindDiagonals},
      {"MatrixDiagV3", {"k", "num_rows", "num_cols"}, BindDiagonals},
      {"MatrixSetDiag", {}, BindDiagonals},
      {"MatrixSetDiagV2", {"k"}, BindDiagonals},
      {"MatrixSetDiagV3", {"k"}, BindDiagonals},
      {"OnesLike", {}, BindOnesLike},
      {"Pack", {}, BindPack},
      {"Pad", {"paddings"}, BindPad},
      {"PadV2", {"paddings"}, BindPadV2},
      {"ReverseV2", {"axis"}, BindPart<ReversedPart>},
      {"Slice", {"begin", "size"}, BindPart<SlicedPart>},
      {"Split", {"split_dim"}, BindSplit<CutsOfSplit, 1>},
      {"SplitV", {"size_splits", "split_dim"}, BindSplit<CutsOfSplitV, 0>},
      {"StridedSlice", {"begin", "end", "strides"}, BindStridedSlice},
      {"StridedSliceGrad", {"shape", "begin", "end", "strides"}, BindStridedSliceGrad},
      {"Tile", {"multiples"}, BindTile},
      {"Transpose", {"perm"}, BindPart<TransposedPart>},
      {"Unpack", {}, BindUnpack},
      {"ZerosLike", {}, BindZerosLike},
  };
  return ops;
}

}  // namespace tagflow::optimized
