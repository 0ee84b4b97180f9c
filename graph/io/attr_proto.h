#ifndef TAGFLOW_GRAPH_IO_ATTR_PROTO_H_
#define TAGFLOW_GRAPH_IO_ATTR_PROTO_H_

// AttrValue and its message, either way.

#include <google/protobuf/map.h>

#include <string>

#include "graph/attr_value.h"
#include "graph/graph.h"
#include "graph/io/graph.pb.h"
#include "graph/io/tensor_proto.h"
#include "graph/status.h"

namespace tagflow {

using AttrMapProto = google::protobuf::Map<std::string, AttrValueProto>;

// An attr that we cannot hold without loss is kept as bytes (OpaqueAttr): a dtype without number of
// ours, a tensor of such a dtype, fields from a later version of the format. `is_read` says that
// the op declares the attr: then what is understood of it is taken, and unknown fields and names of
// dimensions inside it are dropped, since keeping them would hide the value.
//   Errors: as TensorFromProto and ShapeFromProto; INVALID_ARGUMENT for functions nested more than
//   100 deep in one another's attrs.
Result<AttrValue> AttrFromProto(const AttrValueProto& proto, bool is_read, TensorBudget& budget);

Status AttrToProto(const AttrValue& attr, TensorForm form, AttrValueProto& proto);
// Errors name the attr.
Status AttrsToProto(const AttrMap& attrs, TensorForm form, AttrMapProto& proto);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_ATTR_PROTO_H_
