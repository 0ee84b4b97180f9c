#ifndef TAGFLOW_CONFORMANCE_TEST_CASES_H_
#define TAGFLOW_CONFORMANCE_TEST_CASES_H_

// Cases for tests of the runner, and the fake engine to run them on.

#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "conformance/case.pb.h"
#include "conformance/subprocess_engine.h"

namespace tagflow::conformance {

inline Case CaseFromText(const std::string& text) {
  Case test;
  TAGFLOW_CHECK(google::protobuf::TextFormat::ParseFromString(text, &test));
  return test;
}

// A step that feeds x = 7 and fetches it: passes on an engine that answers as fed.
inline const std::string kEcho = R"(
  feeds { name: "x" value { dtype: DT_INT32 tensor_shape {} int_val: 7 } }
  fetches: "x" expect { any_of { dtype: DT_INT32 tensor_shape {} int_val: 7 } } )";

// A case whose graph has one node of `op` and whose only step is `step`.
inline Case CaseOf(const std::string& op, const std::string& step = kEcho) {
  return CaseFromText("name: 'c' graph { node { name: 'n' op: '" + op + "' } } steps {" + step +
                      "}");
}

inline std::vector<std::string> FakeEngine(const std::string& argument = "") {
  std::vector<std::string> arguments = {"conformance/fake_engine"};
  if (!argument.empty()) arguments.push_back(argument);
  return arguments;
}

inline std::unique_ptr<SubprocessEngine> StartFakeEngine() {
  Result<std::unique_ptr<SubprocessEngine>> engine = SubprocessEngine::Start(FakeEngine(), 60);
  TAGFLOW_CHECK(engine.ok());
  return *std::move(engine);
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_TEST_CASES_H_
