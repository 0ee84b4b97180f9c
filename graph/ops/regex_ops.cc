// Texts and regular expressions, which are RE2's: https://github.com/google/re2/wiki/Syntax.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// Inputs: texts, and a scalar for each thing that is said of them. Output: as the texts.
Status OfTextsShape(ShapeContext& context) {
  for (int i = 1; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  return shapes::Unchanged(context);
}

}  // namespace

Status RegisterRegexOps(OpRegistry& registry) {
  return RegisterAll(
      registry,
      {
          OpDefBuilder("RegexReplace")
              .Input("input: string")
              .Input("pattern: string", ArgRole::kSeparator)
              .Input("rewrite: string", ArgRole::kSeparator)
              .Output("output: string")
              .Attr("replace_global: bool = true")
              .Summary("Texts with what matches a pattern rewritten, everywhere or the first time.")
              .Shape(OfTextsShape),
          OpDefBuilder("StaticRegexReplace")
              .Input("input: string")
              .Output("output: string")
              .Attr("pattern: string")
              .Attr("rewrite: string")
              .Attr("replace_global: bool = true")
              .Summary("As RegexReplace, the pattern being part of the graph.")
              .Shape(OfTextsShape),
          OpDefBuilder("RegexFullMatch")
              .Input("input: string")
              .Input("pattern: string", ArgRole::kSeparator)
              .Output("output: bool")
              .Summary("Whether a pattern matches each text from its beginning to its end.")
              .Shape(OfTextsShape),
          OpDefBuilder("StaticRegexFullMatch")
              .Input("input: string")
              .Output("output: bool")
              .Attr("pattern: string")
              .Summary("As RegexFullMatch, the pattern being part of the graph.")
              .Shape(OfTextsShape),
      });
}

}  // namespace tagflow
