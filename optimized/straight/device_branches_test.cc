// Branches in loops that a GPU runs by itself, where they push onto lists of the host's and take
// from there, or where the host has the predicate, over a fake of CUDA. Tests: host_part.cc,
// loop_split.cc, recorder.cc

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
using testing::Not;

using DeviceBranches = DeviceHistories;

Output SumOf(const Scope& s, const Output& h) { return Sum(s, h, Tensor::Vector<int32_t>({0})); }

// h becomes what `step` makes of it and of the iteration, n times, which the host counts; with the
// gradients of the last by the first and by w.
struct Loop {
  using Step =
      std::function<Output(const Scope& s, const Output& h, const Output& i, const Output& w)>;
  Graph Make(const Step& step) const {
    const Scope root = Scope::Root();
    const Scope s = root.WithDevice(kGpu);
    const Output n = Fed(root, "n", DType::kInt32);
    const Output h = Fed(root, "h", DType::kFloat);
    const Output w = Fed(root, "w", DType::kFloat);
    const OutputList last = WhileLoop(
        s, {Const(root, 0), h},
        [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
        [&](const Scope& b, const OutputList& v) {
          return OutputList{Add(b.WithDevice(""), v[0], 1), step(b, v[1], v[0], w)};
        });
    Identity(root.WithOpName("last"), last[1]);
    const OutputList gradients = *Gradients(s, {last[1]}, {h, w});
    Identity(root.WithOpName("dh"), gradients[0]);
    Identity(root.WithOpName("dw"), gradients[1]);
    return *root.Finish();
  }
};

NamedTensors Feeds(int32_t n, float w = 0.9F) {
  return {{"n", Tensor::Scalar(n)}, {"h", Floats({0.1F, 0.2F, 0.3F})}, {"w", Tensor::Scalar(w)}};
}

const std::vector<std::string> kFetches = {"last", "dh", "dw"};

// Both loops are the device's, each with a part of the host's.
void ExpectBothWithoutTheHost(const std::vector<std::string>& notes) {
  int without = 0;
  for (const std::string& note : notes) {
    without += note.find("without the host, which does its") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(without, 2) << testing::PrintToString(notes);
}

// Where its sum is above 1.5, h shrinks.
Output UpAndDown(const Scope& b, const Output& h, const Output&, const Output& w) {
  return Cond(
      b, Greater(b, SumOf(b, h), Const(b, 1.5F)),
      [&](const Scope& t) { return OutputList{Mul(t, Mul(t, h, Sin(t, h)), w)}; },
      [&](const Scope& f) { return OutputList{Add(f, h, Const(f, 0.3F))}; })[0];
}

TEST_F(DeviceBranches, ABranchOfTheDevicesPushesAndPops) {
  const Graph graph = Loop().Make(UpAndDown);
  for (const int32_t n : {0, 30, 200, 900}) {
    const auto notes = Compare(graph, Feeds(n), kFetches);
    if (n >= 200) ExpectBothWithoutTheHost(notes);
  }
}

TEST_F(DeviceBranches, OneInABranchDoes) {
  const Graph graph =
      Loop().Make([](const Scope& b, const Output& h, const Output&, const Output& w) {
        return Cond(
            b, Greater(b, SumOf(b, h), Const(b, 1.5F)),
            [&](const Scope& t) {
              return Cond(
                  t, Less(t, SumOf(t, Sin(t, h)), Const(t, 1.6F)),
                  [&](const Scope& u) { return OutputList{Mul(u, Mul(u, h, Sin(u, h)), w)}; },
                  [&](const Scope& u) { return OutputList{Tanh(u, Mul(u, h, h))}; });
            },
            [&](const Scope& f) { return OutputList{Add(f, h, Mul(f, Sin(f, h), w))}; })[0];
      });
  ExpectBothWithoutTheHost(Compare(graph, Feeds(300), kFetches));
}

TEST_F(DeviceBranches, OneOfManyDoes) {
  const Graph graph =
      Loop().Make([](const Scope& b, const Output& h, const Output&, const Output& w) {
        const Output way = Cast(b, Mul(b, SumOf(b, h), Const(b, 2.0F)), DType::kInt32);
        return SwitchCase(b, way,
                          {[&](const Scope& t) { return OutputList{Add(t, h, Exp(t, h))}; },
                           [&](const Scope& t) { return OutputList{Add(t, Mul(t, h, h), w)}; },
                           [&](const Scope& t) { return OutputList{Tanh(t, Mul(t, h, w))}; },
                           [&](const Scope& t) { return OutputList{Mul(t, Sin(t, h), w)}; }})[0];
      });
  ExpectBothWithoutTheHost(Compare(graph, Feeds(300), kFetches));
}

TEST_F(DeviceBranches, TheHostDecidesSome) {
  const Graph graph =
      Loop().Make([](const Scope& b, const Output& h, const Output& i, const Output& w) {
        const Scope on_host = b.WithDevice("");
        return Cond(
            b, Equal(on_host, FloorMod(on_host, i, 3), 1),
            [&](const Scope& t) { return OutputList{Mul(t, Mul(t, h, Sin(t, h)), w)}; },
            [&](const Scope& f) { return OutputList{UpAndDown(f, h, i, w)}; })[0];
      });
  ExpectBothWithoutTheHost(Compare(graph, Feeds(300), kFetches));
}

TEST_F(DeviceBranches, ACounterIsReadInOne) {
  const Graph graph =
      Loop().Make([](const Scope& b, const Output& h, const Output& i, const Output& w) {
        return Cond(
            b, Greater(b, SumOf(b, h), Const(b, 1.5F)),
            [&](const Scope& t) { return OutputList{Mul(t, Sin(t, h), w)}; },
            [&](const Scope& f) {
              return OutputList{Add(f, h, Div(f, Cast(f, i, DType::kFloat), Const(f, 1000.0F)))};
            })[0];
      });
  ExpectBothWithoutTheHost(Compare(graph, Feeds(300), kFetches));
}

// The list that the rare way pops from is empty when the loop is recorded.
TEST_F(DeviceBranches, AWayThatWasNeverTakenIsRecordedWhenItIs) {
  const Graph graph =
      Loop().Make([](const Scope& b, const Output& h, const Output&, const Output& w) {
        return Cond(
            b, Greater(b, SumOf(b, h), Const(b, 2.5F)),
            [&](const Scope& t) { return OutputList{Mul(t, Mul(t, h, Sin(t, h)), w)}; },
            [&](const Scope& f) {
              return OutputList{Add(f, h, Mul(f, Sin(f, h), Const(f, 0.01F)))};
            })[0];
      });
  const NamedTensors rare = Feeds(1000), never = Feeds(100);
  ExpectBothWithoutTheHost(CompareInTurn(graph, {never, never, rare, never, rare, rare}, kFetches));
}

// A list that a branch of the device's pushes onto, of which the device wants the last element.
TEST_F(DeviceBranches, WhatTheHostLearnsTooLateLeavesTheLoopToIt) {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output n = Fed(root, "n", DType::kInt32);
  const Output h = Fed(root, "h", DType::kFloat);
  const Output shape = Const(root, Tensor::Vector<int32_t>({3}));
  const AttrMap dtype = {{"element_dtype", DType::kFloat}};
  const Output empty = Op(s, "EmptyTensorList", {shape, -1}, dtype).output(0);
  const Output one = Op(s, "TensorListPushBack", {empty, h}).output(0);
  const OutputList last = WhileLoop(
      s, {Const(root, 0), h, one},
      [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Output list = Cond(
            b, Greater(b, SumOf(b, v[1]), Const(b, 1.0F)),
            [&](const Scope& t) {
              return OutputList{Op(t, "TensorListPushBack", {v[2], Sin(t, v[1])}).output(0)};
            },
            [&](const Scope&) { return OutputList{v[2]}; })[0];
        const Output size = Op(b.WithDevice(""), "TensorListLength", {list}).output(0);
        const Output at = Sub(b.WithDevice(""), size, 1);
        const Output top = Op(b, "TensorListGetItem", {list, at, shape}, dtype).output(0);
        return OutputList{Add(b.WithDevice(""), v[0], 1), Cos(b, Add(b, v[1], top)), list};
      });
  Identity(root.WithOpName("last"), last[1]);
  Op(root.WithOpName("all"), "TensorListStack", {last[2], shape}, dtype);
  const auto notes = Compare(*root.Finish(), {Feeds(300)[0], Feeds(300)[1]}, {"last", "all"});
  EXPECT_THAT(notes, Contains(HasSubstr("by the host: ")));
  EXPECT_THAT(notes, Not(Contains(HasSubstr(kWithout))));
}

// The loop pushes a predicate, reads one of a list back in the same iteration and branches by it.
TEST_F(DeviceBranches, APredicateIsPutAndTakenInOneRun) {
  const Scope root = Scope::Root();
  const Scope s = root.WithDevice(kGpu);
  const Output n = Fed(root, "n", DType::kInt32);
  const Output h = Fed(root, "h", DType::kFloat);
  const Output shape = Const(root, Tensor::Vector(std::vector<int32_t>{}));
  const AttrMap dtype = {{"element_dtype", DType::kBool}};
  const Output empty = Op(s, "EmptyTensorList", {shape, -1}, dtype).output(0);
  const OutputList last = WhileLoop(
      s, {Const(root, 0), h, empty},
      [&](const Scope& b, const OutputList& v) { return Less(b.WithDevice(""), v[0], n); },
      [&](const Scope& b, const OutputList& v) {
        const Output is_high = Greater(b, SumOf(b, v[1]), Const(b, 1.0F));
        const Output list = Op(b, "TensorListPushBack", {v[2], is_high}).output(0);
        const Output half = FloorDiv(b.WithDevice(""), v[0], 2);
        const Output was_high = Op(b, "TensorListGetItem", {list, half, shape}, dtype).output(0);
        const Output next = Cond(
            b, was_high, [&](const Scope& t) { return OutputList{Sin(t, v[1])}; },
            [&](const Scope& f) { return OutputList{Add(f, v[1], Const(f, 0.3F))}; })[0];
        return OutputList{Add(b.WithDevice(""), v[0], 1), next, list};
      });
  Identity(root.WithOpName("last"), last[1]);
  Op(root.WithOpName("all"), "TensorListStack", {last[2], shape}, dtype);
  for (const int32_t trips : {40, 1500}) {
    Compare(*root.Finish(), {Feeds(trips)[0], Feeds(trips)[1]}, {"last", "all"});
  }
}

}  // namespace
}  // namespace tagflow::optimized
