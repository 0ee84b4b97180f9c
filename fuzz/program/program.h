#ifndef TAGFLOW_FUZZ_PROGRAM_PROGRAM_H_
#define TAGFLOW_FUZZ_PROGRAM_PROGRAM_H_

// A program: a typed syntax tree with branches and loops, from which a graph is made (fuzz/lower)
// and which can be evaluated as it stands (fuzz/direct). It knows nothing of tokens, tags, frames
// and nodes.
//
// Statements bind values, each once; a block sees the values of the blocks around it, its
// parameters, and what its earlier statements bound. Whatever is written in a branch or a body
// happens only there.
//
// Arrays and stacks are linear: each statement that changes one binds a new value for it, and the
// old one must not be used again (check.h). Variables outlive a run; their accesses happen in the
// order of the text.

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/program/op.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

enum class ValueId : int32_t { kNone = -1 };
inline size_t Index(ValueId id) { return static_cast<size_t>(id); }

enum class Kind : uint8_t { kTensor, kArray, kStack };

struct Type {
  Kind kind = Kind::kTensor;
  DType dtype = DType::kFloat;  // of the elements
  Dims dims;                    // of the tensor, or of each element; -1: not the same every time
  friend bool operator==(const Type&, const Type&) = default;

  bool is_scalar() const { return kind == Kind::kTensor && dims.empty(); }
};

struct Statement;

// A branch, a loop's condition or body, or the whole program.
struct Block {
  std::vector<ValueId> parameters;  // of a condition or body: the counter, then the loop variables
  std::vector<Statement> statements;
  std::vector<ValueId> results;
};

// How a loop counts, so that it ends. The counter starts at `start`, grows by `step` at the end of
// each iteration, and the loop goes on while `counter COMPARE bound` holds (and the condition
// block's own result, if it has one). bound is the While's first operand, brought into
// [start, start + most] or, when step < 0, [start - most, start].
struct Loop {
  DType counter = DType::kInt32;     // int32, int64, float or double
  double start = 0;                  // of an integer counter: an integer
  double step = 1;                   // not 0
  Op compare = Op::kLess;            // kLess, kLessEqual; step < 0: kGreater, kGreaterEqual;
                                     // kNotEqual where step is 1 or -1
  double most = 0;                   // at least 0
  int64_t maximum_iterations = -1;   // -1: none; handed to the builder as it is
  int64_t parallel_iterations = 10;  // at least 1
  bool back_prop = true;
  bool swap_memory = false;
  bool bound_inside = false;  // a constant bound is made anew in the condition, not captured
};

// One operation, or one cond, case or while, with its blocks.
//   kCond:  operands {predicate}; blocks {then, else}; results of both blocks have equal types
//   kCase:  operands {index (int32 scalar)}; one block per branch; the last stands for every index
//           that has none
//   kWhile: operands {bound, initial values…}; blocks {condition, body}, parameters {counter,
//           variables…} in each; the condition has no result or a bool scalar; the body's results
//           are the next values. Binds {counter, variables…} as they are at the end.
struct Statement {
  Op op = Op::kConst;
  std::vector<ValueId> operands;
  std::vector<ValueId> outputs;
  // Values that must be there before this runs, beyond the operands: control edges, without a
  // meaning of their own.
  std::vector<ValueId> after;
  std::vector<int64_t> numbers;  // attributes: axes, sizes (op.h says which)
  Tensor literal;                // of kConst
  int variable = -1;             // of kRead, kAssign, kAssignAdd: which variable
  std::vector<Block> blocks;
  Loop loop;  // of kWhile
};

struct Input {
  ValueId value = ValueId::kNone;
  std::vector<Tensor> feeds;  // one per run
};

struct Variable {
  Type type;       // a tensor of fixed shape
  Tensor initial;  // given before the first run
};

struct Program {
  std::vector<Type> types;  // by value
  std::vector<Input> inputs;
  std::vector<Variable> variables;
  Block body;    // results: what is fetched, tensors; then every variable's last value is, too
  int runs = 1;  // runs in one session: Input::feeds of each, in turn

  const Type& type(ValueId id) const { return types[Index(id)]; }
  ValueId NewValue(Type type) {
    types.push_back(std::move(type));
    return static_cast<ValueId>(types.size() - 1);
  }
};

// The size of the tree: its statements, at any depth, and its inputs. More walks: walk.h.
int64_t Size(const Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_PROGRAM_H_
