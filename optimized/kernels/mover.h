#ifndef TAGFLOW_OPTIMIZED_KERNELS_MOVER_H_
#define TAGFLOW_OPTIMIZED_KERNELS_MOVER_H_

// How the elements of a dtype are copied: plain ones as the bytes they are, whatever they mean, so
// that one loop serves all dtypes of a width; strings, handles and variants by assignment.
//
// Pointers are to elements of the dtype; steps and counts are in elements, steps may be zero or
// negative. What is written is elements of an allocated tensor, so that non-plain ones are there to
// be assigned to. Source and target do not overlap.

#include <cstdint>
#include <span>

#include "graph/dtype.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

struct Mover {
  int64_t width;  // bytes of an element
  // to[i] = from[i] for i < count
  void (*run)(const void* from, void* to, int64_t count);
  // to[i * to_step] = from[i * from_step]
  void (*strided)(const void* from, int64_t from_step, void* to, int64_t to_step, int64_t count);
  // to[i] = *value
  void (*fill)(const void* value, void* to, int64_t count);
  // to[i] = from[places[i]]
  void (*pick)(const void* from, const int64_t* places, void* to, int64_t count);

  const void* At(const void* data, int64_t i) const {
    return static_cast<const char*>(data) + i * width;
  }
  void* At(void* data, int64_t i) const { return static_cast<char*>(data) + i * width; }
};

// REQUIRES: IsTensorDType(dtype)
const Mover& MoverOf(DType dtype);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_MOVER_H_
