#ifndef TAGFLOW_FUZZ_HARNESS_EQUAL_H_
#define TAGFLOW_FUZZ_HARNESS_EQUAL_H_

// The property `equal`: the engine gives the results that are expected of it, as near as the direct
// evaluator says that rounding may take them.

#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

Property EqualProperty();

// What an error of an engine means for the sample: it died, hung, lacks something, or failed.
Finding FindingOf(const Status& error);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_EQUAL_H_
