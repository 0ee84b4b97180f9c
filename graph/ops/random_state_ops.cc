// Random numbers from a generator whose state is a variable: int64 numbers, of Philox two of a
// counter and one of a key. What draws moves the state on, in steps that do not depend on how much
// was drawn of what.

#include <string>
#include <utility>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status RequireScalars(const ShapeContext& context, int begin, int end) {
  for (int i = begin; i < end; ++i) TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  return Status();
}

// Input i is the shape; before it, if there are any, are the state and an algorithm.
Status DrawnShape(ShapeContext& context, int i) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, 0, i));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, i));
  context.set_output(0, std::move(shape));
  return Status();
}
// Behind the shape there may be scalars.
Status StatefulShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, 3, context.num_inputs()));
  return DrawnShape(context, 2);
}
// … or the parameters of a distribution, of which the kernel knows what they are to be.
Status StatefulDistributionShape(ShapeContext& context) { return DrawnShape(context, 2); }
Status StatelessShape(ShapeContext& context) { return DrawnShape(context, 0); }

// Inputs: the state, an algorithm, and how far to go.
Status SkipShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, 0, context.num_inputs()));
  if (context.num_outputs() > 0) context.set_output(0, PartialShape(Dims{3}));
  return Status();
}

OpDefBuilder OfState(const std::string& name, const std::string& algorithm) {
  return OpDefBuilder(name)
      .Input("resource: resource")
      .Input(algorithm, ArgRole::kAlgorithm)
      .Stateful();
}
OpDefBuilder Drawing(const std::string& name, const std::string& dtype) {
  return OfState(name, "algorithm: int64")
      .Input("shape: shape_dtype", ArgRole::kShape)
      .Output("output: dtype")
      .Attr("dtype: type = " + dtype)
      .Attr("shape_dtype: type = DT_INT64")
      .Shape(StatefulShape);
}

}  // namespace

Status RegisterRandomStateOps(OpRegistry& registry) {
  const std::string parameters = "{half, float, double, int32, int64}";
  return RegisterAll(
      registry,
      {
          Drawing("StatefulUniform", "DT_FLOAT")
              .Summary("Random numbers from [0, 1), by a generator's state."),
          Drawing("StatefulStandardNormalV2", "DT_FLOAT")
              .Summary("Random numbers with mean 0 and deviation 1, by a generator's state."),
          Drawing("StatefulTruncatedNormal", "DT_FLOAT")
              .Summary("Normal random numbers of magnitude less than 2, by a generator's state."),
          Drawing("StatefulUniformFullInt", "DT_UINT64")
              .Summary("Random integers of all values, by a generator's state."),
          Drawing("StatefulUniformInt", "DT_INT64")
              .Input("minval: dtype", ArgRole::kScalar)
              .Input("maxval: dtype", ArgRole::kScalar)
              .Summary("Random integers from minval to before maxval, by a generator's state."),
          OfState("StatefulRandomBinomial", "algorithm: int64")
              .Input("shape: S", ArgRole::kShape)
              .Input("counts: T")
              .Input("probs: T")
              .Output("output: dtype")
              .Attr("S: {int32, int64}")
              .Attr("T: " + parameters + " = DT_DOUBLE")
              .Attr("dtype: " + parameters + " = DT_INT64")
              .Summary("How many of counts events happen, by a generator's state.")
              .Shape(StatefulDistributionShape),
          OfState("RngSkip", "algorithm: int64")
              .Input("delta: int64", ArgRole::kScalar)
              .Summary("Moves a generator's state behind so many numbers.")
              .Shape(SkipShape),
          OfState("RngReadAndSkip", "alg: int32")
              .Input("delta: uint64", ArgRole::kScalar)
              .Output("value: int64")
              .Summary("A generator's state, which is moved behind so many numbers.")
              .Shape(SkipShape),
          OpDefBuilder("NonDeterministicInts")
              .Input("shape: shape_dtype", ArgRole::kShape)
              .Output("output: dtype")
              .Attr("dtype: type = DT_INT64")
              .Attr("shape_dtype: type = DT_INT64")
              .Stateful()
              .Summary("Random integers of all values, which nobody can tell before.")
              .Shape(StatelessShape),
      });
}

}  // namespace tagflow
