#include "graph/builder/variable.h"

namespace tagflow {
namespace {

Output Source(const Scope& scope, std::string_view op, DType dtype, const PartialShape& shape,
              const VariableOptions& options) {
  const Scope named = scope.data().op_name.empty() ? scope.WithOpName(options.name) : scope;
  return Op(named, op, {},
            {{"dtype", dtype},
             {"shape", shape},
             {"container", options.container},
             {"shared_name", options.shared_name}});
}

}  // namespace

Variable::Variable(const Scope& scope, DType dtype, const PartialShape& shape,
                   const VariableOptions& options)
    : handle_(Source(scope, "VarHandleOp", dtype, shape, options)), dtype_(dtype) {}

Output Variable::Read(const Scope& scope) const {
  return Op(scope, "ReadVariableOp", {handle_}, {{"dtype", dtype_}});
}

Operation Variable::Assign(const Scope& scope, const Input& value) const {
  return Op(scope, "AssignVariableOp", {handle_, value}, {{"dtype", dtype_}});
}

Operation Variable::AssignAdd(const Scope& scope, const Input& value) const {
  return Op(scope, "AssignAddVariableOp", {handle_, value}, {{"dtype", dtype_}});
}

Operation Variable::AssignSub(const Scope& scope, const Input& value) const {
  return Op(scope, "AssignSubVariableOp", {handle_, value}, {{"dtype", dtype_}});
}

Output Variable::IsInitialized(const Scope& scope) const {
  return Op(scope, "VarIsInitializedOp", {handle_});
}

RefVariable::RefVariable(const Scope& scope, DType dtype, const PartialShape& shape,
                         const VariableOptions& options)
    : ref_(Source(scope, "VariableV2", dtype, shape, options)) {}

Output RefVariable::Read(const Scope& scope) const { return Op(scope, "Identity", {ref_}); }

Output RefVariable::Assign(const Scope& scope, const Input& value) const {
  return Op(scope, "Assign", {ref_, value});
}

Output RefVariable::AssignAdd(const Scope& scope, const Input& value) const {
  return Op(scope, "AssignAdd", {ref_, value});
}

Output RefVariable::AssignSub(const Scope& scope, const Input& value) const {
  return Op(scope, "AssignSub", {ref_, value});
}

Output RefVariable::IsInitialized(const Scope& scope) const {
  return Op(scope, "IsVariableInitialized", {ref_});
}

}  // namespace tagflow
