#ifndef TAGFLOW_FUZZ_GENERATE_PROFILE_H_
#define TAGFLOW_FUZZ_GENERATE_PROFILE_H_

// What kind of programs to make. The honesty test (features_test.cc) pins the default one.

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/generate/odds.h"
#include "graph/status.h"

namespace tagflow::fuzz {

struct Profile {
  std::string name = "default";
  std::string about;        // one line, for --help
  int statements = 30;      // about how many, over the whole tree
  int depth = 3;            // of nested conds and loops
  int64_t firings = 11000;  // about how many firings a run may take, at most
  int max_trips = 200;      // of one loop
  int max_runs = 3;
  // Per place where there is a choice.
  Odds cond = kSometimes, case_ = kRarely, loop = kSometimes;
  Odds arrays = kSeldom, stacks = kSeldom, effects = kSeldom;
  Odds control_edges = kSeldom;
  Odds shape_changes = kSeldom;
  bool specials = false;        // NaN, infinities, subnormals, least and greatest integers
  bool tensors = false;         // mostly floats, and of more elements than loops take at once
  bool differentiable = false;  // result 0 is a double scalar, a smooth function of double inputs
  bool exact = false;           // only operations that every engine rounds alike
  bool stop_gradients = false;  // in place of identities
};

// default, tiny, deep, effects, arrays, gradient, smooth, stops, specials, tensors, exact,
// long.
const std::vector<Profile>& Profiles();
// NOT_FOUND, listing the names there are.
Result<Profile> ProfileOf(std::string_view name);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_PROFILE_H_
