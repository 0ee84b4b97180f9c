// Loops and steps that a GPU runs by itself, over a fake of CUDA.
// Tests: device_loops.cc, recorder.cc, step_program.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/straight/test_programs.h"

namespace tagflow::optimized {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// x times 2^n, plus w.
constexpr char kCounted[] = R"(
    x = Placeholder() dtype=float
    w = Placeholder() dtype=float
    n = Placeholder() dtype=int32 shape=[]
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    i_in = Enter(zero) T=int32 frame_name=f
    x_in = Enter(x) T=float frame_name=f
    n_in = Enter(n) T=int32 frame_name=f is_constant=true
    one_in = Enter(one) T=int32 frame_name=f is_constant=true
    i = Merge(i_in, i_next) T=int32
    y = Merge(x_in, y_next) T=float
    less = Less(i, n_in) T=int32
    again = LoopCond(less)
    i_way = Switch(i, again) T=int32
    y_way = Switch(y, again) T=float
    i_sum = AddV2(i_way:1, one_in) T=int32
    y_sum = AddV2(y_way:1, y_way:1) T=float
    i_next = NextIteration(i_sum) T=int32
    y_next = NextIteration(y_sum) T=float
    end = Exit(y_way:0) T=float
    out = AddV2(end, w) T=float
)";

TEST_F(DevicePrograms, ALoopWhosePredicateTheDeviceHasRunsWithoutTheHost) {
  const Callable* const callable =
      Make(WhileSumIsBelow("next = AddV2(way:1, way:1) T=float"), {"x", "limit", "axes"}, {"out"});
  const Tensor axes = Tensor::Vector<int32_t>({0});
  const auto run = [&](const std::vector<float>& x, float limit) {
    return Run(*callable, {Vector(x), Tensor::Scalar(limit), axes});
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run({1, 2}, 40), "float[2] [16, 32]");
    EXPECT_EQ(run({1, 1}, 1000), "float[2] [512, 512]");  // another limit is another program
    EXPECT_EQ(run({1, 1}, 1), "float[2] [1, 1]");         // no iteration
    EXPECT_EQ(run({1, 2, 3}, 40), "float[3] [8, 16, 24]");
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("'again' runs without the host")));
}

TEST_F(DevicePrograms, BeforeAStepIsToldHowItWouldRun) {
  const std::string doubled = "next = AddV2(way:1, way:1) T=float";
  const std::vector<std::string> feeds = {"x", "limit", "axes"};
  EXPECT_THAT(Make(WhileSumIsBelow(doubled), feeds, {"out"})->Notes(),
              ElementsAre("steps run at once where two are alike",
                          "the loop of 'again' runs by the host, unless its predicate comes to be "
                          "on a device"));
  std::string known = WhileSumIsBelow(doubled);
  known.replace(known.find("float"), 5, "float shape=[2]");
  EXPECT_THAT(Make(known, feeds, {"out"})->Notes(),
              Contains("the loop of 'again' runs without the host, as its predicate is on a "
                       "device, if it can be recorded"));
  EXPECT_THAT(Make(kCounted, {"x", "w", "n"}, {"out"})->Notes(),
              Contains("the loop of 'again' runs by the host, which has its predicate, "
                       "unless it is long"));
}

TEST_F(DevicePrograms, ALoopThatDoesNotSuitSaysWhyNot) {
  const std::string printing =
      "next = Add(printed, printed) T=float\n"
      "printed = CheckNumerics(way:1) T=float message=no";
  EXPECT_THAT(Make(WhileSumIsBelow(printing), {"x", "limit", "axes"}, {"out"})->Notes(),
              Contains("the loop of 'again' runs by the host: 'printed' has state or effects"));
  const std::string text = WhileSumIsBelow("next = AddV2(way:1, way:1) T=float");
  EXPECT_THAT(Make(text, {"x", "limit", "axes"}, {"out"}, {{"next", "/device:GPU:1"}})->Notes(),
              Contains("the loop of 'again' runs by the host: it is over several devices: 'sum' "
                       "is on /device:GPU:0, 'next' on /device:GPU:1"));
}

// Which of three ways an iteration takes hangs on what the GPU computes; an index that is outside
// takes the last.
TEST_F(DevicePrograms, ALoopWithABranchOfManyRunsWithoutTheHost) {
  const Callable* const callable = Make(WhileSumIsBelow(R"(
    index = Cast(sum) SrcT=float DstT=int32
    ways = _SwitchN(way:1, index) T=float num_outs=3
    doubled = AddV2(ways:0, ways:0) T=float
    first = AddV2(ways:1, ways:1) T=float
    trebled = AddV2(first, ways:1) T=float
    squared = Mul(ways:2, ways:2) T=float
    next = Merge(doubled, trebled, squared) T=float N=3
  )"),
                                        {"x", "limit", "axes"}, {"out"});
  for (int i = 0; i < 4; ++i) {
    // 0.25, 0.5, 1.5, 2.25, 5.0625, 25.6
    EXPECT_EQ(Run(*callable, {Vector({0.25F, 0.25F}), Tensor::Scalar<float>(20),
                              Tensor::Vector<int32_t>({0})}),
              "float[2] [25.628906, 25.628906]");
  }
  EXPECT_THAT(callable->Notes(), Contains("the loop of 'again' runs without the host"));
}

// The loop is one GPU's, and what it is given and gives is another's.
TEST_F(DevicePrograms, ALoopIsGivenWhatIsOnAnotherDevice) {
  std::string text = WhileSumIsBelow("next = AddV2(way:1, way:1) T=float");
  text.replace(text.find("Enter(x)"), 8, "Enter(half)");
  text += "\nhalf = Mul(x, x) T=float\nafter = Neg(out) T=float\n";
  const std::string other = "/device:GPU:1";
  fake_cuda::LetGpusReach(0, 1, false);  // so that a kernel that reads it there fails
  const Callable* const callable =
      Make(text, {"x", "limit", "axes"}, {"after"}, {{"half", other}, {"after", other}});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(
        Run(*callable, {Vector({1, 2}), Tensor::Scalar<float>(50), Tensor::Vector<int32_t>({0})}),
        "float[2] [-16, -64]");
  }
  fake_cuda::LetGpusReach(0, 1, true);
  EXPECT_THAT(callable->Notes(), Contains("the loop of 'again' runs without the host"));
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("it is over several devices")));
}

TEST_F(DevicePrograms, ALoopThatReadsAListOfAnotherDevicesIsTheHosts) {
  std::string text = WhileSumIsBelow(R"(
    made = Mul(x, x) T=float
    shape = Const() dtype=int32 value=-1
    zero = Const() dtype=int32 value=0
    empty = EmptyTensorList(shape, shape) element_dtype=float shape_type=int32
    list = TensorListPushBack(empty, made) element_dtype=float
    list_in = Enter(list) T=variant frame_name=f is_constant=true
    zero_in = Enter(zero) T=int32 frame_name=f is_constant=true
    shape_in = Enter(shape) T=int32 frame_name=f is_constant=true
    item = TensorListGetItem(list_in, zero_in, shape_in) element_dtype=float
    next = AddV2(way:1, item) T=float
  )");
  fake_cuda::LetGpusReach(0, 1, false);
  const Callable* const callable =
      Make(text, {"x", "limit", "axes"}, {"out"},
           {{"made", "/device:GPU:1"}, {"empty", "/device:GPU:1"}, {"list", "/device:GPU:1"}});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(
        Run(*callable, {Vector({1, 2}), Tensor::Scalar<float>(10), Tensor::Vector<int32_t>({0})}),
        "float[2] [3, 10]");
  }
  fake_cuda::LetGpusReach(0, 1, true);
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("a kernel reads what is on another device")));
}

TEST_F(DevicePrograms, ALoopWhoseShapesChangeIsTheHosts) {
  const Callable* const callable =
      Make(WhileSumIsBelow("along = Const() dtype=int32 value=0\n"
                           "along_in = Enter(along) T=int32 frame_name=f is_constant=true\n"
                           "next = ConcatV2(way:1, way:1, along_in) T=float N=2 Tidx=int32"),
           {"x", "limit", "axes"}, {"out"});
  const Tensor axes = Tensor::Vector<int32_t>({0});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run(*callable, {Vector({1, 2}), Tensor::Scalar<float>(10), axes}),
              "float[8] [1, 2, 1, 2, 1, 2, 1, 2]");
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("a shape changes")));
}

TEST_F(DevicePrograms, AStepLikeTheOneBeforeRunsAtOnce) {
  const Callable* const callable = Make(kCounted, {"x", "w", "n"}, {"out"});
  for (int i = 0; i < 4; ++i) {
    const auto f = static_cast<float>(i);
    EXPECT_EQ(Run(*callable, {Vector({f, 1}), Vector({f, f}), Int(2)}),
              Vector({5 * f, 4 + f}).DebugString());
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("steps run at once")));
  // Another number of iterations, or another shape, is another step.
  EXPECT_EQ(Run(*callable, {Vector({1, 1}), Vector({0, 0}), Int(3)}), "float[2] [8, 8]");
  EXPECT_EQ(Run(*callable, {Vector({1}), Vector({1}), Int(3)}), "float[1] [9]");
  EXPECT_EQ(Run(*callable, {Vector({1, 3}), Vector({1, 1}), Int(2)}), "float[2] [5, 13]");
}

TEST_F(DevicePrograms, AKernelThatFailsInALoopIsNamedWithItsIteration) {
  const Callable* const callable = Make(R"(
    x = Placeholder() dtype=int32
    start = Placeholder() dtype=int32
    axes = Placeholder() dtype=int32
    one = Const() dtype=int32 value=1
    x_in = Enter(x) T=int32 frame_name=f
    by_in = Enter(start) T=int32 frame_name=f
    axes_in = Enter(axes) T=int32 frame_name=f is_constant=true
    one_in = Enter(one) T=int32 frame_name=f is_constant=true
    y = Merge(x_in, y_next) T=int32
    by = Merge(by_in, by_next) T=int32
    sum = Sum(y, axes_in) T=int32 Tidx=int32
    more = NotEqual(sum, one_in) T=int32
    again = LoopCond(more)
    y_way = Switch(y, again) T=int32
    by_way = Switch(by, again) T=int32
    quotient = FloorDiv(y_way:1, by_way:1) T=int32
    less = Sub(by_way:1, one_in) T=int32
    y_next = NextIteration(quotient) T=int32
    by_next = NextIteration(less) T=int32
    out = Exit(y_way:0) T=int32
  )",
                                        {"x", "start", "axes"}, {"out"});
  const auto run = [&](std::vector<int32_t> x, std::vector<int32_t> start) {
    return Run(*callable, {Tensor::Vector(x), Tensor::Vector(start), Tensor::Vector<int32_t>({0})});
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run({24, 0}, {4, 4}), "int32[2] [1, 0]");
    EXPECT_EQ(run({1000, 1000}, {5, 4}),
              "INVALID_ARGUMENT: Integer division by zero [node quotient, tag f[4]]");
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("'again' runs without the host")));
}

TEST_F(DevicePrograms, AKernelThatFailsInAStepThatRunsAtOnceIsNamed) {
  const Callable* const callable = Make(R"(
    x = Placeholder() dtype=int32
    y = Placeholder() dtype=int32
    quotient = FloorDiv(x, y) T=int32
    out = Neg(quotient) T=int32
  )",
                                        {"x", "y"}, {"out"});
  const auto run = [&](std::vector<int32_t> y) {
    return Run(*callable, {Tensor::Vector<int32_t>({7, 8}), Tensor::Vector(y)});
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run({2, 3}), "int32[2] [-3, -2]");
    EXPECT_EQ(run({2, 0}), "INVALID_ARGUMENT: Integer division by zero [node quotient]");
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("steps run at once")));
}

TEST_F(DevicePrograms, FeedsThatNeverAreAlikeAreRunByTheHost) {
  const Callable* const callable = Make(kCounted, {"x", "w", "n"}, {"out"});
  float wanted = 1;
  for (int n = 0; n < 6; ++n, wanted *= 2) {
    EXPECT_EQ(Run(*callable, {Vector({1, 1}), Vector({0, 0}), Int(n)}),
              Vector({wanted, wanted}).DebugString());
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("no two steps were alike")));
}

TEST_F(DevicePrograms, WhatTheHostReadsOfAFeedIsComparedInEachStep) {
  const Callable* const callable = Make(R"(
    x = Placeholder() dtype=float
    shape = Placeholder() dtype=int32
    wide = Reshape(x, shape) T=float Tshape=int32
    out = AddV2(wide, wide) T=float
  )",
                                        {"x", "shape"}, {"out"});
  const Tensor row = Tensor::Vector<int32_t>({1, 2}), column = Tensor::Vector<int32_t>({2, 1});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run(*callable, {Vector({1, 2}), row}), "float[1,2] [[2, 4]]");
  }
  EXPECT_EQ(Run(*callable, {Vector({1, 2}), column}), "float[2,1] [[2], [4]]");
  EXPECT_EQ(Run(*callable, {Vector({3, 2}), row}), "float[1,2] [[6, 4]]");
}

TEST_F(DevicePrograms, AFeedThatIsFetchedIsItself) {
  const Callable* const callable = Make(R"(
    x = Placeholder() dtype=float
    y = Placeholder() dtype=float
    same = Identity(x) T=float
    sum = AddV2(y, y) T=float
  )",
                                        {"x", "y"}, {"same", "sum"});
  for (const float x : {1.0F, 1.0F, 1.0F, 2.0F, 3.0F}) {
    EXPECT_EQ(Run(*callable, {Vector({x, 0}), Vector({1})}), Vector({x, 0}).DebugString());
  }
}

// A branch in a branch: the ways of the outer Merge are behind tests of their own.
TEST_F(DevicePrograms, ABranchInABranchGivesWhatItsWayGives) {
  const Callable* const callable = Make(R"(
    x = Placeholder() dtype=float
    y = Placeholder() dtype=float
    axes = Placeholder() dtype=int32
    zero = Const() dtype=float value=0
    of_x = Sum(x, axes) T=float Tidx=int32
    of_y = Sum(y, axes) T=float Tidx=int32
    is_x = Greater(of_x, zero) T=float
    is_y = Greater(of_y, zero) T=float
    way = Switch(x, is_x) T=float
    inner = Switch(way:1, is_y) T=float
    both = Neg(inner:1) T=float
    one = Add(inner:0, inner:0) T=float
    joined = Merge(both, one) T=float
    none = Abs(way:0) T=float
    all = Merge(joined, none, ^joined, ^none) T=float
    out = Add(all, all) T=float
  )",
                                        {"x", "y", "axes"}, {"out"});
  const Tensor axes = Tensor::Vector<int32_t>({0});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run(*callable, {Vector({1, 2}), Vector({1, 1}), axes}), "float[2] [-2, -4]");
    EXPECT_EQ(Run(*callable, {Vector({1, 2}), Vector({0, -1}), axes}), "float[2] [4, 8]");
    EXPECT_EQ(Run(*callable, {Vector({-1, -2}), Vector({1, 1}), axes}), "float[2] [2, 4]");
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("steps run at once")));
}

}  // namespace
}  // namespace tagflow::optimized
