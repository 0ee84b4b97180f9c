#ifndef TAGFLOW_PYTHON_CORE_FEEDS_H_
#define TAGFLOW_PYTHON_CORE_FEEDS_H_

// Python values as tensors.

#include <optional>
#include <string>
#include <vector>

#include "graph/dtype.h"
#include "graph/graph.h"
#include "graph/tensor.h"
#include "python/core/object.h"

namespace tagflow::python {

// What a value is for.
struct FeedSlot {
  std::string name;
  DType dtype = DType::kInvalid;  // kInvalid: any
};

// What each feed of the graph has to be; one of a name that the graph has not, anything: whoever
// makes the call says so.
std::vector<FeedSlot> SlotsOf(const Graph& graph, const std::vector<std::string>& feeds);

// What makes an array of other values: as_array of tagflow/_arrays.py. To be set before any are
// fed.
void SetArrayMaker(Ref maker);

// A tensor of the slot's dtype. An array of more than a few elements is borrowed where it lies,
// unless it has to be put in order first (strides, byte order): nobody may change it while the
// tensor lives. Numbers and lists become what the slot wants where none of them changes by it.
// Nothing, with an exception that names the slot, for what it cannot take.
std::optional<Tensor> TensorFromObject(PyObject* value, const FeedSlot& slot);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_FEEDS_H_
