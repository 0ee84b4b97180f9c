#ifndef TAGFLOW_FUZZ_KERNELS_CALL_MAKER_H_
#define TAGFLOW_FUZZ_KERNELS_CALL_MAKER_H_

// The node that calls an op, made from the op's definition alone, and the nodes that make its
// inputs. Dtypes, attrs, shapes and values fit one another as a rule (fitting.h); else each is
// drawn for itself, some are not allowed, and there may be too many. An input that cannot be fed,
// such as a handle, is made by another op of the registry, of the same family where there is one,
// which in turn has inputs.
//
// Tested by kernels_test.cc.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/kernels/call_graph.h"
#include "fuzz/kernels/fitting.h"
#include "graph/op_def.h"

namespace tagflow::fuzz {

// How the inputs of the call come to it.
struct CallForm {
  std::vector<DType> preferred = {};  // of the op's dtypes
  bool are_computed = false;     // some are made in the step, so that a kernel may overwrite them
  bool are_kept = false;         // … and are fetched, so that it may not
  bool are_referred = false;     // some are variables by reference
  bool are_pairs = false;        // every corner of the dtype beside every other
  Odds without_value = kRarely;  // variables that are referred to
};

class CallMaker {
 public:
  CallMaker(CallGraph& call, const CallForm& form);

  // The node of that name. At most once.
  NodeId Call(const std::string& name, const OpDef& op);
  // Another node that takes a handle or a reference first, as it is, and then perhaps more.
  NodeId CallOn(const std::string& name, const OpDef& op, const std::vector<OutputRef>& inputs);

 private:
  NodeId AddNode(const std::string& name, const OpDef& op, int depth,
                 const std::vector<OutputRef>& given);
  void DrawAttrs(const OpDef& op, NodeId id, int depth);
  std::vector<ArgType> InputTypes(const OpDef& op, NodeId id, int depth);
  OutputRef Input(size_t index, ArgType type, const OpDef& op, int depth, NodeId user);
  OutputRef PlainInput(size_t index, DType dtype, const OpDef& op, int depth, NodeId user);
  OutputRef MadeInput(DType dtype, const OpDef& op, int depth, NodeId user);
  void Write(OutputRef handle, const OpDef& maker, const OpDef& op, int depth, NodeId user);
  OutputRef Reference(DType dtype, NodeId user);
  bool Fits(int depth) const { return depth == 0 && fitting_.has_value(); }
  Tensor AnyTensor(DType dtype);
  Dims AnyDims();

  CallGraph& call_;
  Choices& choices_;
  const CallForm form_;
  const Dims base_;
  std::optional<Fitting> fitting_;  // of the call itself
  std::optional<DType> element_;    // of what its handles name
  std::map<DType, std::vector<OutputRef>> made_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_CALL_MAKER_H_
