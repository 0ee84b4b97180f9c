#ifndef TAGFLOW_GRAPH_SIGNATURE_CACHE_H_
#define TAGFLOW_GRAPH_SIGNATURE_CACHE_H_

// The signatures of many nodes. Nodes of one op, all of whose attrs are types, have one signature
// per choice of types: it is resolved and checked once. Others are resolved each.
//
// Cost: a look-up by op and a comparison of dtypes; a graph of 100,000 scalar ops has a handful of
// signatures (setup100k in //bench:compare).
// Thread safety: none. Tested by signature_cache_test.cc.

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "graph/node.h"
#include "graph/op_def.h"
#include "graph/status.h"

namespace tagflow {

class SignatureCache {
 public:
  // As ResolveSignature; what it points to lives as long as the cache.
  Result<const Signature*> Of(const Node& node);

 private:
  struct Known {
    std::vector<ArgType> types;  // of the op's attrs, in their order
    std::unique_ptr<const Signature> signature;
  };
  struct OfOp {
    bool has_only_types = false;
    std::vector<Known> known;
  };

  // Writes the types of the node's attrs into types_. False where one is missing or no type.
  bool ReadTypes(const Node& node);

  std::unordered_map<const OpDef*, OfOp> ops_;
  std::deque<Signature> others_;
  std::vector<ArgType> types_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SIGNATURE_CACHE_H_
