#ifndef TAGFLOW_OPTIMIZED_EXECUTOR_NAMES_H_
#define TAGFLOW_OPTIMIZED_EXECUTOR_NAMES_H_

// Executors as the C interface and Python call them.

#include <string_view>

#include "graph/status.h"
#include "optimized/executor_choice.h"

namespace tagflow::optimized {

// "auto", "straight" or "tokens".
//   Errors: INVALID_ARGUMENT for another name
Result<ExecutorChoice> ExecutorOfName(std::string_view name);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_EXECUTOR_NAMES_H_
