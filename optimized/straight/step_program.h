#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_STEP_PROGRAM_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_STEP_PROGRAM_H_

// A whole step over a device, recorded once and launched as one program (DeviceProgram): for calls
// that are run again and again with feeds of the same shapes.
//
// What the host decides and computes is in the recording: how often a counted loop goes round,
// which branch is taken, the shapes and axes that kernels are told. So a program is for the values
// of the feeds that the host reads. Other feeds are copied to where the program reads them, before
// each launch. A step is recorded when it is like the one before; a step that is unlike the
// recorded one is run by the host.
//
// A call suits whose nodes have no state and no effects, but for variables by handle that the
// device keeps (recorded_variables.h); the recording shows the rest (recorder.h).
//
// Thread safety: any thread; launches come one after the other.
// Tested by device_programs_test.cc and conformance/gpu/gpu_programs_test.cc.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "optimized/devices/step_devices.h"
#include "optimized/executable.h"
#include "optimized/straight/chains_pace.h"
#include "optimized/straight/code.h"
#include "optimized/straight/device_loops.h"

namespace tagflow::optimized {

class StepProgram {
 public:
  // code, loops: as they are run; they outlive this
  StepProgram(const ExecutableSpec& spec, const Values& values, const Code& code,
              const DeviceLoops& loops);
  ~StepProgram();

  // For people: "at once", or why not; before the first step, whether it may be.
  std::string HowItRuns() const;
  // Runs the step, if it can: `slots` as they are before its first instruction.
  //   results: on the host, one for each fetch
  //   Errors: of the device
  Result<bool> Run(const std::vector<Tensor>& slots, const StepServices& services,
                   std::vector<Tensor>& results);

 private:
  struct Program;
  struct FeedShape {
    bool IsOf(const Tensor& value) const;

    DType dtype;
    Dims dims;
    Tensor scalar;  // the value of one
  };

  // Makes program_.
  Status Record(const std::vector<Tensor>& slots, const StepServices& services);
  Status RecordOnce(const std::vector<Tensor>& slots, const StepServices& services,
                    bool wants_kernels, Program& program) const;
  // Runs what is recorded, if it can.
  Result<bool> Launch(const std::vector<Tensor>& slots, const StepServices& services,
                      std::vector<Tensor>& results);
  // Whether the step before had feeds of the same shapes, and of the same values where they are
  // scalars.
  bool IsLikeTheLast(const std::vector<Tensor>& slots);

  const Code& code_;
  const DeviceLoops& loops_;
  const size_t num_feeds_, num_fetches_;
  int device_ = -1;      // the only one; -1: the call does not suit
  std::string why_not_;  // guarded by mutex_, as the rest
  mutable std::mutex mutex_;
  std::vector<FeedShape> last_;  // the feeds of the last step that was run by the host
  bool has_run_ = false;         // whether there was one
  ChainsPace pace_;
  std::unique_ptr<Program> program_;
  int num_recorded_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_STEP_PROGRAM_H_
