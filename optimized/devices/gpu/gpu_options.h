#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_OPTIONS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_OPTIONS_H_

// What may be said of devices of kind GPU, whether there are any or not.
//
// Tested by gpu_options_test.cc.

#include <cstdint>
#include <string_view>

#include "graph/status.h"

namespace tagflow::optimized {

struct GpuOptions {
  int64_t memory_bytes = 0;  // that tensors may take of each GPU; 0: all there is
  bool swaps = true;         // whether histories go to the host when memory runs low:
  double swap_above = 0.75;  // when more than this share of it is taken
};

// "memory_bytes=1000000,swaps=0": the fields by name.
//   Errors: INVALID_ARGUMENT, naming what is wrong
Result<GpuOptions> ParseGpuOptions(std::string_view text);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_GPU_OPTIONS_H_
