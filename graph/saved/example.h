#ifndef TAGFLOW_GRAPH_SAVED_EXAMPLE_H_
#define TAGFLOW_GRAPH_SAVED_EXAMPLE_H_

// One example of training data (tf.Example), as files of it hold them. No generated header shows.
//
// Tested by example_test.cc.

#include <map>
#include <string>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Its features by name: vectors of float, int64 or string. What has no values of any kind is left
// out.
using Example = std::map<std::string, Tensor, std::less<>>;

//   Errors: INVALID_ARGUMENT for bytes that are no example
Result<Example> ReadExample(const std::string& bytes);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_EXAMPLE_H_
