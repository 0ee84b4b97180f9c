#ifndef TAGFLOW_FUZZ_SHRINK_SHRINK_H_
#define TAGFLOW_FUZZ_SHRINK_SHRINK_H_

// Makes a program that fails smaller, by its tree: greedily, large cuts first, until no edit of one
// place makes it smaller and still fail.

#include <chrono>
#include <cstdint>
#include <functional>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

struct ShrinkOptions {
  int64_t max_tests = 5000;  // calls of still_fails
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct ShrinkActivity {
  int64_t tests = 0;     // calls of still_fails
  int64_t rejected = 0;  // candidates that were no programs, or failed when evaluated
  int64_t accepted = 0;
};

// The smallest program found of which still_fails holds. Whatever still_fails is asked passes
// Check, and can be evaluated (fuzz/direct) if `program` can; nothing is asked twice. The result is
// `program` itself, but for the numbers of its values, if nothing smaller fails.
//   activity: what was done; may be null.
// REQUIRES: still_fails(program); it gives the same answer for the same program.
Program Shrink(const Program& program, const std::function<bool(const Program&)>& still_fails,
               const ShrinkOptions& options = {}, ShrinkActivity* activity = nullptr);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SHRINK_SHRINK_H_
