#ifndef TAGFLOW_FUZZ_DIRECT_EVALUATOR_H_
#define TAGFLOW_FUZZ_DIRECT_EVALUATOR_H_

// Evaluates a program over real numbers of type R: double (what the program means), Dual of them
// (derivatives) or Tracked (how far off an engine may be). One R serves float and double: reals.h.
//
// Values live in one vector, by ValueId; a body run again overwrites what it bound before. That is
// enough since a value is only used where it is in scope. Recursion is as deep as blocks are
// nested.
//
// Derivatives: they flow through branches, loops, arrays and stacks, whatever Loop::back_prop says,
// since what is differentiated is the straight line of operations that were done. They do not flow
// through StopGradient, through integers and bools, nor through variables: what is read from one is
// a constant.

#include <string>
#include <unordered_map>
#include <vector>

#include "fuzz/direct/direct.h"
#include "fuzz/direct/value.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

template <typename R>
class Evaluator {
 public:
  // `program` must outlive this. REQUIRES: Check(program) is OK, IsEvaluated of every dtype.
  Evaluator(const Program& program, const DirectOptions& options);

  // The next run: the program's results, then every variable's value after it. `feeds`: one value
  // for each input.
  //   Errors: those of Evaluate (direct.h)
  Result<std::vector<Value<R>>> Run(std::vector<Value<R>> feeds);

  // Whether any comparison or conversion so far was too close to call for an engine with other
  // rounding; then its values may be anything. Only ever true for Tracked.
  bool undecided() const { return situation_.undecided; }

 private:
  Value<R>& at(ValueId id) { return values_[Index(id)]; }
  const Value<R>& operand(const Statement& s, size_t i) const {
    return values_[Index(s.operands[i])];
  }
  // Each returns false when it fails, with the error in situation_.
  bool RunBlock(const Block& block);
  bool Execute(const Statement& statement);
  bool ExecuteOp(const Statement& statement);
  bool ExecuteShapeOp(const Statement& statement);
  bool ExecuteCollectionOp(const Statement& statement);
  bool ArrayWrite(const Statement& statement);
  bool ArrayRead(const Statement& statement);
  bool ArrayGather(const Statement& statement);
  bool StackPush(const Statement& statement);
  bool StackPop(const Statement& statement);
  bool ExecuteVariableOp(const Statement& statement);
  bool Branch(const Statement& statement);
  bool While(const Statement& statement);
  bool EndsLoop(const Statement& statement, const Value<R>& counter, const Value<R>& bound,
                int64_t trips, bool& ends);
  Value<R> CounterNumber(DType dtype, double number) const;
  Value<R> ClampedBound(const Statement& statement);
  Value<R> ZeroOf(const Type& type) const;
  bool Give(const Statement& statement, Value<R> value);
  bool Charge(size_t elements);
  bool Fail(const Statement& statement, std::string what);

  void CountSkipped(const Block& block);
  void CountBranch(const Statement& statement, size_t taken);
  void NumberBranches();

  const Program& program_;
  Activity* const activity_;
  int64_t allowance_;  // of what Charge counts
  std::vector<Value<R>> values_;
  std::vector<Value<R>> variables_;
  Situation situation_;
  int depth_ = 0;
  // For activity_ only.
  std::unordered_map<const Statement*, size_t> branch_numbers_;
  std::unordered_map<const Block*, int64_t> block_sizes_;
};

extern template class Evaluator<double>;
extern template class Evaluator<Tracked>;
extern template class Evaluator<Dual<double>>;
extern template class Evaluator<Dual<Dual<double>>>;
extern template class Evaluator<Dual<Dual<Dual<double>>>>;

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_EVALUATOR_H_
