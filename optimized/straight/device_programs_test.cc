// Loops and steps that a GPU runs by itself, over a fake of CUDA.
// Tests: device_loops.cc, recorded_variables.cc, recorder.cc, step_program.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/resources.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

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
std::string WhileSumIsBelow(const std::string& next) {
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

// ---- Variables ----

class DeviceVariables : public DevicePrograms {
 protected:
  // v, w: float; n: int32, a scalar. `set` gives them their values.
  void Open(const std::string& step) {
    Make(R"(
      v_value = Placeholder() dtype=float
      w_value = Placeholder() dtype=float
      v = VarHandleOp() dtype=float shape=[]
      w = VarHandleOp() dtype=float shape=[]
      n = VarHandleOp() dtype=int32 shape=[]
      zero = Const() dtype=int32 value=0
      set_v = AssignVariableOp(v, v_value) dtype=float
      set_w = AssignVariableOp(w, w_value) dtype=float
      set_n = AssignVariableOp(n, zero) dtype=int32
      get_v = ReadVariableOp(v) dtype=float
      get_w = ReadVariableOp(w) dtype=float
    )" + step,
         {}, {});
  }
  void Set(const std::vector<float>& v, const std::vector<float>& w) {
    const auto done = session_->Run({{"v_value", Vector(v)}, {"w_value", Vector(w)}}, {},
                                    {"set_v", "set_w", "set_n"});
    ASSERT_TRUE(done.ok()) << done.status().ToString();
  }
  std::string Get(const std::string& fetch) {
    const auto values = session_->Run({}, {fetch});
    return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
  }
  // Runs a step for its effects alone.
  void Do(const std::vector<std::string>& targets, const NamedTensors& feeds = {}) {
    const auto done = session_->Run(feeds, {}, targets);
    ASSERT_TRUE(done.ok()) << done.status().ToString();
  }
  std::vector<std::string> NotesOf(const std::vector<std::string>& fetches,
                                   const std::vector<std::string>& targets) {
    return (*session_->MakeCallable({}, fetches, targets))->Notes();
  }
  static constexpr char kAtOnce[] = "steps run at once";
};

TEST_F(DeviceVariables, ATrainingStepIsLaunchedAsAWhole) {
  Open(R"(
    two = Const() dtype=float value=2
    lead = Sub(get_w, get_v) T=float
    step = RealDiv(lead, two) T=float
    train = AssignAddVariableOp(v, step) dtype=float
  )");
  Set({0, 16}, {16, 0});
  for (const char* wanted : {"[8, 8]", "[12, 4]", "[14, 2]", "[15, 1]", "[15.5, 0.5]"}) {
    Do({"train"});
    EXPECT_EQ(Get("get_v"), std::string("float[2] ") + wanted);
  }
  EXPECT_THAT(NotesOf({}, {"train"}), Contains(HasSubstr(kAtOnce)));
  EXPECT_THAT(NotesOf({"get_v"}, {}), Contains(HasSubstr(kAtOnce)));
  Set({0, 0, 0}, {2, 2, 2});  // elsewhere, and of another shape
  Do({"train"});
  Do({"train"});
  EXPECT_EQ(Get("get_v"), "float[3] [1.5, 1.5, 1.5]");
}

TEST_F(DeviceVariables, WhatWasReadBeforeAChangeStays) {
  Open(R"(
    add = AssignAddVariableOp(v, get_w, ^get_v) dtype=float
    after = ReadVariableOp(v, ^add) dtype=float
    both = Sub(after, get_v) T=float
  )");
  Set({1, 2}, {10, 20});
  const Callable* const callable = *session_->MakeCallable({}, {"get_v", "after", "both"});
  for (int i = 0; i < 5; ++i) {
    const auto f = static_cast<float>(i);
    const auto values = callable->Run({});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[0].DebugString(), Vector({1 + 10 * f, 2 + 20 * f}).DebugString());
    EXPECT_EQ((*values)[1].DebugString(), Vector({11 + 10 * f, 22 + 20 * f}).DebugString());
    EXPECT_EQ((*values)[2].DebugString(), "float[2] [10, 20]");
  }
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr(kAtOnce)));
}

TEST_F(DeviceVariables, TwoAreExchanged) {
  Open(R"(
    put_v = AssignVariableOp(v, get_w, ^get_v) dtype=float
    put_w = AssignVariableOp(w, get_v, ^get_w) dtype=float
  )");
  Set({1}, {2});
  for (int i = 0; i < 6; ++i) {
    Do({"put_v", "put_w"});
    EXPECT_EQ(Get("get_v"), i % 2 == 0 ? "float[1] [2]" : "float[1] [1]");
    EXPECT_EQ(Get("get_w"), i % 2 == 0 ? "float[1] [1]" : "float[1] [2]");
  }
}

TEST_F(DeviceVariables, AScalarOfTheHostIsCountedByTheDevice) {
  Open(R"(
    one = Const() dtype=int32 value=1
    count = AssignAddVariableOp(n, one) dtype=int32
    now = ReadVariableOp(n, ^count) dtype=int32
    shown = Cast(now) SrcT=int32 DstT=float
    add = AssignAddVariableOp(v, shown_v) dtype=float
    shown_v = Mul(get_w, shown) T=float
    limit = ResourceCountUpTo(n) T=int32 limit=1000
  )");
  Set({0}, {1});
  int64_t sum = 0;
  for (int64_t i = 1; i < 6; ++i) {
    sum += i;
    Do({"add"});
    EXPECT_EQ(Get("get_v"), "float[1] [" + std::to_string(sum) + "]");
  }
  EXPECT_THAT(NotesOf({}, {"add"}), Contains(HasSubstr(kAtOnce)));
  EXPECT_EQ(Get("limit"), "int32[] 5");  // by the host
  Do({"add"});
  EXPECT_EQ(Get("get_v"), "float[1] [22]");
}

TEST_F(DeviceVariables, AStepThatAHostsKernelChangesIsRunByTheHost) {
  Open(R"(
    put = ResourceCountUpTo(n) T=int32 limit=1000
    out = ReadVariableOp(n, ^put) dtype=int32
  )");
  Set({0, 1}, {0, 0});
  for (int i = 1; i < 4; ++i) EXPECT_EQ(Get("out"), "int32[] " + std::to_string(i));
  EXPECT_THAT(NotesOf({"out"}, {}), Contains(HasSubstr("the host changes or reads a variable")));
}

TEST_F(DeviceVariables, OneOfNoValueIsAnErrorInEachStep) {
  Open("out = Neg(get_v) T=float\n");
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Get("out"), HasSubstr("Could not find variable v"));
  Set({1}, {1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Get("out"), "float[1] [-1]");
}

TEST_F(DeviceVariables, AVariableDoesNotChangeBehindAKernelThatFails) {
  Open(R"(
    by = Placeholder() dtype=int32
    x = Const() dtype=int32 value=6
    quotient = FloorDiv(x, by) T=int32
    as_float = Cast(quotient) SrcT=int32 DstT=float
    add = AssignAddVariableOp(v, get_w, ^quotient) dtype=float
    out = ReadVariableOp(v, ^add) dtype=float
  )");
  Set({0, 0}, {1, 1});
  const auto run = [&](int32_t by) {
    const auto values = session_->Run({{"by", Tensor::Vector<int32_t>({1, by})}}, {"out"});
    return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
  };
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(run(2), Vector({static_cast<float>(i), static_cast<float>(i)}).DebugString());
    EXPECT_EQ(run(0), "INVALID_ARGUMENT: Integer division by zero [node quotient]");
  }
  EXPECT_THAT((*session_->MakeCallable({"by"}, {"out"}))->Notes(), Contains(HasSubstr(kAtOnce)));
}

// The failure is of an iteration, between two changes.
TEST_F(DeviceVariables, WhatChangesBeforeAFailureStaysAndWhatIsBehindItDoesNot) {
  Open(R"(
    limit = Const() dtype=int32 value=3
    one = Const() dtype=int32 value=1
    x = Placeholder() dtype=int32
    by = Placeholder() dtype=int32
    first = AssignAddVariableOp(v, get_w) dtype=float
    i_in = Enter(zero) T=int32 frame_name=f
    x_in = Enter(x, ^first) T=int32 frame_name=f
    by_in = Enter(by) T=int32 frame_name=f
    n_in = Enter(limit) T=int32 frame_name=f is_constant=true
    one_in = Enter(one) T=int32 frame_name=f is_constant=true
    i = Merge(i_in, i_next) T=int32
    y = Merge(x_in, y_next) T=int32
    d = Merge(by_in, d_next) T=int32
    less = Less(i, n_in) T=int32
    again = LoopCond(less)
    i_way = Switch(i, again) T=int32
    y_way = Switch(y, again) T=int32
    d_way = Switch(d, again) T=int32
    quotient = FloorDiv(y_way:1, d_way:1) T=int32
    i_sum = AddV2(i_way:1, one_in) T=int32
    d_less = Sub(d_way:1, one_in) T=int32
    i_next = NextIteration(i_sum) T=int32
    y_next = NextIteration(quotient) T=int32
    d_next = NextIteration(d_less) T=int32
    last = Exit(y_way:0) T=int32
    second = AssignAddVariableOp(w, get_v, ^last) dtype=float
    out = Identity(last, ^second) T=int32
  )");
  const auto run = [&](int32_t by) {
    const auto values = session_->Run(
        {{"x", Tensor::Vector<int32_t>({60, 600})}, {"by", Tensor::Vector<int32_t>({5, by})}},
        {"out"});
    return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
  };
  Set({0}, {1});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(run(2), "INVALID_ARGUMENT: Integer division by zero [node quotient, tag f[2]]");
    EXPECT_EQ(Get("get_w"), "float[1] [1]");
    EXPECT_EQ(Get("get_v"), Vector({static_cast<float>(i + 1)}).DebugString());
  }
  EXPECT_EQ(run(3), "int32[2] [1, 100]");
  EXPECT_EQ(Get("get_v"), "float[1] [5]");
  EXPECT_THAT((*session_->MakeCallable({"x", "by"}, {"out"}))->Notes(),
              Contains(HasSubstr(kAtOnce)));
}

TEST_F(DeviceVariables, OneThatOutlivesItsSessionIsOnTheHost) {
  Make(R"(
    x = Placeholder() dtype=float
    v = VarHandleOp() dtype=float shape=[] shared_name=cd2c89b7-88b7-44c8-ad83-06c2a9158347
    set = AssignVariableOp(v, x) dtype=float
    out = ReadVariableOp(v, ^set) dtype=float
  )",
       {}, {});
  const auto fetched = session_->Run({{"x", Vector({1, 2})}}, {"v", "out"});
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  const auto& variable =
      static_cast<const Variable&>(*(*fetched)[0].data<ResourceHandle>()->object);
  EXPECT_EQ(variable.value().memory_kind(), MemoryKind::kDevice);
  session_.reset();
  EXPECT_EQ(variable.value().DebugString(), "float[2] [1, 2]");
}

TEST_F(DeviceVariables, ALoopReadsOneWithoutTheHost) {
  Open(WhileSumIsBelow(R"(
    v_in = Enter(v) T=resource frame_name=f is_constant=true
    turn = Identity(way:1) T=float
    read = ReadVariableOp(v_in, ^turn) dtype=float
    next = AddV2(way:1, read) T=float
  )"));
  const Callable* const callable = *session_->MakeCallable({"x", "limit", "axes"}, {"out"});
  const auto run = [&](float limit) {
    return Run(*callable, {Vector({0, 0}), Tensor::Scalar(limit), Tensor::Vector<int32_t>({0})});
  };
  Set({1, 2}, {0, 0});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(10), "float[2] [4, 8]");
  EXPECT_THAT(callable->Notes(), Contains(HasSubstr("'again' runs without the host")));
  Set({2, 2}, {0, 0});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(10), "float[2] [6, 6]");
}

// v grows by w where the sum of w is above the limit.
TEST_F(DeviceVariables, OneThatABranchChangesIsChangedWhereItIsTaken) {
  Open(R"(
    limit = Const() dtype=float value=3
    axes = Placeholder() dtype=int32
    sum = Sum(get_w, axes) T=float Tidx=int32
    above = Greater(sum, limit) T=float
    way = Switch(get_w, above) T=float
    handle = Switch(v, above) T=resource
    twice = AddV2(way:1, way:1) T=float
    add = AssignAddVariableOp(handle:1, twice) dtype=float
    then = Identity(way:1, ^add) T=float
    merged = Merge(way:0, then) T=float
    out = Neg(merged) T=float
  )");
  for (int i = 0; i < 2; ++i) {
    Set({0, 0}, {1, 1});
    for (int k = 0; k < 3; ++k) Do({"out"}, {{"axes", Tensor::Vector<int32_t>({0})}});
    EXPECT_EQ(Get("get_v"), "float[2] [0, 0]");
    Set({0, 0}, {1, 4});
    for (int k = 0; k < 3; ++k) Do({"out"}, {{"axes", Tensor::Vector<int32_t>({0})}});
    EXPECT_EQ(Get("get_v"), "float[2] [6, 24]");
  }
}

}  // namespace
}  // namespace tagflow::optimized
