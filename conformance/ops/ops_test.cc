// Tests: optimized_ops.cc, reference_ops.cc
//
// Every op script (op_script.h) that is named on the command line, on every engine; and that the
// scripts call every op that an engine has a kernel of.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/ops/op_script.h"
#include "graph/names_functions.h"

namespace tagflow::conformance {
namespace {

class OpScriptTest : public testing::Test {
 public:
  OpScriptTest(std::string file, OpScript script, OpEngine engine)
      : file_(std::move(file)), script_(std::move(script)), engine_(std::move(engine)) {}

  void TestBody() override {
    for (const OpScriptFailure& failure : RunOpScript(script_, engine_)) {
      ADD_FAILURE_AT(file_.c_str(), failure.line) << failure.message;
    }
  }

 private:
  const std::string file_;
  const OpScript script_;
  const OpEngine engine_;
};

// Whether every op that an engine has a kernel of is called by some script.
class CoverageTest : public testing::Test {
 public:
  CoverageTest(const std::set<std::string>& called, OpEngine engine)
      : called_(called), engine_(std::move(engine)) {}

  void TestBody() override {
    for (const std::string& op : engine_.ops) {
      // A script has no functions: conformance/cases/functional calls ops that name some.
      const bool is_for_cases = NamesFunctions(*OpRegistry::Standard().Find(op));
      EXPECT_TRUE(called_.contains(op) || is_for_cases) << "no script calls " << op;
    }
  }

 private:
  const std::set<std::string> called_;
  const OpEngine engine_;
};

std::vector<OpEngine> Engines() {
  return {ReferenceOps(), OptimizedOpsInPlace(), OptimizedOpsShared()};
}

// The ops that the file calls.
std::set<std::string> Register(const std::string& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const size_t begin = file.rfind('/') + 1;
  const std::string suite = file.substr(begin, file.rfind('.') - begin);
  const Result<std::vector<OpScript>> scripts = ReadOpScripts(text);
  if (!scripts.ok()) CheckFailed(file.c_str(), 1, scripts.status().message().c_str());
  TAGFLOW_CHECK(!scripts->empty());
  std::set<std::string> called;
  for (const OpScript& script : *scripts) {
    called.merge(CalledOps(script));
    for (const OpEngine& engine : Engines()) {
      testing::RegisterTest(suite.c_str(), (script.name + "/" + engine.name).c_str(), nullptr,
                            nullptr, file.c_str(), 1,
                            [=] { return new OpScriptTest(file, script, engine); });
    }
  }
  return called;
}

void RegisterAll(const std::vector<std::string>& files) {
  std::set<std::string> called;
  for (const std::string& file : files) called.merge(Register(file));
  for (const OpEngine& engine : Engines()) {
    testing::RegisterTest("kernels", ("AreCalled/" + engine.name).c_str(), nullptr, nullptr,
                          __FILE__, __LINE__, [=] { return new CoverageTest(called, engine); });
  }
}

}  // namespace
}  // namespace tagflow::conformance

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  TAGFLOW_CHECK(argc > 1);
  tagflow::conformance::RegisterAll({argv + 1, argv + argc});
  return RUN_ALL_TESTS();
}
