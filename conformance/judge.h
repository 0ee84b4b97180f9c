#ifndef TAGFLOW_CONFORMANCE_JUDGE_H_
#define TAGFLOW_CONFORMANCE_JUDGE_H_

// Runs one case on an engine and says what became of it.

#include <string>

#include "conformance/case.pb.h"
#include "conformance/engine.h"
#include "conformance/result.h"

namespace tagflow::conformance {

// Empty when the case can be run; else what is wrong with the case itself.
std::string WrongWithCase(const Case& test);

// Loads the graph and runs the steps in order until one does not give what the case says, or the
// engine breaks. All of it has `timeout_s` seconds. An error at load counts as the error of every
// step. Fills verdict and why.
CaseResult RunCase(const Case& test, Engine& engine, double timeout_s);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_JUDGE_H_
