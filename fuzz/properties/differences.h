#ifndef TAGFLOW_FUZZ_PROPERTIES_DIFFERENCES_H_
#define TAGFLOW_FUZZ_PROPERTIES_DIFFERENCES_H_

// In which words properties tell that two runs differ, or that one failed.
//
// Tested by properties_test.cc and broken_engine_test.cc.

#include <string>

#include "fuzz/engines/program_run.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {

// In what the second differs from the first, bit for bit, any NaN equal to any other.
Violation DifferenceOf(const Program& program, const AllFetched& expected,
                       const AllFetched& actual);
Violation DifferenceOf(const Program& program, const Fetched& expected, const Fetched& actual,
                       int run);

// "what: the error".
std::string Failed(const std::string& what, const Status& status);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_DIFFERENCES_H_
