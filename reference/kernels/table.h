#ifndef TAGFLOW_REFERENCE_KERNELS_TABLE_H_
#define TAGFLOW_REFERENCE_KERNELS_TABLE_H_

// A table from keys to values, which the session keeps by container and name.   Spec: [resource.1]

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/kernel.h"

namespace tagflow::reference {

using TableKey = std::variant<int64_t, std::string>;

struct Table : SessionObject {
  DType key_dtype = DType::kInvalid;
  DType value_dtype = DType::kInvalid;
  Dims value_dims;                    // of each value
  bool is_filled_once = false;        // and is not changed afterwards
  bool is_filled = false;             // of such a one
  std::map<TableKey, Tensor> values;  // of value_dtype and value_dims

  std::shared_ptr<SessionObject> Clone() const override { return std::make_shared<Table>(*this); }
};

// Whether it is one handle, of a table.
bool IsTableHandle(const Tensor& tensor);

// The table of the handle in input 0, and the touch declared.
//   Errors: INVALID_ARGUMENT for what is no handle of a table; NOT_FOUND for one that is destroyed
enum class Touch { kRead, kWrite };
Result<std::shared_ptr<Table>> FindTable(KernelContext& context, Touch touch);

// Ends the table of the handle in input 0.
//   Errors: NOT_FOUND, unless ignore_missing.   REQUIRES: IsTableHandle(input 0)
Status DestroyTable(KernelContext& context, bool ignore_missing);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_TABLE_H_
