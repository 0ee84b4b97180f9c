// Rows of lists and arrays that are in the memory of a GPU and of the host, by the fake of CUDA.
// Tests: array_kernels.cc

#include <gtest/gtest.h>

#include <string>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

// What is fetched as "out" of the nodes on a GPU, which are fed "x" and "shape".
//   on_host: a node that is not on the GPU
std::string GivenOf(const std::string& text, ExecutorChoice executor = ExecutorChoice::kAuto,
                    const std::string& on_host = "") {
  TestGraph graph("x = Placeholder() dtype=float\nshape = Placeholder() dtype=int32\n" + text,
                  OpRegistry::Standard());
  for (const NodeId id : graph.graph().NodeIds()) {
    Node& node = graph.mutable_graph().mutable_node(id);
    if (node.op != "Placeholder" && node.name != on_host) node.device = "/device:GPU:0";
  }
  SessionOptions options;
  options.devices = {"/device:CPU:0", "/device:GPU:0"};
  options.device_kinds = {GpuDevices()};
  options.spread.soft = true;  // constants are the host's
  options.executor = executor;
  const auto session = *Session::Create(graph.Take(), options);
  const auto values = session->Run(
      {{"x", Tensor::Vector<float>({1, 2})}, {"shape", Tensor::Vector<int32_t>({2})}}, {"out"});
  return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
}

TEST(GpuArrays, RowsOfBothMemoriesAndGapsAreJoined) {
  EXPECT_EQ(GivenOf(R"(
    two = Const() dtype=int32 value=2
    one = Const() dtype=int32 value=1
    there = Neg(x) T=float
    list = TensorListReserve(shape, two) element_dtype=float shape_type=int32
    first = TensorListPushBack(list, there) element_dtype=float
    second = TensorListSetItem(first, one, x) element_dtype=float
    out = TensorListStack(second, shape) element_dtype=float
  )"),
            "float[3,2] [[0, 0], [1, 2], [-1, -2]]");
}

TEST(GpuArrays, AGradientArrayAddsWhatIsInBothMemories) {
  EXPECT_EQ(GivenOf(R"(
    one = Const() dtype=int32 value=1
    zero = Const() dtype=int32 value=0
    there = Neg(x) T=float
    array = TensorArrayV3(one) dtype=float
    written = TensorArrayWriteV3(array, zero, there, array:1) T=float
    gradient = TensorArrayGradV3(array, written) source=s
    first = TensorArrayWriteV3(gradient, zero, x, gradient:1) T=float
    second = TensorArrayWriteV3(gradient, zero, there, first) T=float
    third = TensorArrayWriteV3(gradient, zero, x, second) T=float
    out = TensorArrayReadV3(gradient, zero, third) dtype=float
  )"),
            "float[2] [1, 2]");
}

TEST(GpuArrays, ScalarsOfAListStayScalarsOnTheHost) {
  constexpr char kGathered[] = R"(
    one = Const() dtype=int32 value=1
    axis = Const() dtype=int32 value=0
    none = Slice(shape, zeros, zeros) T=int32 Index=int32
    zeros = ExpandDims(axis, axis) T=int32 Tdim=int32
    there = Neg(x) T=float
    list = TensorListFromTensor(there, none) element_dtype=float shape_type=int32
    out = TensorListStack(list, none) element_dtype=float
  )";
  for (const ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTokens}) {
    EXPECT_EQ(GivenOf(kGathered, executor, "out"), "float[2] [-1, -2]");
  }
}

TEST(GpuArrays, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(GivenOf(R"(
    zero = Const() dtype=int32 value=0
    list = TensorListReserve(shape, zero) element_dtype=float shape_type=int32
    there = Neg(x) T=float
    longer = Concat(zero, there, there) T=float N=2
    first = TensorListPushBack(list, longer) element_dtype=float
    out = TensorListStack(first, shape) element_dtype=float
  )"),
            "INVALID_ARGUMENT: a list of elements of shape [2] cannot hold one of shape [4] [node "
            "first]");
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
