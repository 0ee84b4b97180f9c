#ifndef TAGFLOW_GRAPH_COPY_ELEMENTS_H_
#define TAGFLOW_GRAPH_COPY_ELEMENTS_H_

#include <cstddef>

#include "graph/tensor.h"

namespace tagflow {

// Copies `count` elements, from place `from_at` on, to place `to_at` on; places count elements in
// row-major order.
//   REQUIRES: one dtype, not of variants or resources; both in host memory and of so many elements
void CopyElements(const Tensor& from, size_t from_at, Tensor& to, size_t to_at, size_t count);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_COPY_ELEMENTS_H_
