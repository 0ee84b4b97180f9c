#ifndef TAGFLOW_GRAPH_BUILDER_VARIABLE_H_
#define TAGFLOW_GRAPH_BUILDER_VARIABLE_H_

// Variables: state that outlives a step. Variable is named by a resource handle; RefVariable is the
// older kind, whose node gives a reference that every use reads anew. Reads and writes are ordered
// by data and control edges only (Scope::WithControlDependencies).

#include <string>

#include "graph/builder/op_builder.h"
#include "graph/partial_shape.h"

namespace tagflow {

struct VariableOptions {
  std::string name = "Variable";
  std::string container = {};
  std::string shared_name = {};  // "": the name of the node
};

class Variable {
 public:
  Variable(const Scope& scope, DType dtype, const PartialShape& shape,
           const VariableOptions& options = {});

  Output Read(const Scope& scope) const;
  Operation Assign(const Scope& scope, const Input& value) const;
  Operation AssignAdd(const Scope& scope, const Input& value) const;
  Operation AssignSub(const Scope& scope, const Input& value) const;
  Output IsInitialized(const Scope& scope) const;

  const Output& handle() const { return handle_; }

 private:
  Output handle_;
  DType dtype_;
};

class RefVariable {
 public:
  RefVariable(const Scope& scope, DType dtype, const PartialShape& shape,
              const VariableOptions& options = {});

  // The value when the node runs: later writes do not change it.
  Output Read(const Scope& scope) const;
  // Each gives the reference, once written.
  Output Assign(const Scope& scope, const Input& value) const;
  Output AssignAdd(const Scope& scope, const Input& value) const;
  Output AssignSub(const Scope& scope, const Input& value) const;
  Output IsInitialized(const Scope& scope) const;

  const Output& ref() const { return ref_; }

 private:
  Output ref_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_VARIABLE_H_
