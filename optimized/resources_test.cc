#include "optimized/resources.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

struct Probe : StepObject {
  using StepObject::StepObject;
  void End() override { ++ended; }
  int ended = 0;
};

TEST(SessionStateTest, AVariableIsOneObjectPerName) {
  SessionState state;
  const auto a = state.FindOrCreateVariable({"", "v"}, DType::kFloat, PartialShape());
  const auto b = state.FindOrCreateVariable({"", "v"}, DType::kInvalid, PartialShape());
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(*a, *b);
  EXPECT_NE(*a, *state.FindOrCreateVariable({"c", "v"}, DType::kFloat, PartialShape()));
  EXPECT_EQ(state.FindOrCreateVariable({"", "v"}, DType::kInt32, PartialShape()).status().code(),
            Code::kInvalidArgument);
}

TEST(SessionStateTest, ANodeKeepsItsState) {
  SessionState state;
  state.FindOrCreateState("n", 1, 2)->count = 5;
  EXPECT_EQ(state.FindOrCreateState("n", 7, 7)->count, 5u);
  EXPECT_EQ(state.FindOrCreateState("n")->seed, 1u);
}

TEST(SessionStateTest, AnObjectIsMadeOnceAndTakenOnce) {
  SessionState state;
  int made = 0;
  const auto make = [&] {
    ++made;
    return std::make_shared<Probe>("table");
  };
  EXPECT_EQ(state.FindObject({"c", "t"}), nullptr);
  const auto object = state.FindOrCreateObject({"c", "t"}, make);
  EXPECT_EQ(state.FindOrCreateObject({"c", "t"}, make), object);
  EXPECT_EQ(state.FindObject({"c", "t"}), object);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(state.TakeObject({"c", "t"}), object);
  EXPECT_EQ(state.TakeObject({"c", "t"}), nullptr);
}

TEST(VariableTest, AReadIsASnapshot) {
  Variable variable("v");
  variable.WithAnywhere(
      [](Variable::Contents& contents) { contents.value = Tensor::Scalar<float>(1); });
  const Tensor before = variable.value();
  variable.WithAnywhere(
      [](Variable::Contents& contents) { contents.value = Tensor::Scalar<float>(2); });
  EXPECT_EQ(before.scalar<float>(), 1);
  EXPECT_EQ(variable.value().scalar<float>(), 2);
}

TEST(StepStateTest, EndsWhatIsLeftWhenTheStepEnds) {
  StepState step;
  auto held = std::make_shared<Probe>("held");
  step.Adopt(held);
  for (int i = 0; i < 1000; ++i) step.Adopt(std::make_shared<Probe>("gone at once"));
  step.End();
  EXPECT_EQ(held->ended, 1);
  step.End();
  EXPECT_EQ(held->ended, 1);
}

TEST(StepStateTest, ATemporaryVariableIsTakenOnce) {
  StepState step;
  EXPECT_TRUE(step.CreateVariable("t").ok());
  EXPECT_EQ(step.CreateVariable("t").status().code(), Code::kAlreadyExists);
  EXPECT_NE(step.TakeVariable("t"), nullptr);
  EXPECT_EQ(step.TakeVariable("t"), nullptr);
}

}  // namespace
}  // namespace tagflow::optimized
