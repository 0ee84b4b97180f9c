// Reductions of the rows of a tensor, grouped by an id for each row.

#include <optional>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// `rows` of what follows the first `begin` dimensions of the data.
PartialShape Segments(const PartialShape& data, int begin, int64_t rows) {
  if (!data.known_rank()) return PartialShape();
  return shapes::Concatenated(PartialShape(Dims{rows}), shapes::Subshape(data, begin, data.rank()));
}

Status SegmentShape(ShapeContext& context) {
  const PartialShape& data = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  if (data.known_rank() && context.input(1).known_rank()) {
    TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(data.dim(0), context.input(1).dim(0)).status());
  }
  context.set_output(0, Segments(data, 1, kUnknown));
  return Status();
}

Status UnsortedSegmentShape(ShapeContext& context) {
  const PartialShape& data = context.input(0);
  const PartialShape& ids = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 0));
  const int64_t rows = shapes::ConstantInt(context, 2).value_or(kUnknown);
  if (rows < kUnknown) return InvalidArgument("num_segments must not be negative");
  if (!data.known_rank() || !ids.known_rank()) return Status();
  if (data.rank() < ids.rank()) {
    return InvalidArgument("data of shape " + data.ToString() +
                           " must begin with the shape of its segment_ids, " + ids.ToString());
  }
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(ids, shapes::Subshape(data, 0, ids.rank())).status());
  context.set_output(0, Segments(data, ids.rank(), rows));
  return Status();
}

// Inputs 1 and 2: vectors of one size.
Status RequireIdForEachIndex(const ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  return MergeShapes(context.input(1), context.input(2)).status();
}

// The number of rows that the last input says.
Result<int64_t> RowsToCome(const ShapeContext& context) {
  const int last = context.num_inputs() - 1;
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, last, 0));
  const int64_t rows = shapes::ConstantInt(context, last).value_or(kUnknown);
  if (rows >= kUnknown) return rows;
  return InvalidArgument(shapes::InputName(context, last) + " must not be negative");
}

Status SparseSegmentShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(RequireIdForEachIndex(context));
  context.set_output(0, Segments(context.input(0), 1, kUnknown));
  return Status();
}

Status SparseSegmentOfNumberShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(SparseSegmentShape(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, RowsToCome(context));
  context.set_output(0, Segments(context.input(0), 1, rows));
  return Status();
}

Status SparseSegmentGradV2Shape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(SparseSegmentShape(context));
  TAGFLOW_RETURN_IF_ERROR(RowsToCome(context).status());
  context.set_output(1, PartialShape(Dims{kUnknown}));
  return Status();
}

struct Reduction {
  const char* name;
  const char* types;
  const char* index_types;
  const char* summary;
  Rounding rounding = Rounding::kOfSums;
};
constexpr Reduction kSorted[] = {
    {"SegmentSum", "numbertype", "", "The sums of neighbouring rows with one id."},
    {"SegmentMean", "numbertype", "", "The means of neighbouring rows with one id."},
    {"SegmentProd", "numbertype", "", "The products of neighbouring rows with one id.",
     Rounding::kOfProducts},
    {"SegmentMax", "realnumbertype", "", "The maxima of neighbouring rows with one id."},
    {"SegmentMin", "realnumbertype", "", "The minima of neighbouring rows with one id."},
};
constexpr Reduction kUnsorted[] = {
    {"UnsortedSegmentSum", "numbertype", "{int16, int32, int64}", "The sums of rows with one id."},
    {"UnsortedSegmentProd", "numbertype", "{int32, int64}", "The products of rows with one id.",
     Rounding::kOfProducts},
    {"UnsortedSegmentMax", "realnumbertype", "{int32, int64}", "The maxima of rows with one id."},
    {"UnsortedSegmentMin", "realnumbertype", "{int32, int64}", "The minima of rows with one id."},
};
constexpr char kFloats[] = "{bfloat16, half, float, double}";
constexpr Reduction kSparse[] = {
    {"SparseSegmentSum", "realnumbertype", "", "The sums of the rows that indices name, by id."},
    {"SparseSegmentMean", kFloats, "", "The means of the rows that indices name, by id."},
    {"SparseSegmentSqrtN", kFloats, "",
     "The sums of the rows that indices name, by id, each divided by the root of their number."},
};

OpDefBuilder Sorted(const Reduction& op) {
  return OpDefBuilder(op.name)
      .Input("data: T")
      .Input("segment_ids: Tindices", ArgRole::kRowNumbers)
      .Output("output: T")
      .Attr(std::string("T: ") + op.types)
      .Attr("Tindices: {int32, int64}")
      .Rounds(op.rounding)
      .Summary(op.summary)
      .Shape(SegmentShape);
}

OpDefBuilder Unsorted(const Reduction& op) {
  return OpDefBuilder(op.name)
      .Input("data: T")
      .Input("segment_ids: Tindices", ArgRole::kGroups)
      .Input("num_segments: Tnumsegments", ArgRole::kGroupCount)
      .Output("output: T")
      .Attr(std::string("T: ") + op.types)
      .Attr(std::string("Tindices: ") + op.index_types)
      .Attr("Tnumsegments: {int32, int64} = DT_INT32")
      .Rounds(op.rounding)
      .Summary(op.summary)
      .Shape(UnsortedSegmentShape);
}

OpDefBuilder Sparse(const std::string& name, const Reduction& op) {
  return OpDefBuilder(name)
      .Input("data: T")
      .Input("indices: Tidx", ArgRole::kIndices)
      .Input("segment_ids: Tsegmentids", ArgRole::kRowNumbers)
      .Output("output: T")
      .Attr(std::string("T: ") + op.types)
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Attr("Tsegmentids: {int32, int64} = DT_INT32")
      .Attr("sparse_gradient: bool = false")
      .Summary(op.summary)
      .Shape(SparseSegmentShape);
}

OpDefBuilder SparseOfNumber(const Reduction& op) {
  return Sparse(std::string(op.name) + "WithNumSegments", op)
      .Input("num_segments: Tnumsegments", ArgRole::kGroupCount)
      .Attr("Tnumsegments: {int32, int64} = DT_INT32")
      .Shape(SparseSegmentOfNumberShape);
}

OpDefBuilder SparseGradient(const Reduction& op, const char* version, const char* rows) {
  return OpDefBuilder(std::string(op.name) + "Grad" + version)
      .Input("grad: T")
      .Input("indices: Tidx", ArgRole::kIndices)
      .Input("segment_ids: Tsegmentids", ArgRole::kRowNumbers)
      .Input(std::string(rows) + ": int32", ArgRole::kGroupCount)
      .Output("output: T")
      .Attr(std::string("T: ") + kFloats)
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Attr("Tsegmentids: {int32, int64} = DT_INT32");
}

OpDefBuilder SparseGrad(const Reduction& op) {
  return SparseGradient(op, "", "output_dim0")
      .Summary(std::string("The gradient of the data of ") + op.name + ".")
      .Shape(SparseSegmentOfNumberShape);
}

OpDefBuilder SparseGradV2(const Reduction& op) {
  return SparseGradient(op, "V2", "dense_output_dim0")
      .Output("sorted_unique_indices: Tidx")
      .Summary(std::string("The gradient of the rows of the data that ") + op.name +
               " takes, and which these are.")
      .Shape(SparseSegmentGradV2Shape);
}

}  // namespace

Status RegisterSegmentOps(OpRegistry& registry) {
  for (const Reduction& op : kSorted) TAGFLOW_RETURN_IF_ERROR(registry.Register(Sorted(op)));
  for (const Reduction& op : kUnsorted) TAGFLOW_RETURN_IF_ERROR(registry.Register(Unsorted(op)));
  for (const Reduction& op : kSparse) {
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(
        registry, {Sparse(op.name, op), SparseOfNumber(op), SparseGrad(op), SparseGradV2(op)}));
  }
  return Status();
}

}  // namespace tagflow
