#ifndef TAGFLOW_FUZZ_LOWER_LOWERING_H_
#define TAGFLOW_FUZZ_LOWER_LOWERING_H_

// The pass itself: one walk over the tree, calling the builder.

#include <optional>
#include <string>
#include <vector>

#include "fuzz/lower/access_order.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/program.h"
#include "graph/builder/builder.h"

namespace tagflow::fuzz {

// Arrays and stacks become two tensors: a handle, which says which one, and a flow (of a stack: a
// token) that orders what is done to it.
class Lowering {
 public:
  explicit Lowering(const Program& program);
  Result<Lowered> Lower();

 private:
  // Statements (lowering.cc).
  void AddInputs();
  void LowerStatements(const Scope& scope, const Block& block);
  void LowerStatement(const Scope& scope, const Statement& statement);
  Output Elementwise(const Scope& scope, const Statement& statement);
  Output Rearranged(const Scope& scope, const Statement& statement);
  Output Reduced(const Scope& scope, const Statement& statement);
  Output ElementOf(const Scope& scope, const Statement& statement);
  Scope Waiting(const Scope& scope, const Statement& statement) const;

  // Objects with a state (lowering_state.cc).
  bool LowerArrayOp(const Scope& scope, const Statement& statement);
  bool LowerStackOp(const Scope& scope, const Statement& statement);
  bool LowerAccess(const Scope& scope, const Statement& statement);
  TensorArray ArrayOf(ValueId id) const;

  // Blocks (lowering_control.cc).
  void LowerBranches(const Scope& scope, const Statement& statement);
  OutputList LowerBranch(const Scope& scope, const Statement& statement, const Block& block,
                         const std::vector<size_t>& tokens);
  void LowerLoop(const Scope& scope, const Statement& statement);
  // What the counter is compared with; a Tensor: a constant to be made in the condition.
  ::tagflow::Input LoopBound(const Scope& scope, const Statement& statement) const;
  OutputList InitialValues(const Scope& scope, const Statement& statement) const;
  WhileOptions OptionsOf(const Statement& statement) const;
  Output LowerCondition(const Scope& scope, const Statement& statement,
                        const ::tagflow::Input& bound, const OutputList& given);
  OutputList LowerBody(const Scope& scope, const Statement& statement, const OutputList& given);
  std::vector<Operation> NewAccesses(const Touched& touched,
                                     const std::vector<AccessOrder>& before) const;
  // Values to and from lists of tensors, in which the handle of one that travels follows it. Both
  // leave out the first `skip` ids; `like` are the values that `ids` will become.
  void Bind(const std::vector<ValueId>& ids, size_t skip, const OutputList& given, size_t first);
  void Append(const std::vector<ValueId>& ids, size_t skip, const std::vector<ValueId>& like,
              std::vector<Output>& outputs) const;

  const Type& type(ValueId id) const { return program_.type(id); }
  Output& value(ValueId id) { return values_[Index(id)]; }
  const Output& value(ValueId id) const { return values_[Index(id)]; }
  // Whether the handle of the array or stack `id` is bound together with it.
  bool Travels(ValueId id) const {
    return type(id).kind != Kind::kTensor && origins_[Index(id)] == id;
  }
  const Output& handle(ValueId id) const { return handles_[Index(origins_[Index(id)])]; }

  const Program& program_;
  const std::vector<ValueId> origins_;
  Scope root_;
  std::vector<Output> values_;            // the tensor, or the flow or token
  std::vector<Output> handles_;           // by value; of origins only
  std::vector<const Tensor*> constants_;  // by value; null: not a constant
  std::vector<::tagflow::Variable> variables_;
  std::vector<AccessOrder> order_;  // by variable
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_LOWERING_H_
