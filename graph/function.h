#ifndef TAGFLOW_GRAPH_FUNCTION_H_
#define TAGFLOW_GRAPH_FUNCTION_H_

// The functions of a graph's library: bodies that calls and functional ops (If, While, Case, …)
// name, in native types. graph/function_body.h makes a graph of one.
//
// Thread safety: const access from any thread. Tested by function_body_test.cc and
// io/function_proto_test.cc.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/node.h"
#include "graph/op_def.h"
#include "graph/status.h"

namespace tagflow {

struct FunctionNode {
  std::string name;
  std::string op;
  std::string device;
  // "x", an argument of the function, or "node:output", an output of the node's op, are all tensors
  // that it stands for; "x:1" and "node:output:1" are one of them; "^node" is a control input.
  std::vector<std::string> inputs;
  AttrMap attrs;  // where the function's own attrs belong, AttrPlaceholder
};

struct Function {
  OpDef op;       // how it is called: arguments, results, attrs that a call binds
  AttrMap attrs;  // of the function itself
  std::vector<FunctionNode> nodes;
  std::vector<std::string> returns;          // by result of `op`; written as inputs are
  std::vector<std::string> control_returns;  // nodes that a call has run when it ends
};

// A function as it came, and as it was read.
struct FunctionDef {
  std::string name;
  std::string bytes;  // a FunctionDef message
  Result<std::shared_ptr<const Function>> function = std::shared_ptr<const Function>();
};

// Copies share what they hold.
class FunctionLibrary {
 public:
  // The first of a name is the one that is found.
  void Add(FunctionDef function);
  // Null when there is none.
  const FunctionDef* Find(std::string_view name) const;
  // The definition of calls by name: "my_function" as an op. Null where the function is none that
  // could be read.
  const OpDef* FindOp(std::string_view name) const;
  const std::vector<FunctionDef>& all() const { return table_->functions; }
  // The function that gives the gradients by another's arguments, for these and the gradients by
  // its results. Null where none is registered.
  void SetGradient(const std::string& function, const std::string& gradient);
  const std::string* GradientOf(std::string_view function) const;
  const std::map<std::string, std::string, std::less<>>& gradients() const {
    return table_->gradients;
  }
  bool empty() const { return table_->functions.empty(); }

  std::string unknown_fields;  // registered gradients, …

 private:
  struct Table {
    std::vector<FunctionDef> functions;
    std::map<std::string, size_t, std::less<>> by_name;
    std::map<std::string, std::string, std::less<>> gradients;  // by function
  };
  Table& Own();
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_FUNCTION_H_
