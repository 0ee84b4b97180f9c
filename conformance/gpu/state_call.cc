// Tested by compare_kernels_test.cc.

#include "conformance/gpu/state_call.h"

#include <algorithm>
#include <utility>

#include "conformance/gpu/over_gpu.h"

namespace tagflow::conformance {
namespace {

using optimized::NamedTensors;

// Three steps of a session: variables are set, the op is called, variables are read. So they are
// read where the call fails, too.
struct StateProgram {
  std::string text;
  NamedTensors set_feeds, call_feeds;
  std::vector<std::string> sets, outputs, reads;

  std::string Feed(const Tensor& value, NamedTensors& feeds) {
    const std::string name = "x" + std::to_string(set_feeds.size() + call_feeds.size());
    text += name + " = Placeholder() dtype=" + DTypeName(value.dtype()) + "\n";
    feeds.emplace_back(name, value);
    return name;
  }
  explicit StateProgram(const StateCall& call) {
    const std::string type = " dtype=" + DTypeName(call.dtype) + "\n";
    std::string arguments;
    for (size_t k = 0; k < call.values.size(); ++k) {
      const std::string number = std::to_string(k), handle = "v" + number;
      const std::string value = Feed(call.values[k], set_feeds);
      text += handle + " = VarHandleOp()" + type;
      text += "set" + number + " = AssignVariableOp(" + handle + ", " + value + ")" + type;
      text += "read" + number + " = ReadVariableOp(" + handle + ")" + type;
      arguments += (k == 0 ? "" : ", ") + handle;
      sets.push_back("set" + number);
      reads.push_back("read" + number);
    }
    for (const Tensor& input : call.inputs) arguments += ", " + Feed(input, call_feeds);
    text += "called = " + call.op + "(" + arguments + ")" + call.attrs;
    if (!OpRegistry::Standard().Find(call.op)->outputs.empty()) outputs.emplace_back("called");
  }
};

struct Outcome {
  Status called;
  std::vector<Tensor> values;  // of the op, and then of the variables
};

Result<Outcome> RunOn(const std::string& device, const StateCall& call) {
  const StateProgram program(call);
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, OpenTextOn(device, program.text));
  TAGFLOW_RETURN_IF_ERROR(session->Run(program.set_feeds, {}, program.sets).status());
  Outcome outcome;
  auto called = session->Run(program.call_feeds, program.outputs, {"called"});
  outcome.called = called.status();
  if (called.ok()) outcome.values = *std::move(called);
  TAGFLOW_ASSIGN_OR_RETURN(const auto held, session->Run({}, program.reads));
  outcome.values.insert(outcome.values.end(), held.begin(), held.end());
  return outcome;
}

std::string DifferenceOf(const Outcome& wanted, const Outcome& given, const Bounds& bounds) {
  const std::string error = wanted.called.ToString(), given_error = given.called.ToString();
  if (error != given_error) return given_error + ", on the host: " + error;
  std::string why;
  for (size_t i = 0; i < wanted.values.size(); ++i) {
    why += Difference(wanted.values[i], given.values[i], bounds);
  }
  return why;
}

std::string DifferenceOfDevices(const StateCall& call) {
  const Result<Outcome> wanted = RunOn("/device:CPU:0", call);
  if (!wanted.ok()) return wanted.status().ToString();
  const Result<Outcome> given = RunOn("/device:GPU:0", call), again = RunOn("/device:GPU:0", call);
  for (const auto* each : {&given, &again}) {
    if (!each->ok()) return each->status().ToString();
  }
  if (!std::ranges::equal(given->values, again->values, BitwiseEqual)) {
    return "gives other bits the second time";
  }
  return DifferenceOf(*wanted, *given, call.bounds);
}

}  // namespace

void CompareState(const StateCall& call, SuiteCounts& counts) {
  Note(counts, "kernels", call.op + " " + DTypeName(call.dtype) + call.attrs,
       DifferenceOfDevices(call));
}

}  // namespace tagflow::conformance
