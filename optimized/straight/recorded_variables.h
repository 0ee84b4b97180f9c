#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_RECORDED_VARIABLES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_RECORDED_VARIABLES_H_

// The variables in a program of a device (DeviceProgram).
//
// While kernels are recorded, each variable that they are given has a stand-in: another variable,
// with a value at the same address. A kernel reads that, changes it in place, or puts another value
// in its place, as it does with any variable; what stands in at the end is copied to the address.
// So a program is for variables whose values are where they were when it was recorded.
//
//   step 2, recorded    w at 0x100: its stand-in is read, and changed in place
//   step 3, launched    w is at 0x100 and nobody else has the value: one launch, w is changed
//   step 4, by the host somebody else has fetched w, and still has the value
//
// Thread safety: none while it is recorded; then any thread.
// Tested by device_variables_test.cc and conformance/gpu/gpu_programs_test.cc.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/device_program.h"
#include "optimized/kernel.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

class RecordedVariables {
 public:
  // launches: the stream that the program is launched on; outlives the recording
  explicit RecordedVariables(DeviceStream& launches) : launches_(&launches) {}

  // A handle of what stands in for the variable that input i is the handle of.
  //   changes: the kernel may change it
  //   Errors: FAILED_PRECONDITION: it has no value; INVALID_ARGUMENT: it is no variable;
  //   RESOURCE_EXHAUSTED
  Result<Tensor> StandInFor(KernelContext& context, int i, bool changes);
  // Where the values are that stand in now. Kernels that change them in place leave them there.
  using Places = std::map<const Variable*, const void*>;
  Places PlacesNow() const;
  // FAILED_PRECONDITION where one is in another place than before.
  Status CheckUnmoved(const Places& before) const;
  // Whether a tensor is the value of one of them, or overlaps it.
  bool HavePartOf(const Tensor& tensor) const;
  // Records what is left, and lets the stand-ins go.
  //   Errors: FAILED_PRECONDITION: a variable would have another shape afterwards
  Status Finish(DeviceProgram& program);
  bool changes_any() const;

  // Whether the values are where they were. Fills `values` with them, so that they stay there.
  bool Hold(std::vector<Tensor>& values) const;
  // Calls launch(), with all variables locked, if they suit.
  //   launch: returns Status
  enum class Launched : uint8_t {
    kDone,
    kMoved,   // not launched: a value is not where it was
    kShared,  // not launched: somebody else has a value that the program changes
  };
  template <typename F>
  Result<Launched> Launch(const F& launch) const {
    return LaunchFrom(0, launch);
  }

 private:
  struct Recorded {
    bool Suits(const Variable::Contents& contents) const;
    // Whether some of a tensor on the device is of the value.
    bool Overlaps(const Tensor& tensor) const;

    std::shared_ptr<Variable> variable;
    const void* place;  // of the value
    size_t bytes;
    DType dtype;
    Dims dims;
    bool is_changed;
    std::shared_ptr<Variable> stand_in;  // null: the recording has ended
  };

  Result<Recorded*> FindOrAdd(std::shared_ptr<Variable> variable);
  template <typename F>
  Result<Launched> LaunchFrom(size_t i, const F& launch) const {
    if (i == recorded_.size()) {
      TAGFLOW_RETURN_IF_ERROR(launch());
      return Launched::kDone;
    }
    const Recorded& at = *recorded_[i];
    return at.variable->WithAnywhere([&](const Variable::Contents& held) -> Result<Launched> {
      if (!at.Suits(held)) return Launched::kMoved;
      if (at.is_changed && !held.value.unique()) return Launched::kShared;
      return LaunchFrom(i + 1, launch);
    });
  }

  DeviceStream* launches_;
  // In the order of the variables' addresses, so that two programs never wait for each other.
  std::vector<std::unique_ptr<Recorded>> recorded_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_RECORDED_VARIABLES_H_
