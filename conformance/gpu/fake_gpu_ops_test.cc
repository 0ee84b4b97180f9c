// The op scripts that are named on the command line, over the fake of CUDA: shapes, values and
// errors of the GPU's kernels, as of any engine's.
// Tests: ops_on_gpu.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "conformance/gpu/ops_on_gpu.h"
#include "conformance/ops/op_script.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

class OpScriptTest : public testing::Test {
 public:
  OpScriptTest(std::string file, OpScript script)
      : file_(std::move(file)), script_(std::move(script)) {}

  void TestBody() override {
    for (const OpScriptFailure& failure : RunOpScript(script_, OpsOnGpu())) {
      ADD_FAILURE_AT(file_.c_str(), failure.line) << failure.message;
    }
  }

 private:
  const std::string file_;
  const OpScript script_;
};

void Register(const std::string& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Result<std::vector<OpScript>> scripts = ReadOpScripts(text);
  TAGFLOW_CHECK(scripts.ok() && !scripts->empty());
  for (const OpScript& script : *scripts) {
    if (std::ranges::none_of(CalledOps(script), IsOpOfGpu)) continue;
    testing::RegisterTest(file.c_str(), script.name.c_str(), nullptr, nullptr, file.c_str(), 1,
                          [=] { return new OpScriptTest(file, script); });
  }
}

}  // namespace
}  // namespace tagflow::conformance

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  TAGFLOW_CHECK(argc > 1);
  for (int i = 1; i < argc; ++i) tagflow::conformance::Register(argv[i]);
  return RUN_ALL_TESTS();
}
