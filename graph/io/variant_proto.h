#ifndef TAGFLOW_GRAPH_IO_VARIANT_PROTO_H_
#define TAGFLOW_GRAPH_IO_VARIANT_PROTO_H_

// Variant elements to and from the wire. A type we do not know keeps its bytes (OpaqueVariant).

#include "graph/io/graph.pb.h"
#include "graph/io/tensor_proto.h"
#include "graph/status.h"
#include "graph/variant.h"

namespace tagflow {

Result<Variant> VariantFromProto(const VariantTensorDataProto& proto, TensorBudget& budget);
// UNIMPLEMENTED for a type that has no wire form.
Status VariantToProto(const Variant& variant, TensorForm form, VariantTensorDataProto& proto);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_VARIANT_PROTO_H_
