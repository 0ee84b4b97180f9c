#ifndef TAGFLOW_FUZZ_KERNELS_NAIVE_EINSUM_H_
#define TAGFLOW_FUZZ_KERNELS_NAIVE_EINSUM_H_

// An Einsum as its definition says it: for each value of each label a product, added to the element
// of the output that the labels name. Engines share how they read equations, so that comparing them
// shows nothing of it.
//
// Tested by naive_einsum_test.cc.

#include <optional>
#include <string_view>
#include <vector>

#include "graph/tensor.h"

namespace tagflow::fuzz {

struct NaiveSums {
  Dims dims;
  std::vector<double> values;
  std::vector<double> magnitudes;  // of all that is added up there
};

// Of one or two inputs, floats or doubles. Nothing where the equation does not fit them, or it is a
// matter of too many products.
std::optional<NaiveSums> NaiveEinsum(std::string_view equation, const std::vector<Tensor>& inputs);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_NAIVE_EINSUM_H_
