#ifndef TAGFLOW_GRAPH_IO_HANDLE_PROTO_H_
#define TAGFLOW_GRAPH_IO_HANDLE_PROTO_H_

// The elements that are not plain bytes (strings, resource handles, variants) to and from the wire.
// Used by tensor_proto alone.

#include "graph/io/graph.pb.h"
#include "graph/io/tensor_proto.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Fills a tensor of strings, handles or variants that has its dtype and dims already.
Status HandlesFromProto(const TensorProto& proto, Tensor& tensor, TensorBudget& budget);
// Appends the elements of such a tensor.
Status HandlesToProto(const Tensor& tensor, TensorForm form, TensorProto& proto);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_HANDLE_PROTO_H_
