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

Status SparseSegmentShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), context.input(2)).status());
  context.set_output(0, Segments(context.input(0), 1, kUnknown));
  return Status();
}

struct Reduction {
  const char* name;
  const char* types;
  const char* index_types;
  const char* summary;
};
constexpr Reduction kSorted[] = {
    {"SegmentSum", "numbertype", "", "The sums of neighbouring rows with one id."},
    {"SegmentMean", "numbertype", "", "The means of neighbouring rows with one id."},
    {"SegmentProd", "numbertype", "", "The products of neighbouring rows with one id."},
    {"SegmentMax", "realnumbertype", "", "The maxima of neighbouring rows with one id."},
    {"SegmentMin", "realnumbertype", "", "The minima of neighbouring rows with one id."},
};
constexpr Reduction kUnsorted[] = {
    {"UnsortedSegmentSum", "numbertype", "{int16, int32, int64}", "The sums of rows with one id."},
    {"UnsortedSegmentProd", "numbertype", "{int32, int64}", "The products of rows with one id."},
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
      .Summary(op.summary)
      .Shape(UnsortedSegmentShape);
}

OpDefBuilder Sparse(const Reduction& op) {
  return OpDefBuilder(op.name)
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

}  // namespace

Status RegisterSegmentOps(OpRegistry& registry) {
  for (const Reduction& op : kSorted) TAGFLOW_RETURN_IF_ERROR(registry.Register(Sorted(op)));
  for (const Reduction& op : kUnsorted) TAGFLOW_RETURN_IF_ERROR(registry.Register(Unsorted(op)));
  for (const Reduction& op : kSparse) TAGFLOW_RETURN_IF_ERROR(registry.Register(Sparse(op)));
  return Status();
}

}  // namespace tagflow
