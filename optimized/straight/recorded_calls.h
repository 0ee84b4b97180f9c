#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_RECORDED_CALLS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_RECORDED_CALLS_H_

// Instructions that do not jump, recorded for a device (recorder.h): their kernels are called, and
// enqueue on the program's stream.
//
// Tested by device_programs_test.cc and conformance/gpu/gpu_programs_test.cc.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "optimized/devices/device_program.h"
#include "optimized/straight/device_chain.h"
#include "optimized/straight/device_loops.h"
#include "optimized/straight/loop_split.h"
#include "optimized/straight/recorded_variables.h"

namespace tagflow::optimized {

inline bool HasShapeOf(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.dims(), b.dims());
}

// Whether a program can be given it.
inline bool IsThere(const Tensor& value) {
  return value.is_inline() || value.memory_kind() == MemoryKind::kDevice;
}

struct RecorderParts {
  const DeviceLoops& loops;
  const Code& code;
  std::vector<Tensor>& slots;
  const StepServices& services;
  DeviceProgram& program;
  DeviceRecording& recording;
  RecordedVariables& variables;  // of the recording
  LoopSplit& split;              // of the loop; of a step, one to which nothing was given
  // Whether chains of calls that have no kernels yet are to want some (device_chain.h).
  bool wants_kernels = false;
};

class RecordedCalls : public KernelContext {
 public:
  explicit RecordedCalls(const RecorderParts& parts);

  //   Errors: FAILED_PRECONDITION: why it cannot be recorded; those of the kernel
  Status Call(const Instruction& call);
  // A kTryFused, at that place of the code: whether kernels for its calls are recorded, which only
  // calls on a device have; else the calls behind it are.
  Result<bool> TryFused(const Instruction& at, uint32_t place);
  Status Fetch(const Tensor& value, Tensor& result);
  Status Move(const Instruction& move);
  // The value in a tensor that others may write, too.
  Result<Tensor> OwnOf(const Tensor& value);
  // Of what is called, where the host counts the loops around it.
  std::string tag() const override;

 protected:
  DeviceMemory& memory() { return program_.stream().memory(); }

  const DeviceLoops& loops_;
  const Code& code_;
  std::vector<Tensor>& values_;  // of the slots
  DeviceProgram& program_;
  RecordedVariables& variables_;
  LoopSplit& split_;
  std::vector<int64_t> iterations_;  // by depth of frames
  std::vector<bool> is_moved_to_;    // by slot: by a move that was recorded

 private:
  Status Explained(const Instruction& call, const Status& status) const;

  DeviceRecording& recording_;
  const DeviceChain::Unknown unknown_chains_;
  int64_t num_calls_ = 0;
  const Instruction* at_ = nullptr;  // the call
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_RECORDED_CALLS_H_
