// Loops that a GPU runs by itself while the host counts and keeps lists, over a fake of CUDA.
// Tests: host_part.cc, loop_split.cc, recorded_calls.cc, device_loops.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/straight/test_histories.h"
#include "transform/gradients/gradients.h"

namespace tagflow::optimized {
namespace {

using testing::Contains;
using testing::HasSubstr;

Output Listed(const Scope& s, const char* op, const std::vector<Input>& inputs, int output = 0) {
  const bool has_dtype = std::string(op) != "TensorListPushBack";
  const bool knows = std::string(op) != "TensorListSetItem" && has_dtype;
  return Op(s, op, inputs, knows ? AttrMap{{"element_dtype", DType::kFloat}} : AttrMap())
      .output(output);
}

// y grows until its sum is the limit, and keeps for its gradient what it was.
Graph GrowsToLimit() {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output x = Fed(root, "x", DType::kFloat);
  const Output limit = Fed(root, "limit", DType::kFloat);
  const Output w = Fed(root, "w", DType::kFloat);
  const OutputList last = WhileLoop(
      s, {x},
      [&](const Scope& b, const OutputList& v) {
        return Less(b, Sum(b, v[0], Tensor::Vector<int32_t>({0})), limit);
      },
      [&](const Scope& b, const OutputList& v) {
        return OutputList{Add(b, v[0], Mul(b, Tanh(b, v[0]), w))};
      });
  Identity(root.WithOpName("y"), last[0]);
  const OutputList gradients = *Gradients(s, {last[0]}, {x, w});
  Identity(root.WithOpName("dx"), gradients[0]);
  Identity(root.WithOpName("dw"), gradients[1]);
  return *root.Finish();
}

TEST_F(DeviceHistories, OneOfUnknownLengthGrows) {
  const Graph graph = GrowsToLimit();
  // 0, about 20, 300, and 2,000 iterations.
  for (const float limit : {0.0F, 2.0F, 15.0F, 100.0F}) {
    const NamedTensors feeds = {{"x", Floats({0.1F, 0.2F, 0.3F})},
                                {"limit", Tensor::Scalar(limit)},
                                {"w", Floats({0.011F, 0.013F, 0.017F})}};
    const auto notes = Compare(graph, feeds, {"y", "dx", "dw"});
    if (limit < 1) continue;
    EXPECT_THAT(notes, Contains(HasSubstr("without the host, which does its")));
  }
}

TEST_F(DeviceHistories, WithoutMemoryForItTheHostGoesOn) {
  std::vector<float> x(1000, 0.01F), w(1000, 0.02F);
  const NamedTensors feeds = {
      {"x", Floats(x)}, {"limit", Tensor::Scalar<float>(1000)}, {"w", Floats(w)}};
  for (const int64_t bytes : {400'000, 1'000'000, 4'000'000}) {
    const auto notes = Compare(GrowsToLimit(), feeds, {"y", "dx", "dw"},
                               {.memory_bytes = bytes, .swap_above = 0.5});
    EXPECT_THAT(notes, Contains(HasSubstr("without the host, which does its"))) << bytes;
  }
}

// h becomes tanh(h + xs[i]); all h are listed. What `body` gives goes onto the list.
struct Scan {
  Graph Make(int64_t max_elements = -1) const {
    const Scope root = Scope::Root();
    const Scope s = root.WithDevice(kGpu);
    const Output n = Fed(root, "n", DType::kInt32);
    const Output xs = Fed(root, "xs", DType::kFloat);
    const Output h = Fed(root, "h", DType::kFloat);
    const Output empty = Listed(s, "EmptyTensorList", {-1, static_cast<int32_t>(max_elements)});
    const OutputList last = WhileLoop(
        s, {Const(root, 0), h, empty},
        [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
        [&](const Scope& b, const OutputList& v) {
          const Output next = Tanh(b, Add(b, v[1], ElementAt(b, xs, v[0])));
          return OutputList{Add(b.WithDevice(""), v[0], 1), next,
                            Listed(b, "TensorListPushBack", {v[2], pushed(b, next, v[0])})};
        });
    Identity(root.WithOpName("last"), last[1]);
    Identity(root.WithOpName("count"), last[0]);
    Op(root.WithOpName("all"), "TensorListStack", {last[2], -1},
       {{"element_dtype", DType::kFloat}});
    return *root.Finish();
  }
  std::function<Output(const Scope& s, const Output& h, const Output& i)> pushed =
      [](const Scope&, const Output& h, const Output&) { return h; };
};

NamedTensors ScanFeeds(int32_t n, int64_t rows = 1000) {
  Tensor xs = *Tensor::Allocate(DType::kFloat, Dims{rows, 3});
  for (int64_t i = 0; i < xs.num_elements(); ++i) {
    xs.mutable_data<float>()[i] = static_cast<float>(i % 17) / 10 - 0.8F;
  }
  return {{"n", Tensor::Scalar(n)}, {"xs", xs}, {"h", Floats({0, 0.5F, 1})}};
}

TEST_F(DeviceHistories, ALongLoopThatTheHostCountsRunsWithoutIt) {
  const Graph graph = Scan().Make();
  const std::vector<std::string> fetches = {"last", "count", "all"};
  for (const int32_t n : {1000, 700, 70, 10}) {
    const auto notes = Compare(graph, ScanFeeds(n), fetches);
    if (n < 700) continue;
    EXPECT_THAT(notes, Contains(HasSubstr("without the host, which does its")));
  }
}

TEST_F(DeviceHistories, AnErrorOfTheHostsPartIsNamedWithItsIteration) {
  const auto notes = Compare(Scan().Make(/*max_elements=*/300), ScanFeeds(1000), {"last", "all"});
  EXPECT_THAT(wanted_, HasSubstr("[300]"));
  EXPECT_THAT(notes, Contains(HasSubstr(kWithout)));
}

TEST_F(DeviceHistories, AnErrorOfTheDevicesPartIsNamedWithItsIteration) {
  // xs has fewer rows than there are iterations.
  const auto notes = Compare(Scan().Make(), ScanFeeds(1000, /*rows=*/333), {"last", "all"});
  EXPECT_THAT(wanted_, HasSubstr("[333]"));
  EXPECT_THAT(notes, Contains(HasSubstr(kWithout)));
}

TEST_F(DeviceHistories, ScalarsAndNothingAreKept) {
  Scan scan;
  scan.pushed = [](const Scope& s, const Output& h, const Output&) {
    return Sum(s, h, Tensor::Vector<int32_t>({0}));
  };
  Compare(scan.Make(), ScanFeeds(600), {"last", "all"});
  scan.pushed = [](const Scope& s, const Output& h, const Output&) {
    return Slice(s, h, Tensor::Vector<int32_t>({1}), Tensor::Vector<int32_t>({0}));
  };
  Compare(scan.Make(), ScanFeeds(600), {"last", "all"});
  // Made of the counter: the device takes it for each iteration.
  scan.pushed = [](const Scope& s, const Output& h, const Output& i) {
    return Mul(s, h, Cast(s, i, DType::kFloat));
  };
  Compare(scan.Make(), ScanFeeds(600), {"last", "all"});
}

TEST_F(DeviceHistories, WhatAKernelReadsOnTheHostLeavesTheLoopToTheHost) {
  Scan scan;
  scan.pushed = [](const Scope& s, const Output& h, const Output& i) {
    const Output one = Const(s.WithDevice(""), Tensor::Vector<int32_t>({1}));
    const Output begin = FloorMod(s.WithDevice(""), i, 3);
    return Slice(s, h, Reshape(s.WithDevice(""), begin, one), one);
  };
  const auto notes = Compare(scan.Make(), ScanFeeds(600), {"last", "all"});
  EXPECT_THAT(notes, Contains(HasSubstr("reads on the host what each iteration changes")));
}

// A list of three that goes round: h goes where the oldest was, which is added to it.
Graph GoesRound() {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output n = Fed(root, "n", DType::kInt32);
  const Output h = Fed(root, "h", DType::kFloat);
  const Output shape = Const(root, Tensor::Vector<int32_t>({3}));
  Output list = Listed(s, "TensorListReserve", {shape, 3});
  const OutputList last = WhileLoop(
      s, {Const(root, 0), h, list},
      [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Scope on_host = b.WithDevice("");
        const Output at = FloorMod(on_host, v[0], 3);
        const Output oldest = Listed(b, "TensorListGetItem", {v[2], at, shape});
        const Output next = Sin(b, Add(b, v[1], Add(b, oldest, Const(b, 0.25F))));
        const Output put = Listed(b, "TensorListSetItem", {v[2], at, next});
        // Read again in the same iteration.
        const Output again = Listed(b, "TensorListGetItem", {put, at, shape});
        return OutputList{Add(on_host, v[0], 1), Mul(b, again, next), put};
      });
  Identity(root.WithOpName("last"), last[1]);
  Op(root.WithOpName("all"), "TensorListStack", {last[2], shape},
     {{"element_dtype", DType::kFloat}});
  return *root.Finish();
}

TEST_F(DeviceHistories, WhatIsPutIsTakenInTheSameIterationAndInLaterOnes) {
  for (const int32_t n : {2, 800}) {
    const auto notes =
        Compare(GoesRound(), {{"n", Tensor::Scalar(n)}, {"h", Floats({0.1F, 0.2F, 0.3F})}},
                {"last", "all"});
    if (n < 100) continue;
    EXPECT_THAT(notes, Contains(HasSubstr("without the host, which does its")));
  }
}

// ---- Arrays, stacks, and the rows of lists ----

// As recurrent nets read their input and keep their output: by arrays, with gradients.
Graph ScanOfArrays(bool with_gradient) {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output n = Fed(root, "n", DType::kInt32);
  const Output xs = Fed(root, "xs", DType::kFloat);
  const Output h = Fed(root, "h", DType::kFloat);
  const Output all_rows = Fed(root, "all_rows", DType::kInt32);
  const TensorArray in = TensorArray(s, n, DType::kFloat, {.element_shape = PartialShape({3})})
                             .Scatter(s, all_rows, xs);
  const TensorArray out(s, n, DType::kFloat, {.element_shape = PartialShape({3})});
  const OutputList last = WhileLoop(
      s, {Const(root, 0), h, out.flow()},
      [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Output next = Tanh(b, Add(b, v[1], in.Read(b, v[0])));
        return OutputList{Add(b.WithDevice(""), v[0], 1), next,
                          out.WithFlow(v[2]).Write(b, v[0], next).flow()};
      });
  const Output all = out.WithFlow(last[2]).Gather(s, all_rows);
  Identity(root.WithOpName("last"), last[1]);
  Identity(root.WithOpName("all"), Mul(s, all, all));
  if (!with_gradient) return *root.Finish();
  const OutputList gradients = *Gradients(s, {Mul(s, all, all), last[1]}, {xs, h});
  Identity(root.WithOpName("dxs"), gradients[0]);
  Identity(root.WithOpName("dh"), gradients[1]);
  return *root.Finish();
}

TEST_F(DeviceHistories, ArraysStayOnTheDevice) {
  for (const int32_t n : {1, 5, 100}) {
    NamedTensors feeds = ScanFeeds(n, n);
    std::vector<int32_t> all_rows;
    for (int32_t i = 0; i < n; ++i) all_rows.push_back(i);
    feeds.emplace_back("all_rows", Tensor::Vector(all_rows));
    EXPECT_THAT(Compare(ScanOfArrays(false), feeds, {"last", "all"}),
                Contains(HasSubstr("steps run at once")));
    EXPECT_THAT(Compare(ScanOfArrays(true), feeds, {"all", "dxs", "dh"}),
                Contains(HasSubstr("steps run at once")));
  }
}

// Two reads of an element, whose gradients its gradient array adds up.
TEST_F(DeviceHistories, AGradientArrayAddsUp) {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output xs = Fed(root, "xs", DType::kFloat);
  const TensorArray array =
      TensorArray(s, 3, DType::kFloat,
                  {.element_shape = PartialShape({3}), .clear_after_read = false})
          .Unstack(s, xs);
  const Output once = array.Read(s, 0), again = array.Read(s, 0), other = array.Read(s, 2);
  const Output y = Mul(s, Mul(s, Sin(s, once), again), other);
  Identity(root.WithOpName("y"), y);
  const OutputList gradients = *Gradients(s, {y}, {xs});
  Identity(root.WithOpName("dxs"), gradients[0]);
  const NamedTensors feeds = {ScanFeeds(1, 3)[1]};
  const auto notes = Compare(*root.Finish(), feeds, {"y", "dxs"});
  EXPECT_THAT(notes, Contains(HasSubstr("steps run")));
}

TEST_F(DeviceHistories, StacksStayOnTheDevice) {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output n = Fed(root, "n", DType::kInt32);
  const Output h = Fed(root, "h", DType::kFloat);
  const Stack stack(s, -1, DType::kFloat);
  const OutputList up = WhileLoop(
      s, {Const(root, 0), h},
      [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Output kept = stack.Push(b, v[1]);
        return OutputList{Add(b.WithDevice(""), v[0], 1), Sin(b, Add(b, kept, v[1]))};
      });
  const OutputList down = WhileLoop(
      s, {up[0], up[1]},
      [&](const Scope& b, const OutputList& v) { return Greater(b.WithDevice(""), v[0], 0); },
      [&](const Scope& b, const OutputList& v) {
        const Output kept = stack.Pop(b.WithControlDependencies({v[1]}));
        return OutputList{Sub(b.WithDevice(""), v[0], 1), Sub(b, v[1], kept)};
      });
  Identity(root.WithOpName("y"), down[1]);
  const Graph graph = *root.Finish();
  for (const int32_t trips : {0, 4, 200}) {
    Compare(graph, {{"n", Tensor::Scalar(trips)}, {"h", Floats({0.1F, 0.2F, 0.3F})}}, {"y"});
  }
}

// xs as a list of its rows, as Keras reads them; its elements stacked, gathered and concatenated.
Graph RowsOfLists() {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output xs = Fed(root, "xs", DType::kFloat);
  const AttrMap dtype = {{"element_dtype", DType::kFloat}};
  const Output shape = Const(root, Tensor::Vector<int32_t>({3}));
  const Output rows = Listed(s, "TensorListFromTensor", {Mul(s, xs, xs), shape});
  const Output index = Const(root, Tensor::Vector<int32_t>({5, 0, 5}));
  Output longer = Op(s, "TensorListResize", {rows, 40}).output(0);
  // An element of the host's, and some without a value.
  longer = Op(s, "TensorListSetItem", {longer, 35, Const(root, Floats({7, 8, 9}))}).output(0);
  Op(root.WithDevice(kGpu).WithOpName("stacked"), "TensorListStack", {longer, shape}, dtype);
  Op(root.WithDevice(kGpu).WithOpName("gathered"), "TensorListGather", {rows, index, shape}, dtype);
  const Output lengths = Const(root, Tensor::Vector<int64_t>({3, 0, 7}));
  const Output pieces =
      Op(s, "TensorListSplit", {xs, Const(root, Tensor::Vector<int32_t>({-1, 3})), lengths}, dtype)
          .output(0);
  Op(root.WithDevice(kGpu).WithOpName("joined"), "TensorListConcatV2",
     {pieces, Const(root, Tensor::Vector<int32_t>({-1, 3})),
      Const(root, Tensor::Vector<int64_t>({}))},
     dtype);
  Op(root.WithDevice(kGpu).WithOpName("scattered"), "TensorListStack",
     {Listed(s, "TensorListScatterV2",
             {Slice(s, xs, Tensor::Vector<int32_t>({0, 0}), Tensor::Vector<int32_t>({3, 3})),
              Const(root, Tensor::Vector<int32_t>({4, 1, 2})), shape, 6}),
      shape},
     dtype);
  return *root.Finish();
}

TEST_F(DeviceHistories, ListsAreOfRowsOfTheDevice) {
  const std::vector<std::string> fetches = {"stacked", "gathered", "joined", "joined:1",
                                            "scattered"};
  const NamedTensors feeds = {ScanFeeds(1, 10)[1]};
  Compare(RowsOfLists(), feeds, fetches);
  EXPECT_THAT(Compare(RowsOfLists(), feeds, {"gathered", "joined", "scattered"}),
              Contains(HasSubstr("steps run at once")));
}

}  // namespace
}  // namespace tagflow::optimized
