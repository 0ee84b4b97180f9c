#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_TEST_PROGRAMS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_TEST_PROGRAMS_H_

// For tests of what GPUs run by themselves: a call over two of them, by a fake of CUDA.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"

namespace tagflow::optimized {

class DevicePrograms : public testing::Test {
 protected:
  DevicePrograms() { SetCuda(fake_cuda::Api()); }

  // there: nodes and devices that they ask for
  const Callable* Make(const std::string& text, const std::vector<std::string>& feeds,
                       const std::vector<std::string>& fetches,
                       const std::vector<std::pair<std::string, std::string>>& there = {}) {
    TestGraph graph(text, OpRegistry::Standard());
    for (const auto& [node, device] : there) {
      graph.mutable_graph().mutable_node(graph.id(node)).device = device;
    }
    SessionOptions options;
    options.devices = {"/device:GPU:0", "/device:CPU:0", "/device:GPU:1"};
    options.device_kinds = {GpuDevices()};
    session_ = *Session::Create(graph.Take(), options);
    const auto callable = session_->MakeCallable(feeds, fetches);
    EXPECT_TRUE(callable.ok()) << callable.status().ToString();
    return *callable;
  }
  static std::string Run(const Callable& callable, std::vector<Tensor> feeds) {
    const auto values = callable.Run(std::move(feeds));
    return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
  }
  static Tensor Vector(const std::vector<float>& values) { return Tensor::Vector(values); }
  static Tensor Int(int32_t value) { return Tensor::Scalar(value); }

  std::unique_ptr<Session> session_;
};

// x doubles while its sum is below the limit; `next` is what x becomes.
inline std::string WhileSumIsBelow(const std::string& next) {
  return R"(
    x = Placeholder() dtype=float
    limit = Placeholder() dtype=float
    axes = Placeholder() dtype=int32
    x_in = Enter(x) T=float frame_name=f
    limit_in = Enter(limit) T=float frame_name=f is_constant=true
    axes_in = Enter(axes) T=int32 frame_name=f is_constant=true
    y = Merge(x_in, y_next) T=float
    sum = Sum(y, axes_in) T=float Tidx=int32
    below = Less(sum, limit_in) T=float
    again = LoopCond(below)
    way = Switch(y, again) T=float
    y_next = NextIteration(next) T=float
    out = Exit(way:0) T=float
)" + next;
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_TEST_PROGRAMS_H_
