#ifndef TAGFLOW_GRAPH_IO_RANDOM_GRAPH_DEF_H_
#define TAGFLOW_GRAPH_IO_RANDOM_GRAPH_DEF_H_

// Random GraphDefs for tests of import and export: every kind of attr, known and unknown ops,
// cycles, control inputs, devices, versions, functions. They can be imported; most make no sense to
// run. In the form in which ExportGraph writes (tensors compact, "node" for "node:0").

#include <cstdint>

#include "graph/io/graph.pb.h"

namespace tagflow {

GraphDef RandomGraphDef(uint32_t seed);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_RANDOM_GRAPH_DEF_H_
