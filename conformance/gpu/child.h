#ifndef TAGFLOW_CONFORMANCE_GPU_CHILD_H_
#define TAGFLOW_CONFORMANCE_GPU_CHILD_H_

// A program that is run to its end, or killed when its time is over.
//
// Tested by child_test.cc.

#include <chrono>
#include <string>
#include <vector>

#include "graph/status.h"

namespace tagflow::conformance {

struct ChildEnd {
  std::string output;  // all it has printed, on either stream
  std::string why;     // how it ended: empty for exit code 0, "exit code 3", "SIGSEGV", "hangs"
};

// variables: NAME=VALUE, in place of those that it would inherit
//   Errors: NOT_FOUND, naming the program
Result<ChildEnd> RunChild(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& variables, std::chrono::seconds limit);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_CHILD_H_
