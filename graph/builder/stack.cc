#include "graph/builder/stack.h"

namespace tagflow {

Stack::Stack(const Scope& scope, const Input& max_size, DType dtype, std::string_view name)
    : handle_(Op(scope.data().op_name.empty() ? scope.WithOpName(name) : scope, "StackV2",
                 {max_size}, {{"elem_type", dtype}, {"stack_name", std::string(name)}})),
      dtype_(dtype) {}

Output Stack::Push(const Scope& scope, const Input& value, bool swap_memory) const {
  return Op(scope, "StackPushV2", {handle_, value}, {{"T", dtype_}, {"swap_memory", swap_memory}});
}

Output Stack::Pop(const Scope& scope) const {
  return Op(scope, "StackPopV2", {handle_}, {{"elem_type", dtype_}});
}

Operation Stack::Close(const Scope& scope) const { return Op(scope, "StackCloseV2", {handle_}); }

}  // namespace tagflow
