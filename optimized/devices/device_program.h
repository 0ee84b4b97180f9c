#ifndef TAGFLOW_OPTIMIZED_DEVICES_DEVICE_PROGRAM_H_
#define TAGFLOW_OPTIMIZED_DEVICES_DEVICE_PROGRAM_H_

// Work that a device runs by itself, as often as is wanted.
//
// Tested by gpu/gpu_device_test.cc, and through optimized/straight/device_loops.h.

#include <cstdint>
#include <vector>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

// Work that is recorded once and then enqueued as a whole, as often as is wanted: a loop that the
// device ends by itself, with loops in it. The host waits once for all iterations.
//
//   Begin(p)         what is enqueued on stream() from now on is the loop's body
//     Begin(q) …     of a loop in it
//     End(…)
//     BeginIf(r) …   where r holds, or chooses a way
//     Else() …       and where not
//     EndIf()
//   End(next, p2)    the values of `to` become those of `from`, and p that of p2, each iteration
//   Finish()
//   Set(x, value)    … of what the program is given, which is in its memory
//   Run()
//
// What an iteration of the outermost loop reads or writes may be elsewhere in each: Take and Put
// copy it from or to where a column has an address for that iteration. A history is written so:
//
//   c = NewColumn()
//   Begin(p) … Put({{c, x}}) … End(…)     x goes to row i of c in iteration i
//   SetColumns({rows})                    where the host has memory for 256 iterations
//   Run(256)                              ends, at the latest, when the memory is full; the host
//                                         gives more, and runs it again
//
// Or without a loop around all: Start() … Finish(), and Launch().
//
// Kernels alone can be recorded, and Set. An error ends the recording, and the program with it.
//
// Where a kernel has noted a failure, loops end, and what a run has made is of no use. What others
// can see is to be enqueued behind a Guard, so that it is as if the step had stopped there
// ([device.1]).
//
// Thread safety: none.
class DeviceProgram {
 public:
  struct Carried {
    Tensor from, to;  // on the device, of one dtype and shape
  };
  // What a column has for an iteration, and a tensor of the program's of as many bytes.
  struct Row {
    int column;
    Tensor there;
  };
  struct Way {
    uint32_t number = 0;
    uint32_t of = 0;  // how many there are; 0: it is no such way
  };
  struct Ended {
    int64_t iterations = 0;  // that have begun
    bool is_over = true;     // the outermost predicate does not hold any more
    bool has_failed = false;
  };

  virtual ~DeviceProgram() = default;
  // What kernels are called with, to be recorded. Its memory is the program's, as long as that
  // lives.
  virtual DeviceStream& stream() = 0;
  virtual DeviceFaults& faults() = 0;
  virtual Status Start() = 0;
  // predicate: a bool on the device; without a value, it holds
  virtual Status Begin(const Tensor& predicate) = 0;
  virtual Status End(const std::vector<Carried>& carried, const Tensor& predicate) = 0;
  // way: of an int32 that chooses among several; else the predicate is a bool
  virtual Status BeginIf(const Tensor& predicate, Way way) = 0;
  virtual Status Else() = 0;
  virtual Status EndIf() = 0;
  // What is enqueued from now on, up to the end of the branch or of all, is done where no kernel
  // before it has failed.
  virtual Status Guard() = 0;
  virtual Status Finish() = 0;
  // to: on the device; from: of the same dtype and shape, there or a scalar in the tensor itself
  virtual Status Set(const Tensor& to, const Tensor& from) = 0;
  // Columns are numbered from 0. While it is recorded:
  virtual Result<int> NewColumn() = 0;
  virtual Status Take(const std::vector<Row>& rows) = 0;  // into the tensors
  virtual Status Put(const std::vector<Row>& rows) = 0;   // from them
  // By column: addresses on the device, int64, one for each iteration of the runs from now on.
  virtual void SetColumns(std::vector<Tensor> addresses) = 0;
  // Enqueues all of it, for at most so many iterations of the outermost loop, and waits; goes on
  // where it is called again.   REQUIRES: columns have as many rows
  virtual Result<Ended> Run(int64_t iterations_max) = 0;
  // Enqueues what has no loop around it.
  virtual Status Launch() = 0;
  // Of the last launch; waits for it.   Errors: of the first kernel that has failed
  virtual Status Failure() = 0;
};

// Who records the kernels of a step, as StepDevices tells it.
class DeviceRecording {
 public:
  virtual ~DeviceRecording() = default;
  virtual DeviceProgram& program() = 0;
  // What a kernel reads on the device and the host has, there.
  //   Errors: FAILED_PRECONDITION where it would have to be brought in each iteration
  virtual Result<Tensor> Bring(const Tensor& value) = 0;
  // A kernel reads the value on the host: what is recorded is for this value alone.
  virtual void NoteHostRead(const Tensor& value) = 0;
  // A handle of what stands in for the variable that input i is the handle of.
  //   changes: the kernel may change it
  //   Errors: FAILED_PRECONDITION where none can
  virtual Result<Tensor> StandInFor(KernelContext& context, int i, bool changes) = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_DEVICE_PROGRAM_H_
