// Softmax and the losses made of it.

#include <utility>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;
constexpr char kTypes[] = "T: {half, bfloat16, float, double}";

Status SoftmaxShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  return shapes::Unchanged(context);
}

// Outputs: loss [batch], backprop [batch, classes].
void SetLoss(ShapeContext& context, int64_t batch, int64_t classes) {
  context.set_output(0, PartialShape(Dims{batch}));
  context.set_output(1, PartialShape(Dims{batch, classes}));
}

Status CrossEntropyShape(ShapeContext& context) {
  SetLoss(context, kUnknown, kUnknown);
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape both,
                           BroadcastShapes(context.input(0), context.input(1)));
  if (!both.known_rank()) return Status();
  if (both.rank() != 2) {
    return InvalidArgument("features and labels must broadcast to a matrix, not to " +
                           both.ToString());
  }
  SetLoss(context, both.dim(0), both.dim(1));
  return Status();
}

Status SparseCrossEntropyShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  const PartialShape& features = context.input(0);
  const PartialShape& labels = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch,
                           shapes::MergeDims(features.known_rank() ? features.dim(0) : kUnknown,
                                             labels.known_rank() ? labels.dim(0) : kUnknown));
  SetLoss(context, batch, features.known_rank() ? features.dim(1) : kUnknown);
  return Status();
}

std::vector<OpDefBuilder> SoftmaxOps() {
  return {
      OpDefBuilder("Softmax")
          .Input("logits: T")
          .Output("softmax: T")
          .Attr(kTypes)
          .Summary("exp(x) of each element over the sum of those of its row.")
          .Shape(SoftmaxShape),
      OpDefBuilder("LogSoftmax")
          .Input("logits: T")
          .Output("logsoftmax: T")
          .Attr(kTypes)
          .Summary("The logarithm of softmax.")
          .Shape(SoftmaxShape),
      OpDefBuilder("SoftmaxCrossEntropyWithLogits")
          .Input("features: T", ArgRole::kRows)
          .Input("labels: T", ArgRole::kRows)
          .Output("loss: T")
          .Output("backprop: T")
          .Attr(kTypes)
          .Summary("The cross entropy of softmax with rows of probabilities, and its gradient.")
          .Shape(CrossEntropyShape),
      OpDefBuilder("SparseSoftmaxCrossEntropyWithLogits")
          .Input("features: T", ArgRole::kRows)
          .Input("labels: Tlabels", ArgRole::kRowNumbers)
          .Output("loss: T")
          .Output("backprop: T")
          .Attr(kTypes)
          .Attr("Tlabels: {int32, int64} = DT_INT64")
          .Summary("The cross entropy of softmax with one true class a row, and its gradient.")
          .Shape(SparseCrossEntropyShape),
  };
}

}  // namespace

Status RegisterSoftmaxOps(OpRegistry& registry) { return RegisterAll(registry, SoftmaxOps()); }

}  // namespace tagflow
