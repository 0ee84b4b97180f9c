#ifndef TAGFLOW_GRAPH_TEST_GRAPH_H_
#define TAGFLOW_GRAPH_TEST_GRAPH_H_

// Small graphs for tests, a node per line:
//   TestGraph g(R"(
//     enter = Enter(x) frame_name=f parallel_iterations=2
//     merge = Merge(enter, next)
//     next  = NextIteration(switch:1, ^pivot)
//   )");
// Inputs may come before the nodes they name. Every type attr that the line does not set is float,
// N is the number of data inputs; attr values are ints where they look so, shapes ("[2,3]"), dtypes
// where they name one, else strings. The ops are, unless another registry is given, the control
// primitives and a few others, defined here, so that these tests do not hang on the table of
// standard ops; there, `c = Const() dtype=int32 value=3` is a scalar.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

const OpRegistry& TestOps();

class TestGraph {
 public:
  // Anything wrong with the text ends the process: it is the test's own mistake.
  explicit TestGraph(std::string_view text, const OpRegistry& ops = TestOps());

  const Graph& graph() const { return graph_; }
  Graph& mutable_graph() { return graph_; }
  Graph Take() { return std::move(graph_); }
  const Node& node(std::string_view name) const { return graph_.node(id(name)); }
  NodeId id(std::string_view name) const;
  CallSpec Call(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                const std::vector<std::string>& targets = {}) const;

 private:
  void AddLine(std::string_view line, bool connect);

  Graph graph_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TEST_GRAPH_H_
