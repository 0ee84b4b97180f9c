// Texts.

#include <algorithm>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// Inputs: texts of one shape, or scalars.
Status StringJoinShape(ShapeContext& context) {
  PartialShape shape = PartialShape::Scalar();
  bool all_known = true;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const PartialShape& input = context.input(i);
    all_known = all_known && input.known_rank();
    if (!input.known_rank() || input.rank() == 0) continue;
    if (shape.rank() == 0) shape = input;
    TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, input));
  }
  // What is not known may be a scalar, or have the shape where all others are scalars.
  if (all_known || shape.rank() > 0) context.set_output(0, std::move(shape));
  return Status();
}

// As other reductions, but the dimensions may come in a tensor of any rank.
Status ReduceJoinShape(ShapeContext& context) {
  if (context.input(1).known_rank() && context.input(1).rank() > 1) return Status();
  return shapes::Reduction(context);
}

// Inputs: texts, positions and lengths.
Status SubstrShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape ranges,
                           MergeShapes(context.input(1), context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, BroadcastShapes(context.input(0), ranges));
  context.set_output(0, std::move(shape));
  return Status();
}

// Inputs: a vector of texts, what to split at. Outputs: indices, values, shape.
Status StringSplitShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  context.set_output(0, PartialShape(Dims{kUnknown, 2}));
  context.set_output(1, PartialShape(Dims{kUnknown}));
  context.set_output(2, PartialShape(Dims{2}));
  return Status();
}

// Inputs: texts, segment ids of the shape that the texts' shape begins with, number of segments.
Status SegmentJoinShape(ShapeContext& context) {
  const PartialShape& texts = context.input(0);
  const PartialShape& ids = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 0));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
  const int64_t segments = shapes::ConstantInt(context, 2).value_or(kUnknown);
  if (segments < kUnknown) return InvalidArgument("the number of segments must not be negative");
  if (!texts.known_rank() || !ids.known_rank()) return Status();
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, ids.rank()));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(shapes::Subshape(texts, 0, ids.rank()), ids).status());
  context.set_output(0, shapes::Concatenated(PartialShape(Dims{segments}),
                                             shapes::Subshape(texts, ids.rank(), texts.rank())));
  return Status();
}

// Inputs: texts, and where each row of them begins and ends. Outputs: the same of the n-grams.
Status NGramsShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  context.set_output(0, PartialShape(Dims{kUnknown}));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape splits,
                           MergeShapes(context.input(1), PartialShape(Dims{kUnknown})));
  context.set_output(1, std::move(splits));
  return Status();
}

Status PrintedShape(ShapeContext& context) { return shapes::RequireRank(context, 0, 0); }

OpDefBuilder Changing(const char* name, const char* summary, ArgRole role = ArgRole::kData) {
  return OpDefBuilder(name)
      .Input("input: string", role)
      .Output("output: string")
      .Summary(summary)
      .Shape(shapes::Unchanged);
}

constexpr char kUnits[] = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'";

// One text in, one text or number out.
std::vector<OpDefBuilder> ConvertingOps() {
  return {
      OpDefBuilder("AsString")
          .Input("input: T")
          .Output("output: string")
          .Attr("T: {realnumbertype, complex64, complex128, bool, variant, string}")
          .Attr("precision: int = -1")
          .Attr("scientific: bool = false")
          .Attr("shortest: bool = false")
          .Attr("width: int = -1")
          .Attr("fill: string = ''")
          .Summary("Each element written as text.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("StringToNumber")
          .Input("string_tensor: string")
          .Output("output: out_type")
          .Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT")
          .Summary("The numbers that texts spell.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("StringLength")
          .Input("input: string")
          .Output("output: int32")
          .Attr(kUnits)
          .Summary("How many bytes or characters each text has.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("StringToHashBucket")
          .Input("string_tensor: string")
          .Output("output: int64")
          .Attr("num_buckets: int >= 1")
          .Summary("The bucket of each text, by a quick hash.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("StringToHashBucketFast")
          .Input("input: string")
          .Output("output: int64")
          .Attr("num_buckets: int >= 1")
          .Summary("The bucket of each text, by a quick hash that stays as it is.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("StringToHashBucketStrong")
          .Input("input: string")
          .Output("output: int64")
          .Attr("num_buckets: int >= 1")
          .Attr("key: list(int)")
          .Summary("The bucket of each text, which nobody can tell who does not know the key.")
          .Shape(shapes::Unchanged),
      Changing("StringLower", "Texts with their capital letters made small.")
          .Attr("encoding: string = ''"),
      Changing("StringUpper", "Texts with their small letters made capital.")
          .Attr("encoding: string = ''"),
      Changing("StringStrip", "Texts without the spaces around them."),
      Changing("EncodeBase64", "Texts in base 64.").Attr("pad: bool = false"),
      Changing("DecodeBase64", "The texts that texts in base 64 stand for.", ArgRole::kBase64),
  };
}

// Parts of texts, and texts of parts.
std::vector<OpDefBuilder> JoiningOps() {
  return {
      OpDefBuilder("StringJoin")
          .Input("inputs: N * string")
          .Output("output: string")
          .Attr("N: int >= 0")
          .Attr("separator: string = ''")
          .Summary("The inputs joined, element by element.")
          .Shape(StringJoinShape),
      OpDefBuilder("ReduceJoin")
          .Input("inputs: string")
          .Input("reduction_indices: int32", ArgRole::kAxisOrAxes)
          .Output("output: string")
          .Attr("keep_dims: bool = false")
          .Attr("separator: string = ''")
          .Summary("The texts along some dimensions joined, the first of these running fastest.")
          .Shape(ReduceJoinShape),
      OpDefBuilder("UnsortedSegmentJoin")
          .Input("inputs: string")
          .Input("segment_ids: Tindices", ArgRole::kGroups)
          .Input("num_segments: Tnumsegments", ArgRole::kGroupCount)
          .Output("output: string")
          .Attr("separator: string = ''")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .Summary("The texts of each segment joined.")
          .Shape(SegmentJoinShape),
      OpDefBuilder("Substr")
          .Input("input: string")
          .Input("pos: T")
          .Input("len: T")
          .Output("output: string")
          .Attr("T: {int32, int64}")
          .Attr(kUnits)
          .Summary("len bytes or characters of each text, from pos on.")
          .Shape(SubstrShape),
  };
}

// Pieces of texts, and runs of texts, in rows that are not equally long.
std::vector<OpDefBuilder> RaggedOps() {
  return {
      OpDefBuilder("StringSplit")
          .Input("input: string")
          .Input("delimiter: string", ArgRole::kSeparator)
          .Output("indices: int64")
          .Output("values: string")
          .Output("shape: int64")
          .Attr("skip_empty: bool = true")
          .Summary("The pieces of texts between single bytes, as a sparse matrix.")
          .Shape(StringSplitShape),
      OpDefBuilder("StringSplitV2")
          .Input("input: string")
          .Input("sep: string", ArgRole::kSeparator)
          .Output("indices: int64")
          .Output("values: string")
          .Output("shape: int64")
          .Attr("maxsplit: int = -1")
          .Summary("The pieces of texts between separators, or words, as a sparse matrix.")
          .Shape(StringSplitShape),
      OpDefBuilder("StringNGrams")
          .Input("data: string")
          .Input("data_splits: Tsplits")
          .Output("ngrams: string")
          .Output("ngrams_splits: Tsplits")
          .Attr("separator: string")
          .Attr("ngram_widths: list(int) >= 0")
          .Attr("left_pad: string")
          .Attr("right_pad: string")
          .Attr("pad_width: int")
          .Attr("preserve_short_sequences: bool")
          .Attr("Tsplits: {int32, int64} = DT_INT64")
          .Summary("The runs of so many texts that there are in each row, every run joined.")
          .Shape(NGramsShape),
  };
}

std::vector<OpDefBuilder> PrintingOps() {
  return {
      OpDefBuilder("StringFormat")
          .Input("inputs: T")
          .Output("output: string")
          .Attr("T: list(type) >= 0")
          .Attr("template: string = '%s'")
          .Attr("placeholder: string = '%s'")
          .Attr("summarize: int = 3")
          .Summary("A template with tensors written in place of its placeholders.")
          .Shape(shapes::Scalar),
      OpDefBuilder("Print")
          .Input("input: T")
          .Input("data: U")
          .Output("output: T")
          .Attr("T: type")
          .Attr("U: list(type) >= 0")
          .Attr("message: string = ''")
          .Attr("first_n: int = -1")
          .Attr("summarize: int = 3")
          .Stateful()
          .Summary("Passes its input on, and writes message and data to standard error.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("PrintV2")
          .Input("input: string")
          .Attr("output_stream: string = 'stderr'")
          .Attr("end: string = '\n'")
          .Stateful()
          .Summary("Writes a text to standard error, standard output or a file.")
          .Shape(PrintedShape),
  };
}

}  // namespace

Status RegisterStringOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ConvertingOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, JoiningOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, RaggedOps()));
  return RegisterAll(registry, PrintingOps());
}

}  // namespace tagflow
