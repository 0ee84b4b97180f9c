// Properties of programs hold for the engine over a GPU and the host, and over two GPUs and the
// host, by a fake of CUDA; the bundle (//tools:gpu_bundle) asks the same of a GPU: tagflow fuzz
// --engine optimized-gpu.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/scatter.h"
#include "fuzz/engines/optimized_engine.h"
#include "fuzz/generate/generate.h"
#include "fuzz/gradient/graph_gradients.h"
#include "fuzz/program/text.h"
#include "fuzz/properties/properties.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kPrograms = 150;

using optimized::ExecutorChoice;
using optimized::NativeChoice;
using Names = std::vector<std::string>;

optimized::SessionOptions On(const Names& devices, ExecutorChoice executor, NativeChoice native) {
  optimized::SessionOptions options;
  options.devices = devices;
  options.device_kinds = {optimized::GpuDevices()};
  options.executor = executor;
  options.native.choice = native;
  options.threads = 1;
  return options;
}

void ExpectHolds(const char* name, const std::function<std::unique_ptr<Engine>(uint64_t)>& engine,
                 uint64_t programs) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const auto& all = ProgramProperties();
  const auto property = std::ranges::find(all, std::string_view(name), &ProgramProperty::name);
  ASSERT_NE(property, all.end());
  const Result<Profile> profile = ProfileOf(property->profile);
  ASSERT_TRUE(profile.ok());
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, *profile);
    const Violation violation = property->check(program, choices, *engine(seed));
    ASSERT_FALSE(violation) << "seed " << seed << ": " << *violation << "\n" << ToText(program);
  }
}

class GpuPropertiesTest : public testing::TestWithParam<const char*> {};

TEST_P(GpuPropertiesTest, Holds) {
  constexpr std::pair<ExecutorChoice, NativeChoice> kWays[] = {
      {ExecutorChoice::kAuto, NativeChoice::kOff},
      {ExecutorChoice::kAuto, NativeChoice::kAlways},
      {ExecutorChoice::kTokens, NativeChoice::kOff}};
  for (const auto& [executor, native] : kWays) {
    const auto options = On({"/device:GPU:0", "/device:CPU:0"}, executor, native);
    ExpectHolds(
        GetParam(), [&](uint64_t) { return OptimizedEngine(options); }, kPrograms);
  }
}

// The GPU runs programs with their gradients, whose loops keep histories in branches, too.
TEST(GpuGradientsTest, AreWhatTheTapeAndDualsSay) {
  constexpr uint64_t kGradients = 25;
  optimized::SetCuda(optimized::fake_cuda::Api());
  const auto engine = OptimizedEngine(
      On({"/device:GPU:0", "/device:CPU:0"}, ExecutorChoice::kAuto, NativeChoice::kAlways));
  const Result<Profile> profile = ProfileOf("smooth");
  ASSERT_TRUE(profile.ok());
  GraphGradientCheck check;
  check.engine = engine.get();
  for (uint64_t seed = 1; seed <= kGradients; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, *profile);
    for (const auto claim : {GraphGradientsEqualTape, SecondOrder}) {
      const auto violation = claim(program, choices, check);
      ASSERT_FALSE(violation) << "seed " << seed << ": " << *violation << "\n" << ToText(program);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Some, GpuPropertiesTest, testing::Values("direct", "runs", "fetches"));

// ---- Two GPUs ----

// Nodes are on either and on the host, by chance. What the property places is on either alone, as
// far as there are kernels, so that it has the bits that one GPU gives.
class TwoGpus : public Engine {
 public:
  TwoGpus(optimized::SessionOptions options, uint64_t seed, bool scatters)
      : options_(std::move(options)), seed_(seed), scatters_(scatters) {}

  Capabilities capabilities() const override { return OptimizedEngine(options_)->capabilities(); }
  Result<std::unique_ptr<EngineSession>> Open(Graph graph, const Names& devices) const override {
    if (scatters_ && devices.empty()) {
      TAGFLOW_RETURN_IF_ERROR(conformance::Scatter(graph, options_, seed_));
    }
    return OptimizedEngine(options_)->Open(std::move(graph), devices);
  }
  Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement&,
                                                    uint64_t seed) const override {
    optimized::SessionOptions gpus = options_;
    gpus.devices.pop_back();
    TAGFLOW_RETURN_IF_ERROR(conformance::Scatter(graph, gpus, seed));
    return OptimizedEngine(options_)->Open(std::move(graph), {});
  }

 private:
  const optimized::SessionOptions options_;
  const uint64_t seed_;
  const bool scatters_;
};

class TwoGpusTest : public testing::TestWithParam<const char*> {};

// They do not reach each other's memory, so that a kernel that is given another's is seen.
TEST_P(TwoGpusTest, Holds) {
  using namespace optimized::fake_cuda;
  const std::string property = GetParam();
  LetGpusReach(0, 1, false);
  const int before = CountPeerCopies().staged;
  for (const ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTokens}) {
    const auto options =
        On({"/device:GPU:0", "/device:GPU:1", "/device:CPU:0"}, executor, NativeChoice::kAuto);
    ExpectHolds(
        GetParam(),
        [&](uint64_t seed) {
          return std::make_unique<TwoGpus>(options, seed, property != "placement");
        },
        kPrograms);
  }
  EXPECT_GT(CountPeerCopies().staged, before);
  LetGpusReach(0, 1, true);
}

INSTANTIATE_TEST_SUITE_P(Some, TwoGpusTest, testing::Values("direct", "runs", "placement"));

}  // namespace
}  // namespace tagflow::fuzz
