#ifndef TAGFLOW_OPTIMIZED_NATIVE_OPEN_CELLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_OPEN_CELLS_H_

// The stacks, arrays and lists that a step has open for machine code (cells.h).
//
// A stack or array is opened where its handle is, and shut before the machine runs anything: the
// kernel that it runs may want it. Until then nobody else gets at it.
//
// A list is a value, and is opened where a slot alone holds it: then the slot is empty, and machine
// code hands the open list around in a register. It is closed into a slot, which has it from then
// on.
//
// Thread safety: none; a step has its own. Tested by open_cells_test.cc.

#include <memory>
#include <vector>

#include "graph/tensor.h"
#include "optimized/native/cells.h"
#include "optimized/native/tensor_type.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

class OpenCells {
 public:
  OpenCells();
  ~OpenCells();

  // What the slot holds, or the handle in it is of, opened for tensors of the type; where that is
  // null, for scalars. Null where it is not of this kind, others have it too, or it cannot hold
  // such elements. What was open already is given again, for whatever it is open.
  Cells* Open(CellsKind kind, Tensor& slot, const TensorType* type) noexcept;
  // The list is the slot's again. REQUIRES: it is open, and the slot is empty
  void CloseList(Cells* list, Tensor& slot) noexcept;
  // Shuts all stacks and arrays.
  void ShutObjects() {
    if (!objects_.empty()) Shut();
  }

 private:
  struct OpenObject {
    std::shared_ptr<StepObject> object;
    Cells* cells;
  };
  struct OpenList;

  Cells* OpenObjectOf(CellsKind kind, const Tensor& handle, const TensorType* type);
  Cells* OpenListIn(Tensor& slot, const TensorType* type);
  void Shut();

  std::vector<OpenObject> objects_;
  std::vector<std::unique_ptr<OpenList>> lists_;  // and those that were open
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_OPEN_CELLS_H_
