#ifndef TAGFLOW_FUZZ_HARNESS_SHRINK_SAMPLE_H_
#define TAGFLOW_FUZZ_HARNESS_SHRINK_SAMPLE_H_

// Any sample made smaller: a program by its tree, anything else by its choices.

#include <functional>

#include "fuzz/harness/sample.h"

namespace tagflow::fuzz {

// The smallest sample found in `seconds` of which `fails` still holds. REQUIRES: fails(sample)
Sample ShrinkSample(Sample sample, const std::function<bool(const Sample&)>& fails, double seconds);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_SHRINK_SAMPLE_H_
