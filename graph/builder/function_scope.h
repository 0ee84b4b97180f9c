#ifndef TAGFLOW_GRAPH_BUILDER_FUNCTION_SCOPE_H_
#define TAGFLOW_GRAPH_BUILDER_FUNCTION_SCOPE_H_

#include "graph/builder/build_state.h"
#include "graph/builder/scope.h"

namespace tagflow::internal {

// While it lives, operators make their nodes in `scope`: set around the call of a user's branch or
// body function. Marks the context closed at its end.
class FunctionScope {
 public:
  explicit FunctionScope(const Scope& scope) : scope_(scope) {
    scope_.state()->PushCurrent(scope_.data());
  }
  ~FunctionScope() {
    scope_.state()->PopCurrent();
    scope_.state()->mutable_context(scope_.data().context).closed = true;
  }
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;

 private:
  const Scope& scope_;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_GRAPH_BUILDER_FUNCTION_SCOPE_H_
