#ifndef TAGFLOW_CONFORMANCE_OPS_SCRIPT_TEXT_H_
#define TAGFLOW_CONFORMANCE_OPS_SCRIPT_TEXT_H_

// The parts of a line of an op script (op_script.h), and what they say.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/attr_value.h"
#include "graph/graph.h"
#include "graph/op_def.h"
#include "graph/status.h"

namespace tagflow::conformance {

// The pieces of `text` between separators that are outside of brackets, parentheses and quotes,
// without blanks around them; none of blank text.
std::vector<std::string> SplitOutside(std::string_view text, std::string_view separator);

struct CallText {
  std::string name;  // of the outputs; empty where they have none
  std::string op;
  std::vector<std::string> arguments;
  std::vector<std::string> attrs;  // "axis=1"
  std::optional<std::string> expected;
};
// Nothing where the line is no call: `x = [1, 2]`.
//   Errors: INVALID_ARGUMENT
Result<std::optional<CallText>> ParseCall(std::string_view line);

// Errors: INVALID_ARGUMENT for an attr that the op has not, or that is not of the declared kind.
Result<AttrMap> ParseAttrs(const OpDef& op, const std::vector<std::string>& attrs);

// Whether `text` is `pattern`, in which "..." stands for any text.
bool MatchesPattern(std::string_view text, std::string_view pattern);

// "T in int32 floats: Abs(T:1)" becomes a line for each dtype, any other line itself.
//   Errors: INVALID_ARGUMENT for what is neither a dtype nor a set of them
Result<std::vector<std::string>> LinesOfDTypes(const std::string& line);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_OPS_SCRIPT_TEXT_H_
