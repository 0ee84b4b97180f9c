#ifndef TAGFLOW_FUZZ_GRAPHS_VIOLATION_H_
#define TAGFLOW_FUZZ_GRAPHS_VIOLATION_H_

// The ways to break one rule. Each changes a valid sample, by nodes added to it or by its calls,
// and says which error must come.

#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

struct Violation {
  const char* about;
  // Returns what must come of it; `violation` is filled in by the caller.
  ExpectedError (*commit)(GraphSample&, Choices&);
};

// By the part of the standard they break: what a graph is made of ([graph.*], [feed.*], the call),
// where frames begin and end ([frame.*], [fetch.2]), what happens in a step ([merge.3], …), and
// what is done to its objects ([resource.*], [ref.3]).
const std::vector<Violation>& NodeViolations();
const std::vector<Violation>& FrameViolations();
const std::vector<Violation>& StepViolations();
const std::vector<Violation>& StateViolations();

// Adds a node; its name begins with `name`, and is it where no node has it.
NodeId AddTo(Graph& graph, const std::string& name, const std::string& op,
             const std::vector<OutputRef>& inputs,
             const std::vector<std::pair<const char*, AttrValue>>& attrs = {});
// A scalar constant in the root frame.
OutputRef AddConstTo(Graph& graph, Tensor value);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_VIOLATION_H_
