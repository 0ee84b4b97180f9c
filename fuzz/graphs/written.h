#ifndef TAGFLOW_FUZZ_GRAPHS_WRITTEN_H_
#define TAGFLOW_FUZZ_GRAPHS_WRITTEN_H_

// What the wire form of graphs and tensors keeps, and their runs do not show.
//
// Tested by written_test.cc.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/properties.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// A GraphDef with attrs of every kind, devices and functions is, read from bytes or from text and
// exported, what it was.
Problem IsReadAsWritten(Choices& choices);

// A message with fewer elements than its shape has means the same as with the last of them
// repeated; and as many elements as there are mean the tensor.
Problem IsFilledUp(const Tensor& tensor, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_WRITTEN_H_
