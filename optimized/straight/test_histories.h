#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_TEST_HISTORIES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_TEST_HISTORIES_H_

// For tests of loops that a GPU runs by itself while the host counts and keeps lists, by a fake of
// CUDA.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"

namespace tagflow::optimized {

inline constexpr char kGpu[] = "/device:GPU:0";
inline constexpr char kWithout[] = "without the host";

inline Tensor Floats(const std::vector<float>& values) { return Tensor::Vector(values); }

// A loop on the GPU, whose counter and lists are the host's.
class DeviceHistories : public testing::Test {
 protected:
  DeviceHistories() { SetCuda(fake_cuda::Api()); }

  // Runs it several times on the host and on a GPU: the same, whatever it is.
  //   returns: what the GPU's callable notes
  std::vector<std::string> Compare(const Graph& graph, const NamedTensors& feeds,
                                   const std::vector<std::string>& fetches,
                                   const GpuOptions& gpu = {}) {
    return CompareInTurn(graph, {feeds, feeds, feeds, feeds}, fetches, gpu);
  }
  // So with these feeds, one after the other, all of the same names.
  std::vector<std::string> CompareInTurn(const Graph& graph, const std::vector<NamedTensors>& feeds,
                                         const std::vector<std::string>& fetches,
                                         const GpuOptions& gpu = {}) {
    SessionOptions options;
    options.devices = {"/device:CPU:0", kGpu};
    options.device_kinds = {GpuDevices(gpu)};
    options.native = {.choice = NativeChoice::kAlways, .after = 20};  // loops of few kernels, too
    const auto on_host = Open(graph, {}), on_gpu = Open(graph, options);
    for (size_t i = 0; i < feeds.size(); ++i) {
      wanted_ = Run(*on_host, feeds[i], fetches);
      EXPECT_EQ(Run(*on_gpu, feeds[i], fetches), wanted_) << i;
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : feeds[0]) names.push_back(name);
    return (*on_gpu->MakeCallable(names, fetches))->Notes();
  }
  static std::unique_ptr<Session> Open(const Graph& graph, SessionOptions options) {
    options.spread.soft = true;
    return *Session::Create(graph.Clone(), options);
  }
  // All elements as text, or the error.
  static std::string Run(Session& session, const NamedTensors& feeds,
                         const std::vector<std::string>& fetches) {
    const auto values = session.Run(feeds, fetches);
    if (!values.ok()) return values.status().ToString();
    std::string text;
    for (const Tensor& value : *values) text += value.DebugString(1 << 20) + "\n";
    return text;
  }

  std::string wanted_;  // what the host gave at last
};

// A placeholder of the host's, by name.
inline Output Fed(const Scope& s, const std::string& name, DType dtype) {
  return Placeholder(s.WithDevice("").WithOpName(name), dtype, PartialShape());
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_TEST_HISTORIES_H_
