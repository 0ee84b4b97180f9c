#ifndef TAGFLOW_TRANSFORM_GRADIENTS_LAST_WRITER_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_LAST_WRITER_H_

// Where rows are put at places of which one may be named twice, the last row for a place is what is
// there, and the others have no gradient.

#include "graph/builder/op_builder.h"

namespace tagflow {

// `rows`, with zeros for each that a later one of the same index has overwritten, be it one of a
// later list.
//   indices: int32, none negative; rows: as many, each of a shape that begins with its indices'
OutputList OfLastWriters(const Scope& scope, const OutputList& indices, const OutputList& rows);
// The same for coordinates along the last dimension of `indices`, into a tensor that begins with
// the dimensions `shape`, which are as many as a coordinate has.
//   indices: int32 or int64; slices: one for each; shape: int32 vector
//   attrs: for GatherNd and TensorScatterUpdate
Output OfLastWritersAt(const Scope& scope, const Output& indices, const Output& slices,
                       const Output& shape, const AttrMap& attrs);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_LAST_WRITER_H_
