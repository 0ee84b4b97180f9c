#ifndef TAGFLOW_CONFORMANCE_GPU_SUITE_COUNTS_H_
#define TAGFLOW_CONFORMANCE_GPU_SUITE_COUNTS_H_

// What a suite of gpu_suite counts and prints.

#include <cstdio>
#include <string>

namespace tagflow::conformance {

struct SuiteCounts {
  int passed = 0;
  int failed = 0;
};

// why: empty where it passed
inline void Note(SuiteCounts& counts, const char* suite, const std::string& name,
                 const std::string& why) {
  ++(why.empty() ? counts.passed : counts.failed);
  if (!why.empty()) std::printf("FAIL\t%s\t%s\t%s\n", suite, name.c_str(), why.c_str());
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_SUITE_COUNTS_H_
