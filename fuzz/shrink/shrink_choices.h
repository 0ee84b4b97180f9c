#ifndef TAGFLOW_FUZZ_SHRINK_SHRINK_CHOICES_H_
#define TAGFLOW_FUZZ_SHRINK_SHRINK_CHOICES_H_

// Makes a choice sequence (generate/choices.h) smaller, whatever is drawn from it: what is shorter,
// and then what has smaller numbers in front, gives the simpler sample.

#include <cstdint>
#include <functional>
#include <vector>

#include "fuzz/shrink/shrink.h"

namespace tagflow::fuzz {

// The smallest sequence found of which still_fails holds: by leaving out stretches, by setting
// stretches to 0, and by lowering single numbers. Zeros at the end are left out: a sequence goes on
// with zeros. Nothing is asked twice.
// REQUIRES: still_fails(numbers); it gives the same answer for the same numbers.
std::vector<uint32_t> ShrinkChoices(
    std::vector<uint32_t> numbers,
    const std::function<bool(const std::vector<uint32_t>&)>& still_fails,
    const ShrinkOptions& options = {}, ShrinkActivity* activity = nullptr);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SHRINK_SHRINK_CHOICES_H_
