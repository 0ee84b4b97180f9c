#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_LOOPS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_LOOPS_H_

// Loops run without the host.
//
// Where a test finds its predicate on a device, the host would wait for it in every iteration;
// where the host has the predicate, it enqueues the kernels of every iteration anew, and takes
// longer for that than the device for small ones. So the loop is recorded as a program of the
// device (DeviceProgram), in the second iteration, when all it reads is there, or, where the host
// has the predicate, once it has gone round for a while; and the program does the other iterations,
// in this step and in later ones. What is the host's of the loop, counters and lists, it does
// before and after (host_part.h).
//
//   given    tensors of the program's own for what the loop reads: set before each run. What the
//            loop writes, the next iteration reads there, and so do those who come after the loop.
//   baked    what the host has and kernels of the device are told: scalars and shapes. A program is
//            for the ones it was recorded with, and for the dtypes and shapes of what it is given.
//
// A loop suits that has kernels of one device, and none of the host's that have effects or read
// what the device makes; why another does not is kept for people. It is left to the host, for good,
// where the recording shows that it cannot be recorded (recorder.h).
//
// Thread safety: any thread; runs of one loop come one after the other.
// Tested by device_programs_test.cc and conformance/gpu/gpu_programs_test.cc.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "optimized/devices/device_kernel.h"
#include "optimized/devices/step_devices.h"
#include "optimized/executable.h"
#include "optimized/stop_flag.h"
#include "optimized/straight/code.h"
#include "optimized/straight/code_loops.h"
#include "optimized/straight/host_part.h"
#include "optimized/straight/loop_split.h"
#include "optimized/straight/values.h"

namespace tagflow::optimized {

// One loop of the code.
struct DeviceLoop {
  uint32_t head = 0;
  uint32_t test = 0;  // of its predicate
  uint32_t repeat = 0;
  uint32_t end = 0;  // the first instruction after the loop
  int device = 0;
  int64_t counted = 0;          // iterations that the host does first, where it has the predicate
  std::vector<uint32_t> slots;  // that it reads or writes, each once
  std::vector<bool> writes;     // by place in `slots`
};

class DeviceLoops {
 public:
  // A loop of the code, whether it suits or not.
  struct Known {
    NodeId predicate = NodeId::kNone;  // that its test asks; kNone: it has no such test
    int number = -1;                   // of one that suits
    std::string why_not;               // of one that does not: for people
  };

  // Code as it is run.  REQUIRES: `values` bound its kernels; both outlive this
  DeviceLoops(const ExecutableSpec& spec, const Values& values, Code& code);
  ~DeviceLoops();

  // The number of the loop that the test at that instruction ends, or -1: it does not suit.
  int AtTest(uint32_t instruction) const;
  // For people: "without the host", or "by the host: " and why.
  std::string HowItRuns(int loop) const;
  // All loops, each behind those in it.
  const std::vector<Known>& known() const { return known_; }

  // Runs the loop from its test on, if it can. `slots` are those of the step.
  //   may_record: whether an iteration has been run by the host
  //   Errors: of the device; of the stop flag
  struct Ran {
    int64_t iterations = 0;
    bool is_over = false;  // else the slots are as at the test, so many iterations later
    // The next one is the host's: after it the loop can be run again. For people: why it is.
    std::string stopped_by = {};
  };
  Result<Ran> Run(int loop, std::vector<Tensor>& slots, const StepServices& services,
                  const StopFlag& stop, bool may_record);
  // The node's kernel, where it is of a device; null.
  const DeviceKernel* device_kernel(NodeId node) const {
    const auto found = device_kernels_.find(node);
    return found == device_kernels_.end() ? nullptr : found->second.get();
  }
  const FrameTree& frames() const { return frames_; }
  // Iterations of a loop whose predicate the host has, before it is to be run here.
  int64_t CountedByHost(int loop) const { return loops_[static_cast<size_t>(loop)].counted; }
  // For people.
  std::string NameOf(NodeId node) const;
  const DeviceLoop& loop(int number) const { return loops_[static_cast<size_t>(number)]; }
  size_t size() const { return loops_.size(); }

 private:
  struct Program;
  struct Made;

  Status Record(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                const StepServices& services, Made& made) const;
  Status RecordOnce(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                    const StepServices& services, bool wants_kernels, Made& made) const;
  // learned: more is added where the recording shows it
  Status RecordWith(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                    const StepServices& services, bool wants_kernels, Program& program,
                    Learned& learned) const;
  // Makes the tensors that hold what the program writes, when it has run.   Errors:
  // RESOURCE_EXHAUSTED
  static Result<std::vector<Tensor>> MakeWritten(const Program& program, DeviceMemory& memory);
  // Runs the program until the loop is over, or the host has to go on.
  Result<Ran> RunProgram(const StopFlag& stop, Made& made, HostPartRun& host) const;

  // Takes the loop in, where it suits; else why it does not.
  Status Add(const ExecutableSpec& spec, const Values& values, Code& code, const CodeLoop& loop);
  int64_t CountedByHost(const CodeLoop& loop, const NativeOptions& native) const;

  const Graph& graph_;
  const FrameTree frames_;
  const Code& code_;
  std::vector<Known> known_;
  std::vector<DeviceLoop> loops_;
  std::vector<bool> is_constant_;  // by slot
  std::unordered_map<NodeId, std::shared_ptr<const DeviceKernel>> device_kernels_;
  std::vector<std::unique_ptr<Made>> made_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_LOOPS_H_
