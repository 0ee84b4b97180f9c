#ifndef TAGFLOW_GRAPH_SAVED_TENSOR_BYTES_H_
#define TAGFLOW_GRAPH_SAVED_TENSOR_BYTES_H_

// Tensors as the bytes of a message (TensorProto), as ops of TensorFlow write them into strings:
// the elements as they lie in memory; of strings all lengths, and then all texts. No generated
// header shows.
//
// Tested by tensor_bytes_test.cc.

#include <span>
#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

//   Errors: UNIMPLEMENTED for handles and variants, RESOURCE_EXHAUSTED for more than a message
//   holds
Result<std::string> TensorToBytes(const Tensor& tensor);

// The tensors of messages that give their elements in whatever form, each of a dtype that a tensor
// has. A short message may claim many elements: all together get as much memory as one file may.
//   Errors: INVALID_ARGUMENT for bytes that are no tensor, UNIMPLEMENTED for dtypes that no tensor
//   has, RESOURCE_EXHAUSTED
Result<std::vector<Tensor>> TensorsFromBytes(std::span<const std::string> messages);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_TENSOR_BYTES_H_
