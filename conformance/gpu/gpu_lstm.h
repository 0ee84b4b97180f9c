#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_LSTM_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_LSTM_H_

// An LSTM layer, forward and with its gradient by the weights: batch 32, 256 units.
//
// Tested by gpu_programs_test.cc.

#include "conformance/gpu/gpu_programs.h"

namespace tagflow::conformance {

// steps: of the sequence
Result<GpuProgram> LstmProgram(int64_t steps, bool with_gradient);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_LSTM_H_
