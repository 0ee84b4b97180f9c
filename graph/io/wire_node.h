#ifndef TAGFLOW_GRAPH_IO_WIRE_NODE_H_
#define TAGFLOW_GRAPH_IO_WIRE_NODE_H_

// A GraphDef's bytes taken apart in place. Making messages of a large graph costs more than the
// graph itself does (every node is a dozen allocations, and twice the memory); here everything
// points into the bytes. What is at all unusual (a field we do not know, text that is not ASCII,
// damage) is left to the protobuf parser: these functions then say no, and the caller takes the
// long way.
//
// Speed: //bench:import_bench.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/attr_value.h"

namespace tagflow {

struct WireGraph {
  std::vector<std::string_view> nodes;  // a NodeDef each
  std::string rest;                     // all other fields: a GraphDef without nodes
};

struct WireNode {
  std::string_view name;
  std::string_view op;
  std::string_view device;
  std::vector<std::string_view> inputs;
  std::vector<std::pair<std::string_view, std::string_view>> attrs;  // name, AttrValue's bytes
};

// These give false for anything that they do not read.

bool SplitGraph(std::string_view bytes, WireGraph& graph);
// Replaces what `node` holds.
bool ReadNode(std::string_view bytes, WireNode& node);
// An AttrValue with one number, type or string in it.
bool ReadSimpleAttr(std::string_view bytes, AttrValue& attr);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_WIRE_NODE_H_
