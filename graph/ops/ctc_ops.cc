// Connectionist temporal classification: which labels a sequence of scores spells, how well it
// spells given ones, and how far those it spells are from the right ones. The last class is the
// blank.

#include <algorithm>
#include <string>
#include <utility>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"
#include "graph/ops/sparse_shapes.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// What is known of the scores [time, batch, classes].
//   Errors: INVALID_ARGUMENT where the input `lengths` has not one for each of the batch
Result<Dims> ScoreDims(const ShapeContext& context, int lengths) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 3));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, lengths, 1));
  const PartialShape& inputs = context.input(0);
  Dims dims = inputs.known_rank() ? inputs.dims() : Dims(3, kUnknown);
  if (context.input(lengths).known_rank()) {
    TAGFLOW_ASSIGN_OR_RETURN(dims[1], shapes::MergeDims(dims[1], context.input(lengths).dim(0)));
  }
  return dims;
}

Status CtcLossShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, ScoreDims(context, 3));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  if (context.input(1).known_rank() && context.input(2).known_rank()) {
    TAGFLOW_RETURN_IF_ERROR(
        shapes::MergeDims(context.input(1).dim(0), context.input(2).dim(0)).status());
  }
  context.set_output(0, PartialShape(Dims{dims[1]}));
  context.set_output(1, PartialShape(std::move(dims)));
  return Status();
}

// The decoded paths, sparse matrices whose first dimension is the batch, and a score for each.
Status DecoderShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ScoreDims(context, 1));
  const int paths = context.num_outputs() / 3;
  for (int i = 0; i < paths; ++i) {
    shapes::SetSparseOutput(context, {i, paths + i, 2 * paths + i}, {kUnknown, 2});
  }
  context.set_output(3 * paths, PartialShape(Dims{dims[1], paths}));
  return Status();
}

// The larger of two dimensions.
int64_t LargerDim(int64_t a, int64_t b) {
  return a == kUnknown || b == kUnknown ? kUnknown : std::max(a, b);
}

// A distance for each pair of sequences: dimensions large enough for both, but for the last.
Status EditDistanceShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize hypothesis, shapes::SparseInput(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize truth, shapes::SparseInput(context, 3));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rank, shapes::MergeDims(hypothesis.rank, truth.rank));
  if (rank != kUnknown && rank < 2) {
    return InvalidArgument("sequences are along the last of two dimensions or more, not of " +
                           std::to_string(rank));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape a, shapes::ShapeFromInput(context, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape b, shapes::ShapeFromInput(context, 5));
  if (!a.known_rank() || !b.known_rank()) {
    context.set_output(0, shapes::OfRank(rank == kUnknown ? kUnknown : rank - 1));
    return Status();
  }
  Dims dims;
  for (int d = 0; d + 1 < a.rank(); ++d) dims.push_back(LargerDim(a.dim(d), b.dim(d)));
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

OpDefBuilder CtcLoss() {
  return OpDefBuilder("CTCLoss")
      .Input("inputs: T")
      .Input("labels_indices: int64", ArgRole::kCoordinates)
      .Input("labels_values: int32", ArgRole::kUpdates)
      .Input("sequence_length: int32", ArgRole::kIndices)
      .Output("loss: T")
      .Output("gradient: T")
      .Attr("preprocess_collapse_repeated: bool = false")
      .Attr("ctc_merge_repeated: bool = true")
      .Attr("ignore_longer_outputs_than_inputs: bool = false")
      .Attr("T: {float, double} = DT_FLOAT")
      .Summary("Minus the logarithm of the probability that scores spell labels, and its gradient.")
      .Shape(CtcLossShape);
}

OpDefBuilder CtcGreedyDecoder() {
  return OpDefBuilder("CTCGreedyDecoder")
      .Input("inputs: T")
      .Input("sequence_length: int32", ArgRole::kIndices)
      .Output("decoded_indices: int64")
      .Output("decoded_values: int64")
      .Output("decoded_shape: int64")
      .Output("log_probability: T")
      .Attr("merge_repeated: bool = false")
      .Attr("blank_index: int = -1")
      .Attr("T: {float, double} = DT_FLOAT")
      .Summary("The labels that the best score of each time spells.")
      .Shape(DecoderShape);
}

OpDefBuilder CtcBeamSearchDecoder() {
  return OpDefBuilder("CTCBeamSearchDecoder")
      .Input("inputs: T")
      .Input("sequence_length: int32", ArgRole::kIndices)
      .Output("decoded_indices: top_paths * int64")
      .Output("decoded_values: top_paths * int64")
      .Output("decoded_shape: top_paths * int64")
      .Output("log_probability: T")
      .Attr("beam_width: int >= 1")
      .Attr("top_paths: int >= 1")
      .Attr("merge_repeated: bool = true")
      .Attr("T: {float, double} = DT_FLOAT")
      .Summary("The labels that are likeliest, of those that a search of some width finds.")
      .Shape(DecoderShape);
}

OpDefBuilder EditDistance() {
  return OpDefBuilder("EditDistance")
      .Input("hypothesis_indices: int64", ArgRole::kCoordinates)
      .Input("hypothesis_values: T", ArgRole::kUpdates)
      .Input("hypothesis_shape: int64", ArgRole::kShape)
      .Input("truth_indices: int64", ArgRole::kCoordinates)
      .Input("truth_values: T", ArgRole::kUpdates)
      .Input("truth_shape: int64", ArgRole::kShape)
      .Output("output: float")
      .Attr("normalize: bool = true")
      .Attr("T: type")
      .Summary("How many elements to insert, delete or replace make one sequence the other.")
      .Shape(EditDistanceShape);
}

}  // namespace

Status RegisterCtcOps(OpRegistry& registry) {
  return RegisterAll(registry,
                     {CtcLoss(), CtcGreedyDecoder(), CtcBeamSearchDecoder(), EditDistance()});
}

}  // namespace tagflow
