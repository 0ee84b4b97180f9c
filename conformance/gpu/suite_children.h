#ifndef TAGFLOW_CONFORMANCE_GPU_SUITE_CHILDREN_H_
#define TAGFLOW_CONFORMANCE_GPU_SUITE_CHILDREN_H_

// Suites, each in a process of its own: one that crashes, hangs or loses its GPU costs no other.
//
// Tested by suite_children_test.cc.

#include <chrono>
#include <string>
#include <vector>

namespace tagflow::conformance {

struct SuiteChild {
  std::string name;
  std::vector<std::string> arguments;  // the program first
  std::chrono::seconds limit;
};

// Prints what each prints, when it is over, and a line for each that ends in another way than a
// suite does, whose exit code is 0, or 1 where something has failed.
//   returns: whether all exit codes are 0
bool RunSuites(const std::vector<SuiteChild>& suites);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_SUITE_CHILDREN_H_
