#ifndef TAGFLOW_GRAPH_SAVED_OLD_CHECKPOINT_H_
#define TAGFLOW_GRAPH_SAVED_OLD_CHECKPOINT_H_

// What the table of a checkpoint of TensorFlow's first format holds: one file, in which tensors lie
// in pieces, whole ones in one, each as a TensorProto.
//
// Tested by tensor_bundle_test.cc.

#include <string>

#include "graph/saved/saved_model.pb.h"
#include "graph/saved/sorted_table.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

//   Errors: DATA_LOSS for a table that is no checkpoint
Result<SavedTensorSliceMeta> ReadOldIndex(const SortedTable& table);

// The piece of this key (SliceKey).
//   Errors: DATA_LOSS for one that is missing or has not so many elements; as TensorFromProto
Result<Tensor> ReadOldPiece(const SortedTable& table, const std::string& key, DType dtype,
                            const Dims& dims);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_OLD_CHECKPOINT_H_
