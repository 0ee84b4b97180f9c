// Ops that look for elements: what is distinct, what is largest, how often something comes.

#include <optional>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// Outputs: y, idx and, where there is a third, count.
void SetUniqueOutputs(ShapeContext& context, PartialShape distinct, int64_t length) {
  context.set_output(0, std::move(distinct));
  context.set_output(1, PartialShape(Dims{length}));
  if (context.num_outputs() > 2) context.set_output(2, PartialShape(Dims{kUnknown}));
}

Status UniqueShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  const PartialShape& x = context.input(0);
  SetUniqueOutputs(context, PartialShape(Dims{kUnknown}), x.known_rank() ? x.dim(0) : kUnknown);
  return Status();
}

Status UniqueV2Shape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  const PartialShape& x = context.input(0);
  const std::optional<Dims> axes = shapes::ConstantInts(context, 1);
  SetUniqueOutputs(context, PartialShape(), kUnknown);
  if (!x.known_rank()) return Status();
  SetUniqueOutputs(context, PartialShape::UnknownOfRank(x.rank()), kUnknown);
  if (!axes.has_value() || axes->size() > 1) return Status();
  if (axes->empty() && x.rank() != 1) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(
      const int axis, shapes::NormalizeAxis(context, axes->empty() ? 0 : (*axes)[0], x.rank()));
  Dims dims = x.dims();
  dims[static_cast<size_t>(axis)] = kUnknown;
  SetUniqueOutputs(context, PartialShape(std::move(dims)), x.dim(axis));
  return Status();
}

// Both outputs: the input with its last dimension replaced by k.
Status SetLargest(ShapeContext& context, int64_t k) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  const int64_t last = input.dim(input.rank() - 1);
  if (last != kUnknown && k > last) {
    return InvalidArgument("there are no " + std::to_string(k) + " largest of " +
                           std::to_string(last) + " elements");
  }
  Dims dims = input.dims();
  dims.back() = k;
  for (int i = 0; i < 2; ++i) context.set_output(i, PartialShape(dims));
  return Status();
}

Status TopKShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t k, IntAttr(context.node(), "k"));
  return SetLargest(context, k);
}

Status TopKV2Shape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  const int64_t k = shapes::ConstantInt(context, 1).value_or(kUnknown);
  if (k < kUnknown) return InvalidArgument("k must not be negative, but is " + std::to_string(k));
  return SetLargest(context, k);
}

// The input without its last dimension.
Status NthElementShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  const std::optional<int64_t> n = shapes::ConstantInt(context, 1);
  if (n.has_value() && *n < 0) {
    return InvalidArgument("n must not be negative, but is " + std::to_string(*n));
  }
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  const int64_t last = input.dim(input.rank() - 1);
  if (n.has_value() && last != kUnknown && *n >= last) {
    return InvalidArgument("there is no element " + std::to_string(*n) + " of " +
                           std::to_string(last));
  }
  context.set_output(0, shapes::Subshape(input, 0, input.rank() - 1));
  return Status();
}

Status InTopKShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  if (context.num_inputs() > 2) TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 0));
  const PartialShape& predictions = context.input(0);
  const PartialShape& targets = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t rows,
      shapes::MergeDims(predictions.known_rank() ? predictions.dim(0) : kUnknown,
                        targets.known_rank() ? targets.dim(0) : kUnknown));
  context.set_output(0, PartialShape(Dims{rows}));
  return Status();
}

// The number that the constant input i gives, which must not be negative.
Result<int64_t> Count(const ShapeContext& context, int i) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  const std::optional<int64_t> count = shapes::ConstantInt(context, i);
  if (!count.has_value()) return kUnknown;
  if (*count >= 0) return *count;
  return InvalidArgument("input '" + shapes::InputName(context, i) +
                         "' must not be negative, but is " + std::to_string(*count));
}

Status BincountShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, Count(context, 1));
  context.set_output(0, PartialShape(Dims{size}));
  return Status();
}

Status DenseBincountShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, Count(context, 1));
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  if (input.rank() > 2) {
    return InvalidArgument("input 'input' must be of rank 2 at most, but has shape " +
                           input.ToString());
  }
  context.set_output(
      0, input.rank() == 2 ? PartialShape(Dims{input.dim(0), size}) : PartialShape(Dims{size}));
  return Status();
}

Status HistogramShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), PartialShape(Dims{2})).status());
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t bins, Count(context, 2));
  context.set_output(0, PartialShape(Dims{bins}));
  return Status();
}

OpDefBuilder Unique(const char* name, bool has_axis, bool has_counts) {
  OpDefBuilder op(name);
  op.Input("x: T");
  if (has_axis) op.Input("axis: Taxis", ArgRole::kAxes).Attr("Taxis: {int32, int64} = DT_INT64");
  op.Output("y: T").Output("idx: out_idx");
  if (has_counts) op.Output("count: out_idx");
  return op.Attr("T: type")
      .Attr("out_idx: {int32, int64} = DT_INT32")
      .Summary(has_axis ? "The distinct slices of a tensor along a dimension, in the order of "
                          "their first places."
                        : "The distinct elements of a vector, in the order of their first places.")
      .Shape(has_axis ? UniqueV2Shape : UniqueShape);
}

std::vector<OpDefBuilder> RankingOps() {
  return {
      OpDefBuilder("TopK")
          .Input("input: T")
          .Output("values: T")
          .Output("indices: int32")
          .Attr("k: int >= 0")
          .Attr("sorted: bool = true")
          .Attr("T: realnumbertype")
          .Summary("The k largest elements of each row and their places.")
          .Shape(TopKShape),
      OpDefBuilder("TopKV2")
          .Input("input: T")
          .Input("k: Tk", ArgRole::kColumnCount)
          .Output("values: T")
          .Output("indices: index_type")
          .Attr("sorted: bool = true")
          .Attr("T: realnumbertype")
          .Attr("Tk: {int16, int32, int64} = DT_INT32")
          .Attr("index_type: {int16, int32, int64} = DT_INT32")
          .Summary("The k largest elements of each row and their places.")
          .Shape(TopKV2Shape),
      OpDefBuilder("NthElement")
          .Input("input: T")
          .Input("n: int32", ArgRole::kColumnCount)
          .Output("values: T")
          .Attr("reverse: bool = false")
          .Attr("T: realnumbertype")
          .Summary("The element of each row that n are less than, or larger.")
          .Shape(NthElementShape),
      OpDefBuilder("InTopK")
          .Input("predictions: float", ArgRole::kRows)
          .Input("targets: T", ArgRole::kRowNumbers)
          .Output("precision: bool")
          .Attr("k: int")
          .Attr("T: {int32, int64} = DT_INT32")
          .Summary("Whether fewer than k of a row's elements are larger than its target.")
          .Shape(InTopKShape),
      OpDefBuilder("InTopKV2")
          .Input("predictions: float", ArgRole::kRows)
          .Input("targets: T", ArgRole::kRowNumbers)
          .Input("k: T", ArgRole::kColumnCount)
          .Output("precision: bool")
          .Attr("T: {int32, int64} = DT_INT32")
          .Summary("Whether fewer than k of a row's elements are larger than its target.")
          .Shape(InTopKShape),
  };
}

std::vector<OpDefBuilder> CountingOps() {
  return {
      OpDefBuilder("Bincount")
          .Input("arr: int32")
          .Input("size: int32", ArgRole::kCount)
          .Input("weights: T")
          .Output("bins: T")
          .Attr("T: {int32, int64, float, double}")
          .Summary("How often each number below size comes, or the sum of its weights.")
          .Shape(BincountShape),
      OpDefBuilder("DenseBincount")
          .Input("input: Tidx")
          .Input("size: Tidx", ArgRole::kCount)
          .Input("weights: T")
          .Output("output: T")
          .Attr("Tidx: {int32, int64}")
          .Attr("T: {int32, int64, float, double}")
          .Attr("binary_output: bool = false")
          .Summary("How often each number below size comes in each row, or whether it does.")
          .Shape(DenseBincountShape),
      OpDefBuilder("HistogramFixedWidth")
          .Input("values: T")
          .Input("value_range: T", ArgRole::kRange)
          .Input("nbins: int32", ArgRole::kCount)
          .Output("out: dtype")
          .Attr("T: {int32, int64, float, double}")
          .Attr("dtype: {int32, int64} = DT_INT32")
          .Summary("How many values are in each of nbins parts of a range; its ends take the rest.")
          .Shape(HistogramShape),
  };
}

}  // namespace

Status RegisterSearchOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(
      registry,
      {Unique("Unique", false, false), Unique("UniqueV2", true, false),
       Unique("UniqueWithCounts", false, true), Unique("UniqueWithCountsV2", true, true)}));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, RankingOps()));
  return RegisterAll(registry, CountingOps());
}

}  // namespace tagflow
