#ifndef TAGFLOW_FUZZ_GRAPHS_RECIPE_H_
#define TAGFLOW_FUZZ_GRAPHS_RECIPE_H_

// Fragments of graphs, written as text, a node per line. A fragment takes a value `x` and gives a
// value `y`; how a graph grows and how it is altered both put such fragments into it.
//
//   s = Switch(x, p)                       a node; its outputs are s (or s:0), s:1, …
//   y = Merge({Neg(s:1)|s:1}, s:0, ^earlier)   nodes within, a choice, a control input
//   e = Enter[frame_name=f is_constant={false|true}](3@s)
//
// Choices. `{a|b|c}`: one of them, the first the simplest; they may be written again to be drawn
// more often, be empty, hold choices and whole lines. `{1..3}`: a number. `{~a}`: seldom a, else
// nothing. `$a $b = {0 1|1 0}` gives letters a meaning for the rest of the text.
// Statements, apart by new lines or `;`:
//   name = expression          an expression alone is a node that nothing takes from
//   repeat N: statements       on one line, drawn anew each time; `#` is the number of the time
//   loop N, loop N a           a loop of N trips, wherever x is, or a: its predicate `cond`, its
//   Switch `trip`,
//                              `body`, which is there in every trip, its counter `count` and the
//                              last count, `done`; its frame is `f`
//   counter                    a variable of the session, 0 in its first run: `counter`, its
//   handle,
//                              and `before`, what it held when the run began, in the frame of x
//   fetch e, feed e, target e  asks for it; what is fed need not be
//   tell e                     to be fetched in two runs: it tells in the second of the first
// Expressions: a name with an output's number; `Op[attrs](inputs)`, `Op*3(x)`: three in a row; a
// scalar `7`, `true` or a vector `<1 2>`, there wherever x is, with `@name` wherever that is, with
// `@` alone always, as sources are. A name may be used before it is given, as what goes round.
// Attrs: types and numbers of inputs follow from the inputs; `T=x` is the type of x. Names of
// frames, variables and messages belong to this fragment alone, but for those that begin with '.
// Ops of no registry: `Changed` (another value of the type, as a rule) and `Brought` (from the root
// into the frame of x).
// Values of the frame that are drawn where they are named: bools `p` and `q`, an int32 `n`;
// `other`, of the type of x; `invariant`, the same and of a constant Enter; `merge`; any node,
// `earlier`.
//
// Tested by recipe_test.cc.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/graph.h"
#include "graph/status.h"

namespace tagflow::fuzz {

enum class Needs : uint8_t {
  kAnything,
  kNumber,  // x is neither a bool nor a string
  kInt32,
  kFloat,
  kFloating,    // of a type that has kernels of its own
  kRootInt32,   // … in the root
  kForcedFeed,  // … an int32, in a graph that feeds all that it is asked to
};

struct Recipe {
  std::string_view name;
  Needs needs;
  std::string_view shows;  // the rule, or the mechanism of an engine
  std::string_view text;
};

// All of them, and those of one kind.
const std::vector<Recipe>& Recipes();
std::span<const Recipe> BranchRecipes();  // Switches and Merges
std::span<const Recipe> FrameRecipes();   // frames and loops
std::span<const Recipe> ValueRecipes();   // ordinary ops
std::span<const Recipe> StateRecipes();   // variables, messages, stacks, random numbers

// The graph that a fragment is put into, and the frame of its input.
class RecipeSite {
 public:
  virtual ~RecipeSite() = default;
  virtual Graph& graph() = 0;
  virtual OutputRef input() const = 0;
  virtual bool is_in_root() const = 0;
  // A value called p, q, n, other, invariant or merge; nothing where there is none.
  virtual std::optional<OutputRef> Named(std::string_view name) = 0;
  virtual NodeId AnyNode() = 0;
  // A value of the root, in the frame of the input; nothing where there is no way into it.
  virtual std::optional<OutputRef> Brought(OutputRef value) = 0;
};

struct Added {
  OutputRef end;  // y
  std::vector<OutputRef> fetches = {}, feeds = {}, tells = {};
  std::vector<NodeId> targets = {};
};

// Whether x is as the recipe needs it. REQUIRES: x is neither a reference nor a handle
bool Fits(const Recipe& recipe, DType type, bool is_in_root);
// The ops that the text names, in all its choices.
std::vector<std::string> OpsOf(std::string_view text);
bool KeepsState(const Recipe& recipe);  // that a run leaves to the runs after it

// Adds the nodes of one drawing of the text.
//   Errors: NOT_FOUND where the site has no such value; INVALID_ARGUMENT where the text is wrong.
//   Nothing is added then, but by the site.
Result<Added> AddRecipe(std::string_view text, RecipeSite& site, Choices& choices);

// What the output is; nothing where the node has no such output.
std::optional<ArgType> TypeOf(const Graph& graph, OutputRef output);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_RECIPE_H_
