// Texts in encodings, and the code points of Unicode that they are made of.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// Outputs: where the code points of each text begin and end, the code points, and perhaps the byte
// at which each begins.
Status DecodeShape(ShapeContext& context) {
  const int64_t texts = shapes::ElementCount(context.input(0));
  context.set_output(0, PartialShape(Dims{shapes::AddDims(texts, 1)}));
  for (int i = 1; i < context.num_outputs(); ++i) {
    context.set_output(i, PartialShape(Dims{kUnknown}));
  }
  return Status();
}

// Inputs: code points, and where those of each text begin and end.
Status EncodeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  const PartialShape& splits = context.input(1);
  const int64_t ends = splits.known_rank() ? splits.dim(0) : kUnknown;
  if (ends == 0) return InvalidArgument("input_splits must have an element");
  context.set_output(0, PartialShape(Dims{ends == kUnknown ? kUnknown : ends - 1}));
  return Status();
}

constexpr char kEncodings[] = "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}";
constexpr char kSplits[] = "Tsplits: {int32, int64} = DT_INT64";

OpDefBuilder Decoding(const char* name, const char* summary) {
  return OpDefBuilder(name)
      .Input("input: string")
      .Output("row_splits: Tsplits")
      .Output("char_values: int32")
      .Attr("input_encoding: string")
      .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
      .Attr("replacement_char: int = 65533")
      .Attr("replace_control_characters: bool = false")
      .Attr(kSplits)
      .Summary(summary)
      .Shape(DecodeShape);
}

}  // namespace

Status RegisterUnicodeOps(OpRegistry& registry) {
  return RegisterAll(
      registry,
      {
          Decoding("UnicodeDecode", "The code points of texts, as a ragged matrix."),
          Decoding("UnicodeDecodeWithOffsets",
                   "The code points of texts, and the byte at which each begins.")
              .Output("char_to_byte_starts: int64"),
          OpDefBuilder("UnicodeEncode")
              .Input("input_values: int32")
              .Input("input_splits: Tsplits")
              .Output("output: string")
              .Attr("errors: {'ignore', 'replace', 'strict'} = 'replace'")
              .Attr(kEncodings)
              .Attr("replacement_char: int = 65533")
              .Attr(kSplits)
              .Summary("The texts that rows of code points spell.")
              .Shape(EncodeShape),
          OpDefBuilder("UnicodeTranscode")
              .Input("input: string")
              .Output("output: string")
              .Attr("input_encoding: string")
              .Attr(kEncodings)
              .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
              .Attr("replacement_char: int = 65533")
              .Attr("replace_control_characters: bool = false")
              .Summary("Texts in another encoding.")
              .Shape(shapes::Unchanged),
          OpDefBuilder("UnicodeScript")
              .Input("input: int32")
              .Output("output: int32")
              .Summary("The script of each code point, by ICU's numbers; -1 for what is none.")
              .Shape(shapes::Unchanged),
      });
}

}  // namespace tagflow
