#ifndef TAGFLOW_PYTHON_CORE_LIMITS_H_
#define TAGFLOW_PYTHON_CORE_LIMITS_H_

#include <cstddef>

namespace tagflow::python {

// An array of fewer bytes is copied, which takes less time than keeping account of who uses it.
inline constexpr size_t kLeastBorrowedBytes = 1024;

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_LIMITS_H_
