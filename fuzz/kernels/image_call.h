#ifndef TAGFLOW_FUZZ_KERNELS_IMAGE_CALL_H_
#define TAGFLOW_FUZZ_KERNELS_IMAGE_CALL_H_

// Tensors of calls about images, resized or cropped, and about boxes in them, that fit one another.
//
// Tested by kernels_test.cc.

#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/op_def.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// Whether the op resizes images, or takes boxes.
bool IsOnImages(const OpDef& op);

struct ImageCall {
  std::vector<Dims> data;  // of each argument that is data
  Dims spelled;            // by the argument that is a shape
};
// REQUIRES: IsOnImages(op)
ImageCall DrawImages(const OpDef& op, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_IMAGE_CALL_H_
