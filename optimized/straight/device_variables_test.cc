// Variables in what a GPU runs by itself, over a fake of CUDA.
// Tests: recorded_variables.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/resources.h"
#include "optimized/straight/test_programs.h"

namespace tagflow::optimized {
namespace {

using testing::Contains;
using testing::HasSubstr;

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
