#ifndef TAGFLOW_PYTHON_CORE_OWN_OPS_H_
#define TAGFLOW_PYTHON_CORE_OWN_OPS_H_

// tagflow._core.Ops: Tagflow's ops and those of a user, whose kernels are Python functions.

#include <memory>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "optimized/kernel.h"
#include "python/core/object.h"
#include "reference/kernel.h"

namespace tagflow::python {

class RaisedByKernels;

class OwnOps {
 public:
  static Result<std::shared_ptr<OwnOps>> Make();

  // lines: as graph/op_lines.h has them
  // function: takes a numpy value per input, and the attrs of these names as keywords; gives a
  // value, or as many as the op has outputs
  //   Errors: ALREADY_EXISTS; INVALID_ARGUMENT for a line that cannot be read, or an attr that the
  //   op has not; FAILED_PRECONDITION once a graph was made with these ops
  Status Add(const std::string& name, const std::vector<std::string>& lines, Ref function,
             std::vector<std::string> attrs, bool is_stateful);
  // No op is added any more.
  void Fix() { is_fixed_ = true; }

  const OpRegistry& ops() const { return ops_; }
  const reference::KernelRegistry& reference_kernels() const { return reference_kernels_; }
  const optimized::KernelRegistry& kernels() const { return kernels_; }

  // The exception behind an error: what a kernel raised at its node under its tag. Once; null for
  // none. Wants the GIL.
  Ref TakeCause(const Status& error) const;

 private:
  OwnOps();

  OpRegistry ops_;
  reference::KernelRegistry reference_kernels_;
  optimized::KernelRegistry kernels_;
  std::shared_ptr<RaisedByKernels> raised_;
  bool is_fixed_ = false;
};

using SharedOps = std::shared_ptr<OwnOps>;

PyTypeObject* MakeOpsType();
// The ops in an object, which are fixed from here on; null for None.
//   false, with a TypeError, for another object
bool ReadOps(PyObject* object, SharedOps& ops);

// Function of the module; its docstring is in tagflow/_core.pyi.
PyObject* NewOps(PyObject* module, PyObject* args);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_OWN_OPS_H_
