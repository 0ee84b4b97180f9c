#ifndef TAGFLOW_CONFORMANCE_GPU_REFERENCE_VARIABLES_H_
#define TAGFLOW_CONFORMANCE_GPU_REFERENCE_VARIABLES_H_

// For tests of GPU kernels' bodies on the host: what becomes of variables in the reference.

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/ops/op_runner.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::conformance {

// A call of an op whose first inputs are handles of variables.
struct VariableCall {
  std::string op;
  AttrMap attrs;
  size_t variables;
  std::vector<Tensor> inputs;    // those in the place of handles are what the variables hold
  bool is_one_variable = false;  // of the first value, given as each of them
};

// What the variables hold after the call.   Errors: the call's
inline Result<std::vector<Tensor>> ReferenceLeaves(const VariableCall& call) {
  const auto runner = ReferenceOps().make();
  const AttrMap dtype = {{"dtype", call.inputs[0].dtype()}};
  std::vector<OpRunner::Value> values;
  for (const Tensor& input : call.inputs) values.push_back({input, nullptr});
  for (size_t k = 0; k < call.variables; ++k) {
    const size_t slot = call.is_one_variable ? 0 : k;
    AttrMap attrs = dtype;
    attrs.push_back({"shape", PartialShape()});
    attrs.push_back({"shared_name", "slot" + std::to_string(slot)});
    TAGFLOW_ASSIGN_OR_RETURN(auto handle, runner->Run("VarHandleOp", {}, attrs));
    TAGFLOW_RETURN_IF_ERROR(
        runner->Run("AssignVariableOp", {handle[0], {call.inputs[slot], nullptr}}, dtype).status());
    values[k] = handle[0];
  }
  TAGFLOW_RETURN_IF_ERROR(runner->Run(call.op, values, call.attrs).status());
  std::vector<Tensor> held;
  for (size_t k = 0; k < call.variables; ++k) {
    TAGFLOW_ASSIGN_OR_RETURN(auto read, runner->Run("ReadVariableOp", {values[k]}, dtype));
    held.push_back(read[0].tensor);
  }
  return held;
}

// A tensor of the same elements, in memory of its own.
inline Tensor CopyOf(const Tensor& value) {
  Tensor copy = *Tensor::Allocate(value.dtype(), value.dims());
  std::memcpy(copy.mutable_raw_data(), value.raw_data(), value.byte_size());
  return copy;
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_REFERENCE_VARIABLES_H_
