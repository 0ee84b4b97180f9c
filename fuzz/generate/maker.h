#ifndef TAGFLOW_FUZZ_GENERATE_MAKER_H_
#define TAGFLOW_FUZZ_GENERATE_MAKER_H_

// A program in the making: what has been written so far, what may be seen from where the next
// statement goes, and what is known of it. The parts of the generator (operations.h, branches.h,
// loops.h, stores.h) write through it.
//
// Cost: picking a value looks at a bounded number of candidates, so a program costs time in
// proportion to its size.

#include <array>
#include <optional>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/generate/fact.h"
#include "fuzz/generate/profile.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

enum class ScopeKind : uint8_t { kProgram, kBranch, kCondition, kBody };

// An array that may be read, and perhaps written, where the next statement goes.
struct ArrayState {
  ValueId value = ValueId::kNone;
  int size = 0;
  int written = 0;       // elements [0, written) surely are
  int untouched = 0;     // elements [untouched, size) surely are not
  Fact element;          // of every element
  bool writable = true;  // by a statement here or in a branch
  bool present = true;   // not yet used up
};

struct VariableState {
  Fact fact;            // of its value at any time
  double room = 0;      // how much may still be added to it, over all runs
  bool counts = false;  // an integer that is added to
};

class Maker {
 public:
  Maker(Choices& choices, const Profile& profile);

  Choices& choices;
  const Profile& profile;
  const Limits limits;
  Program program;

  // --- What is known.
  Fact& fact(ValueId id) { return facts_[Index(id)]; }
  const Type& type(ValueId id) const { return program.type(id); }
  bool used(ValueId id) const { return used_[Index(id)]; }
  void MarkUsed(ValueId id) { used_[Index(id)] = true; }

  // --- Where the next statement goes.
  // `times`: how often the block runs each time the block around it does, at most.
  void Enter(Block* block, ScopeKind kind, double times = 1);
  void Leave();
  Block& block() { return *scopes_.back().block; }
  ScopeKind kind() const { return scopes_.back().kind; }
  int depth() const { return depth_; }  // of conds and loops around
  double times() const { return scopes_.back().times; }
  bool in_loop() const { return loops_ > 0; }

  // Arrays from here on are of the innermost block; only those may be written in it.
  size_t first_array_here() const { return scopes_.back().arrays; }

  // --- Work: about how many operations a run executes, at most.
  double left() const { return static_cast<double>(profile.firings) - spent_; }
  void Spend(double operations) { spent_ += operations * times(); }
  // Statements still to be made in the whole program.
  int statements_left = 0;

  // --- Values.
  ValueId Bind(Type type, const Fact& fact);  // and lets it be seen if it is a tensor
  // A value of the present scope that is not on offer to later statements.
  ValueId BindHidden(Type type, const Fact& fact);
  void Show(ValueId id);
  // Writes the statement, whose outputs are bound already.
  void Write(Statement statement);
  // Writes a statement with one output.
  ValueId Emit(Op op, std::vector<ValueId> operands, Type type, const Fact& fact,
               std::vector<int64_t> numbers = {});
  ValueId EmitLiteral(Tensor literal);
  ValueId Scalar(DType dtype, double value);  // a constant
  ValueId RandomConstant(const Type& type);

  // Some visible tensor of the dtype, recent and unused ones first; kNone if there is none.
  ValueId Pick(DType dtype, bool scalar);
  // The same, or a new constant.
  ValueId PickScalar(DType dtype);
  // An exact and finite scalar: what may decide something.
  ValueId PickExact(DType dtype);
  // A visible tensor of just this type, or a new constant; kNone when neither is to be had.
  ValueId OfType(const Type& type);
  // The tensors bound in this block that nothing uses yet, latest first, at most `most`.
  std::vector<ValueId> Unused(size_t most) const;
  // A value that is visible, or kNone: for control edges.
  ValueId AnyVisible();

  std::vector<ArrayState> arrays;        // visible, innermost last
  std::vector<VariableState> variables;  // by variable
  std::vector<ValueId> counters;         // of the loops around, as seen here
  // Exact scalars that are not the same every time: fed numbers, counters, loop variables.
  std::vector<ValueId> varying;

 private:
  struct Scope {
    Block* block = nullptr;
    ScopeKind kind = ScopeKind::kProgram;
    double times = 1;
    size_t visible = 0;
    size_t arrays = 0;
    size_t counters = 0;
    size_t varying = 0;
  };
  static constexpr size_t kBuckets = 10;  // five dtypes, scalars or not
  static size_t BucketOf(DType dtype, bool scalar);

  std::vector<Fact> facts_;
  std::vector<uint8_t> used_;
  std::vector<Scope> scopes_;
  std::vector<ValueId> visible_;
  std::array<std::vector<ValueId>, kBuckets> buckets_;
  std::vector<std::array<uint32_t, kBuckets>> first_;  // by scope
  double spent_ = 0;
  int depth_ = 0;
  int loops_ = 0;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_MAKER_H_
