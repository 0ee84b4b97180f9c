#ifndef TAGFLOW_FUZZ_HARNESS_CALL_CHECKS_H_
#define TAGFLOW_FUZZ_HARNESS_CALL_CHECKS_H_

// Claims about calls of single ops, beside that every engine gives the same (equal_kernels.h): a
// table (call_checks.cc). Tested by equal_kernels_test.cc.

#include <string_view>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"
#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

struct CallCheck {
  std::string_view name;
  GraphSample (*draw)(Choices& choices);  // a call that the claim is about
  // Null: nothing is claimed besides. Holds where the engine under test is none that it is about.
  Finding (*check)(const GraphSample& call, Choices& choices, Setting& setting);
};

// The claim that a call is drawn for; of most calls, none.
const CallCheck& DrawCallCheck(Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_CALL_CHECKS_H_
