#ifndef TAGFLOW_CONFORMANCE_OPS_OP_SCRIPT_H_
#define TAGFLOW_CONFORMANCE_OPS_OP_SCRIPT_H_

// Tests of ops as text, a call a line, which any engine can be held to:
//
//   # Comments say why.
//   test OneValue
//   Fill([2, 2], 7) -> int32[2,2] [[7, 7], [7, 7]]
//   Fill([-1], 1) -> INVALID_ARGUMENT
//   T in signed floats: Neg(T:[1, -2]) -> T[2] [-1, 2]
//   grid = [[1, 2], [3, 4]]
//   Slice(grid, [0, 1], [2, -1]) -> int32[2,1] [[2], [4]]
//
//   test ListsGrow
//   list = EmptyTensorList(-1, -1) element_dtype=float
//   TensorListPopBack(list, -1) element_dtype=float -> INVALID_ARGUMENT: ... is empty
//
// Arguments are literals (graph/literal.h), "variant[2]" or "int32[0,3]" for a tensor of elements
// that are empty or zero, or names of literals and of outputs of earlier calls ("split:1" for a
// second one). Attrs follow, read as the op's definition declares them: ints, floats, booleans,
// dtypes, words or "strings", shapes ([2,?], or ? of unknown rank), literals, lists of these. A
// long line goes on in lines that are indented.
//
// After the arrow: the outputs as they are printed, separated by "; "; "nothing" where there is
// none; or an error: its code, and after a colon its words, which hold for all engines. Words in
// parentheses are the reference's alone: other engines say the same in words of their own. "..."
// stands for any text. A call without an arrow must give no error.
//
// "T in ...:" repeats the line for dtypes or sets of them: signed, unsigned, integers, floats,
// reals, complexes, numbers.
//
// Each test has a runner of its own. Literals are copied for each call, outputs are shared. "node
// n" names the node of the calls that follow, and "end step" ends the step. The value "scratch" is
// the path of an empty folder of the test's own.

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/ops/op_runner.h"

namespace tagflow::conformance {

struct OpScript {
  struct Line {
    int number = 0;
    std::string text;
  };
  std::string name;
  std::vector<Line> lines;
};

// The tests of a file.   Errors: INVALID_ARGUMENT for a line before the first test.
Result<std::vector<OpScript>> ReadOpScripts(std::string_view text);

// The ops that a test calls.
std::set<std::string> CalledOps(const OpScript& script);

// What is wrong, by line. Nothing, where the engine does all that the test says.
struct OpScriptFailure {
  int line = 0;
  std::string message;
};
std::vector<OpScriptFailure> RunOpScript(const OpScript& script, const OpEngine& engine);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_OPS_OP_SCRIPT_H_
