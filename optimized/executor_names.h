#ifndef TAGFLOW_OPTIMIZED_EXECUTOR_NAMES_H_
#define TAGFLOW_OPTIMIZED_EXECUTOR_NAMES_H_

// Executors as the C interface and Python call them. Tested by executor_names_test.cc.

#include <string_view>

#include "graph/status.h"
#include "optimized/executor_choice.h"

namespace tagflow::optimized {

struct ExecutorWay {
  ExecutorChoice executor = ExecutorChoice::kAuto;
  NativeOptions native = {};
};

// "auto", "straight" or "tokens"; "native" is auto with loops as machine code from their beginning,
// "interpreted" auto without machine code.
//   Errors: INVALID_ARGUMENT for another name
Result<ExecutorWay> ExecutorOfName(std::string_view name);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_EXECUTOR_NAMES_H_
