#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_HOST_PART_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_HOST_PART_H_

// What the host does of a loop that a device runs (device_loops.h): it counts iterations, and it
// puts tensors onto lists and takes them from there, which are lists of the host's, whatever memory
// the tensors are in. Nothing of it hangs on what the device computes, so that it can be done
// before and after the iterations of the device instead of between them:
//
//   the loop                              the host                    the device
//   while i < n:                          before: i = 0 … 255
//     x = GetItem(xs, i)                  x of each iteration         Take x
//     h = f(h, x)                                                     h = f(h, x)
//     list = PushBack(list, h)            after: pushes the rows      Put h to its row
//     i = i + 1
//
// Before, so that the device knows where each iteration takes its tensors from, and how many there
// are where the host has the predicate; what the lists are then is thrown away. After, as often as
// the device has gone round: that is what counts. Rows are of memory for some hundred iterations;
// where it is full, the device's run ends, and there is another one.
//
// What a branch decides is the same on both sides. Where the device makes the predicate, it puts
// it, too, and the host looks afterwards into which iterations it pushes; before, it does nothing
// of the branch, which is late. Where the host has the predicate, as on the way back from a list
// of them, the device takes it:
//
//   if h > 0: list = PushBack(list, h)    after: if p_i, …          p = h > 0; Put p
//                                                                   if p: Put h
//   if Pop(ps): x = Pop(list)             before: if p_i, …         Take p; if p: Take x
//
// So scalars that may be predicates come to the host with the run, and lists hold them there.
//
// What a kernel of the device reads on the host, such as the axes of a sum, is part of what is
// recorded. Where the host computes it anew in each iteration it is mostly the same again; before
// an iteration where it is another value, or which takes a way of a branch that is not recorded,
// the device's run ends.
//
// Thread safety: a HostPart is as it was recorded, for any thread; a HostPartRun has none.
// Tested by device_histories_test.cc.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/devices/device_program.h"
#include "optimized/kernel.h"
#include "optimized/straight/code.h"

namespace tagflow::optimized {

// Whether a tensor of plain elements is in the memory of a device.
inline bool IsOnDevice(const Tensor& value) {
  return !value.is_inline() && IsPlainDType(value.dtype()) &&
         value.memory_kind() == MemoryKind::kDevice;
}

struct HostStep {
  enum class What : uint8_t {
    kCall,  // of the host's kernel, or of one of a device that looks at nothing on it
    kMove,
    kDrop,
    kSet,   // the slot holds `value`
    kTake,  // the device reads what the slot holds, by the column
    kPut,   // the slot holds what the device puts into the column
    kBranch,
    kStop,    // the iteration is the host's: before it, the device's run ends
    kExpect,  // so it is where the slot does not hold `value`
  };
  What what;
  bool is_late = false;                  // it hangs on what the device has done in the iteration
  const Instruction* at = nullptr;       // kCall, kMove, kDrop; kExpect: who reads it
  const DeviceKernel* kernel = nullptr;  // kCall: of the device; null: of the host
  uint32_t slot = 0;
  size_t column = 0;
  Tensor value = Tensor();
  // kBranch: as the column says where it is late and the device made the predicate; else the slot.
  bool by_column = false;
  DeviceProgram::Way way = {};
  std::vector<HostStep> then = {}, otherwise = {};
  std::string why = {};  // kStop, kExpect: the iteration is the host's
};

struct HostPart {
  struct Column {
    bool is_put;
    DType dtype;
    Dims dims;  // of a row
    size_t byte_size() const;
    // Whether the host has the rows that are put, once the device has run.
    bool ComesToHost() const;
  };

  // How many kernels each iteration calls.
  int64_t num_calls() const;

  std::vector<HostStep> steps;  // of an iteration, from the loop's test to the next
  std::vector<Column> columns;
  std::vector<uint32_t> read;       // slots that it begins with
  std::vector<uint32_t> carried;    // those of them that it changes
  bool looks_ahead = false;         // before a run: there are kTake, kStop or kExpect
  std::optional<uint32_t> counted;  // the slot of the predicate, where the host has it
};

// The host's part of one loop of one step. The part and the code outlive it.
class HostPartRun : public KernelContext {
 public:
  // slots: of the step, at the loop's test; launches: the stream of the program
  HostPartRun(const HostPart& part, const Code& code, const std::vector<Tensor>& slots,
              const StepServices& services, int device);

  // Makes the columns for the next run, of at most so many iterations: of how many it may be. None
  // where the host finds an error in the next one, or has no memory for it.
  //   Errors: of the device
  Result<int64_t> Prepare(int64_t iterations_max, DeviceProgram& program);
  // Does what the host does of so many iterations, which the device has done.
  //   Errors: those of its kernels
  Status Follow(int64_t iterations, DeviceProgram& program);
  // The step for which the next iteration is the host's; null.
  const HostStep* stopped_by() const { return stopped_by_; }
  // Whether the host's predicate holds now. REQUIRES: part.counted
  bool GoesOn() const;
  // Gives the slots that the part changes what they hold now.
  void GiveTo(std::vector<Tensor>& slots) const;

 private:
  int64_t RowsFor(int64_t iterations_max) const;
  bool Reserve(int64_t rows);
  int64_t RunAhead(int64_t iterations_max);
  // The iteration that the host does its part of, before the device's run or after it.
  struct Iteration {
    std::vector<Tensor>& values;  // of the slots
    int64_t number;               // within the run
    bool is_ahead;
  };
  Status Run(const std::vector<HostStep>& steps, const Iteration& iteration);
  Status RunStep(const HostStep& step, const Iteration& iteration);
  Status Call(const HostStep& step);
  Result<bool> Holds(const HostStep& branch, const Iteration& iteration) const;
  Status NoteTaken(size_t column, const Iteration& iteration, const Tensor& value);
  Result<Tensor> RowOf(size_t column, int64_t iteration) const;
  bool IsRow(const Tensor& value) const;
  Status BringRows(int64_t iterations);
  Status MakeColumns(int64_t iterations, DeviceProgram& program);
  Status AddressesOf(size_t column, int64_t iterations, int64_t* addresses);
  Status Shrink(int64_t iterations, DeviceProgram& program);

  const HostPart& part_;
  const Code& code_;
  DeviceStream& launches_;
  std::vector<Tensor> values_;  // of the slots
  // For one run of the device, by column:
  std::vector<Tensor> memory_;              // of the rows that are put, one behind the other
  std::vector<Tensor> on_host_;             // the same of those that come to the host, afterwards
  std::vector<std::vector<Tensor>> taken_;  // the rows that are taken; none: not in that iteration
  std::vector<Tensor> staged_;              // those of them that the host had
  int64_t rows_ = 0;                        // that there is memory for
  int64_t rows_next_;
  const HostStep* stopped_by_ = nullptr;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_HOST_PART_H_
